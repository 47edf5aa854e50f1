"""What a server says of a file: facts, sizes and times as RFC 3659 writes them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from urlschemes.grammar.octets import text_of

__all__ = ["facts_of", "number", "time"]

_TIME = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})(?:\.([0-9]{1,6})[0-9]*)?")
_NUMBER = re.compile(r"[0-9]{1,18}")


def facts_of(line: bytes) -> tuple[dict[str, str], bytes | None]:
    """The facts of a line, by their names in lower case, and the name after them; None where there is no such form."""
    facts, space, name = line.partition(b" ")
    found = [text_of(fact).partition("=") for fact in facts.split(b";") if fact]
    if not space or not all(equals for _, equals, _ in found):
        return {}, None
    return {key.lower(): value for key, _, value in found}, name


def number(text: str) -> int | None:
    """A size in octets; None where the text is none."""
    return int(text) if _NUMBER.fullmatch(text) else None


def time(text: str) -> datetime | None:
    """The time that RFC 3659 section 2.3 writes as YYYYMMDDHHMMSS.sss, always in UTC; None where it is none."""
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(digits) for digits in found.groups()[:6])
    fraction = int((found[7] or "").ljust(6, "0"))
    try:
        return datetime(year, month, day, hour, minute, second, fraction, tzinfo=UTC)
    except ValueError:
        return None
