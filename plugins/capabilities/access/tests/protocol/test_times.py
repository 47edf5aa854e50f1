"""Times as servers write them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from urlschemes_access.protocol.times import mail_time, plain_time

DATES = ["Thu", ",", " ", "01", "1", "Dec", "1994", "94", "12:00:00", "99:99", "+0100", "-9999999", "GMT", "-0000", ":",
         "-", "(x", "2038", "0", "9" * 20, ".", "\udce9", "AM"]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("19941201020304", datetime(1994, 12, 1, 2, 3, 4, tzinfo=UTC)),
        ("19941201020304.5", datetime(1994, 12, 1, 2, 3, 4, 500_000, tzinfo=UTC)),
        ("19941201020304.1234567", datetime(1994, 12, 1, 2, 3, 4, 123_456, tzinfo=UTC)),
        ("19941201235959Z", datetime(1994, 12, 1, 23, 59, 59, tzinfo=UTC)),
        ("19941301020304", None),
        ("00000101000000", None),
        ("1994120102030", None),
        ("19941201020304.", None),
        ("", None),
    ],
)
def test_a_plain_time_is_in_utc(text: str, time: datetime | None) -> None:
    assert plain_time(text) == time


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("Thu, 01 Dec 1994 12:00:00 +0100", datetime(1994, 12, 1, 11, tzinfo=UTC)),
        ("1 Dec 94 12:00 GMT", datetime(1994, 12, 1, 12, tzinfo=UTC)),
        ("Thu, 01 Dec 1994 12:00:00 -0000 (UTC)", datetime(1994, 12, 1, 12, tzinfo=UTC)),
        ("", None),
        ("yesterday", None),
        ("Thu, 32 Dec 1994 12:00:00 +0100", None),
        ("Thu, 01 Dec 99999999999999999999 12:00:00 +0100", None),
        ("Thu, 01 Dec 1994 12:00:00 +999999999999999999999999", None),
    ],
)
def test_the_date_of_a_mail_has_a_zone(text: str, time: datetime | None) -> None:
    assert mail_time(text) == time


@settings(max_examples=30)
@given(st.one_of(st.lists(st.sampled_from(DATES), max_size=12).map(" ".join), st.text()))
def test_any_text_is_a_time_with_a_zone_or_none(text: str) -> None:
    time = mail_time(text)
    assert time is None or time.tzinfo is not None
