"""Input that made other software fail: what is refused, with which error, and what is accepted unchanged.

A row is an input and its result. An error is written as its code, part and position: `InvalidCharacter host@7`. If
there are several causes, size comes first, then an illegal character, then a bad escape, then structure.
"""

from __future__ import annotations

import pickle
import socket
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import urlschemes
import urlschemes_access
from urlschemes import InvalidURL, Registry, UnknownScheme, UnsafeURL
from urlschemes_access import Policy
from urlschemes_http import HttpURL
from urlschemes_rfc3986.iri import from_unicode

REFUSED: dict[str, str] = {
    # Any scheme: characters
    " http://example.com/": "invalid-character scheme@0",
    "\x00http://example.com/": "invalid-character scheme@0",
    "\x1fhttp://example.com/": "invalid-character scheme@0",
    "\xa0http://example.com/": "invalid-character scheme@0",
    "\ufeffhttp://example.com/": "invalid-character scheme@0",
    "http://example.com/ ": "invalid-character path@19",
    "http://exam\nple.com/": "invalid-character host@11",
    "http://example.com/\r\nX: y": "invalid-character path@19",
    "ht\ttp://example.com/": "invalid-character scheme@2",
    "java\tscript://example.com/": "invalid-character scheme@4",
    "http://example.com\r\n.evil.org/": "invalid-character host@18",
    "http://example.com/?q=\r\nSET x 1\r\n": "invalid-character search@22",
    "http://example.com/\x7f": "invalid-character path@19",
    "http://example.com/\x85x": "invalid-character path@19",
    "http://example.com/\u2028x": "invalid-character path@19",
    "http://example.com/\u202egpj.exe": "invalid-character path@19",
    "http://example.com/\ud800": "invalid-character path@19",
    "http://example.com/a b": "invalid-character path@20",
    "http://example.com/a|b": "invalid-character path@20",
    "http://example.com/a\\b": "invalid-character path@20",
    "http://example.com/{x}": "invalid-character path@19",
    "http://example.com/%": "bad-escape path@19",
    "http://example.com/%1": "bad-escape path@19",
    "http://example.com/%zz": "bad-escape path@19",
    "http://example.com/%u0041": "bad-escape path@19",
    "http://example.com/%\uff11\uff12": "bad-escape path@19",
    # Scheme
    "://example.com/": "invalid-scheme scheme@0",
    "//example.com/x": "invalid-scheme scheme@0",
    "example.com/x": "invalid-scheme scheme@11",
    "1http://example.com/": "unknown-scheme",
    "ht_tp://example.com/": "invalid-scheme scheme@2",
    "local_file:///etc/passwd": "invalid-scheme scheme@5",
    "local-file:///etc/passwd": "unknown-scheme",
    "URL:file:///etc/passwd": "unknown-scheme",
    "url:http://example.com/": "unknown-scheme",
    "\u212attp://x/": "invalid-character scheme@0",
    "f\u0131le:///etc/passwd": "invalid-character scheme@1",
    "http\u200b://example.com/": "invalid-character scheme@4",
    "http:example.com/": "missing-authority host@5",
    "http:/example.com/": "missing-authority host@6",
    "http:///example.com/": "empty-host host@7",
    "http:////example.com/": "empty-host host@7",
    "http:\\\\example.com/": "invalid-character host@5",
    "jar:http://example.com/a.jar!/x": "unknown-scheme",
    "simplecache::http://example.com/x": "unknown-scheme",
    "file+http://example.com/": "unknown-scheme",
    "jndi:ldap://127.0.0.1#evil:1389/a": "unknown-scheme",
    "a" * 2_000_000: "url-too-long None@65536",
    "": "invalid-scheme scheme@0",
    ":": "invalid-scheme scheme@0",
    "http:": "missing-authority host@5",
    "http://": "empty-host host@7",
    "data:text/html,x": "unknown-scheme",
    "news+http://x/": "unknown-scheme",
    "http .://x/": "invalid-character scheme@4",
    # Authority
    "http://good.example@evil.example/": "userinfo-not-allowed user@7",
    "http://good.example\\@evil.example/": "invalid-character user@19",
    "http://good.example#@evil.example/": "fragment-present user@19",
    "http://good.example?@evil.example/": "userinfo-not-allowed user@7",
    "ftp://a@b@evil.example/": "invalid-userinfo user@7",
    "ftp://a:b:c@evil.example/": "invalid-userinfo password@9",
    "http://exam%70le.com/": "invalid-host host@11",
    "http://example.com%2F10.0.0.1/": "invalid-host host@18",
    "http://example.com%00.evil.org/": "invalid-host host@18",
    "http://example.com%0d%0a.evil.org/": "invalid-host host@18",
    "http://ex\u2100mple.com/": "invalid-character host@9",
    "ftp://user\uff03:pw@evil.example/": "invalid-character user@10",
    "http://example\uff0ecom/": "invalid-character host@14",
    "http://\u0435xample.com/": "invalid-character host@7",
    "http://xn--/": "invalid-host host@11",
    "http://[::1]/": "invalid-character host@7",
    "http://[127.0.0.1]/": "invalid-character host@7",
    "http://[evil.example]/": "invalid-character host@7",
    "http://prefix.[::1]/": "invalid-character host@14",
    "http://[::1].evil.example/": "invalid-character host@7",
    "http://[::1%25eth0]/": "invalid-character host@7",
    "http://[v1.x|y]/": "invalid-character host@7",
    "http://[::1/": "invalid-character host@7",
    "http://2130706433/": "invalid-host host@17",
    "http://0x7f000001/": "invalid-host host@17",
    "http://0x7f.1/": "invalid-host host@13",
    "http://127.1/": "invalid-host host@12",
    "http://1.2.3.4.5/": "invalid-host host@16",
    "http://\u0661\u0662\u0667.0.0.1/": "invalid-character host@7",
    "http://\u2460\u2461\u2466.0.0.1/": "invalid-character host@7",
    "http://example.com./": "invalid-host host@19",
    "http://.example.com/": "invalid-host host@7",
    "http://a..b.example/": "invalid-host host@9",
    "http://-oProxyCommand=x/": "invalid-host host@7",
    "http://a_b.example/": "invalid-host host@8",
    "http://example.com:/": "invalid-port port@19",
    "http://example.com:" + "9" * 5000 + "/": "invalid-port port@4019",
    "http://example.com:-80/": "invalid-port port@19",
    "http://example.com:+80/": "invalid-port port@19",
    "http://example.com:8_0/": "invalid-port port@20",
    "http://example.com:\uff18\uff10/": "invalid-character port@19",
    "http://example.com: 80/": "invalid-character port@19",
    "http://example.com:80:443/": "invalid-port port@21",
    "http://example.com:80@evil.example/": "userinfo-not-allowed user@7",
    # http
    "http://example.com/a#frag": "fragment-present path@20",
    "http://example.com/" + "a" * 70_000: "url-too-long None@65536",
    "http://example.com/\xe9": "invalid-character path@19",
    # ftp
    "ftp://h.example/a;type=x": "invalid-part typecode@23",
    "ftp://h.example/a;type=": "invalid-part typecode@23",
    "ftp://h.example/a;type=i;type=a": "invalid-part typecode@24",
    # gopher
    "gopher://127.0.0.1:25/_HELO%20x%0d%0aMAIL%20FROM:%3Ca%3E": "invalid-part selector@31",
    "gopher://h.example/0a%0ab": "invalid-part selector@21",
    "gopher://u:p@h.example/": "userinfo-not-allowed user@9",
    # file
    "file:/etc/passwd": "missing-authority host@6",
    "file:etc/passwd": "missing-authority host@5",
    "file://localhost:80/x": "invalid-host host@16",
    "file://u@localhost/x": "userinfo-not-allowed user@7",
    "file:///C|/x": "invalid-character segments@9",
}

