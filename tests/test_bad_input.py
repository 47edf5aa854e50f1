"""Input that made other software fail, and that begins with no name of a scheme; URLs that access must not use.

The tables of the schemes have the rest. An error is written as its code, part and position.
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
    "ht\ttp://example.com/": "invalid-character scheme@2",
    "java\tscript://example.com/": "invalid-character scheme@4",
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
    "jar:http://example.com/a.jar!/x": "unknown-scheme",
    "simplecache::http://example.com/x": "unknown-scheme",
    "file+http://example.com/": "unknown-scheme",
    "jndi:ldap://127.0.0.1#evil:1389/a": "unknown-scheme",
    "a" * 2_000_000: "url-too-long None@65536",
    "": "invalid-scheme scheme@0",
    ":": "invalid-scheme scheme@0",
    "data:text/html,x": "unknown-scheme",
    "news+http://x/": "unknown-scheme",
    "http .://x/": "invalid-character scheme@4",
}

# Valid URLs that access refuses before any name is resolved (RFC 1738 section 6): by the unsafe part.
UNSAFE: dict[str, str] = {
    "ftp://u:p%0d%0aDELE%20x@h.example/": "password",
    "ftp://h.example/" + "a/" * 20_000: "directories",
    "gopher://h.example/0a%09q%09+x%09y": "gopher_plus",
    "gopher://h.example/%0d": "gtype",
    "file:///a%00.txt": "segments",
    "http://0177.0.0.1/": "host",
    "http://256.1.1.1/": "host",
    "http://" + "a" * 80 + "/": "host",
    "http://" + "a." * 200 + "a/": "host",
    "http://example.com:0/": "port",
    "http://example.com:65536/": "port",
}


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
