"""Decisions of maintainers/decisions.md that no test of the core, of a plugin or of RFC 1738 proves."""

from __future__ import annotations

import pytest

import urlschemes
import urlschemes_access
import urlschemes_lint
from urlschemes import UnsafeURL, parse
from urlschemes.errors import InvalidURL
from urlschemes_lint import NotRepairable


@pytest.mark.decision(7)
@pytest.mark.parametrize("text", ["http://joe@h/", "http://joe:secret@h/", "http://@h/", "https://joe@h/"])
def test_a_login_in_an_http_url_is_not_repaired(text: str) -> None:
    with pytest.raises(NotRepairable):
        urlschemes_lint.fix(text)


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
    for zeros in ("", "0" * 5000):
        assert parse(f"ftp://h:{zeros}{'1' * 4000}/").parts["port"] == int("1" * 4000)
    with pytest.raises(InvalidURL) as caught:
        parse(f"ftp://h:{'1' * 4001}/")
    assert caught.value.code == "invalid-port"


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


@pytest.mark.decision(30)
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("\x00" * 70_000, "url-too-long"),
        ("http:///%zz\x00", "empty-host"),
        ("http://h/%zz\x00", "bad-escape"),
        ("http://h/\x00%zz", "invalid-character"),
        ("http://h:x/~", "invalid-port"),
    ],
)
def test_the_first_of_several_faults_is_reported(text: str, code: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        parse(text)
    assert caught.value.code == code
