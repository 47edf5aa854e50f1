"""`find`: which passages of a text are URLs, and what `find` accepts and refuses."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import urlschemes
import urlschemes_text.search
from urlschemes import URL, InvalidURL, PluginError, Registration, Registry
from urlschemes_text import Broken, Found, find, wrap

Make = Callable[..., Registration]


def texts(passages: Iterator[Found]) -> list[str]:
    return [str(found.url) for found in passages]


def test_bare_urls_are_of_the_schemes_of_the_registry(registry: Registry) -> None:
    text = "x-word:a x-other:b <x-word:c> <x-other:d> <URL:x-word:e> <URL:x-other:f>"
    assert texts(find(text, registry=registry)) == ["x-word:a", "x-word:c", "x-word:e", "x-other:f"]
    assert texts(find(text, registry=Registry([]))) == ["x-word:e", "x-other:f"]


def test_each_scheme_is_read_by_the_first_of_several_registries_that_has_it(registry: Registry) -> None:
    modern = Registry(profile="rfc3986")
    registry.register(Registry()["http"])
    text = "x-word:a#b (http://h/~c#d) <URL:x-none:~#e>"
    by_modern, by_other = (list(find(text, registries=each)) for each in ([modern, registry], [registry, modern]))
    assert texts(iter(by_modern)) == ["x-word:a", "http://h/~c#d", "x-none:~#e"]
    assert texts(iter(by_other)) == ["x-word:a"]
    assert [each.fragment for each in by_modern] == ["b", "d", "e"]
    with pytest.raises(TypeError, match="registries cannot be combined with registry or profile"):
        find(text, registries=[modern], profile="rfc3986")


def test_the_known_schemes_are_those_when_find_is_called(registry: Registry, registration: Make) -> None:
    found = find("x-word:a x-late:b", registry=registry)
    registry.register(registration("x-late"))
    assert texts(found) == ["x-word:a"]
    gone = find("x-word:a <URL:x-word:b>", registry=registry, invalid=True)
    registry.unregister("x-word")
    assert [type(each) for each in gone] == [Broken, Broken]


def test_a_url_has_the_type_of_its_scheme(registry: Registry) -> None:
    first, second = find("X-Word:a <URL:x-other:b>", registry=registry)
    assert type(first.url) is registry["x-word"].url_type
    assert type(second.url) is URL


def test_a_faulty_plugin_is_an_error_when_its_scheme_is_found(
    plugin: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin("x-both", distribution="one")
    plugin("x-both", distribution="two")
    monkeypatch.syspath_prepend(str(plugin("x-torn", "raise RuntimeError('torn')")))
    found = find("<URL:x-any:a> x-both://a x-torn:b", registry=Registry(["x-torn", "one", "two"]))
    assert str(next(found).url) == "x-any:a"
    with pytest.raises(PluginError, match="x-torn"):
        next(found)


def test_broken_passages_are_returned_only_with_invalid(registry: Registry) -> None:
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
    assert [each.error.code for each in broken[:3]] == ["invalid-character"] * 3
    assert broken[0].error.code == "invalid-character"
    assert broken[0].error.text == "x-word:~"
    assert [text[slice(*each.span)] for each in passages] == [each.text for each in passages]


def test_the_name_of_a_scheme_alone_is_not_broken(registry: Registry) -> None:
    assert [*find("x-hosts:// and x-word: are schemes; so is (x-hosts:).", registry=registry, invalid=True)] == []


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
def test_brackets_within_a_url_are_broken(
    text: str, span: tuple[int, int], inside: tuple[int, int], grade: str, registry: Registry
) -> None:
    [broken] = find(text, registry=registry, invalid=True)
    assert isinstance(broken, Broken)
    assert broken.error.code == "invalid-character"
    assert (broken.span, broken.inside, broken.grade) == (span, inside, grade)


@pytest.mark.parametrize("text", ["x-word:<br>", "x-word:<b>a@b</b>", "x-word: <a@b>", "x-word:<a@b", "x-word:<a @b>"])
def test_a_scheme_name_before_other_brackets_is_not_broken(text: str, registry: Registry) -> None:
    assert [*find(text, registry=registry, invalid=True)] == []


@pytest.mark.parametrize("wrapper", ["<URL:{}>", "<{}>", "{}"])
def test_a_url_longer_than_the_limit_is_broken_and_the_search_continues(wrapper: str, registry: Registry) -> None:
    at_most = wrapper.format("x-word:" + "a" * 93)
    assert texts(find(f"{at_most} x-word:b", registry=registry, limit=100)) == ["x-word:" + "a" * 93, "x-word:b"]
    longer = wrapper.format("x-word:" + "a" * 94)
    assert texts(find(f"{longer} x-word:b", registry=registry, limit=100)) == ["x-word:b"]
    [broken, _] = find(f"{longer} x-word:b", registry=registry, limit=100, invalid=True)
    assert isinstance(broken, Broken)
    assert broken.error.code == "url-too-long"


@pytest.mark.parametrize("limit", [*range(30)])
def test_any_number_of_characters_is_a_possible_limit(limit: int, registry: Registry) -> None:
    for text in (
        "x-word:a",
        "<URL:x-word:a<b>c>",
        "x-word:<a@b>",
        "x-hosts://h/,b",
        "x-none://a/x-word:b",
        "<x-word:a>",
        "x-word:abfoo://c",
    ):
        end = 0
        for each in find(text, registry=registry, invalid=True, limit=limit):
            assert isinstance(each, Broken) or len(str(each.url)) <= limit
            assert end <= each.span[0] <= each.span[1] <= len(text)
            end = each.span[1]


def test_a_wrapper_may_contain_as_much_white_space_as_url(registry: Registry) -> None:
    text = "<URL:x-word:" + "\n" * 100 + "a" * 93 + "{}>"
    assert texts(find(text.format(""), registry=registry, limit=100)) == ["x-word:" + "a" * 93]
    assert texts(find(text.format("\n"), registry=registry, limit=100)) == []


def test_no_more_of_the_text_is_read_than_needed(registry: Registry) -> None:
    def pieces() -> Iterator[str]:
        yield "one x-word:a and"
        yield " x-wo"
        yield "rd:b."
        yield " and so on"
        raise AssertionError("it read on")

    found = find(pieces(), registry=registry)
    assert str(next(found).url) == "x-word:a"
    assert str(next(found).url) == "x-word:b"


def test_a_text_file_is_searched_like_its_text(registry: Registry) -> None:
    text = "é x-word:a\r\n<URL:x-word:\r\nb>"
    file = io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8", newline="")
    assert [*find(file, registry=registry)] == [*find(text, registry=registry)]


@pytest.mark.parametrize("nothing", [None, 1, b"x-word:a", bytearray(b"x-word:a")])
def test_an_object_that_is_not_text_is_an_error_at_once(nothing: Any, registry: Registry) -> None:
    with pytest.raises(InvalidURL, match=r"a URL must be str, not"):
        find(nothing, registry=registry)


@pytest.mark.parametrize("pieces", [["x-word:a ", b"b"], io.BytesIO(b"x-word:a"), io.BytesIO(b"")])
def test_a_piece_that_is_not_text_is_an_error_when_it_is_read(pieces: Any, registry: Registry) -> None:
    with pytest.raises(InvalidURL, match=r"a URL must be str, not bytes"):
        [*find(pieces, registry=registry)]


def test_an_empty_text_has_no_passages(registry: Registry) -> None:
    assert (
        [*find("", registry=registry)] == [*find([], registry=registry)] == [*find(["", ""], registry=registry)] == []
    )


def test_the_longest_scheme_name_is_found_after_any_text(registry: Registry, registration: Make) -> None:
    name = "x-" + "a" * 62
    registry.register(registration(name))
    text = f"{name}:b {name}a:b {'.' * 60}{name}:c {'b' * 200}{name}:d {'.' * 200}{name}:e"
    assert texts(find(text, registry=registry)) == [f"{name}:b", f"{name}:c"]


def test_a_scheme_name_may_begin_with_a_digit_or_a_mark(
    hosts_record: str,
    registry: Registry,
) -> None:
    for name in ("1.hosts", "+hosts"):
        record = hosts_record.replace("x-hosts", name).replace("experimental", "provisional")
        registry.register(Registration.from_text(record, source="the tests"))
    text = "1.hosts://a +hosts://b 2.hosts://c 2.1.hosts://d 1.x-hosts://e"
    assert texts(find(text, registry=registry)) == ["1.hosts://a", "+hosts://b", "x-hosts://e"]


@pytest.mark.parametrize(
    "before", ["local_", "a__", "web/", "joe@", "a&", "a$", "%", "\u00e9", "\u0436_", "\u017f", "\uff58", "a\u200b"]
)
def test_the_end_of_a_word_is_not_a_scheme_name(before: str, registry: Registry) -> None:
    for far in ("", "b" * 300 + " "):
        assert [*find(f"{far}{before}x-word:a {before}x-hosts://h", registry=registry, invalid=True)] == []


@pytest.mark.parametrize("before", ["_", "__", "//", "@", "$", "a;", "a=", "a:", "a~", "\u770b", "\u201c", "*_", " _"])
def test_a_scheme_name_may_follow_a_mark(before: str, registry: Registry) -> None:
    for far in ("", "b" * 300 + " "):
        assert texts(find(f"{far}{before}x-word:a", registry=registry)) == ["x-word:a"]


def test_a_scheme_name_after_very_many_marks_is_found_at_the_beginning_of_the_text_only(registry: Registry) -> None:
    assert texts(find("_" * 100 + "x-word:a", registry=registry)) == ["x-word:a"]
    assert texts(find("a" + "_" * 200 + "x-word:a", registry=registry)) == []


def test_a_url_of_an_unknown_scheme_is_broken_with_any_url_in_it(registry: Registry) -> None:
    text = "x-none://a/x-word:b?x-hosts://c my_word://x-word:d/ (X-none://e)x-word:f x-none:x-word:g 1://a x-none:///."
    assert texts(find(text, registry=registry)) == ["x-word:f", "x-word:g"]
    broken = [each for each in find(text, registry=registry, invalid=True) if isinstance(each, Broken)]
    assert [each.text for each in broken] == ["x-none://a/x-word:b?x-hosts://c", "X-none://e"]
    assert {str(each.error) for each in broken} == {"no plugin provides the scheme x-none"}
    assert all(each.meant == each.text and each.error.code == "unknown-scheme" for each in broken)


def test_a_limit_that_is_no_number_of_characters_is_refused(registry: Registry) -> None:
    nothing: Any = "x"
    with pytest.raises(TypeError):
        wrap(urlschemes.parse_generic("x-any:thing"), width=nothing)
    with pytest.raises(TypeError):
        find("x-word:a", registry=registry, limit=nothing)
    with pytest.raises(TypeError, match=r"registry must be a Registry, such as .*, not str"):
        find("x-word:a", registry=nothing)
    with pytest.raises(ValueError, match="limit must be a number of characters, at least 0, not -1"):
        find("x-word:a", registry=registry, limit=-1)
    with pytest.raises(TypeError):
        registry.parse("x-word:a", limit=nothing)


NAMES = ("http", "x-word:", "X-WORD:a", "x-hosts://", "x-hosts://h/", "x-none://", "x-none:", "URL:", "url:x-word:a")
MARKS = (*" <>:/.,;'\"()-+_%&~#@\n", "://", "//", "<URL:", "<x-word:", "1.", "12:34:56", '{"a": ', "a", "b:c")
STRANGE = ("\u00e9", "\u017f", "\u212a", "\u200b", "\u0301", "\x1c", "\u770b", "\ud800")


@pytest.mark.parametrize("number", [600, pytest.param(10_000, marks=pytest.mark.slow)])
def test_a_colon_that_is_passed_over_is_in_no_passage(
    number: int, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(1738)
    texts = ["".join(chance.choices(NAMES * 3 + MARKS + STRANGE, k=chance.choice((3, 9, 60)))) for _ in range(number)]

    def passages(text: str) -> list[tuple[Any, ...]]:
        found = [*find(text, registry=registry, invalid=True, limit=100)]
        return [(each, str(each.error) if isinstance(each, Broken) else each.url) for each in found]

    results = [passages(text) for text in texts]
    monkeypatch.setattr(urlschemes_text.search, "_colons", lambda *_: re.compile(":"))
    assert results == [passages(text) for text in texts]
    assert sum(map(len, results)) > number


@pytest.mark.parametrize("length", range(120, 140))
def test_a_url_at_the_end_of_a_window_that_moves_is_found(length: int, registry: Registry) -> None:
    assert texts(find(["." * length + " x-word:a"], registry=registry)) == ["x-word:a"]


def test_a_text_may_be_searched_with_very_many_schemes(registry: Registry, registration: Make) -> None:
    for number in range(80):
        registry.register(registration(f"x-{number}.{'a' * (number % 50)}"))
    assert texts(find("X-7.aaaaaaa:b x-90.:c x-49.:d", registry=registry)) == ["X-7.aaaaaaa:b"]
