"""A server of the protocol on 127.0.0.1: for the tests, for the review, and for `urlschemes demo x-example`.

It stands on urlschemes-testing, which comes with the extra `test`; reading and accessing URLs need neither.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from urlschemes.errors import PluginError

from urlschemes_cli.demonstration import Demonstration

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from urlschemes_testing.loopback import Address

__all__ = ["demo", "server"]

RULES = {"house rules": ["Be kind.\n", "Be kind.\nThe last one out locks the door.\n"]}


@contextmanager
def demo(folder: Path) -> Iterator[Demonstration]:
    """A document, in its first edition."""
    del folder  # for servers that keep files
    with server(RULES) as address:
        yield Demonstration(
            f"x-example://{address}/house%20rules;edition=1",
            "One line asks for a document, one line says how long it is.",
        )


@contextmanager
def server(documents: Mapping[str, Sequence[str]]) -> Iterator[Address]:
    """Where a server listens while the block lasts. It has each of the `documents` in all editions, the first first."""
    try:
        from urlschemes_testing.loopback import Loopback
    except ModuleNotFoundError as error:
        hint = "pip install 'urlschemes-x-example[test]'"
        raise PluginError("its server needs urlschemes-testing", hint=hint) from error

    def serve(connection: socket.socket) -> None:
        with connection.makefile("rb") as stream:
            question = stream.readline(8192)
        connection.sendall(_answer(question, documents))

    with Loopback(serve) as loopback:
        yield loopback.address


def _answer(question: bytes, documents: Mapping[str, Sequence[str]]) -> bytes:
    line = question.decode("utf-8", "replace").rstrip("\r\n")
    name, _, edition = line.partition("\t")
    editions = documents.get(name, ())
    known = {str(number): text for number, text in enumerate(editions, 1)}
    if editions and not edition:
        edition = str(len(editions))
    if edition not in known:
        return b"ERR no such document\r\n"
    octets = known[edition].encode()
    return b"OK %d\r\n%s" % (len(octets), octets)
