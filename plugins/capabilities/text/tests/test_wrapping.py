"""`wrap`: URLs written as the Appendix recommends."""

from __future__ import annotations

from typing import Any

import pytest

import urlschemes
from urlschemes import URL, InvalidURL, Registry
from urlschemes_text import find, wrap


def test_a_url_is_wrapped_in_the_recommended_form() -> None:
    url = urlschemes.parse_generic("x-any:thing")
    assert wrap(url) == "<URL:x-any:thing>"
    assert wrap(url, fragment="a/b?c") == "<URL:x-any:thing#a/b?c>"
    assert wrap(url, fragment="") == "<URL:x-any:thing#>"


@pytest.mark.parametrize("fragment", ["a b", "a\n", "a>", "<", "\u00a0", "a\0b", "\x1b[31m", "\ud800"])
def test_a_fragment_that_could_not_be_found_again_is_an_error(fragment: str) -> None:
    with pytest.raises(InvalidURL, match="cannot hold white space"):
        wrap(urlschemes.parse_generic("x-any:thing"), fragment=fragment)


@pytest.mark.parametrize("thing", [None, 1, 10**5000, b"x-word:a", "x-word:a", "a\nb>c", ["x-word:a"], URL], ids=type)
def test_only_url_objects_are_wrapped(thing: Any) -> None:
    with pytest.raises(InvalidURL, match=rf"expected a URL object, got {type(thing).__name__}; `parse` returns"):
        wrap(thing)


@pytest.mark.parametrize("fragment", [1, b"a", 10**5000, ["a"]], ids=type)
def test_a_fragment_must_be_a_string(fragment: Any) -> None:
    with pytest.raises(InvalidURL, match=rf"a fragment must be str, not {type(fragment).__name__}"):
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
def test_lines_are_broken_only_where_the_appendix_allows_it(text: str, width: int, lines: list[str]) -> None:
    url = urlschemes.parse_generic(text)
    assert wrap(url, width=width).split("\n") == lines
    [found] = find(wrap(url, width=width), registry=Registry([]))
    assert (found.url, found.uncertain) == (url, False)