ACCEPTED: dict[str, dict[str, Any]] = {
    "HTTP://EXAMPLE.COM/": {"scheme": "http", "host": "example.com"},
    "ftp://a%40b:p%3Aq@h.example/": {"user": "a@b", "password": "p:q", "host": "h.example"},
    "http://example.com:000000080/": {"port": 80},
    "http://example.com:80/": {"host": "example.com", "port": 80},
    "http://example.com/?a=1;b=2": {"search": "a=1;b=2"},
    "https://example.com/": {"scheme": "https", "port": 443},
    "ftp://h.example/a%ffb": {"name": "a\udcffb"},
    "ftp://h.example/%2Fetc/motd": {"directories": ("/etc",), "name": "motd"},
    "ftp://h.example/..%2f..%2fetc/passwd": {"directories": ("../../etc",), "name": "passwd"},
    "ftp://h.example/a;type=i": {"typecode": "i"},
    "ftp://h.example/a;TYPE=i": {"typecode": "i"},
    "ftp://:@h.example/": {"user": "", "password": ""},
    "ftp://u@h.example/": {"user": "u", "password": None},
    "ftp://h.example/-rf": {"name": "-rf"},
    "ftp://h.example/%20": {"name": " "},
    "gopher://h.example/0a%09q": {"selector": "a", "search": "q"},
    "gopher://h.example/": {"gtype": None, "effective_gtype": "1", "selector": ""},
    "gopher://h.example/8-oX": {"gtype": "8", "selector": "-oX"},
    "gopher://h.example/hURL:javascript:alert(1)": {"gtype": "h", "selector": "URL:javascript:alert(1)"},
    "file://evil.example/share/x": {"host": "evil.example"},
    "file:////evil.example/share/x": {"host": "", "path": "//evil.example/share/x"},
    "file:///%2f%2fevil.example/share": {"host": ""},
    "file:///a/%2e%2e/%2e%2e/etc/passwd": {"host": "", "segments": ("a", "..", "..", "etc", "passwd")},
    "file://127.0.0.1/etc/passwd": {"host": "127.0.0.1"},
}

