"""Octets and their escapes (RFC 1738 section 2.2).

A part of a URL is a sequence of octets. As str it is decoded as UTF-8 with `surrogateescape`, so that octets which are
not UTF-8 are kept.
"""

from __future__ import annotations

import re

__all__ = [
    "ALPHADIGIT",
    "ESCAPE",
    "HEX",
    "SCHEME_NAME_FORM",
    "SCHEME_NAME_WORDS",
    "encoded",
    "escape",
    "mask",
    "octets_of",
    "text_of",
    "unescape",
]

ALPHADIGIT = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
HEX = "0123456789ABCDEFabcdef"
SCHEME_NAME_FORM = re.compile(r"[a-z0-9+.\-]{1,64}")
"""The name of a scheme in records and entry points: in lower case, and of a bounded length."""
SCHEME_NAME_WORDS = "at most 64 lower-case letters, digits, `+`, `-` and `.`"
ESCAPE = re.compile("%([0-9A-Fa-f]{2})")


def mask(characters: str) -> int:
    """Return the set of `characters` as an int: bit N is the character with code N."""
    return sum(1 << code for code in set(characters.encode()))


_OCTET = {f"{high}{low}".encode(): bytes([int(high + low, 16)]) for high in HEX for low in HEX}
_ESCAPED = tuple(f"%{octet:02X}" for octet in range(256))


def text_of(octets: bytes) -> str:
    """Return `octets` as str."""
    return octets.decode("utf-8", "surrogateescape")


def octets_of(text: str) -> bytes:
    """Return the octets of `text`. Raises UnicodeEncodeError for a surrogate that stands for no octet."""
    return str.encode(text, "utf-8", "surrogateescape")  # whatever the methods of a subclass of str say


def unescape(raw: str) -> str:
    """Return `raw` with every escape decoded once."""
    if "%" not in raw:
        return raw
    first, *rest = raw.encode().split(b"%")
    return text_of(first + b"".join([_OCTET[piece[:2]] + piece[2:] for piece in rest]))


def escape(octets: bytes, bare: frozenset[int]) -> str:
    """Return `octets` with all but those of `bare` encoded."""
    return "".join([chr(octet) if octet in bare else _ESCAPED[octet] for octet in octets])


def encoded(octets: bytes) -> str:
    """Return `octets` with all of them encoded."""
    return "".join([_ESCAPED[octet] for octet in octets])
