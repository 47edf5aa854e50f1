"""One article: asked for by its number in the group selected, or by its message identifier."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.grammar.octets import text_of
from urlschemes.redaction import one_line
from urlschemes_access.errors import ProtocolError
from urlschemes_access.protocol import Algorithm, Deliver, Open
from urlschemes_access.protocol.replies import named
from urlschemes_nntp.header import attributes_of, fields_of, header_of

if TYPE_CHECKING:
    from urlschemes_access.protocol.replies import Reply
    from urlschemes_nntp.block import Block
    from urlschemes_nntp.connection import Connection

__all__ = ["describe", "retrieve"]

_SUCCESS = {b"ARTICLE": 220, b"HEAD": 221}
_NUMBER = re.compile(rb"0*([0-9]{1,19})")


def retrieve(connection: Connection, asked: bytes) -> Algorithm[None]:
    """Deliver the article `asked` for, a number or `<message-id>`: its octets, without the dots of the transfer.

    Raises RemoteError; ProtocolError where the server gives another one; Truncated where it does not end.
    """
    block = yield from request(connection, b"ARTICLE", asked)
    header = yield from header_of(block)
    fields = fields_of(header)
    _check_header(fields, asked)
    yield from Open("document", attributes_of(fields))
    yield from Deliver(header)
    while octets := (yield from block.some()):
        yield from Deliver(octets)


def describe(connection: Connection, asked: bytes) -> Algorithm[None]:
    """Say what the header tells of the article. Raises what `retrieve` raises."""
    fields = fields_of((yield from header_of((yield from request(connection, b"HEAD", asked)))))
    _check_header(fields, asked)
    yield from Open("attributes", attributes_of(fields))


def request(connection: Connection, verb: bytes, asked: bytes) -> Algorithm[Block]:
    """Ask by ARTICLE or HEAD: what follows the reply, if that is of the article asked for."""
    line = verb + b" " + asked
    reply = yield from connection.carry_out(line, _SUCCESS[verb])
    _check_reply(reply, named(line), asked)
    return connection.block()


def _check_reply(reply: Reply, what: str, asked: bytes) -> None:
    """The reply names the article: its number, then its identifier."""
    number, identifier, *_ = (*reply.words.split(), b"", b"")
    if asked.startswith(b"<"):
        if identifier != asked:
            raise reply.astray(what, f"the article {one_line(text_of(asked), 60)}")
    elif not (found := _NUMBER.fullmatch(number)) or int(found[1]) != int(asked):
        raise reply.astray(what, f"the article {asked.decode()}")


def _check_header(fields: dict[str, str], asked: bytes) -> None:
    """The article itself says who it is, too."""
    claimed = fields.get("message-id", "")
    if asked.startswith(b"<") and claimed and claimed != text_of(asked):
        raise ProtocolError(
            f"the article {one_line(text_of(asked), 60)} was due, but its header says {one_line(claimed, 60)}",
            where="ARTICLE",
        )
