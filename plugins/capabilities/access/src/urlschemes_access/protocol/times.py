"""Times as servers write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

__all__ = ["mail_time", "plain_time"]

_PLAIN = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})(?:\.([0-9]{1,6})[0-9]*)?Z?")


def plain_time(text: str) -> datetime | None:
    """Return the time written as YYYYMMDDHHMMSS in UTC, perhaps with a fraction or a `Z`; None for other texts."""
    match = _PLAIN.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    try:
        return datetime(year, month, day, hour, minute, second, int((match[7] or "").ljust(6, "0")), tzinfo=UTC)
    except ValueError:
        return None


def mail_time(text: str) -> datetime | None:
    """Return the time of a date field of mail, news or HTTP, in UTC if it has no zone; None for other texts."""
    from email.utils import parsedate_to_datetime  # late: email takes long to import

    try:
        time = parsedate_to_datetime(text)
    except (IndexError, OverflowError, TypeError, ValueError):  # which of them depends on the version of Python
        return None
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time
