"""What a demonstration of a scheme is: something real to access, on this machine alone.

A distribution offers one by an entry point of the group `urlschemes.demos`, whose name is the scheme's and whose object
is a function that makes a context manager. Within its block the server runs:

    [urlschemes.demos]
    x-foo = x_foo.demo:demo

    @contextmanager
    def demo(folder: Path) -> Iterator[Demonstration]:      # `folder` is empty, and deleted afterwards
        with my_server(folder) as (host, port):
            yield Demonstration(f"x-foo://{host}:{port}/a", "one article")

A server must listen on 127.0.0.1 or ::1 and nowhere else.
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
    """A URL that can be accessed now, and what is to be seen, in a few words."""

    url: str
    says: str
    _: KW_ONLY
    operation: str = "access"
    """What is done with it: one of the operations that its scheme offers."""
    roots: tuple[str, ...] = ()
    """The folders whose files may be read."""
    ssl_context: ssl.SSLContext | None = None
    """Whom to trust, where it is not whom the system trusts."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The scheme's own options of the access."""
    talk: Callable[[Any], bytes] | None = None
    """What is done in a session, which it is given; what it returns is shown as what came back."""


Demo: TypeAlias = Callable[[Path], AbstractContextManager[Demonstration]]
"""What an entry point of the group names."""
