"""Relative references as values, and the shortest one between two URLs."""

import copy
import pickle
from itertools import chain, product

import pytest
from hostile_texts import hostile_texts
from hypothesis import given, settings

import urlschemes
from urlschemes import URL, InvalidURL, Registry, URLError
from urlschemes_conformance.laws import points_at_the_error
from urlschemes_rfc3986.generic_uri import URI
from urlschemes_rfc3986.references import RelativeReference, parse_reference, relative_to

MODERN = Registry(profile="rfc3986")
BASE = "http://a/b/c/d;p?q"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", (None, None, None, "", None, None)),
        ("../b%20c", (None, None, None, "../b%20c", None, None)),
        ("//u:p@H:80/a?b#c", ("u:p", "h", 80, "/a", "b", "c")),
        ("//[::1]", (None, "[::1]", None, "", None, None)),
        ("//", (None, "", None, "", None, None)),
        ("/a:b", (None, None, None, "/a:b", None, None)),
        ("./a:b", (None, None, None, "./a:b", None, None)),
        ("?#", (None, None, None, "", "", "")),
        ("a@;b/:c?d/?%2F#e/?", (None, None, None, "a@;b/:c", "d/?%2F", "e/?")),
    ],
)
def test_a_relative_reference_has_the_parts_of_section_4_2(text, parts):
    reference = RelativeReference(text)
    assert tuple(reference.parts.values()) == parts
    assert (type(str(reference)), str(reference)) == (str, text)
    assert reference == RelativeReference(text)
    assert hash(reference) == hash(RelativeReference(text))
    for other in (pickle.loads(pickle.dumps(reference)), copy.deepcopy(reference)):
        assert (type(other), other) == (RelativeReference, reference)


def test_repr_shows_no_password():
    assert repr(RelativeReference("../g")) == "RelativeReference('../g')"
    for text in ("ftp://u:secret@h/", "//u:secret@h/"):
        assert "u:***@h" in repr(parse_reference(text))


@pytest.mark.parametrize(
    ("text", "code", "position", "message"),
    [
        ("a b", "invalid-character", 1, "invalid character ' ' in the path at position 1"),
        ("/%4", "bad-escape", 1, "invalid escape at position 1"),
        ("//[::1", "invalid-host", 6, r"unclosed bracket in '\[::1' at position 2"),
        ("//h:x/", "invalid-port", 4, "invalid character 'x' in the port at position 4|invalid port at position 4"),
        ("a#b#", "invalid-part", 3, "invalid character '#' in the fragment at position 3"),
        ("\u00e9", "invalid-character", 0, r"invalid character '\\xe9' in the path at position 0"),
        ("http://h", "invalid-part", 4, "invalid character ':' in the first segment of the path at position 4; use"),
        (":b", "invalid-part", 0, "invalid character ':' in the first segment of the path at position 0; write `./` b"),
        ("a b:", "invalid-character", 1, "invalid character ' ' in the path at position 1"),
        (None, "invalid-url", None, "a URL must be str, not NoneType"),
        ("a" * 65537, "url-too-long", 65536, "the URL has 65537 characters"),
    ],
)  # fmt: skip
def test_other_texts_are_no_relative_references(text, code, position, message):
    with pytest.raises(InvalidURL, match=message) as caught:
        RelativeReference(text)
    error = caught.value
    assert (error.code, error.position) == (code, position)


@pytest.mark.parametrize("read", [RelativeReference, parse_reference])
@pytest.mark.parametrize("number", [50, pytest.param(500, marks=pytest.mark.slow)])
def test_an_error_points_at_its_place(read, number):
    @given(hostile_texts())
    @settings(max_examples=number, deadline=None)
    def law(text):
        try:
            read(text)
        except InvalidURL as error:
            points_at_the_error(text, error)
        except URLError:
            pass

    law()


