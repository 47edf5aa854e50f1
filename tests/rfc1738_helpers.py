"""Helpers of the tests of RFC 1738: its characters, and functions that look at parts and errors."""

from __future__ import annotations

import pytest

import urlschemes
from urlschemes import InvalidURL, Registration, Registry, default_registry, parse

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
parts = { user = "user", host = "host", thing = "thing" }
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
