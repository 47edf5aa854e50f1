"""The headers of articles (RFC 5536, RFC 1036): read, decoded for display, and what they tell of an article."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.grammar.octets import text_of
from urlschemes_access.attributes import Attributes
from urlschemes_access.errors import LimitExceeded

if TYPE_CHECKING:
    from datetime import datetime

    from urlschemes_access.protocol import Algorithm
    from urlschemes_nntp.block import Block

__all__ = ["MEDIA_TYPE", "attributes_of", "date_of", "fields_of", "for_display", "header_of"]

MEDIA_TYPE = "message/rfc822"
"""What an article is (RFC 5537 section 4)."""
MOST_HEADER = 64 * 1024
"""Octets in the header of one article."""
MOST_DECODED = 2000
"""Characters of a field that are decoded for display: the standard library's time for that grows with their square."""

_FIELD = re.compile(rb"([!-9;-~]+):[ \t]*(.*)", re.DOTALL)
_FOLD = re.compile(rb"\r?\n(?=[ \t])")


def header_of(block: Block) -> Algorithm[bytes]:
    """The lines of an article up to the empty one, and that too, each with its CR LF. Raises LimitExceeded."""
    header = bytearray()
    while (line := (yield from block.line())) is not None:
        header += line + b"\r\n"
        if len(header) > MOST_HEADER:
            raise LimitExceeded(
                f"the header of the article is longer than {MOST_HEADER} octets", limit="headers", value=MOST_HEADER
            )
        if not line:
            break
    return bytes(header)


def fields_of(header: bytes) -> dict[str, str]:
    """The fields by their names in lower case, unfolded; several of one name are joined by commas."""
    fields: dict[str, str] = {}
    for line in _FOLD.sub(b"", header).splitlines():
        if found := _FIELD.fullmatch(line):
            name, value = text_of(found[1]).lower(), text_of(found[2].rstrip())
            fields[name] = f"{fields[name]}, {value}" if name in fields else value
    return fields


def attributes_of(fields: dict[str, str]) -> Attributes:
    """What the fields tell: the subject is the name, the date when it was written."""
    return Attributes(
        media_type=MEDIA_TYPE,
        name=for_display(fields.get("subject", "")) or None,
        modified=date_of(fields.get("date", "")),
        fields=fields,
    )


def for_display(text: str) -> str:
    """`text` with its encoded words (RFC 2047) decoded; as it is where that cannot be done, or it is too long."""
    if "=?" not in text or len(text) > MOST_DECODED:
        return text
    from email.errors import MessageError
    from email.header import decode_header, make_header

    try:
        decoded = str(make_header(decode_header(text)))
        decoded.encode("utf-8", "surrogateescape")  # some charsets spell what is no character
    except (MessageError, LookupError, ValueError):  # no base64, no such charset, not of that charset
        return text
    return decoded


def date_of(text: str) -> datetime | None:
    """The time that a Date field names; None where it is none. One that tells no zone is of UTC."""
    from datetime import UTC
    from email.utils import parsedate_to_datetime

    try:
        date = parsedate_to_datetime(text)
        return date.replace(tzinfo=UTC) if date.tzinfo is None else date
    except (IndexError, OverflowError, TypeError, ValueError):  # which of them depends on the version of Python
        return None