KEPT_AS_WRITTEN = ["%0d%0aX-Injected:%201", "%00", "%2e%2e/%2e%2e/etc/passwd", "a%2Fb", "%2541"]

# Valid URLs that access refuses before any name is resolved (RFC 1738 section 6): by the unsafe part.
UNSAFE: dict[str, str] = {
    "ftp://u:p%0d%0aDELE%20x@h.example/": "password",
    "ftp://u%00:p@h.example/": "user",
    "ftp://h.example/a%0d%0aDELE%20b": "name",
    "ftp://h.example/a%0aDELE%20b": "name",
    "ftp://h.example/a%0dDELE%20b": "name",
    "ftp://h.example/a%00b": "name",
    "ftp://h.example/" + "a/" * 20_000: "directories",
    "gopher://h.example/0a%09q%09+x%09y": "gopher_plus",
    "gopher://h.example/%0d": "gtype",
    "gopher://h.example/0%00": "selector",
    "file:///a%00.txt": "segments",
    "http://0177.0.0.1/": "host",
    "http://256.1.1.1/": "host",
    "http://" + "a" * 80 + "/": "host",
    "http://" + "a." * 200 + "a/": "host",
    "http://example.com:0/": "port",
    "http://example.com:65536/": "port",
}

BUILT_WRONG = [
    ("urlschemes_http:HttpURL", {"host": "a.example/@b", "path": "x"}, "invalid-host"),
    ("urlschemes_http:HttpURL", {"host": "a.example", "port": "80 "}, "invalid-port"),
    ("urlschemes_http:HttpURL", {"host": "a.example", "port": True}, "invalid-port"),
    ("urlschemes_gopher:GopherURL", {"host": "a.example", "gtype": "00", "selector": "x"}, "invalid-part"),
]

