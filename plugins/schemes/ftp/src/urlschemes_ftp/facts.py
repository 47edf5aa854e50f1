"""Facts about files as MLST and MLSD send them, and numbers and times as SIZE and MDTM do (RFC 3659)."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from urlschemes.grammar.octets import text_of

__all__ = ["parse_facts", "parse_size", "parse_time"]

_TIME = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})(?:\.([0-9]{1,6})[0-9]*)?")
_SIZE = re.compile(r"[0-9]{1,18}")


def parse_facts(line: bytes) -> tuple[dict[str, str], bytes | None]:
    """Return the facts of a line by their names in lower case, and the file's name; `({}, None)` for other lines."""
    facts, space, name = line.partition(b" ")
    pairs = [text_of(fact).partition("=") for fact in facts.split(b";") if fact]
    if not space or not all(equals for _, equals, _ in pairs):
        return {}, None
    return {key.lower(): value for key, _, value in pairs}, name


def parse_size(text: str) -> int | None:
    """Return a number of octets; None if `text` is not a number."""
    return int(text) if _SIZE.fullmatch(text) else None


def parse_time(text: str) -> datetime | None:
    """Return a time written as YYYYMMDDHHMMSS.sss in UTC (RFC 3659 section 2.3); None if `text` is not one."""
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(digits) for digits in match.groups()[:6])
    microsecond = int((match[7] or "").ljust(6, "0"))
    try:
        return datetime(year, month, day, hour, minute, second, microsecond, tzinfo=UTC)
    except ValueError:
        return None
