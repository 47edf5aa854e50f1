"""Data elements of WAIS messages (Z39.50-1988, appendix A): compressed integers, elements and numbers.

    compressed integer    base 128, most significant octet first, high bit set in all octets but the last
    element               tag, length, and as many octets; tag and length are compressed integers
    number                an element whose octets are an unsigned integer, most significant first

Reading never goes beyond the octets received, whatever length they announce.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes_access.errors import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ElementReader", "decode_number", "encode_element", "encode_integer", "encode_number"]

MAX_INTEGER_OCTETS = 10
"""Octets in one compressed integer; some servers pad it with leading octets 80."""
MAX_NUMBER_OCTETS = 8
"""Octets in a number; four are enough for all counts, and some servers pad it."""


def encode_integer(value: int) -> bytes:
    """Return `value`, at least 0, as a compressed integer."""
    if value < 0x80:
        return bytes((value,))
    octets = bytearray([value & 0x7F])
    while value := value >> 7:
        octets.append(0x80 | value & 0x7F)
    return bytes(reversed(octets))


def encode_element(tag: int, value: bytes) -> bytes:
    """Return the element with these octets."""
    return encode_integer(tag) + encode_integer(len(value)) + value


def encode_number(tag: int, value: int) -> bytes:
    """Return the element of a number, at least 0, in as few octets as possible."""
    return encode_element(tag, value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big"))


def decode_number(value: bytes, where: str) -> int:
    """Return the number in the octets of an element. Raise ProtocolError if it is too long."""
    if len(value) > MAX_NUMBER_OCTETS:
        raise ProtocolError(
            f"a number in {where} has {len(value)} octets: expected at most {MAX_NUMBER_OCTETS} octets", where=where
        )
    return int.from_bytes(value, "big")


class ElementReader:
    """Reads received octets, or those from `start` to `end`, from front to back. `where` names them in errors.

    Each method raises ProtocolError if too few octets are left.
    """

    __slots__ = ("_end", "_octets", "_position", "where")

    def __init__(self, octets: bytes, where: str, start: int = 0, end: int | None = None) -> None:
        self._octets = octets
        self._position = start
        self._end = len(octets) if end is None else end
        self.where = where

    @property
    def left(self) -> int:
        """The number of octets not yet read."""
        return self._end - self._position

    def take(self, count: int) -> bytes:
        """Return the next `count` octets."""
        start = self._advance(count)
        return self._octets[start : self._position]

    def part(self, count: int, where: str = "") -> ElementReader:
        """Return a reader of the next `count` octets, which are not copied. `where` names them in errors."""
        start = self._advance(count)
        return ElementReader(self._octets, where or self.where, start, self._position)

    def skip(self, octet: int) -> None:
        """Skip the next octet if it is `octet`."""
        if self._position < self._end and self._octets[self._position] == octet:
            self._position += 1

    def integer(self, count: int) -> int:
        """Return the next `count` octets as an unsigned integer."""
        return int.from_bytes(self.take(count), "big")

    def compressed_integer(self) -> int:
        """Return the next compressed integer. Raise ProtocolError if it is too long."""
        value, start = 0, self._position
        for position in range(start, min(start + MAX_INTEGER_OCTETS, self._end)):
            octet = self._octets[position]
            value = value << 7 | octet & 0x7F
            if octet < 0x80:
                self._position = position + 1
                return value
        if self._end - start < MAX_INTEGER_OCTETS:
            self._advance(self._end - start + 1)
        raise ProtocolError(
            f"a tag or length in {self.where} is longer than {MAX_INTEGER_OCTETS} octets", where=self.where
        )

    def element(self) -> tuple[int, bytes]:
        """Return tag and octets of the next element."""
        tag = self.compressed_integer()
        return tag, self.take(self.compressed_integer())

    def elements(self) -> Iterator[tuple[int, bytes]]:
        """Yield tag and octets of all elements left."""
        while self._position < self._end:
            yield self.element()

    def _advance(self, count: int) -> int:
        """Skip the next `count` octets, and return the position of the first."""
        start = self._position
        if count > self._end - start:
            raise ProtocolError(
                f"expected {count} octets in {self.where}, but only {self.left} follow", where=self.where
            )
        self._position = start + count
        return start
