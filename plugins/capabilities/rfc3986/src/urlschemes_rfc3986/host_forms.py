"""What is legal in a host (RFC 3986 section 3.2.2) and not understood alike by all programs."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING

from urlschemes.grammar.octets import unescape

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["form_findings"]

_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9\-]*[A-Za-z0-9])?", re.ASCII)
_NUMBER = re.compile(r"0[xX](?P<hex>[0-9A-Fa-f]*)|0(?P<octal>[0-7]+)|(?P<decimal>0|[1-9][0-9]*)", re.ASCII)
_ENDS_IN_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0[xX][0-9A-Fa-f]*)\.?", re.ASCII | re.DOTALL)
_GROUPS = re.compile(r"[0-9]+(?:\.[0-9]+){3}", re.ASCII)
_BASES = {"hex": 16, "octal": 8, "decimal": 10}
_MAX_QUOTED = 40
_MAX_ADDRESS = 60


def form_findings(host: str) -> Iterator[tuple[str, str]]:
    """Return the code and the message of everything about the form of a host, as it is written, that is unwise."""
    if host.startswith("["):
        yield from _of_address(host[1:-1])
    elif _ENDS_IN_NUMBER.fullmatch(unescape(host)):
        yield from _of_number(host)
    elif "%" in host:
        decoded = ascii(unescape(host)[:_MAX_QUOTED])
        yield "escaped-host", f"the host has escapes: decoded, it is {decoded}"
    else:
        yield from _of_name(host)


def _of_address(address: str) -> Iterator[tuple[str, str]]:
    """Return the findings about an address between brackets."""
    if address[0] in "vV":
        yield "future-address", f"no program knows the addresses of version {address[1 : address.index('.')][:8]}"
        return
    parsed = IPv6Address(address)
    if parsed.ipv4_mapped is not None:
        yield "mapped-address", f"the IPv6 address stands for the IPv4 address {parsed.ipv4_mapped}"
    elif address != str(parsed) and "." not in address:  # the end of some addresses is usually written as IPv4
        yield "address-spelling", f"the address is usually written [{parsed}]"


def _of_number(host: str) -> Iterator[tuple[str, str]]:
    """Return the findings about a host that ends with a number. Groups of decimal numbers are an IPv4 address."""
    if _GROUPS.fullmatch(host):
        return
    address = _as_address(unescape(host).removesuffix("."))
    if address is None:
        yield "numeric-host", "the host ends with a number, but is no IPv4 address: browsers reject it"
    else:
        yield "numeric-host", f"many programs read the host as the IPv4 address {address}"


def _as_address(text: str) -> IPv4Address | None:
    """Return the address that `text` is for the function inet_aton: up to four numbers, each of any base."""
    if len(text) > _MAX_ADDRESS:  # Python converts no very long numbers
        return None
    found = [_NUMBER.fullmatch(group) for group in text.split(".", 4)]
    values = [int(each[str(each.lastgroup)] or "0", _BASES[str(each.lastgroup)]) for each in found if each is not None]
    *groups, last = values or [-1]
    if len(values) != len(found) or len(values) > 4 or any(group > 255 for group in groups):
        return None
    if not 0 <= last < 256 ** (4 - len(groups)):
        return None
    return IPv4Address(sum(group << 24 - 8 * index for index, group in enumerate(groups)) + last)


def _of_name(host: str) -> Iterator[tuple[str, str]]:
    """Return the findings about a name that is none of the DNS."""
    for label in host.removesuffix(".").split("."):
        if not label:
            yield "unusual-name", "the host has an empty label, which no name of the DNS has"
            return
        if _LABEL.fullmatch(label) is None:
            yield "unusual-name", f"no host of the DNS has a label like {label[:_MAX_QUOTED]!r}"
            return
