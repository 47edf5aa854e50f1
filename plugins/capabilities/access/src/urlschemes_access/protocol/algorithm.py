"""Access algorithms: generators that yield requests, and the peers that they talk to."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    from urlschemes_access.credentials import Credentials

__all__ = ["Algorithm", "Peer", "Request"]

R = TypeVar("R")
T = TypeVar("T")


class Request(Generic[R]):
    """A request of an algorithm; `yield from` it to get the answer, with its type."""

    __slots__ = ()

    def __iter__(self) -> Generator[Request[Any], Any, R]:
        answer: R = yield self
        return answer

    def __repr__(self) -> str:
        names: tuple[str, ...] = self.__slots__
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__name__}({fields})"


Algorithm: TypeAlias = Generator[Request[Any], Any, T]
"""A protocol dialogue without I/O. The algorithm of an operation is an `Algorithm[None]`."""


class Peer:
    """A connection or an open file. Algorithms receive peers from the dialogue and pass them back in requests.

    `label` names the peer in traces. `address` is the address and port that were dialled, None for a file. `secure` is
    True once TLS protects the connection. `keepable` is True if Release may keep it for a later operation; then `kept`
    is the state with which an earlier operation released it, None if the connection is new. `login` holds credentials
    that the caller gave for this host and port in advance; an algorithm may send them without being asked, if they
    are protected as its protocol demands.
    """

    __slots__ = ("address", "keepable", "kept", "label", "login", "secure")

    def __init__(self, label: str, address: tuple[str, int] | None = None) -> None:
        self.label = label
        self.address = address
        self.secure = False
        self.keepable = False
        self.kept: Any = None
        self.login: Credentials | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.label}>"
