"""What paths and queries of http and https mean, in both profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import urlschemes
from urlschemes import InvalidURL, UnknownScheme
from urlschemes.errors import NotHierarchical
from urlschemes_http import RequestURL

if TYPE_CHECKING:
    from collections.abc import Callable

TODAY = urlschemes.Registry(profile="rfc3986")
PARSERS = pytest.mark.parametrize("parse", [urlschemes.parse, TODAY.parse], ids=["rfc1738", "rfc3986"])


def read(parse: Callable[[str], object], text: str) -> RequestURL:
    url = parse(text)
    assert isinstance(url, RequestURL)
    return url


@PARSERS
@pytest.mark.parametrize(
    ("text", "segments", "name", "suffix"),
    [
        ("http://h", (), "", ""),
        ("http://h/", ("",), "", ""),
        ("http://h/a", ("a",), "a", ""),
        ("http://h/a/", ("a", ""), "", ""),
        ("http://h//b", ("", "b"), "b", ""),
        ("http://h/a%2Fb/c.tar.gz?x=/", ("a/b", "c.tar.gz"), "c.tar.gz", ".gz"),
        ("http://h/a%3Bb/%7e", ("a;b", "~"), "~", ""),
        ("http://h/.a", (".a",), ".a", ""),
        ("http://h/a.", ("a.",), "a.", ""),
        ("http://h/%C3%A9%FF.%2E", ("\u00e9\udcff..",), "\u00e9\udcff..", ""),
    ],
)
def test_the_segments_of_a_path_are_decoded_one_by_one(
    parse: Callable[[str], object], text: str, segments: tuple[str, ...], name: str, suffix: str
) -> None:
    url = read(parse, text.replace("?x=/", "?x=1"))
    assert (url.segments, url.name, url.suffix) == (segments, name, suffix)
    assert url.replace(segments=url.segments).equivalent(url)


@PARSERS
@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("", ()),
        ("?", ()),
        ("?a=b&c", (("a", "b"), ("c", ""))),
        ("?a=1%262&a=+%2B", (("a", "1&2"), ("a", " +"))),
        ("?q=%7Ejoe", (("q", "~joe"),)),
        ("?a&&b&", (("a", ""), ("b", ""))),
        ("?x%3Dy=z=%FF;", (("x=y", "z=\udcff;"),)),
    ],
)
def test_the_fields_of_a_query_are_those_of_a_form(
    parse: Callable[[str], object], query: str, fields: tuple[tuple[str, str], ...]
) -> None:
    url = read(parse, f"http://h/p{query}".replace("z=%FF", "z%3D%FF"))
    assert url.query_fields == fields
    assert url.replace(query_fields=url.query_fields) == (url if fields else read(parse, "http://h/p"))


@PARSERS
@pytest.mark.parametrize("text", ["a=%2D&a=-", "sig=a%20b-!&k", "a=%2d&&k=", "k"])
def test_fields_and_segments_that_a_url_has_keep_their_text(parse: Callable[[str], object], text: str) -> None:
    url = read(parse, f"http://h/{text.replace('&', '/')}/../%2E?{text}")
    kept = str(url).replace("&&", "&")
    assert str(url.replace(query_fields=[*url.query_fields, ("page no", "2")])) == f"{kept}&page+no=2"
    assert str(url.replace(segments=[*url.segments, "a b"])) == str(url).replace("?", "/a%20b?")


@PARSERS
def test_fields_may_be_a_mapping_and_none_of_them_remove_the_query(parse: Callable[[str], object]) -> None:
    url = read(parse, "http://h/p?q")
    assert str(url.replace(query_fields={"a b": "1&2", "c": ["3", "4"]})) == "http://h/p?a+b=1%262&c=3&c=4"
    assert str(url.replace(query_fields=(), segments=["x/y", "z;"])) == "http://h/x%2Fy/z;"
    assert str(url.replace(segments=())) in {"http://h?q", "http://h/?q"}
    assert url.replace(query_fields=None, segments=None) == url.replace(query_fields=(), segments=())


@PARSERS
@pytest.mark.parametrize(
    ("text", "origin"),
    [("http://H:80/a", "http://h"), ("https://h:443", "https://h"), ("https://h:80/?q", "https://h:80")],
)
def test_an_origin_has_no_default_port(parse: Callable[[str], object], text: str, origin: str) -> None:
    assert read(parse, text).origin == origin


@PARSERS
def test_another_scheme_of_the_same_parts_keeps_the_rest(parse: Callable[[str], object]) -> None:
    url = read(parse, "http://H:8080/a%2Fb?c")
    secure = url.replace(scheme="https", segments=["d"])
    assert (str(secure), type(secure)) == ("https://H:8080/d?c", type(parse("https://h")))
    assert str(secure.replace(scheme="http")) == "http://H:8080/d?c"
    assert read(parse, "http://h/").replace(scheme="https").port == 443
    with pytest.raises(UnknownScheme):
        url.replace(scheme="x-none")
    with pytest.raises(TypeError, match=r"cannot be a FtpUR[IL], which has other parts: user, "):
        url.replace(scheme="ftp")


def test_a_type_takes_no_url_of_another_profile() -> None:
    generic, gopher = urlschemes.parse("gopher://h/1a"), TODAY["gopher"].url_type
    with pytest.raises(TypeError, match=r"GopherURI\.of takes a URL of RFC 3986: convert it by `registry\.convert`"):
        gopher.of(generic)


@PARSERS
def test_a_path_or_a_query_is_given_in_one_way(parse: Callable[[str], object]) -> None:
    url = read(parse, "http://h/a?b")
    query = "search" if parse is urlschemes.parse else "query"
    with pytest.raises(TypeError, match="give path or segments, not both"):
        url.replace(path="/c", segments=("d",))
    with pytest.raises(TypeError, match=f"give {query} or query_fields, not both"):
        url.replace(query_fields={}, **{query: "c"})
    with pytest.raises(TypeError, match="segments must be a list of texts"):
        url.replace(segments="ab")


@PARSERS
def test_what_is_no_text_is_refused(parse: Callable[[str], object]) -> None:
    url: Any = read(parse, "http://h/a?b")
    for fields in ("a=b", [("a",)], ["ab"], [("a", 1)], 3, {"a": b"x"}, {1: "a"}, {"q": ["x", None]}):
        with pytest.raises(TypeError, match="query_fields must be pairs of texts"):
            url.replace(query_fields=fields)
    for segments in ("ab", b"ab", 5, [1], [None], [("a",)]):
        with pytest.raises(TypeError, match="segment"):
            url.replace(segments=segments)
    for change in (
        lambda: url.replace(segments=["\ud800"]),
        lambda: url.replace(query_fields={"a": "\ud800"}),
        lambda: url / "\ud800",
    ):
        with pytest.raises(InvalidURL, match="cannot hold a surrogate that is not an octet"):
            change()


@PARSERS
@pytest.mark.parametrize(
    ("text", "parent", "below"),
    [
        ("http://h", "http://h/", "http://h/x"),
        ("http://h/?q", "http://h/", "http://h/x"),
        ("http://h/a", "http://h/", "http://h/a/x"),
        ("http://h/a/b/?q", "http://h/a/", "http://h/a/b/x"),
        ("http://h/a//", "http://h/a/", "http://h/a//x"),
        ("http://h//", "http://h/", "http://h//x"),
        ("http://h/a:b;c", "http://h/", "http://h/a:b;c/x"),
        ("http://h/a/../b", "http://h/a/../", "http://h/a/../b/x"),
        ("ftp://h", "ftp://h/", "ftp://h/x"),
        ("ftp://j:p@h/a/b;type=i", "ftp://j:p@h/a/", "ftp://j:p@h/a/b/x"),
        ("ftp://h/%2Fetc/b", "ftp://h/%2Fetc/", "ftp://h/%2Fetc/b/x"),
        ("file:///", "file:///", "file:///x"),
        ("file://h/a/b/", "file://h/a/", "file://h/a/b/x"),
    ],
)
def test_levels_of_a_hierarchy(parse: Callable[[str], urlschemes.URL], text: str, parent: str, below: str) -> None:
    url = parse(text)
    assert str(url.parent) == parent
    assert str(url / "x") == below
    assert str((url / "x").parent) == below[:-1]
    assert str(url / "a/b%:") == f"{below[:-1]}a%2Fb%25:"


@PARSERS
def test_a_reference_is_no_segment_and_some_urls_have_no_levels(parse: Callable[[str], urlschemes.URL]) -> None:
    url = read(parse, "http://h/a")
    for segment in (".", ".."):
        with pytest.raises(InvalidURL, match=rf"use join\('{segment}'\)"):
            url / segment
        with pytest.raises(InvalidURL, match=rf"use join\('{segment}'\)"):
            url.replace(segments=["a", segment])
    with pytest.raises(TypeError, match="segment must be a str"):
        parse("http://h/a") / 3  # type: ignore[operator]
    for url in (parse("mailto:joe@h.dom"), TODAY.parse_generic("foo:a")):
        with pytest.raises(NotHierarchical):
            url / "x"
        with pytest.raises(NotHierarchical):
            _ = url.parent
    assert str(TODAY.parse_generic("foo://h/a/b?c") / "d") == "foo://h/a/b/d"
