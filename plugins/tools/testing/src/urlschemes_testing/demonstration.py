"""Demonstrations of schemes: resources on this machine, which `urlschemes demo` and the review access.

An entry point of the group `urlschemes.demos` has the name of a scheme and names a function that returns a context
manager. The server runs within its `with` block:

    [urlschemes.demos]
    x-foo = x_foo.demo:demo

    @contextmanager
    def demo(folder: Path) -> Iterator[Demonstration]:      # `folder` is empty, and deleted afterwards
        with my_server(folder) as (host, port):
            yield Demonstration(f"x-foo://{host}:{port}/a", "An article.", server="my_server")

The server must listen on 127.0.0.1 or ::1 only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias

from urlschemes.errors import PluginContractError, PluginError, URLError
from urlschemes.redaction import described

if TYPE_CHECKING:
    import ssl

__all__ = ["GROUP", "Demo", "Demonstration", "started"]

GROUP = "urlschemes.demos"
"""The entry-point group of demonstrations."""
LOOPBACK = ("127.0.0.0/8", "::1/128")


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A URL that can be accessed now, and a short description of what it shows."""

    url: str
    description: str
    _: KW_ONLY
    server: str = ""
    """The server program, in a word or two."""
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

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments of the access, for `operate`: its policy allows this machine only."""
        from urlschemes_access import Policy  # late: the review looks up demonstrations without the network

        policy = Policy(public=False, networks=LOOPBACK, roots=self.roots)
        return {"policy": policy, "ssl_context": self.ssl_context, "options": self.options}


Demo: TypeAlias = Callable[[Path], AbstractContextManager[Demonstration]]
"""The type of the function that an entry point names."""


@contextmanager
def started(load: Callable[[], Any], what: str, *, scheme: str, distribution: str = "") -> Iterator[Demonstration]:
    """Run the demonstration whose function `load` returns, in a new folder. `what` says in errors whose it is.

    Raises PluginError for any exception within the block that is no URLError, PluginContractError for another object.
    """
    try:
        with TemporaryDirectory(prefix="urlschemes-demo-") as folder, load()(Path(folder)) as demonstration:
            if not isinstance(demonstration, Demonstration):
                has = type(demonstration).__qualname__
                raise PluginContractError(
                    f"the demonstration {what} returned an object of type {has}",
                    scheme=scheme,
                    distribution=distribution,
                    wants="a Demonstration",
                    has=has,
                )
            yield demonstration
    except URLError:
        raise
    except (Exception, SystemExit) as error:
        message = f"the demonstration {what} failed: {described(error)}"
        raise PluginError(message, scheme=scheme, distribution=distribution) from error
