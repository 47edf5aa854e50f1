"""The decisions of docs/explanation/decisions.md that concern several schemes, the core, lint or text."""

from __future__ import annotations

import pytest

import urlschemes
import urlschemes_access
import urlschemes_lint
import urlschemes_text
from urlschemes import UnknownScheme, UnsafeURL, parse
from urlschemes.errors import (
    BadEscape,
    EmptyHost,
    FragmentPresent,
    InvalidCharacter,
    InvalidHost,
    InvalidPart,
    InvalidPort,
    URLTooLong,
    UserinfoNotAllowed,
)
from urlschemes_lint import NotRepairable


@pytest.mark.decision(1)
@pytest.mark.parametrize("name", ["1x", "-x", ".", "+"])
def test_a_scheme_name_may_begin_with_any_of_its_characters(name: str) -> None:
    assert urlschemes.parse_generic(f"{name}:y").scheme == name


@pytest.mark.decision(2)
def test_a_known_scheme_must_match_its_own_production() -> None:
    assert urlschemes.parse_generic("ftp:anything").scheme == "ftp"
    with pytest.raises(urlschemes.InvalidURL):
        parse("ftp:anything")


@pytest.mark.decision(3)
def test_quoted_literals_match_in_any_letter_case() -> None:
    url = parse("FTP://h/a;TYPE=d")
    assert url.parts["typecode"] == "d"
    assert (str(url), url.scheme) == ("FTP://h/a;TYPE=d", "ftp")
    assert parse("file://LocalHost/a").parts["host"] == "localhost"


@pytest.mark.decision(4)
@pytest.mark.parametrize(
    ("text", "error"),
    [("ftp://%68/", InvalidHost), ("ftp://h:2%31/", InvalidPort), ("ftp://h/a;type=%61", InvalidPart)],
)
def test_no_escapes_in_host_port_and_typecode(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        parse(text)


@pytest.mark.decision(6)
@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("http://h/?a/b", "http://h/?a%2Fb"),
        ("http://h/?a?b", "http://h/?a%3Fb"),
        ("http://h?q", "http://h/?q"),
    ],
)
def test_no_slash_or_question_mark_in_a_search_and_no_search_without_a_path(text: str, fixed: str) -> None:
    with pytest.raises(urlschemes.InvalidURL):
        parse(text)
    assert str(urlschemes_lint.fix(text).url) == fixed


@pytest.mark.decision(7)
@pytest.mark.parametrize("text", ["http://joe@h/", "http://joe:secret@h/", "http://@h/", "https://joe@h/"])
def test_http_has_no_user_name_and_no_password(text: str) -> None:
    with pytest.raises(UserinfoNotAllowed):
        parse(text)
    with pytest.raises(NotRepairable):
        urlschemes_lint.fix(text)


@pytest.mark.decision(8)
def test_tabs_divide_a_gopher_url() -> None:
    parts = parse("gopher://h/7a%09b%09c%09d").parts
    assert (parts["selector"], parts["search"], parts["gopher_plus"]) == ("a", "b", "c\td")
    assert parse("gopher://h/%09a").parts["gtype"] == "\t"
    for octet in ("%0A", "%0D"):
        with pytest.raises(InvalidPart):
            parse(f"gopher://h/0a{octet}")
        with pytest.raises(InvalidPart):
            parse(f"gopher://h/7a%09b{octet}")


@pytest.mark.decision(9)
def test_a_gopher_type_is_one_octet_and_1_by_default() -> None:
    assert parse("gopher://h/%37a").parts["gtype"] == "7"
    with pytest.raises(UnsafeURL):
        urlschemes_access.access("gopher://h/%0Da")
    empty = parse("gopher://h/")
    assert (empty.parts["gtype"], getattr(empty, "effective_gtype", None)) == (None, "1")


@pytest.mark.decision(16)
@pytest.mark.parametrize("text", ["file://h:80/a", "file://joe@h/a", "file:///a;b", "file:/a", "file:a", "file://h"])
def test_a_file_url_is_a_host_and_a_path(text: str) -> None:
    with pytest.raises(urlschemes.InvalidURL):
        parse(text)
    assert parse("file:///a").parts["host"] == ""


