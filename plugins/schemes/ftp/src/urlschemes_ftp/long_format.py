"""Lines of LIST, whose form no standard defines: that of `ls -l` on Unix, and that of `dir` on Windows.

    drwxr-xr-x    2 0        0            4096 May 06  2019 pub
    lrwxrwxrwx    1 0        0              10 Nov 23 02:41 latest -> readme.txt
    12-05-96  05:03PM       <DIR>          pub
    11-14-2019  04:21PM                  953 readme.txt

No line names a time zone: UTC is assumed. A time of day replaces the year of a recent time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from urlschemes.grammar.octets import text_of
from urlschemes_ftp.facts import parse_size

if TYPE_CHECKING:
    from urlschemes_access.attributes import Precision

__all__ = ["ListedFile", "parse_long_format"]

_MODE = re.compile(rb"(?P<type>[-bcdlps])[-A-Za-z]{9}[+.@]? ")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# One blank separates time and name: further ones belong to the name.
_SIZE_TIME_NAME = re.compile(
    rb" (?P<size>[0-9]++) ++(?P<time>"
    rb"(?P<month>[A-Za-z]{3}) ++(?P<day>[0-9]{1,2}) ++(?:(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})|(?P<year>[0-9]{4}))"
    rb"|(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2}) (?P<clock>[0-9]{2}:[0-9]{2})"
    rb") (?P<name>.+)",
    re.DOTALL,
)
# The name after <DIR> begins in a fixed column, ten blanks later.
_WINDOWS = re.compile(
    rb"(?P<time>(?P<month>[0-9]{2})-(?P<day>[0-9]{2})-(?P<year>[0-9]{4}|[0-9]{2}) ++"
    rb"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?P<half>[AP]M)?) ++"
    rb"(?:<DIR>(?: {10}| ++)|(?P<size>[0-9]++) )(?P<name>.+)",
    re.DOTALL,
)
_ARROW = re.compile(rb" -> ")
_TYPES = {"-": "file", "d": "dir", "l": "link", "b": "device", "c": "device", "p": "pipe", "s": "socket"}


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file that a line of LIST describes. `fields` has what the line says, with the names of facts (RFC 3659)."""

    name: bytes
    size: int | None
    modified: datetime | None
    fields: dict[str, str]
    precision: Precision = "second"


def parse_long_format(line: bytes, now: datetime) -> ListedFile | None:
    """Return the file that `line` describes, None if the line has neither form. `now` tells the year of recent times.

    Only a file has a size: that of a directory or a link is not the size of what its URL locates.
    """
    if mode := _MODE.match(line):
        match = _SIZE_TIME_NAME.search(line, mode.end() - 1)
        return _of_unix(text_of(mode[0]), match, now) if match else None
    match = _WINDOWS.fullmatch(line)
    return _of_windows(match) if match else None


def _of_unix(mode: str, match: re.Match[bytes], now: datetime) -> ListedFile | None:
    if match["month"] and text_of(match["month"]).lower() not in _MONTHS:
        return None
    fields = {"type": _TYPES[mode[0]], "modify": text_of(match["time"]), "mode": mode.strip()}
    name, size = match["name"], parse_size(text_of(match["size"]))
    if fields["type"] == "link":
        name, target = _split_link(name, size)
        if target:
            fields["target"] = text_of(target)
    size = size if fields["type"] == "file" else None
    return ListedFile(name, size, _unix_time(match, now), fields, "day" if match["year"] else "minute")


def _split_link(text: bytes, length: int | None) -> tuple[bytes, bytes]:
    """Return name and target of `name -> target`. Its size is the length of the target."""
    targets = [arrow.end() for arrow in _ARROW.finditer(text)]
    if not targets:
        return text, b""
    start = next((start for start in targets if len(text) - start == length), targets[0])
    return text[: start - 4], text[start:]


def _unix_time(match: re.Match[bytes], now: datetime) -> datetime | None:
    if match["date"]:
        return _time(*map(int, match["date"].split(b"-")), *map(int, match["clock"].split(b":")))
    month, day = _MONTHS.index(text_of(match["month"]).lower()) + 1, int(match["day"])
    if match["year"]:
        return _time(int(match["year"]), month, day)
    latest = now + timedelta(days=1)  # the clock of the server, or its time zone, may be ahead
    for year in (latest.year, latest.year - 1):
        time = _time(year, month, day, int(match["hour"]), int(match["minute"]))
        if time and time <= latest:
            return time
    return None


def _of_windows(match: re.Match[bytes]) -> ListedFile:
    year, hour = int(match["year"]), int(match["hour"])
    if len(match["year"]) == 2:
        year += 1900 if year >= 70 else 2000
    if match["half"]:
        hour = hour % 12 + (12 if match["half"] == b"PM" else 0)
    fields = {"type": "dir" if match["size"] is None else "file", "modify": text_of(match["time"])}
    size = None if match["size"] is None else parse_size(text_of(match["size"]))
    modified = _time(year, int(match["month"]), int(match["day"]), hour, int(match["minute"]))
    return ListedFile(match["name"], size, modified, fields, "minute")


def _time(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> datetime | None:
    try:
        return datetime(year, month, day, hour, minute, tzinfo=UTC)
    except ValueError:
        return None
