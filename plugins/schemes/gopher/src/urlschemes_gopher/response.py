"""The response to a request: the line with which a Gopher+ response begins, and the content after it.

Section numbers are those of the Gopher+ document. A connection carries one request and one response.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NoReturn, TypeAlias

from urlschemes.errors import Hint, Remedy
from urlschemes.grammar.octets import text_of
from urlschemes_access.errors import AccessError, DeadlineExceeded, RemoteError, Truncated
from urlschemes_access.protocol import CHUNK, TEXT_LINE, Algorithm, Connect, Reader, Send
from urlschemes_access.protocol.texts import Text
from urlschemes_gopher.menu import parse_entry

if TYPE_CHECKING:
    from urlschemes_gopher import GopherURL

__all__ = ["Content", "Response", "check_error_item", "raise_error", "send_request"]

Dot: TypeAlias = Literal["none", "optional", "expected", "required"]

AFTER_DOT = 1.0
"""Seconds to wait for the end of the connection after the dot that ends a text."""
MAX_ERROR_TEXT = 4096
"""Octets of an error's text that are read."""

_HEAD = re.compile(rb"(?P<sign>[+-])(?P<length>-1|-2|[0-9]{1,18})[ \t]*\r?\n")
"""The first line (section 2.3): `+` or `-` (an error), then the number of octets, -1 (to a dot) or -2 (to the end)."""
_INCOMPLETE_HEAD = re.compile(rb"(?:[+-]-?[0-9]*[ \t]*\r?)?")
_STATUS = re.compile(rb"[ \t]*([0-9]{1,9})[ \t]*(.*)", re.DOTALL)
_NOWHERE = rb"0[^\t\r\n]*\t[^\t\r\n]*\terror\.host\t1"
_ERROR_ITEM = re.compile(
    rb"(?:3[^\t\r\n]*\t[^\t\r\n]*\t[^\t\r\n]*\t[0-9]*(?:\t[^\r\n]*)?|%b(?:\r?\n%b)*)(?:\r?\n(?:\.\r?\n?)?)?"
    % (_NOWHERE, _NOWHERE)
)
"""An item of type 3; or texts at a host that does not exist, from servers of the University of Minnesota."""


@dataclass(frozen=True, slots=True)
class Response:
    """A response whose first line was read if it is Gopher+; `length` is then the number in that line."""

    reader: Reader
    length: int | None = None

    @property
    def is_gopher_plus(self) -> bool:
        """True if the response is Gopher+; False if it is the item itself."""
        return self.length is not None

    @property
    def size(self) -> int | None:
        """The number of octets that the server announced, if it did."""
        return self.length if self.length is not None and self.length >= 0 else None

    def content(self, *, dot_ends: bool, max_line: int = TEXT_LINE) -> Content:
        """Return the content after the first line; `dot_ends` if a single dot may end it, whatever that line says."""
        dot: Dot = "required" if self.length == -1 else "none"
        if dot_ends and dot == "none":
            dot = "optional" if self.is_gopher_plus else "expected"
        return Content(self.reader, size=self.size, dot=dot, max_line=max_line)

    def octets(self) -> Content:
        """Return all that follows the first line, whatever lines it has."""
        return Content(self.reader, size=self.size, dot="none", max_line=TEXT_LINE)


