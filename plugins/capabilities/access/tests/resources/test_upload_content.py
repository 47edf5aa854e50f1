"""Content of a caller, in pieces of a size that is quickly sent."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import pytest

from urlschemes_access.resources.upload_content import LARGE, TOGETHER, Pieces, in_large_pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def test_small_pieces_that_come_fast_are_joined() -> None:
    sent = list(in_large_pieces(b"%08d" % number for number in range(100_000)))
    pieces = [piece for group in sent for piece in group.pieces]
    assert b"".join(pieces) == b"".join(b"%08d" % number for number in range(100_000))
    assert len(pieces) < 100_000 * 8 / LARGE + 10


@pytest.mark.parametrize("make", [bytes, bytearray, lambda size: memoryview(bytes(size))])
def test_large_pieces_are_sent_together_as_they_are(make: Callable[[int], bytes]) -> None:
    given = [make(TOGETHER // 2) for _ in range(5)]
    sent = list(in_large_pieces(given))
    assert [len(group.pieces) for group in sent] == [1, 2, 2, 0]  # the first is not held back
    assert all(one is two for one, two in zip(given, (each for group in sent for each in group.pieces), strict=True))


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
        assert next(sent) == Pieces((b"x",))
        assert asked[-1] == number


def test_a_file_is_read_in_large_pieces() -> None:
    octets = b"a line\n" * 100_000
    pieces = list(in_large_pieces(BytesIO(octets)))
    assert b"".join(pieces) == octets
    assert set(map(len, pieces[:-1])) == {LARGE}
