"""Hosts: the domain name or address that the host of a URL stands for.

A profile may allow hosts that are neither, such as `0x7f.1`, `a%2Eb` or `[v1.a]`. Programs read them differently, so
nothing is ever connected to them.
"""

from __future__ import annotations

import ipaddress
import re
from functools import cache, lru_cache
from typing import NamedTuple, TypeAlias

from urlschemes.errors import UnsafeURL, require_type
from urlschemes.grammar.part import Part
from urlschemes.grammar.profile import Profile
from urlschemes.grammar.syntax import Syntax
from urlschemes.redaction import one_line

__all__ = ["Address", "Host", "one_spelling", "read_host", "server_syntax", "url_host"]

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

# Not the hosts of a profile, but what every resolver takes for the same name or address.
_QUAD_LIKE = re.compile(r"[0-9.]+")
_GROUP = re.compile(r"0|[1-9][0-9]{0,2}")
_LABEL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?")


class Host(NamedTuple):
    """A host that can be connected to.

    `name` is what a resolver, a socket and a certificate call it: in lower case, an IPv6 address without brackets.
    `address` is None for a domain name.
    """

    name: str
    address: Address | None

    def __str__(self) -> str:
        """Return the host as a URL names it, in its one spelling."""
        return url_host(self.name)


def url_host(name: str) -> str:
    """Return `name`, a domain name or an address, as the host of a URL: an IPv6 address in brackets."""
    return f"[{name}]" if ":" in name and not name.startswith("[") else name


@lru_cache(maxsize=256)
def read_host(text: str) -> Host:
    """Return the host that `text`, the host of a URL, stands for.

    A final dot is left out (RFC 1034 section 3.1): names are compared without it.

    Raises UnsafeURL unless it is a domain name (RFC 1123 section 2.1), an IPv4 address of four decimal numbers, or an
    IPv6 address in brackets (RFC 4291 section 2.2).
    """

    def unsafe(why: str) -> UnsafeURL:
        return UnsafeURL(f"host '{one_line(given, 80)}': {why}", part="host")

    require_type("host", text, str)
    given, text = text, text.removesuffix(".")
    if not text:
        raise unsafe("it is empty")
    if not text.isascii():
        raise unsafe("it is not in US-ASCII")
    if len(text) > 253:
        raise unsafe("it is longer than 253 octets")
    if text.startswith("["):
        try:
            address = ipaddress.IPv6Address(text[1:].removesuffix("]")) if text.endswith("]") else None
        except ipaddress.AddressValueError:
            address = None
        if address is None:
            raise unsafe("it is not an IPv6 address in brackets")
        if address.scope_id is not None:
            raise unsafe("the zone of an IPv6 address has a meaning on one machine only")
        return Host(str(address), address)
    labels = text.split(".")
    if _QUAD_LIKE.fullmatch(text):
        if len(labels) != 4 or not all(map(_GROUP.fullmatch, labels)):
            raise unsafe("an IPv4 address is four numbers without leading zeros")
        if any(int(label) > 255 for label in labels):
            raise unsafe("a number of the IPv4 address is over 255")
        return Host(text, ipaddress.IPv4Address(text))
    for label in labels:
        if len(label) > 63:
            raise unsafe("a label is longer than 63 octets")
        if not _LABEL.fullmatch(label):
            raise unsafe("it is not a domain name" + (": an IPv6 address needs brackets" if ":" in label else ""))
    # Some resolvers read `0x7f.1` and `127.0x1` as addresses; a top-level label never begins with a digit.
    if labels[-1][0].isdigit():
        raise unsafe("the last label of a domain name must begin with a letter")
    return Host(text.lower(), None)


@cache
def server_syntax(profile: Profile) -> Syntax:
    """Return the syntax of an authority without a login: the parts `host` and `port`, by the rules of a profile."""
    parts = [Part("host", [profile.host_rules[0]]), Part("port", ["port"], number=True)]
    return Syntax("", profile.rule_names["server"], parts, profile=profile)


def one_spelling(text: str) -> str:
    """Return a host, as a URL or a person writes it, so that it can be compared: in lower case.

    An IPv6 address is in brackets, whether `text` has them or not.
    """
    try:
        return str(read_host(url_host(text)))
    except UnsafeURL:  # something that no host equals
        return text.lower().removesuffix(".")
