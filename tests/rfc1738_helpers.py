"""Helpers of the tests of RFC 1738: its example URLs, and functions that look at parts and errors."""

from __future__ import annotations

from typing import Any

import pytest

import urlschemes
from urlschemes import (
    InvalidURL,
    Registration,
    Registry,
    default_registry,
    parse,
)

TEN = ("ftp", "http", "gopher", "mailto", "news", "nntp", "telnet", "wais", "file", "prospero")


INTERNET = ("ftp", "http", "gopher", "nntp", "telnet", "wais", "file", "prospero")
"""The schemes whose URLs begin with `//` and a host."""


LETTERS = "abcdefghijklmnopqrstuvwxyz"


DIGITS = "0123456789"


UNRESERVED = frozenset(LETTERS + LETTERS.upper() + DIGITS + "$-_.+" + "!*'(),")


RESERVED = frozenset(";/?:@&=")


UNSAFE = frozenset(' <>"#%{}|\\^~[]`')


CONTROLS = frozenset(map(chr, [*range(0x20), 0x7F]))


ASCII = frozenset(map(chr, range(0x80)))


def refused(text: str, code: str, **facts: object) -> InvalidURL:
    """Parse `text`, and return the error: with that code, and with these attributes."""
    with pytest.raises(InvalidURL) as caught:
        parse(text)
    assert caught.value.code == code, text
    for name, value in facts.items():
        assert getattr(caught.value, name) == value, (text, name)
    return caught.value


def present(text: str) -> dict[str, object]:
    """Return the parts of a URL that are not absent, decoded."""
    url = parse(text)
    return {name: value for name in url.parts if (value := getattr(url, name)) is not None}


def raw(url: urlschemes.URL, part: str) -> object:
    """Return a part as it is written; of a list the last element, of a pair the value."""
    written: object = url.raw[part]
    while isinstance(written, tuple):
        written = written[-1]
    return written


def bare(template: str, part: str, *, first: str = "a", last: str = "z") -> frozenset[str]:
    """Return the US-ASCII characters that `part` of a URL may contain unencoded."""
    taken = set()
    for character in ASCII:
        piece = f"{first}{character}{last}"
        text = template.format(piece)
        if urlschemes.is_valid(text) and raw(parse(text), part) == piece:
            taken.add(character)
    return frozenset(taken)


def escapes(template: str, part: str) -> bool:
    """Return True if `part` of a URL may contain an encoded letter."""
    text = template.format("a%41z")
    return urlschemes.is_valid(text) and raw(parse(text), part) == "a%41z"


EXAMPLES: dict[str, dict[str, Any]] = {
    # Section 1
    "http://www.acl.lanl.gov/URI/archive/uri-archive.index.html": {
        "host": "www.acl.lanl.gov",
        "port": 80,
        "path": "URI/archive/uri-archive.index.html",
    },
    # Section 3.1
    "ftp://@host.com/": {"user": "", "host": "host.com", "port": 21, "directories": (), "name": ""},
    "ftp://host.com/": {"host": "host.com", "port": 21, "directories": (), "name": ""},
    "ftp://foo:@host.com/": {
        "user": "foo",
        "password": "",
        "host": "host.com",
        "port": 21,
        "directories": (),
        "name": "",
    },
    # Section 3.2.2
    "ftp://myname@host.dom/%2Fetc/motd": {
        "user": "myname",
        "host": "host.dom",
        "port": 21,
        "directories": ("/etc",),
        "name": "motd",
    },
    "ftp://myname@host.dom/etc/motd": {
        "user": "myname",
        "host": "host.dom",
        "port": 21,
        "directories": ("etc",),
        "name": "motd",
    },
    "ftp://myname@host.dom//etc/motd": {
        "user": "myname",
        "host": "host.dom",
        "port": 21,
        "directories": ("", "etc"),
        "name": "motd",
    },
    # Section 3.6
    "news:*": {"group": "*"},
    # Section 3.10
    "file://vms.host.edu/disk$user/my/notes/note12345.txt": {
        "host": "vms.host.edu",
        "segments": ("disk$user", "my", "notes", "note12345.txt"),
    },
    # Section 3.11
    "prospero://host.dom//pros/name": {"host": "host.dom", "port": 1525, "hsoname": "/pros/name", "fields": ()},
    # Appendix
    "ftp://info.cern.ch/pub/www/doc;type=d": {
        "host": "info.cern.ch",
        "port": 21,
        "directories": ("pub", "www"),
        "name": "doc",
        "typecode": "d",
    },
    "ftp://ds.internic.net/rfc": {"host": "ds.internic.net", "port": 21, "directories": (), "name": "rfc"},
    "http://ds.internic.net/instructions/overview.html": {
        "host": "ds.internic.net",
        "port": 80,
        "path": "instructions/overview.html",
    },
}