BUILT_RIGHT = [
    ("urlschemes_ftp:FtpURL", {"user": "u", "password": "p@h/x", "host": "a.example"}, "ftp://u:p%40h%2Fx@a.example"),
    (
        "urlschemes_ftp:FtpURL",
        {"host": "a.example", "directories": ["a/b", ".."], "name": ""},
        "ftp://a.example/a%2Fb/../",
    ),
]


def short(text: object) -> str:
    return ascii(text)[:60]


@pytest.mark.parametrize("text", REFUSED, ids=short)
def test_bad_input_is_refused(text: str) -> None:
    with pytest.raises((InvalidURL, UnknownScheme)) as caught:
        urlschemes.parse(text)
    error = caught.value
    place = f" {error.part}@{error.position}" if isinstance(error, InvalidURL) else ""
    assert f"{error.code}{place}" == REFUSED[text]
    line = str(error)
    assert line.isascii()
    assert line.isprintable()
    assert len(line) <= 300
    assert str(pickle.loads(pickle.dumps(error))) == line


@pytest.mark.parametrize("text", ACCEPTED, ids=short)
def test_unusual_input_is_accepted(text: str) -> None:
    url = urlschemes.parse(text)
    assert {name: getattr(url, name) for name in ACCEPTED[text]} == ACCEPTED[text]
    assert str(url) == text


@pytest.mark.parametrize("path", KEPT_AS_WRITTEN)
def test_a_path_stays_as_written(path: str) -> None:
    assert urlschemes.parse(f"http://example.com/{path}").raw["path"] == path


@pytest.mark.rfc1738(174)
@pytest.mark.parametrize("text", UNSAFE, ids=short)
def test_access_refuses_an_unsafe_url_before_resolving_its_host(
    text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:

    def no_lookup(*_: object, **__: object) -> None:
        pytest.fail("a name was looked up")

    monkeypatch.setattr(socket, "getaddrinfo", no_lookup)
    url = urlschemes.parse(text)
    policy = replace(Policy.untrusted(), roots=(str(tmp_path),))
    with pytest.raises(UnsafeURL) as caught, urlschemes_access.access(url, policy=policy):
        pass
    assert caught.value.part == UNSAFE[text]


def test_no_error_and_no_repr_contains_a_password() -> None:
    url = urlschemes.parse("ftp://u:hunter2@h.example/%0d")
    with pytest.raises(UnsafeURL) as caught, urlschemes_access.access(url):
        pass
    assert "hunter2" not in str(caught.value) + repr(caught.value) + repr(caught.value.args) + repr(url)


def url_type(name: str) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(pytest.importorskip(module), attribute)


@pytest.mark.parametrize(("place", "parts", "code"), BUILT_WRONG, ids=short)
def test_the_value_of_a_part_cannot_add_a_delimiter(place: str, parts: dict[str, Any], code: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        url_type(place)(**parts)
    assert caught.value.code == code


@pytest.mark.parametrize(("place", "parts", "text"), BUILT_RIGHT, ids=short)
def test_the_values_of_parts_are_encoded(place: str, parts: dict[str, Any], text: str) -> None:
    url = url_type(place)(**parts)
    assert str(url) == text
    for name, value in parts.items():
        assert getattr(url, name) == (tuple(value) if isinstance(value, list) else value)


@pytest.mark.parametrize(
    "use",
    [
        lambda value: HttpURL(host="h", port=value),
        lambda value: HttpURL.parse("http://h/").normalized(value),
        lambda value: Registry(profile=value),
        lambda value: from_unicode("http://h/", parse=value),
    ],
    ids=["part", "level", "profile", "parse"],
)
def test_a_value_that_python_cannot_print_is_of_a_wrong_type_too(use: Callable[[Any], object]) -> None:
    nested: list[Any] = []
    for _ in range(sys.getrecursionlimit()):
        nested = [nested]
    with pytest.raises((TypeError, InvalidURL), match=r"must be .*, not list"):
        use(nested)
