"""A server of the protocol on 127.0.0.1, for the tests, the review, and `urlschemes demo x-example`.

It needs urlschemes-testing, which the extra `test` installs; parsing and accessing URLs does not.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from urlschemes_testing.demonstration import Demonstration
from urlschemes_testing.loopback import Loopback

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from urlschemes_testing.loopback import Address

__all__ = ["demo", "server"]

RULES = {"house rules": ["Be kind.\n", "Be kind.\nThe last one out locks the door.\n"]}


@contextmanager
def demo(folder: Path) -> Iterator[Demonstration]:
    """Demonstrate the access to the first edition of a document."""
    del folder  # for servers of files
    with server(RULES) as address:
        yield Demonstration(
            f"x-example://{address}/house%20rules;edition=1",
            "The client sends one line; the server announces the length of the document.",
            server="demo.py",
        )


@contextmanager
def server(documents: Mapping[str, Sequence[str]]) -> Iterator[Address]:
    """Run a server of `documents`, each with its editions, the first one first, and return its address."""

    def serve(connection: socket.socket) -> None:
        with connection.makefile("rb") as stream:
            command = stream.readline(8192)
        connection.sendall(_response(command, documents))

    with Loopback(serve) as loopback:
        yield loopback.address


def _response(command: bytes, documents: Mapping[str, Sequence[str]]) -> bytes:
    line = command.decode("utf-8", "replace").rstrip("\r\n")
    name, _, edition = line.partition("\t")
    editions = documents.get(name, ())
    texts = {str(number): text for number, text in enumerate(editions, 1)}
    if editions and not edition:
        edition = str(len(editions))
    if edition not in texts:
        return b"ERR no such document\r\n"
    octets = texts[edition].encode()
    return b"OK %d\r\n%s" % (len(octets), octets)
