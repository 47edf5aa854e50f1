"""The shape of an algorithm: a generator of requests, each answered by whoever drives it."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Generic, TypeAlias, TypeVar

__all__ = ["Algorithm", "Peer", "Request"]

R = TypeVar("R")
T = TypeVar("T")


class Request(Generic[R]):
    """Something an algorithm asks its driver for; `yield from` gives the answer its type."""

    __slots__ = ()

    def __iter__(self) -> Generator[Request[Any], Any, R]:
        answer: R = yield self
        return answer

    def __repr__(self) -> str:
        names: tuple[str, ...] = self.__slots__
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__name__}({fields})"


Algorithm: TypeAlias = Generator[Request[Any], Any, T]
"""A dialogue without I/O. An operation is an `Algorithm[None]`."""


class Peer:
    """The other end of a connection, or an open file: a token that the driver hands out and the algorithm hands back.

    `label` names it in a trace. `address` is what was dialled (None for a file), `secure` whether TLS protects it.
    """

    __slots__ = ("address", "label", "secure")

    def __init__(self, label: str, address: tuple[str, int] | None = None) -> None:
        self.label = label
        self.address = address
        self.secure = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.label}>"