# The URLs of the references: host, directories and name.
REFERENCES: dict[str, tuple[str, tuple[str, ...], str]] = {
    "ftp://ds.internic.net/rfc/rfc1436.txt;type=a": ("ds.internic.net", ("rfc",), "rfc1436.txt"),
    "ftp://boombox.micro.umn.edu/pub/gopher/gopher_protocol/Gopher+/Gopher+.txt": (
        "boombox.micro.umn.edu",
        ("pub", "gopher", "gopher_protocol", "Gopher+"),
        "Gopher+.txt",
    ),
    "ftp://ds.internic.net/rfc/rfc1630.txt": ("ds.internic.net", ("rfc",), "rfc1630.txt"),
    "ftp://info.cern.ch/pub/www/doc/http-spec.txt.Z": ("info.cern.ch", ("pub", "www", "doc"), "http-spec.txt.Z"),
    "ftp://ds.internic.net/rfc/rfc1123.txt": ("ds.internic.net", ("rfc",), "rfc1123.txt"),
    "ftp://ds.internic.net/rfc/rfc822.txt": ("ds.internic.net", ("rfc",), "rfc822.txt"),
    "ftp://quake.think.com/pub/wais/doc/protspec.txt": ("quake.think.com", ("pub", "wais", "doc"), "protspec.txt"),
    "ftp://ds.internic.net/rfc/rfc1036.txt": ("ds.internic.net", ("rfc",), "rfc1036.txt"),
    "ftp://quake.think.com/pub/wais/doc/doc-ids.txt": ("quake.think.com", ("pub", "wais", "doc"), "doc-ids.txt"),
    "ftp://ds.internic.net/rfc/rfc977.txt": ("ds.internic.net", ("rfc",), "rfc977.txt"),
    "ftp://ds.internic.net/internet-drafts/draft-ietf-uri-irl-fun-req-02.txt": (
        "ds.internic.net",
        ("internet-drafts",),
        "draft-ietf-uri-irl-fun-req-02.txt",
    ),
    "ftp://ds.internic.net/rfc/rfc1034.txt": ("ds.internic.net", ("rfc",), "rfc1034.txt"),
    "ftp://prospero.isi.edu/pub/prospero/doc/prospero-protocol.PS.Z": (
        "prospero.isi.edu",
        ("pub", "prospero", "doc"),
        "prospero-protocol.PS.Z",
    ),
    "ftp://ds.internic.net/rfc/rfc959.txt": ("ds.internic.net", ("rfc",), "rfc959.txt"),
    "ftp://ds.internic.net/rfc/rfc1737.txt": ("ds.internic.net", ("rfc",), "rfc1737.txt"),
    "ftp://ds.internic.net/rfc/rfc1625.txt": ("ds.internic.net", ("rfc",), "rfc1625.txt"),
    "ftp://uu.psi.com/wp/nir.txt": ("uu.psi.com", ("wp",), "nir.txt"),
}


THING = """
api = 1
scheme = "x-thing"
status = "experimental"
title = "Things"
reference = "the specification of things"
contact = "the tests"
change_controller = "the tests"
encoding_considerations = "None."
interoperability_considerations = "None."
security_considerations = "A thing is as safe as its name."

[syntax]
rule = "thingurl"
bnf = '''
thingurl = "x-thing://" login [ "/" thing ]
thing    = 1*[ uchar | ":" ]
'''

[syntax.parts]
user = { at = "user" }
host = { at = "host" }
thing = { at = "thing" }
"""


def with_rules(*rules: str) -> Registry:
    """Return a registry of one scheme, `x-thing`, whose URLs derive from the first of `rules`."""
    head, _, _ = THING.partition("[syntax]")
    lines = "\n".join(rules)
    name = rules[0].partition(" ")[0]
    registry = Registry(plugins=())
    registry.register(Registration.from_text(f"{head}[syntax]\nrule = '{name}'\nbnf = '''\n{lines}\n'''\n"))
    return registry


def valid_examples(name: str) -> list[str]:
    """Return the valid examples in the record of a scheme."""
    return [example.url for example in default_registry.registration(name).examples if example.parts is not None]
