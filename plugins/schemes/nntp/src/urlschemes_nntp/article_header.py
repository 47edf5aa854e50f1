"""Article headers (RFC 5536, RFC 1036): reading them, parsing their fields, and the attributes they give."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.grammar.octets import text_of
from urlschemes_access.attributes import Attributes
from urlschemes_access.errors import LimitExceeded
from urlschemes_access.protocol.times import mail_time

if TYPE_CHECKING:
    from urlschemes_access.protocol import Algorithm
    from urlschemes_access.protocol.texts import Text

__all__ = ["MEDIA_TYPE", "attributes_of", "decode_words", "parse_fields", "read_header"]

MEDIA_TYPE = "message/rfc822"
"""The media type of an article (RFC 5537 section 4)."""
MAX_HEADER = 64 * 1024
"""Octets in the header of one article."""
MAX_DECODED = 2000
"""Characters in a field that is decoded: the standard library's decoder takes quadratic time."""

_FIELD = re.compile(rb"([!-9;-~]+):[ \t]*(.*)", re.DOTALL)
_FOLD = re.compile(rb"\r?\n(?=[ \t])")


def read_header(block: Text) -> Algorithm[bytes]:
    """Return the lines of an article through its first empty line, each with its CR LF. Raise LimitExceeded."""
    header = bytearray()
    while (line := (yield from block.line())) is not None:
        header += line + b"\r\n"
        if len(header) > MAX_HEADER:
            raise LimitExceeded(
                f"the article header is longer than {MAX_HEADER} octets", limit="headers", value=MAX_HEADER
            )
        if not line:
            break
    return bytes(header)


def parse_fields(header: bytes) -> dict[str, str]:
    """Return the unfolded fields by lower-case name; fields of the same name are joined by commas."""
    fields: dict[str, str] = {}
    for line in _FOLD.sub(b"", header).splitlines():
        if match := _FIELD.fullmatch(line):
            name, value = text_of(match[1]).lower(), text_of(match[2].rstrip())
            fields[name] = f"{fields[name]}, {value}" if name in fields else value
    return fields


def attributes_of(fields: dict[str, str]) -> Attributes:
    """Return the attributes of an article: its subject is the name, its date the time of the last change."""
    return Attributes(
        media_type=MEDIA_TYPE,
        name=decode_words(fields.get("subject", "")) or None,
        modified=mail_time(fields.get("date", "")),
        fields=fields,
    )


def decode_words(text: str) -> str:
    """Return `text` with its encoded words (RFC 2047) decoded; unchanged if they are invalid or it is too long."""
    if "=?" not in text or len(text) > MAX_DECODED:
        return text
    # Late: email takes long to import, and most subjects have no encoded words.
    from email.errors import MessageError
    from email.header import decode_header, make_header

    try:
        decoded = str(make_header(decode_header(text)))
        decoded.encode("utf-8", "surrogateescape")  # some charsets decode to surrogates
    except (MessageError, LookupError, ValueError):  # invalid base64, unknown charset, undecodable octets
        return text
    return decoded
