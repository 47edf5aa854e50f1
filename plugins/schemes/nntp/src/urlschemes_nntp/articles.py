"""A single article, requested by its number in the selected group or by its message identifier."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.grammar.octets import text_of
from urlschemes.redaction import one_line
from urlschemes_access.errors import ProtocolError
from urlschemes_access.protocol import Algorithm, Deliver, Open
from urlschemes_access.protocol.replies import command_name
from urlschemes_nntp.article_header import attributes_of, parse_fields, read_header

if TYPE_CHECKING:
    from urlschemes_access.protocol.replies import Reply
    from urlschemes_access.protocol.texts import Text
    from urlschemes_nntp.connection import Connection

__all__ = ["deliver_article", "open_attributes", "request_article"]

_SUCCESS = {b"ARTICLE": 220, b"HEAD": 221}
_NUMBER = re.compile(rb"0*([0-9]{1,19})")


def deliver_article(connection: Connection, article: bytes) -> Algorithm[None]:
    """Deliver the octets of an article; `article` is its number or its `<message-id>`.

    Raise RemoteError; ProtocolError if the server sends another article; Truncated if the article does not end.
    """
    block = yield from request_article(connection, b"ARTICLE", article)
    header = yield from read_header(block)
    fields = parse_fields(header)
    _check_header(fields, article)
    yield from Open("document", attributes_of(fields))
    yield from Deliver(header)
    while octets := (yield from block.some()):
        yield from Deliver(octets)


def open_attributes(connection: Connection, article: bytes) -> Algorithm[None]:
    """Give the caller the attributes that the header of an article tells. Raise the errors of `deliver_article`."""
    block = yield from request_article(connection, b"HEAD", article)
    fields = parse_fields((yield from read_header(block)))
    _check_header(fields, article)
    yield from Open("attributes", attributes_of(fields))


def request_article(connection: Connection, verb: bytes, article: bytes) -> Algorithm[Text]:
    """Send ARTICLE or HEAD and return the block of the reply (RFC 3977 sections 6.2.1 and 6.2.2)."""
    line = verb + b" " + article
    reply = yield from connection.carry_out(line, _SUCCESS[verb])
    _check_reply(reply, command_name(line), article)
    return connection.block()


def _check_reply(reply: Reply, command: str, article: bytes) -> None:
    """Raise ProtocolError unless the reply, a number and an identifier, names the article that was requested."""
    number, identifier, *_ = (*reply.words.split(), b"", b"")
    if article.startswith(b"<"):
        if identifier != article:
            raise reply.unexpected(command, f"the article {one_line(text_of(article), 60)}")
    elif not (match := _NUMBER.fullmatch(number)) or int(match[1]) != int(article):
        raise reply.unexpected(command, f"the article {article.decode()}")


def _check_header(fields: dict[str, str], article: bytes) -> None:
    """Raise ProtocolError if the article was requested by identifier and its header has another one."""
    claimed = fields.get("message-id", "")
    if article.startswith(b"<") and claimed and claimed != text_of(article):
        raise ProtocolError(
            f"expected the article {one_line(text_of(article), 60)}, but its header has the Message-ID "
            f"{one_line(claimed, 60)}",
            where="ARTICLE",
        )
