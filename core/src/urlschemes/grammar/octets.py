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
    "ILLEGAL",
    "RESERVED",
    "SCHEME",
    "SCHEME_NAME",
    "SCHEME_NAME_FORM",
    "UNRESERVED",
    "XCHAR",
    "encoded",
    "escape",
    "is_scheme_name",
    "mask",
    "normal",
    "octets_of",
    "text_of",
    "unescape",
]

ALPHADIGIT = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
HEX = "0123456789ABCDEFabcdef"
RESERVED = ";/?:@&="
"""The characters to which a scheme may give a meaning of their own."""
UNRESERVED = ALPHADIGIT + "$-_.+!*'(),"
"""The characters whose escapes mean the same as they do, in every scheme."""
XCHAR = UNRESERVED + RESERVED
"""The characters of URLs, beside escapes."""
SCHEME = ALPHADIGIT + "+-."
"""The characters of the names of schemes, in both letter cases."""

ILLEGAL = re.compile(f"[^{re.escape(XCHAR)}%]")
"""A character that no URL may hold."""
SCHEME_NAME = re.compile(r"[A-Za-z0-9+.\-]++")
SCHEME_NAME_FORM = re.compile(r"[a-z0-9+.\-]{1,64}")
"""The name of a scheme in records and entry points: in lower case, and of a bounded length."""
ESCAPE = re.compile("%([0-9A-Fa-f]{2})")


def is_scheme_name(text: str) -> bool:
    """Return True if `text` derives from the rule `scheme` (section 2.1), in any letter case."""
    return SCHEME_NAME.fullmatch(text) is not None


def mask(characters: str) -> int:
    """Return the set of `characters` as an int: bit N is the character with code N."""
    return sum(1 << code for code in set(characters.encode()))


_OCTET = {f"{high}{low}".encode(): bytes([int(high + low, 16)]) for high in HEX for low in HEX}
_ESCAPED = tuple(f"%{octet:02X}" for octet in range(256))
_UNRESERVED = frozenset(UNRESERVED.encode())


def text_of(octets: bytes) -> str:
    """Return `octets` as str."""
    return octets.decode("utf-8", "surrogateescape")


def octets_of(text: str) -> bytes:
    """Return the octets of `text`. Raises UnicodeEncodeError for a surrogate that stands for no octet."""
    return text.encode("utf-8", "surrogateescape")


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


def normal(raw: str) -> str:
    """Return `raw` with the escapes of unreserved characters decoded and the other escapes in upper case.

    Neither changes the meaning (section 2.2).
    """
    if "%" not in raw:
        return raw

    def plain(found: re.Match[str]) -> str:
        octet = int(found[1], 16)
        return chr(octet) if octet in _UNRESERVED else _ESCAPED[octet]

    return ESCAPE.sub(plain, raw)
