"""What an algorithm says of octets that it did not expect."""

from __future__ import annotations

import pytest

from urlschemes.wire import unexpected


@pytest.mark.parametrize(
    ("octets", "shown"),
    [
        (b"250 ready", "250 ready"),
        (b"\x1b[2J\r\n", r"\x1b[2J\x0d\x0a"),
        (b"gr\xfcn", r"gr\xfcn"),
        (rb"C:\a", r"C:\a"),
        (b"x" * 61, "x" * 60),
    ],
)
def test_what_came_unexpectedly_is_shown_safely_and_escaped_once(octets: bytes, shown: str) -> None:
    error = unexpected(octets, "reply", "a reply")
    assert error.message == f"a reply was due, but '{shown}' came"
    assert error.where == "reply"
