"""Ranges of HTTP resources (RFC 9110 sections 13.1.5 and 14)."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING

from urlschemes_access.errors import ProtocolError
from urlschemes_access.protocol.ranges import decide
from urlschemes_access.protocol.times import mail_time

if TYPE_CHECKING:
    from urlschemes_access.attributes import Attributes
    from urlschemes_access.protocol.ranges import Range
    from urlschemes_http.response import Response

__all__ = ["has_wanted", "range_fields"]

_STRONG_TAG = re.compile(r'"[!#-~]*"')
_CONTENT_RANGE = re.compile(r"bytes ([0-9]{1,19})-([0-9]{1,19})/([0-9]{1,19}|\*)", re.IGNORECASE)
_NO_RANGE = re.compile(r"bytes \*/([0-9]{1,19})", re.IGNORECASE)
_ONE_SECOND = timedelta(seconds=1)


def range_fields(wanted: Range) -> list[tuple[str, str]]:
    """Return the header fields that ask for a range; none if the whole resource is to be asked for."""
    if wanted.is_whole:
        return []
    last = "" if wanted.stop is None else str(wanted.stop - 1)
    fields = [("Range", f"bytes={wanted.start}-{last}")]
    if wanted.unchanged is not None:
        condition = _condition(wanted.unchanged)
        return [*fields, ("If-Range", condition)] if condition else []
    return fields


def has_wanted(response: Response, wanted: Range) -> bool:
    """Return True if a response 206 has the range, or 416 says that nothing follows `wanted.start`.

    False means that the resource is not that of `wanted.unchanged`: the whole must be requested. Raises ProtocolError
    unless a response 206 has exactly the range; RemoteError if there is no such range.
    """
    is_part = response.status == 206
    size = _read_part(response, wanted) if is_part else _size_without_part(response)
    decision = decide(wanted, replace(response.attributes(), size=size), compared=True)
    if is_part or decision.range is None:
        return decision.range in (wanted, None)
    if wanted.unchanged is None:
        response.check_success()
    return False


def _read_part(response: Response, wanted: Range) -> int | None:
    """Check a response 206, set its size, and return that of the whole resource. Raises ProtocolError."""
    text = response.field("content-range")
    match = _CONTENT_RANGE.fullmatch(text or "")
    if match is None:
        kind = response.field("content-type") or ""
        several = kind.lower().startswith("multipart/byteranges")
        raise _error("several ranges" if several else "none" if text is None else f"'{text[:80]}'")
    first, last = int(match[1]), int(match[2])
    size = None if match[3] == "*" else int(match[3])
    end = wanted.stop if size is None else wanted.start + wanted.length(size)
    if first != wanted.start or last + 1 != end or (size is not None and last >= size):
        raise _error(f"'{match[0]}' for the octets from {wanted.start} up to {end or 'the end'}")
    if response.size not in (None, end - first):
        raise _error(f"'{match[0]}' and a Content-Length of {response.size}")
    response.size = end - first
    return size


def _size_without_part(response: Response) -> int | None:
    """Return the size that a response 416 gives the resource."""
    match = _NO_RANGE.fullmatch(response.field("content-range") or "")
    return int(match[1]) if match else None


def _condition(before: Attributes) -> str | None:
    """Return what If-Range compares; None if nothing tells for certain that the resource is unchanged."""
    tag = before.fields.get("etag")
    if tag is not None:
        return tag if _STRONG_TAG.fullmatch(tag) else None
    if before.modified is None:
        return None
    date = mail_time(before.fields.get("date", ""))
    if date is not None and date - before.modified < _ONE_SECOND:
        return None  # it could have been modified again in the same second
    return format_datetime(before.modified.astimezone(UTC), usegmt=True)


def _error(got: str) -> ProtocolError:
    return ProtocolError(f"expected a Content-Range with the range of the request, got {got}", where="Content-Range")
