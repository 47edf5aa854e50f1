"""Demonstrations for `urlschemes demo`: resources on this machine, which plugins provide.

An entry point of the group `urlschemes.demos` has the name of a scheme and names a function that returns a context
manager. The server runs within its `with` block:

    [urlschemes.demos]
    x-foo = x_foo.demo:demo

    @contextmanager
    def demo(folder: Path) -> Iterator[Demonstration]:      # `folder` is empty, and deleted afterwards
        with my_server(folder) as (host, port):
            yield Demonstration(f"x-foo://{host}:{port}/a", "An article.")

The server must listen on 127.0.0.1 or ::1 only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import ssl

__all__ = ["Demo", "Demonstration"]


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A URL that can be accessed now, and a short description of what it shows."""

    url: str
    description: str
    _: KW_ONLY
    operation: str = "access"
    """The operation to carry out: one that the scheme offers."""
    roots: tuple[str, ...] = ()
    """Folders whose files the access may read."""
    ssl_context: ssl.SSLContext | None = None
    """The certificates to trust, if not the system's."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the scheme for the access."""
    talk: Callable[[Any], bytes] | None = None
    """Called with the session, if the operation opens one; returns the octets to show as its result."""


Demo: TypeAlias = Callable[[Path], AbstractContextManager[Demonstration]]
"""The type of the function that an entry point names."""
