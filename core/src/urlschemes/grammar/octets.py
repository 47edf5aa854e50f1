"""Octets and their escapes (RFC 1738 section 2.2).

A part of a URL is a sequence of octets. As text it is UTF-8 with `surrogateescape`, so that an octet which is no UTF-8
survives the way there and back.
"""

from __future__ import annotations

import re

__all__ = [
    "ALPHADIGIT",
    "ESCAPE",
    "HEX",
    "RESERVED",
    "SCHEME",
    "SCHEME_NAME",
    "SCHEME_NAME_FORM",
    "UNRESERVED",
    "XCHAR",
    "encoded",
    "escape",
    "mask",
    "normal",
    "octets_of",
    "text_of",
    "unescape",
]

ALPHADIGIT = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
HEX = "0123456789ABCDEFabcdef"
RESERVED = ";/?:@&="
"""The characters that a scheme may reserve for a meaning of their own."""
UNRESERVED = ALPHADIGIT + "$-_.+!*'(),"
"""The characters whose escape means the same as they do, in every scheme."""
XCHAR = UNRESERVED + RESERVED
"""What may stand in a URL as it is; beside that, escapes."""
SCHEME = ALPHADIGIT + "+-."
"""What the name of a scheme consists of, in both letter cases."""

SCHEME_NAME = re.compile(r"[A-Za-z0-9+.\-]++")
SCHEME_NAME_FORM = re.compile(r"[a-z0-9+.\-]{1,64}")
"""A scheme's name as a record and an entry point give it: in lower case, and of a bounded length."""
ESCAPE = re.compile("%([0-9A-Fa-f]{2})")


def mask(characters: str) -> int:
    """The set of `characters` as a number: bit N is the character with code N."""
    return sum(1 << code for code in set(characters.encode()))


_OCTET = {f"{high}{low}".encode(): bytes([int(high + low, 16)]) for high in HEX for low in HEX}
_ESCAPED = tuple(f"%{octet:02X}" for octet in range(256))
_UNRESERVED = frozenset(UNRESERVED.encode())


def text_of(octets: bytes) -> str:
    """The text that stands for `octets`."""
    return octets.decode("utf-8", "surrogateescape")


def octets_of(text: str) -> bytes:
    """The octets that `text` stands for. Raises UnicodeEncodeError for a surrogate that stands for no octet."""
    return text.encode("utf-8", "surrogateescape")


def unescape(raw: str) -> str:
    """The part that `raw` writes: every `%` and two hexadecimal digits become their octet, once."""
    if "%" not in raw:
        return raw
    first, *rest = raw.encode().split(b"%")
    return text_of(first + b"".join([_OCTET[piece[:2]] + piece[2:] for piece in rest]))


def escape(octets: bytes, bare: frozenset[int]) -> str:
    """`octets` as they are written in a part that may hold the octets `bare` as they are; the others are encoded."""
    return "".join([chr(octet) if octet in bare else _ESCAPED[octet] for octet in octets])


def encoded(octets: bytes) -> str:
    """`octets`, all of them as escapes."""
    return "".join([_ESCAPED[octet] for octet in octets])


def normal(raw: str) -> str:
    """`raw` with the escapes of unreserved characters undone and the others in upper case.

    Neither changes the meaning (section 2.2).
    """
    if "%" not in raw:
        return raw

    def plain(found: re.Match[str]) -> str:
        octet = int(found[1], 16)
        return chr(octet) if octet in _UNRESERVED else _ESCAPED[octet]

    return ESCAPE.sub(plain, raw)
