"""URLs of chosen schemes: what every bridge reads, and refuses."""

from __future__ import annotations

from typing import Any

import pytest

import urlschemes
from urlschemes import InvalidURL, Registry, UnknownScheme
from urlschemes_bridges.chosen_schemes import ChosenSchemes, scheme_names

MODERN = Registry(profile="rfc3986")


@pytest.mark.parametrize("names", [(), ("FTP",), ("http", "ftp")])
def test_a_url_or_its_text_is_read(names: tuple[str, ...]) -> None:
    url = urlschemes.parse("ftp://host.dom/a%20b")
    for value in (url, str(url), urlschemes.parse_generic(str(url))):
        read = ChosenSchemes(*names).read(value)
        assert (type(read), read) == (type(url), url)


@pytest.mark.parametrize(
    ("names", "expected"), [(["news"], "expected news"), (["nntp", "NEWS"], "expected one of news, nntp")]
)
def test_a_url_of_another_scheme_is_invalid(names: list[str], expected: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        ChosenSchemes(*names).read("ftp://joe:secret@host.dom/")
    error = caught.value
    assert str(error) == f"scheme 'ftp' at position 0: {expected}"
    assert (error.code, error.part, error.position, error.span) == ("invalid-scheme", "scheme", 0, (0, 3))
    assert (error.scheme, error.section) == ("ftp", "RFC 1738 section 2.1")


def test_what_parse_refuses_is_refused() -> None:
    with pytest.raises(InvalidURL, match="at position 26"):
        ChosenSchemes("nntp").read("nntp://host.dom/misc.test/x")
    with pytest.raises(UnknownScheme, match="did you mean nntp"):
        ChosenSchemes("nntp").read("nttp://host.dom/")
    with pytest.raises(UnknownScheme):
        ChosenSchemes(registry=Registry(disable=["ftp"])).read("ftp://host.dom/")


def test_a_url_of_another_profile_is_converted_or_refused() -> None:
    assert str(ChosenSchemes("http", registry=MODERN).read("http://[::1]/~a#b")) == "http://[::1]/~a#b"
    chosen = ChosenSchemes("mailto")
    assert chosen.read(MODERN.parse("mailto:a@b.c")) == urlschemes.parse("mailto:a@b.c")
    for url in (MODERN.parse("mailto:a@b.c?subject=x"), urlschemes.parse_generic("mailto:@")):
        with pytest.raises(InvalidURL, match=r"at position (12|7)\b"):
            chosen.read(url)


def test_names_are_those_of_schemes_each_by_itself() -> None:
    names: Any = [["http"]]
    with pytest.raises(TypeError, match=r'^a scheme must be a str, not list: write "http", "https"$'):
        scheme_names(names)
    assert repr(ChosenSchemes("NNTP", "news", "nntp")) == "ChosenSchemes('news', 'nntp')"