@pytest.mark.decision(18)
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("ftp://256.1.1.1/", "impossible-address"),
        ("ftp://h:70000/", "impossible-port"),
        (f"ftp://{'a' * 64}/", "long-label"),
        (f"ftp://{'a.' * 127}a/", "long-host"),
    ],
)
def test_meaningless_numbers_are_parsed_reported_and_not_accessed(text: str, code: str) -> None:
    assert code in {finding.code for finding in urlschemes_lint.check(text)}
    with pytest.raises(UnsafeURL):
        urlschemes_access.access(parse(text))


@pytest.mark.decision(18)
def test_no_number_has_more_than_4000_digits() -> None:
    assert parse(f"ftp://h:{'1' * 4000}/").parts["port"]
    with pytest.raises(InvalidPort):
        parse(f"ftp://h:{'1' * 4001}/")


@pytest.mark.decision(19)
@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("http://h:/", "http://h/"),
        ("http://h./", "http://h/"),
        ("http://h/~", "http://h/%7E"),
        ("http://h/\u00e9", "http://h/%C3%A9"),
        ("http://a_b/", None),
        ("http://[::1]/", None),
        ("http://\u00e9/", None),
    ],
)
def test_forms_in_use_outside_the_grammar_are_refused(text: str, fixed: str | None) -> None:
    with pytest.raises(urlschemes.InvalidURL):
        parse(text)
    if fixed is None:
        with pytest.raises(NotRepairable):
            urlschemes_lint.fix(text)
    else:
        assert str(urlschemes_lint.fix(text).url) == fixed


@pytest.mark.decision(20)
def test_a_fragment_is_never_part_of_a_url() -> None:
    with pytest.raises(FragmentPresent):
        parse("http://h/a#b")
    fixed = urlschemes_lint.fix("http://h/a#b")
    assert (str(fixed.url), fixed.fragment) == ("http://h/a", "b")


@pytest.mark.decision(21)
def test_a_hyphen_at_a_line_break_is_kept_and_uncertain() -> None:
    [found] = urlschemes_text.find("<URL:http://inf-\no.dom/>")
    assert (str(found.url), found.uncertain) == ("http://inf-o.dom/", True)


@pytest.mark.decision(22)
@pytest.mark.parametrize(
    "text", ["URL:http://h/", "url:http://h/", "<URL:http://h/>", "<http://h/>", " <uRl:http://h/> "]
)
def test_fix_removes_wrapper_and_prefix(text: str) -> None:
    assert str(urlschemes_lint.fix(text).url) == "http://h/"


@pytest.mark.decision(22)
@pytest.mark.parametrize(
    ("text", "grade"),
    [("<uRL:http://h/>", "delimited"), ("url:http://h/", "bare"), ("> <URL:http://h/\n> a>", "delimited")],
)
def test_the_prefix_may_stand_alone_and_the_next_bracket_ends_a_wrapper(
    text: str, grade: str
) -> None:
    [found] = urlschemes_text.find(text)
    assert (str(found.url), found.grade) == ("http://h/", grade)


@pytest.mark.decision(22)
def test_a_wrapped_text_that_is_not_a_url_is_reported_on_request() -> None:
    assert [*urlschemes_text.find("<URL:http://h/~a>")] == []
    [broken] = urlschemes_text.find("<URL:http://h/~a>", invalid=True)
    assert isinstance(broken, urlschemes_text.Broken)


@pytest.mark.decision(23)
def test_url_is_not_a_scheme() -> None:
    with pytest.raises(UnknownScheme):
        parse("URL:http://h/")


@pytest.mark.decision(24)
def test_no_more_than_64_kib_unless_asked() -> None:
    text = "http://h/" + "a" * 64 * 1024
    with pytest.raises(URLTooLong):
        parse(text)
    assert str(urlschemes.parse_generic(text, limit=len(text))) == text


@pytest.mark.decision(30)
@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("\x00" * 70_000, URLTooLong),
        ("http:///%zz\x00", InvalidCharacter),
        ("http:///%zz", BadEscape),
        ("http:///", EmptyHost),
    ],
)
def test_the_first_of_several_faults_is_reported(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        parse(text)
