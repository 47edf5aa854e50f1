"""URLs in running text, for schemes that the program registers: which are found, and what `find` takes and refuses."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import urlschemes
from urlschemes import URL, InvalidURL, PluginError, Registration, Registry
from urlschemes.errors import InvalidCharacter, URLTooLong
from urlschemes_text.search import Broken, Found, find, wrap

Make = Callable[..., Registration]

HOSTS = """
api = 1
scheme = "x-hosts"
status = "experimental"
title = "Things of hosts"
reference = "nowhere"
contact = "the tests"
change_controller = "the tests"
encoding_considerations = "None."
interoperability_considerations = "None."
security_considerations = "None."

[syntax]
rule = "hostsurl"
bnf = '''
hostsurl = "x-hosts://" login [ "/" thing ]
thing    = *uchar
'''

[syntax.parts]
user = { at = "user" }
password = { at = "password" }
host = { at = "host" }
port = { at = "port", number = true }
thing = { at = "thing" }
"""


@pytest.fixture
def registry(registration: Make) -> Registry:
    """A registry of two schemes: `x-word:` and one or more characters, and `x-hosts://` with a login."""
    made = Registry([])
    made.register(registration("x-word"))
    made.register(Registration.from_text(HOSTS, source="the tests"))
    return made


def texts(passages: Iterator[Found]) -> list[str]:
    return [str(found.url) for found in passages]


def test_the_module_is_there_without_an_import_of_its_own(child: Callable[..., Any]) -> None:
    code = """
    import urlschemes
    assert "urlschemes_text.search" not in sys.modules
    found = [str(each.url) for each in urlschemes_text.search.find("<URL:x-any:thing>", registry=urlschemes.Registry([]))]
    print(json.dumps(found))
    """
    assert child(code) == ["x-any:thing"]


def test_bare_urls_are_those_of_the_schemes_of_the_registry(registry: Registry) -> None:
    text = "x-word:a x-other:b <x-word:c> <x-other:d> <URL:x-word:e> <URL:x-other:f>"
    assert texts(find(text, registry=registry)) == ["x-word:a", "x-word:c", "x-word:e", "x-other:f"]
    assert texts(find(text, registry=Registry([]))) == ["x-word:e", "x-other:f"]


def test_the_schemes_are_those_of_the_moment_when_find_is_called(registry: Registry, registration: Make) -> None:
    found = find("x-word:a x-late:b", registry=registry)
    registry.register(registration("x-late"))
    assert texts(found) == ["x-word:a"]
    gone = find("x-word:a <URL:x-word:b>", registry=registry, invalid=True)
    registry.unregister("x-word")
    assert [type(each) for each in gone] == [Broken, Broken]


def test_a_url_is_of_the_type_of_its_scheme(registry: Registry) -> None:
    first, second = find("X-Word:a <URL:x-other:b>", registry=registry)
    assert type(first.url) is registry["x-word"].url_type
    assert type(second.url) is URL


def test_a_plugin_at_fault_is_an_error_when_its_scheme_is_met(
    plugin: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(plugin("x-torn", "raise RuntimeError('torn')")))
    found = find("<URL:x-any:a> x-torn:b", registry=Registry(["x-torn"]))
    assert str(next(found).url) == "x-any:a"
    with pytest.raises(PluginError, match="x-torn"):
        next(found)


def test_every_place_of_a_passage(registry: Registry) -> None:
    text = "one\ntwo <URL:\n x-word:a\r\nb#c\n>, url:x-word:d!"
    first, second = find(text, registry=registry)
    assert text[slice(*first.span)] == first.text == "<URL:\n x-word:a\r\nb#c\n>"
    assert text[slice(*first.inside)] == "x-word:a\r\nb#c"
    assert (first.line, first.column, first.fragment) == (2, 5, "c")
    assert text[slice(*second.span)] == second.text == "url:x-word:d"
    assert text[slice(*second.inside)] == "x-word:d"
    assert (second.line, second.column, second.fragment) == (5, 4, None)


def test_what_is_broken_is_given_only_when_asked_for(registry: Registry) -> None:
    text = "<URL:x-word:~> <x-word:~> x-word:~ <URL:nothing> x-word:a"
    assert texts(find(text, registry=registry)) == ["x-word:a"]
    passages = [*find(text, registry=registry, invalid=True)]
    broken = [each for each in passages if isinstance(each, Broken)]
    assert [(each.text, each.grade) for each in broken] == [
        ("<URL:x-word:~>", "delimited"),
        ("<x-word:~>", "delimited"),
        ("x-word:~", "bare"),
        ("<URL:nothing>", "delimited"),
    ]
    assert [type(each.error) for each in broken[:3]] == [InvalidCharacter] * 3
    assert isinstance(broken[0].error, InvalidCharacter)
    assert broken[0].error.text == "x-word:~"
    assert [text[slice(*each.span)] for each in passages] == [each.text for each in passages]


def test_a_scheme_that_is_only_spoken_of_is_not_broken(registry: Registry) -> None:
    assert [*find("x-hosts:// and x-word: are schemes; so is (x-hosts:).", registry=registry, invalid=True)] == []


def test_decision_21_a_hyphen_before_a_line_break_stays_and_leaves_a_doubt(registry: Registry) -> None:
    text = "<URL:x-hosts://a-\nb.dom/c-\n d>"
    [found] = find(text, registry=registry)
    assert (str(found.url), found.uncertain) == ("x-hosts://a-b.dom/c-d", True)
    readings = [*found.readings()]
    assert [str(each.url) for each in readings] == [
        "x-hosts://a-b.dom/c-d",
        "x-hosts://a-b.dom/cd",
        "x-hosts://ab.dom/c-d",
        "x-hosts://ab.dom/cd",
    ]
    assert {(each.span, each.text, type(each.url)) for each in readings} == {(found.span, text, type(found.url))}


def test_a_reading_that_is_no_url_is_left_out(registry: Registry) -> None:
    [found] = find("<URL:x-hosts://a-\n-b.dom/#c-\nd>", registry=registry)
    assert [(str(each.url), each.fragment) for each in found.readings()] == [
        ("x-hosts://a--b.dom/", "c-d"),
        ("x-hosts://a--b.dom/", "cd"),
        ("x-hosts://a-b.dom/", "c-d"),
        ("x-hosts://a-b.dom/", "cd"),
    ]
    [found] = find("<URL:x-\nword:a>", registry=registry)
    assert texts(found.readings()) == ["x-word:a"]


def test_readings_are_worked_out_one_by_one(registry: Registry) -> None:
    [found] = find("<URL:x-word:" + "a-\n" * 1000 + ">", registry=registry)
    readings = found.readings()
    assert next(readings) == found
    assert str(next(readings).url) == "x-word:" + "a" * 1000


@pytest.mark.parametrize(("hyphens", "count"), [(8, 256), (9, 11), (254, 256), (255, 256), (5000, 256)])
def test_of_many_hyphens_not_every_combination_is_tried(hyphens: int, count: int, registry: Registry) -> None:
    [found] = find("<URL:x-word:" + "a-\n" * hyphens + ">", registry=registry)
    readings = [str(each.url).count("-") - 1 for each in found.readings()]
    assert len(readings) == count
    assert (readings[0], min(readings)) == (hyphens, 0)
    if hyphens > 8:
        assert set(readings[2:]) == {hyphens - 1}


@pytest.mark.parametrize(
    ("text", "span", "inside", "grade"),
    [
        ("a <URL:x-word:<1@h.dom>>, b", (2, 24), (7, 23), "delimited"),
        ("a <URL:x-word:<1@h.dom>b<2>\n>.", (2, 29), (7, 27), "delimited"),
        ("a <x-word:<1@h.dom>>.", (2, 20), (3, 19), "delimited"),
        ("a x-word:<1@h.dom>.", (2, 18), (2, 18), "bare"),
        ("a url:x-word:<1@h.dom>.", (2, 22), (6, 22), "bare"),
        ("a <URL:x-word:<1@h.dom>.", (3, 23), (7, 23), "bare"),
    ],
)
def test_brackets_within_are_broken(
    text: str, span: tuple[int, int], inside: tuple[int, int], grade: str, registry: Registry
) -> None:
    [broken] = find(text, registry=registry, invalid=True)
    assert isinstance(broken, Broken)
    assert isinstance(broken.error, InvalidCharacter)
    assert (broken.span, broken.inside, broken.grade) == (span, inside, grade)


@pytest.mark.parametrize("text", ["x-word:<br>", "x-word:<b>a@b</b>", "x-word: <a@b>", "x-word:<a@b", "x-word:<a @b>"])
def test_a_name_before_other_brackets_is_only_spoken_of(text: str, registry: Registry) -> None:
    assert [*find(text, registry=registry, invalid=True)] == []


@pytest.mark.parametrize("wrapper", ["<URL:{}>", "<{}>", "{}"])
def test_a_url_beyond_the_limit_is_given_up_and_the_rest_looked_at(wrapper: str, registry: Registry) -> None:
    at_most = wrapper.format("x-word:" + "a" * 93)
    assert texts(find(f"{at_most} x-word:b", registry=registry, limit=100)) == ["x-word:" + "a" * 93, "x-word:b"]
    longer = wrapper.format("x-word:" + "a" * 94)
    assert texts(find(f"{longer} x-word:b", registry=registry, limit=100)) == ["x-word:b"]
    [broken, _] = find(f"{longer} x-word:b", registry=registry, limit=100, invalid=True)
    assert isinstance(broken, Broken)
    assert isinstance(broken.error, URLTooLong)


@pytest.mark.parametrize("limit", [*range(-2, 30)])
def test_whatever_the_limit_there_is_an_answer(limit: int, registry: Registry) -> None:
    for text in (
        "x-word:a",
        "<URL:x-word:a<b>c>",
        "x-word:<a@b>",
        "x-hosts://h/,b",
        "x-none://a/x-word:b",
        "<x-word:a>",
    ):
        for each in find(text, registry=registry, invalid=True, limit=limit):
            assert isinstance(each, Broken) or len(str(each.url)) <= limit
            assert 0 <= each.span[0] <= each.span[1] <= len(text)


def test_a_wrapper_may_hold_as_much_white_space_as_url(registry: Registry) -> None:
    text = "<URL:x-word:" + "\n" * 100 + "a" * 93 + "{}>"
    assert texts(find(text.format(""), registry=registry, limit=100)) == ["x-word:" + "a" * 93]
    assert texts(find(text.format("\n"), registry=registry, limit=100)) == []


def test_no_more_is_read_than_is_needed(registry: Registry) -> None:
    def pieces() -> Iterator[str]:
        yield "one x-word:a and"
        yield " x-wo"
        yield "rd:b."
        yield " and so on"
        raise AssertionError("it read on")

    found = find(pieces(), registry=registry)
    assert str(next(found).url) == "x-word:a"
    assert str(next(found).url) == "x-word:b"


def test_a_text_file_is_read_as_it_is(registry: Registry) -> None:
    text = "é x-word:a\r\n<URL:x-word:\r\nb>"
    file = io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8", newline="")
    assert [*find(file, registry=registry)] == [*find(text, registry=registry)]


@pytest.mark.parametrize("nothing", [None, 1, b"x-word:a", bytearray(b"x-word:a")])
def test_what_is_no_text_is_refused_at_once(nothing: Any, registry: Registry) -> None:
    with pytest.raises(InvalidURL, match=r"a URL is text \(str\), not"):
        find(nothing, registry=registry)


@pytest.mark.parametrize("pieces", [["x-word:a ", b"b"], io.BytesIO(b"x-word:a"), io.BytesIO(b"")])
def test_a_piece_that_is_no_text_is_refused_when_it_comes(pieces: Any, registry: Registry) -> None:
    with pytest.raises(InvalidURL, match=r"a URL is text \(str\), not bytes"):
        [*find(pieces, registry=registry)]


def test_nothing_in_an_empty_text(registry: Registry) -> None:
    assert (
        [*find("", registry=registry)] == [*find([], registry=registry)] == [*find(["", ""], registry=registry)] == []
    )


def test_a_name_of_any_length_is_found_whatever_stands_far_before_it(registry: Registry, registration: Make) -> None:
    name = "x-" + "a" * 62
    registry.register(registration(name))
    text = f"{name}:b {name}a:b {'.' * 60}{name}:c {'b' * 200}{name}:d {'.' * 200}{name}:e"
    assert texts(find(text, registry=registry)) == [f"{name}:b", f"{name}:c"]


def test_decision_1_a_name_that_begins_with_a_digit_or_a_mark_is_found_where_it_is_registered(
    registry: Registry,
) -> None:
    for name in ("1.hosts", "+hosts"):
        record = HOSTS.replace("x-hosts", name).replace("experimental", "provisional")
        registry.register(Registration.from_text(record, source="the tests"))
    text = "1.hosts://a +hosts://b 2.hosts://c 2.1.hosts://d 1.x-hosts://e"
    assert texts(find(text, registry=registry)) == ["1.hosts://a", "+hosts://b", "x-hosts://e"]


def test_a_passage_shows_no_password_and_can_be_compared_and_pickled(registry: Registry) -> None:
    text = "<URL:x-hosts://joe:secret@host.dom/> <URL:x-hosts://joe:secret@host.dom:x/>"
    passages = [*find(text, registry=registry, invalid=True)]
    assert "secret" not in repr(passages)
    assert passages == [*find(text, registry=registry, invalid=True)]
    assert len({*find(text, registry=registry)}) == 1
    assert [each.span for each in pickle.loads(pickle.dumps(passages))] == [each.span for each in passages]


@pytest.mark.parametrize(
    "before", ["local_", "a__", "web/", "joe@", "a&", "a$", "%", "\u00e9", "\u0436_", "\u017f", "\uff58", "a\u200b"]
)
def test_a_name_that_goes_on_from_a_word_is_another(before: str, registry: Registry) -> None:
    for far in ("", "b" * 300 + " "):
        assert [*find(f"{far}{before}x-word:a {before}x-hosts://h", registry=registry, invalid=True)] == []


@pytest.mark.parametrize("before", ["_", "__", "//", "@", "$", "a;", "a=", "a:", "a~", "\u770b", "\u201c", "*_", " _"])
def test_a_name_behind_a_mark_is_one(before: str, registry: Registry) -> None:
    for far in ("", "b" * 300 + " "):
        assert texts(find(f"{far}{before}x-word:a", registry=registry)) == ["x-word:a"]


def test_more_marks_than_are_looked_at_are_no_beginning(registry: Registry) -> None:
    assert texts(find("_" * 100 + "x-word:a", registry=registry)) == ["x-word:a"]
    assert texts(find("a" + "_" * 200 + "x-word:a", registry=registry)) == []


def test_a_url_within_that_of_another_scheme_is_a_part_of_it(registry: Registry) -> None:
    text = "x-none://a/x-word:b?x-hosts://c my_word://x-word:d/ (x-none://e)x-word:f x-none:x-word:g"
    assert texts(find(text, registry=registry)) == ["x-word:f", "x-word:g"]


# Writing


def test_the_recommended_form() -> None:
    url = urlschemes.parse_generic("x-any:thing")
    assert wrap(url) == "<URL:x-any:thing>"
    assert wrap(url, fragment="a/b?c") == "<URL:x-any:thing#a/b?c>"
    assert wrap(url, fragment="") == "<URL:x-any:thing#>"


@pytest.mark.parametrize("fragment", ["a b", "a\n", "a>", "<", "\u00a0"])
def test_a_fragment_that_could_not_be_read_again(fragment: str) -> None:
    with pytest.raises(InvalidURL, match="no white space"):
        wrap(urlschemes.parse_generic("x-any:thing"), fragment=fragment)


@pytest.mark.parametrize("thing", [None, 1, 10**5000, b"x-word:a", "x-word:a", "a\nb>c", ["x-word:a"], URL], ids=type)
def test_nothing_but_a_url_is_wrapped(thing: Any) -> None:
    with pytest.raises(InvalidURL, match=rf"a URL is wrapped, not {type(thing).__name__}; `parse` makes"):
        wrap(thing)


def test_a_bound_that_is_no_number_is_a_type_error(registry: Registry) -> None:
    nothing: Any = "x"
    with pytest.raises(TypeError):
        wrap(urlschemes.parse_generic("x-any:thing"), width=nothing)
    with pytest.raises(TypeError):
        [*find("x-word:a", registry=registry, limit=nothing)]
    with pytest.raises(TypeError):
        registry.parse("x-word:a", limit=nothing)


@pytest.mark.parametrize("fragment", [1, b"a", 10**5000, ["a"]], ids=type)
def test_a_fragment_is_text(fragment: Any) -> None:
    with pytest.raises(InvalidURL, match=rf"a fragment is text \(str\), not {type(fragment).__name__}"):
        wrap(urlschemes.parse_generic("x-any:thing"), fragment=fragment)


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("x-any:abcdefgh", 20, ["<URL:x-any:abcdefgh>"]),
        ("x-any:abcdefgh", 19, ["<URL:x-any:abcdefg", "h>"]),
        ("x-any:abcdefgh", 12, ["<URL:x-any:a", "bcdefgh>"]),
        ("x-any:ab%41cd", 15, ["<URL:x-any:ab", "%41cd>"]),
        ("x-any:a-------b", 13, ["<URL:x-any:a", "-------b>"]),
        ("x-any:a-", 13, ["<URL:x-any:a", "->"]),
        ("x:ab%41", 1, ["<URL:x", ":", "a", "b", "%41>"]),
        ("x:a", 0, ["<URL:x", ":", "a>"]),
    ],
)
def test_lines_are_broken_where_the_appendix_lets_them(text: str, width: int, lines: list[str]) -> None:
    url = urlschemes.parse_generic(text)
    assert wrap(url, width=width).split("\n") == lines
    [found] = find(wrap(url, width=width), registry=Registry([]))
    assert (found.url, found.uncertain) == (url, False)
