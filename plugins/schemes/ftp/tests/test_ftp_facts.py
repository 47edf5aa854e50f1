"""Facts, sizes and times as RFC 3659 writes them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from urlschemes_ftp.facts import parse_facts, parse_size, parse_time


@pytest.mark.parametrize(
    ("text", "size"), [("0", 0), ("0012", 12), ("9" * 18, 10**18 - 1), ("9" * 5000, None), ("-1", None), ("", None)]
)
def test_a_size_is_a_number_of_at_most_18_digits(text: str, size: int | None) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("19941201020304", datetime(1994, 12, 1, 2, 3, 4, tzinfo=UTC)),
        ("19941201020304.5", datetime(1994, 12, 1, 2, 3, 4, 500_000, tzinfo=UTC)),
        ("19941201020304.1234567", datetime(1994, 12, 1, 2, 3, 4, 123_456, tzinfo=UTC)),
        ("19941301020304", None),
        ("00000101000000", None),
        ("1994120102030", None),
        ("19941201020304.", None),
        ("", None),
    ],
)
def test_a_time_is_in_utc(text: str, time: datetime | None) -> None:
    assert parse_time(text) == time


@pytest.mark.parametrize(
    ("line", "facts", "name"),
    [
        (b"Size=1;Type=file; a b", {"size": "1", "type": "file"}, b"a b"),
        (b" a", {}, b"a"),
        (b"type=; a=b;c", {"type": ""}, b"a=b;c"),
        (b"size; a", {}, None),
        (b"size=1;", {}, None),
    ],
)
def test_facts_come_before_the_first_space(line: bytes, facts: dict[str, str], name: bytes | None) -> None:
    assert parse_facts(line) == (facts, name)