def test_a_url_reference_is_either():
    assert parse_reference("../g") == RelativeReference("../g")
    assert parse_reference("x-y:g") == URI.parse("x-y:g")
    assert type(parse_reference("http://h/")) is type(MODERN.parse("http://h/"))
    assert parse_reference("http://h/", registry=Registry()) == urlschemes.parse("http://h/")
    for text in ("1a:b", "a|", "a:|", None):
        with pytest.raises(InvalidURL):
            parse_reference(text)
    with pytest.raises(InvalidURL, match=r"; write `//` before a host$"):
        parse_reference("[::1]:80/a")


def test_parts_of_a_reference_are_replaced():
    reference = RelativeReference("../x")
    assert reference.replace(query="a b", fragment="c") == "../x?a%20b#c"
    assert reference.replace(path="a") == RelativeReference("a")
    assert (type(reference.replace("x", "y")), reference.replace("x", "y")) == (str, "../y")
    with pytest.raises(InvalidURL, match="':' in the first segment"):
        reference.replace(path="a:b")
    with pytest.raises(TypeError, match="not both"):
        reference.replace("x", "y", query="a")


def test_join_takes_references_of_each_kind():
    base = MODERN.parse(BASE)
    assert base.join(RelativeReference("../g")) == base.join("../g")
    assert base.join(MODERN.parse("http://h/a/../b")) == MODERN.parse("http://h/b")
    assert base.join(parse_reference("x:y")) == URI.parse("x:y")


PATHS = ("", "/", "/a", "/a/", "/a/b", "/a/b/", "/b/a", "//", "//a", "/a//b", "/:a", "/a/:", "/..a", "/a/./../b")
URLS = [f"{host}{path}{end}" for host in ("s://h", "s://i", "t://h") for path in PATHS for end in ("", "?", "?a", "#a")]
NO_HOST = ["s:", "s:a", "s:a/b", "s:/", "s:/a", "s:/.//a", "s:?a", "s:a:b", "s:/:/"]


def check_references(base, size):
    """Check the reference from `base` to each URL, also against all valid texts of up to `size` characters."""
    texts = map("".join, chain.from_iterable(product("ab/.?#:", repeat=each) for each in range(size + 1)))
    valid = filter(RelativeReference.syntax.fullmatch, texts)
    lengths = {}
    for text in valid:
        lengths.setdefault(base.resolve(text), len(text))
    for url in map(URI.parse, [*URLS, *NO_HOST]):
        reference, meant = relative_to(url, base), base.resolve(url)
        assert str(base.join(reference)) == meant
        has_one = url.host is not None or (base.host is None and url.path.startswith("/"))
        assert type(reference) is RelativeReference or url.scheme != base.scheme or not has_one
        assert len(str(reference)) <= lengths.get(meant, len(str(url)))


@pytest.mark.parametrize("base", [*URLS[1:40:5], *NO_HOST[::2]])
def test_a_reference_means_the_url_and_none_shorter_does(base):
    check_references(URI.parse(base), 2)


@pytest.mark.slow
@pytest.mark.parametrize("base", [*URLS[: len(PATHS) * 4], *NO_HOST])
def test_no_shorter_reference_exists(base):
    check_references(URI.parse(base), 5)


def test_references_may_be_long():
    base = URI.parse(f"s://h/{'a/' * 30_000}")
    long = RelativeReference(f"{'a/' * 40_000}", limit=80_000)
    assert pickle.loads(pickle.dumps(long)) == copy.copy(long) == long
    assert relative_to(URI.parse(f"s://h/{'a/' * 1_000}b"), base) == f"/{'a/' * 1_000}b"
    assert relative_to(URI.parse(f"s://h/{'a/' * 29_999}b"), base) == "../b"


def test_only_urls_of_the_profile_have_references() -> None:
    url, other = URI.parse("s://h/a"), URL.parse("s://h/a")
    with pytest.raises(InvalidURL, match="expected a URL of the profile rfc3986, got one of rfc1738; convert it"):
        relative_to(url, other)
    with pytest.raises(TypeError, match="url must be a URL, not NoneType"):
        relative_to(None, url)  # type: ignore[arg-type]