class Content:
    """The content of a response, piece by piece up to its end.

    `size` is the number of octets, if it is known. `dot` says whether a line with a single dot ends the content:
    `"required"` if it must, `"expected"` if a missing one is reported by `lacks_dot`, `"optional"`, or `"none"`.
    """

    __slots__ = ("_dot", "_reader", "_received", "_size", "_text")

    def __init__(self, reader: Reader, *, size: int | None, dot: Dot, max_line: int) -> None:
        self._reader = reader
        self._size = size
        self._dot = dot
        self._received = 0
        hint = Hint(Remedy("delivers the octets without reading lines", "options.octets", value=True))
        required = dot == "required"
        self._text = Text(self._octets, strict=False, required=required, most=max_line, hint=hint)

    @property
    def lacks_dot(self) -> bool:
        """True at the end of a content whose expected dot was missing."""
        return self._dot == "expected" and not self._text.terminated

    def check_end(self) -> Algorithm[None]:
        """Raise Truncated if more than blanks follows the dot that ended the content, with the number of octets."""
        text, reader = self._text, self._reader
        if not text.terminated:
            return
        octets, left_out, is_blank = text.excess, 0, True
        more: bool | None = True
        within: float | None = AFTER_DOT  # later, the ordinary bounds on waiting hold
        try:
            while True:
                left_out += len(octets)
                is_blank = is_blank and not octets.strip()
                if not reader.pending and not (more := (yield from reader.more(within=within))):
                    break
                octets, within = (yield from reader.some()), None
        except AccessError:  # the dot was there
            more = None
        if is_blank:
            return
        received = text.received - len(text.excess)
        raise Truncated(
            f"the text ends at a line with a single dot, but {'' if more is False else 'at least '}{left_out:,} octets "
            "follow it, which were left out",
            received=received,
            expected=received + left_out,
            hint=Hint(Remedy("delivers all that the server sends", "options.octets", value=True)),
        )

    def read(self) -> Algorithm[bytes]:
        """Return the next piece, `b""` at the end. With a dot, pieces are whole lines, except for the last."""
        return (yield from (self._octets() if self._dot == "none" else self._text.some()))

    def line(self) -> Algorithm[bytes | None]:
        """Return the next line, without its line end, of a content that a dot may end; None at the end."""
        return (yield from self._text.line())

    def _octets(self) -> Algorithm[bytes]:
        most = CHUNK if self._size is None else min(CHUNK, self._size - self._received)
        if not most:
            return b""
        octets = yield from self._reader.some(most)
        self._received += len(octets)
        if not octets and self._size is not None:
            raise Truncated(
                f"received {self._received} of {self._size} octets", received=self._received, expected=self._size
            )
        return octets


def send_request(
    url: GopherURL, octets: bytes, *, gopher_plus: bool, secret: bytes | None = None
) -> Algorithm[Response]:
    """Connect and send a request, and return the response. Raises RemoteError for an error of Gopher+."""
    peer = yield from Connect(url.host, url.port)
    yield from Send(peer, octets, secret=secret)
    reader = Reader(peer)
    if not gopher_plus:
        return Response(reader)
    while b"\n" not in reader.pending and len(reader.pending) < 32 and reader.pending[:1] in {b"", b"+", b"-"}:
        if not (yield from reader.more()):
            if _INCOMPLETE_HEAD.fullmatch(reader.pending):
                raise Truncated("the server closed the connection before the response", received=len(reader.pending))
            break
    head = _HEAD.match(reader.pending)
    if head is None:
        return Response(reader)
    yield from reader.exactly(head.end())
    response = Response(reader, int(head["length"]))
    if head["sign"] == b"-":
        yield from _raise_gopher_plus_error(url, response)
    return response


def _raise_gopher_plus_error(url: GopherURL, response: Response) -> Algorithm[NoReturn]:
    """Raise the error that a response contains (section 2.3): a status and a text, or the new place of the item."""
    lines = [line.removesuffix(b"\r") for line in (yield from _error_text(response)).split(b"\n")]
    status = _STATUS.fullmatch(lines[0])
    code = int(status[1]) if status else None
    if status:
        lines[0] = status[2]
    text = " ".join(text_of(line) for line in (lines[1:] if any(lines[1:]) else lines)).strip()
    hint = None
    if code == 3:
        entries = [parse_entry(line, url) for line in lines if line.count(b"\t") >= 3]
        if entries and entries[0].url:
            text, hint = entries[0].url, f"the item has moved to {entries[0].url}"
    raise RemoteError(
        f"the server refused: {text}", status=code, text=text, temporary=code == 2, scheme="gopher", hint=hint
    )


def _error_text(response: Response) -> Algorithm[bytes]:
    content = response.content(dot_ends=response.size is None)
    octets = bytearray()
    try:
        while len(octets) < MAX_ERROR_TEXT and (piece := (yield from content.read())):
            octets += piece
    except (DeadlineExceeded, Truncated):
        pass  # the response is an error anyway
    return bytes(octets)


def check_error_item(reader: Reader) -> Algorithm[None]:
    """Raise RemoteError if the response is a single item that means an error, in place of a document."""
    while reader.pending[:1] in {b"", b"0", b"3"} and len(reader.pending) < MAX_ERROR_TEXT:
        lines = reader.pending[: reader.pending.rfind(b"\n") + 1]
        if lines and not _ERROR_ITEM.fullmatch(lines):
            return
        if not (yield from reader.more()):
            if _ERROR_ITEM.fullmatch(reader.pending):
                raise_error(" ".join(text_of(line[1:].partition(b"\t")[0]) for line in reader.pending.splitlines()))
            return


def raise_error(text: str) -> NoReturn:
    """Raise the error of a server that does not speak Gopher+."""
    text = text.strip()
    raise RemoteError(f"the server reported an error: {text}", text=text, scheme="gopher")
