"""Content of a caller, in pieces of a size that is quickly sent."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import pytest

from urlschemes_access.resources.upload_content import LARGE, in_large_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_small_pieces_that_come_fast_are_joined() -> None:
    sent = list(in_large_pieces(b"%08d" % number for number in range(100_000)))
    assert b"".join(sent) == b"".join(b"%08d" % number for number in range(100_000))
    assert len(sent) < 100_000 * 8 / LARGE + 10


@pytest.mark.parametrize(
    "large", [b"x" * LARGE, bytearray(LARGE), memoryview(b"x" * LARGE)], ids=["bytes", "array", "view"]
)
def test_large_pieces_are_sent_by_themselves(large: bytes) -> None:
    assert list(map(len, in_large_pieces([large] * 3))) == [LARGE, LARGE, LARGE, 0]


def test_the_first_piece_and_slow_ones_are_not_held_back(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("urlschemes_access.resources.upload_content.monotonic", lambda: now)
    asked: list[int] = []

    def pieces() -> Iterator[bytes]:
        nonlocal now
        for number in range(3):
            asked.append(number)
            yield b"x"
            now += 60

    sent = in_large_pieces(pieces())
    for number in range(3):
        assert next(sent) == b"x"
        assert asked[-1] == number


def test_a_file_is_read_in_large_pieces() -> None:
    octets = b"a line\n" * 100_000
    pieces = list(in_large_pieces(BytesIO(octets)))
    assert b"".join(pieces) == octets
    assert set(map(len, pieces[:-1])) == {LARGE}
