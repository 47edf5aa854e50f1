"""What WAIS messages are made of: compressed integers, elements and numbers (Z39.50-1988, appendix A).

    compressed integer    base 128, the most significant octet first, the high bit of all but the last one set
    element               tag, length, and so many octets; tag and length are compressed integers
    number                an element whose octets are an unsigned integer, the most significant first

Whatever is read must lie within the octets that came: no length is believed, and nothing is set aside for one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes_access.errors import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Cursor", "compressed", "element", "number", "number_of"]

MOST_COMPRESSED = 10
"""Octets of one compressed integer. Some are padded in front, with octets 80."""
MOST_NUMBER = 8
"""Octets of a number: four are enough for all that is counted, and some servers pad."""


def compressed(value: int) -> bytes:
    """`value`, from 0 up, as a compressed integer."""
    octets = bytearray([value & 0x7F])
    while value := value >> 7:
        octets.append(0x80 | value & 0x7F)
    return bytes(reversed(octets))


def element(tag: int, value: bytes) -> bytes:
    """The element of these octets."""
    return compressed(tag) + compressed(len(value)) + value


def number(tag: int, value: int) -> bytes:
    """The element of a number from 0 up, in as few octets as hold it."""
    return element(tag, value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big"))


def number_of(value: bytes, where: str) -> int:
    """The number that an element holds. Raises ProtocolError for one of more octets than a number has."""
    if len(value) > MOST_NUMBER:
        raise ProtocolError(f"a number of {len(value)} octets stands in {where}", where=where)
    return int.from_bytes(value, "big")


class Cursor:
    """A place in octets that were received, which moves as they are read; `where` names them in errors."""

    __slots__ = ("_octets", "_place", "where")

    def __init__(self, octets: bytes, where: str) -> None:
        self._octets = octets
        self._place = 0
        self.where = where

    @property
    def left(self) -> int:
        """How many octets follow."""
        return len(self._octets) - self._place

    def take(self, count: int) -> bytes:
        """The next `count` octets. Raises ProtocolError where there are fewer."""
        if count > self.left:
            raise ProtocolError(
                f"{count} octets are announced in {self.where} and {self.left} follow", where=self.where
            )
        self._place += count
        return self._octets[self._place - count : self._place]

    def skip(self, octet: int) -> None:
        """Pass the next octet over if it is `octet`."""
        if self.left and self._octets[self._place] == octet:
            self._place += 1

    def integer(self, count: int) -> int:
        """The next `count` octets as a number. Raises ProtocolError where there are fewer."""
        return int.from_bytes(self.take(count), "big")

    def compressed(self) -> int:
        """The next compressed integer. Raises ProtocolError where it does not end."""
        value = 0
        for _ in range(MOST_COMPRESSED):
            octet = self.integer(1)
            value = value << 7 | octet & 0x7F
            if octet < 0x80:
                return value
        raise ProtocolError(f"a tag or length in {self.where} has over {MOST_COMPRESSED} octets", where=self.where)

    def element(self) -> tuple[int, bytes]:
        """The next element: its tag and its octets. Raises ProtocolError where it is longer than what follows."""
        tag = self.compressed()
        return tag, self.take(self.compressed())

    def elements(self) -> Iterator[tuple[int, bytes]]:
        """All elements that follow. Raises ProtocolError, as `element` does."""
        while self.left:
            yield self.element()
