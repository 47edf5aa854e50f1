"""Lines of LIST, as servers of Unix and Windows send them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from urlschemes_ftp.long_format import ListedFile, parse_long_format

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def parsed(line: bytes, now: datetime = NOW) -> ListedFile:
    listed = parse_long_format(line, now)
    assert listed is not None
    return listed


@pytest.mark.parametrize(
    ("time", "modified"),
    [
        (b"Feb 28 23:59", datetime(2026, 2, 28, 23, 59, tzinfo=UTC)),
        (b"Mar  2 11:59", datetime(2026, 3, 2, 11, 59, tzinfo=UTC)),  # a server whose clock is ahead
        (b"Mar  2 12:01", datetime(2025, 3, 2, 12, 1, tzinfo=UTC)),
        (b"Dec 31 00:00", datetime(2025, 12, 31, tzinfo=UTC)),
        (b"Dec 31  1969", datetime(1969, 12, 31, tzinfo=UTC)),
        (b"2024-02-29 08:09", datetime(2024, 2, 29, 8, 9, tzinfo=UTC)),
        (b"Feb 29 10:00", None),
        (b"Feb 30  2024", None),
        (b"Jan  1 24:00", None),
    ],
)
def test_a_time_of_unix(time: bytes, modified: datetime | None) -> None:
    assert parsed(b"-rw-r--r-- 1 joe users 7 %b a" % time).modified == modified


def test_a_recent_leap_day_is_that_of_a_leap_year() -> None:
    line = b"-rw-r--r-- 1 joe users 7 Feb 29 10:00 a"
    assert parsed(line, datetime(2025, 1, 9, tzinfo=UTC)).modified == datetime(2024, 2, 29, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("time", "modified"),
    [
        (b"12-05-96  05:03PM", datetime(1996, 12, 5, 17, 3, tzinfo=UTC)),
        (b"12-05-2069  12:03PM", datetime(2069, 12, 5, 12, 3, tzinfo=UTC)),
        (b"12-05-69  12:03AM", datetime(2069, 12, 5, 0, 3, tzinfo=UTC)),
        (b"12-05-70  17:03", datetime(1970, 12, 5, 17, 3, tzinfo=UTC)),
        (b"13-05-70  17:03", None),
    ],
)
def test_a_time_of_windows(time: bytes, modified: datetime | None) -> None:
    assert parsed(time + b"                  953 a").modified == modified


@pytest.mark.parametrize(
    ("line", "name", "type_", "size"),
    [
        (b"drwxrwsr-t+  2 0 0 4096 May  6  2019  a", b" a", "dir", None),
        (b"-rw-r--r-- 1 joe 007 May  6  2019 a -> b", b"a -> b", "file", 7),
        (b"-rw-r--r-- 1 7 May 4 7 May  6  2019 a", b"a", "file", 7),
        (b"-rw-r--r-- 1 0 0 %b May  6  2019 a" % (b"9" * 19), b"a", "file", None),
        (b"brw-rw---- 1 root disk 8,   0 May  6  2019 sda", b"sda", "device", None),
        (b"prw-rw---- 1 root disk 0 May  6  2019 p", b"p", "pipe", None),
        (b"srw-rw---- 1 root disk 0 May  6  2019 s", b"s", "socket", None),
        (b"05-06-19  12:00AM       <DIR>           a", b" a", "dir", None),
        (b"05-06-19  12:00AM <DIR> a", b"a", "dir", None),
        (b"05-06-19  12:00AM                    7  a", b" a", "file", 7),
    ],
)
def test_name_type_and_size(line: bytes, name: bytes, type_: str, size: int | None) -> None:
    listed = parsed(line)
    assert (listed.name, listed.fields["type"], listed.size) == (name, type_, size)


@pytest.mark.parametrize(
    ("line", "precision"),
    [
        (b"-rw-r--r-- 1 0 0 7 May  6  2019 a", "day"),
        (b"-rw-r--r-- 1 0 0 7 May  6 10:00 a", "minute"),
        (b"-rw-r--r-- 1 0 0 7 2024-02-29 08:09 a", "minute"),
        (b"12-05-96  05:03PM                  953 a", "minute"),
    ],
)
def test_how_exactly_the_time_is_known(line: bytes, precision: str) -> None:
    assert parsed(line).precision == precision


@pytest.mark.parametrize(
    ("text", "name", "target"),
    [
        (b"1 May  6  2019 a -> b", b"a", "b"),
        (b"1 May  6  2019 a -> b -> c", b"a -> b", "c"),
        (b"6 May  6  2019 a -> b -> c", b"a", "b -> c"),
        (b"9 May  6  2019 a -> b -> c", b"a", "b -> c"),
        (b"9 May  6  2019 a", b"a", None),
    ],
)
def test_name_and_target_of_a_link(text: bytes, name: bytes, target: str | None) -> None:
    listed = parsed(b"lrwxrwxrwx 1 0 0 " + text)
    assert (listed.name, listed.fields.get("target"), listed.size) == (name, target, None)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"a",
        b"total 8",
        b"-rw-r--r--",
        b"-rw-r--r-- 1 0 0 7 May  6  2019 ",
        b"-rw-r--r-- 1 0 0 7 Mai  6  2019 a",
        b"d [R----F--] supervisor 512 Jan 16 18:53 login",
        b"05-06-19  12:00AM       <JUNCTION>     a",
        b"-rwxr-xr-x " + b" 1" * 4000,
        b"-rwxr-xr-x 1" + b" " * 8000,
    ],
)
def test_other_lines_are_not_read(line: bytes) -> None:
    assert parse_long_format(line, NOW) is None
