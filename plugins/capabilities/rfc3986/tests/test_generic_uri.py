"""URIs of any scheme: their parts, building, pickles, and how they compare."""

import copy
import pickle

import pytest

import urlschemes
from urlschemes import InvalidURL, Registry
from urlschemes_rfc3986.generic_uri import URI, WiderURI

MODERN = Registry(profile="rfc3986")
NAMES = ("scheme", "userinfo", "host", "port", "path", "query", "fragment")


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"path": "//b"}, "no URL has exactly these parts: path; also give scheme"),
        (
            {"scheme": "a", "host": "h", "path": "b"},
            "no URL has exactly these parts: scheme, host, path; leave out host or path",
        ),
        (
            {"scheme": "a", "host": "b c"},
            "invalid host 'b c'; remove the white space",
        ),
    ],
)
def test_parts_that_no_url_has_are_refused(parts, message):
    with pytest.raises(InvalidURL) as caught:
        URI(**parts)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("ftp://ftp.is.co.za/rfc/rfc1808.txt", ("ftp", None, "ftp.is.co.za", None, "/rfc/rfc1808.txt", None, None)),
        ("ldap://[2001:DB8::7]/c=GB?a?one", ("ldap", None, "[2001:db8::7]", None, "/c=GB", "a?one", None)),
        ("mailto:John.Doe@example.com", ("mailto", None, None, None, "John.Doe@example.com", None, None)),
        ("tel:+1-816-555-1212", ("tel", None, None, None, "+1-816-555-1212", None, None)),
        ("telnet://192.0.2.16:80/", ("telnet", None, "192.0.2.16", 80, "/", None, None)),
        ("urn:oasis:names:dtd:xml:4.1.2", ("urn", None, None, None, "oasis:names:dtd:xml:4.1.2", None, None)),
        ("Foo://a:b@h:/over?n=f#nose", ("foo", "a:b", "h", None, "/over", "n=f", "nose")),
        ("foo://info.example.com?fred", ("foo", None, "info.example.com", None, "", "fred", None)),
        ("a:", ("a", None, None, None, "", None, None)),
        ("a:?#", ("a", None, None, None, "", "", "")),
        ("a://@", ("a", "", "", None, "", None, None)),
        ("a:/b", ("a", None, None, None, "/b", None, None)),
        ("a://[v1.x]", ("a", None, "[v1.x]", None, "", None, None)),
    ],
)  # fmt: skip
def test_a_uri_has_the_parts_of_section_3(text, parts):
    uri = MODERN.parse_generic(text)
    assert (type(uri), str(uri), tuple(uri.parts.values())) == (URI, text, parts)
    assert tuple(uri.parts) == NAMES
    assert pickle.loads(pickle.dumps(uri)) == uri == copy.copy(uri)


@pytest.mark.parametrize(
    "text", ["", ":a", "1:a", "a", "//a", "a:|", "a:\n", "a://[", "a:#b#c", "a://h:x", "a:/%4", "a:é"]
)
def test_other_texts_are_no_uris(text):
    with pytest.raises(InvalidURL):
        MODERN.parse_generic(text)


def test_a_uri_is_built_of_its_parts():
    assert str(URI(scheme="x", path="a b%2Fc")) == "x:a%20b%2Fc"
    assert str(URI(scheme="x", host="h", userinfo="a%3Ab:c")) == "x://a%3Ab:c@h"
    assert str(URI(scheme="x", host="h", path="/~a", query="b?", fragment="f#")) == "x://h/~a?b?#f%23"
    assert str(URI.parse("x://h/a?b").replace(port=1, query=None)) == "x://h:1/a"
    assert str(URI.parse("x://[::1]:/a#f").replace(path="")) == "x://[::1]:#f"
    assert str(URI.parse("x://h:").replace(path="/a")) == "x://h:/a"


def test_a_host_is_given_as_it_is_written():
    assert str(URI(scheme="x", host="[::1]")) == "x://[::1]"
    url = URI.parse("x://a%2Db/")
    assert url.replace(host=url.host) == URI.parse("x://a%2db/")
    for host in ("b\u00fccher.example", "a b", "::1", "[::1"):
        with pytest.raises(InvalidURL, match="invalid host"):
            URI(scheme="x", host=host)


def test_the_scheme_is_replaced_with_parts_that_come_or_go():
    url = URI.parse("FOO:a")
    assert str(url.replace(**url.parts)) == "foo:a"
    assert str(url.replace(scheme="bar", query="x")) == "bar:a?x"


def test_urls_of_two_profiles_are_never_equal_and_have_no_order():
    old, new = urlschemes.parse_generic("x:a"), MODERN.parse_generic("x:a")
    assert old != new
    assert new != old
    assert len({old, new}) == 2
    with pytest.raises(TypeError):
        assert old < new
    assert not old.equivalent(new)


def test_a_uri_whose_type_is_not_installed_is_restored_as_a_uri():
    pickled = pickle.dumps(MODERN.parse("http://h/~a#f")).replace(b"HttpURI", b"NoSuchU")
    restored = pickle.loads(pickled)
    assert (type(restored), restored.fragment) == (URI, "f")


def test_a_registry_is_pickled_with_its_profile():
    restored = pickle.loads(pickle.dumps(MODERN))
    assert restored.profile is MODERN.profile
    assert restored.parse("http://h#f") == MODERN.parse("http://h#f")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://h?t=12:30@x", None),
        ("http://h:80#t=12:30@x", None),
        ("x-y://u:p:q@h?t=12:30@x", "x-y://u:***@h?t=12:30@x"),
        ("http://h/?u=ftp://a:b@c", "http://h/?u=ftp://a:***@c"),
    ],
)
def test_a_password_stands_before_the_host(text: str, shown: str | None) -> None:
    url = URI.parse(text)
    assert url.redacted() == (shown or text)
    assert repr(url) == f"URI({shown or text!r})"


@pytest.mark.parametrize("rest", ["[::1]:3478", "a@[::1]?b[]", "//h:1;transport=tcp", "[]"])
def test_a_url_that_is_wider_than_the_generic_syntax_works_where_its_scheme_is_not_known(rest):
    text, rules = f"x-a:{rest}", 'any = "x-a:" *( pchar / "/" / "?" / "[" / "]" )'
    url = urlschemes.Scheme.of("x-a", rules, profile=MODERN.profile).url_type.parse(text)
    restored = pickle.loads(pickle.dumps(url))
    assert (type(restored), str(restored), restored) == (WiderURI, text, url)
    assert MODERN.convert(restored) == WiderURI(**restored.parts) == restored
    assert restored.normalized().normalized() == restored.normalized()
    with pytest.raises(InvalidURL):
        MODERN.parse_generic(text)
    if "//" in rest:  # its authority is wrong by the generic syntax
        with pytest.raises(InvalidURL):
            URI.parse("y:a").join(text)
        return
    found = URI.parse("y:a").join(text)
    assert (type(found), type(found.join("?[#f")), str(found)) == (WiderURI, WiderURI, text)
