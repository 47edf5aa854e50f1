"""Access by Gopher (RFC 1436) and Gopher+, as RFC 1738 section 3.4 says.

    selector [TAB search] [TAB gopher+] CR LF       what is asked for, in one line
    ... the item ...                                to a line with a single dot, or to the end of the connection

A Gopher+ answer begins with a line that says how long it is, or that it is an error. Where the server knows no
Gopher+ and answers with the item itself, the item is delivered, and its attributes say so. A connection carries one
question and one answer.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

from urlschemes.errors import UnsafeURL, UnsupportedOperation
from urlschemes.grammar.octets import octets_of, text_of
from urlschemes.redaction import one_line
from urlschemes_access.attributes import Attributes
from urlschemes_access.errors import DeadlineExceeded, LimitExceeded, RemoteError, Truncated
from urlschemes_access.protocol import (
    CHUNK,
    LINE,
    TEXT_LINE,
    Algorithm,
    Ask,
    Close,
    Connect,
    Deliver,
    Open,
    Reader,
    Send,
    Unterminated,
)
from urlschemes_access.protocol.replies import CONTROL_OCTET
from urlschemes_gopher.menu import TEXTS, entry_of, login_url, media_type
from urlschemes_gopher.plus import BEGUN_HEAD, FILLED_FORM, HEAD, Collector, Item, data_block, form_of
from urlschemes_gopher.text import DotText

if TYPE_CHECKING:
    from urlschemes_access.attributes import Entry
    from urlschemes_gopher import GopherURL

__all__ = ["access", "find_attributes"]

UNDECIDED = 32
"""Lines that are looked at, before the first item that leads somewhere, to tell a menu from an error."""
MOST_WORDS = 4096
"""Octets of an error's text that are read."""

_VIEW = re.compile(rb"\+([^\s]*)")
_STATUS = re.compile(rb"[ \t]*([0-9]{1,9})[ \t]*(.*)", re.DOTALL)
_ERROR_ITEM = re.compile(rb"3([^\t\r\n]*)\t[^\t\r\n]*\t[^\t\r\n]*\t[0-9]*(?:\t[^\r\n]*)?(?:\r?\n(?:\.(?:\r?\n)?)?)?")
_NO_RESOURCE = {
    "2": "a phone book, which speaks another protocol (CSO)",
    "3": "an error message",
    "8": "a login",
    "T": "a login",
    "i": "a line to be read",
}


def access(url: GopherURL, *, submit_form: bool = False) -> Algorithm[None]:
    """Deliver what `url` designates: the entries of a menu or of the answer to a search, or the octets of a document.

    The Gopher+ string `!` gives the attributes as a text, `$` the items of a menu with their attributes, `?` asks for
    the answers to the item's form and delivers what comes back. A form filled in within the URL (section 3.4.9) is
    sent only where `submit_form` is true. Raises UnsafeURL before it connects; UnsupportedOperation for items that
    are no resource of a gopher server; RemoteError, Truncated, LimitExceeded; InputRequired where nobody answers the
    form.
    """
    _check_type(url)
    command = _command(url, submit_form=submit_form)
    if command == b"?":
        yield from _access_through_form(url)
        return
    words = None if url.search is None else octets_of(url.search)
    answer = yield from _ask(url, _line(url, words, command), plus=bool(command))
    yield from _deliver(url, answer, command)


def find_attributes(url: GopherURL) -> Algorithm[None]:
    """The Gopher+ attributes of the item (section 3.4.6): blocks by name in `fields`, and what follows from them.

    A URL with the string `!+NAME` asks for those blocks alone. Where the server knows no Gopher+, the attributes are
    what the type of the item tells. Raises what `access` raises.
    """
    _check_type(url)
    command = _command(url, submit_form=False)
    if not command.startswith(b"!"):
        command = b"!"
    answer = yield from _ask(url, _line(url, b"", command), plus=True)
    if not answer.plus and command != b"!":  # A server may know all attributes together and no single one.
        yield from Close(answer.reader.peer)
        answer = yield from _ask(url, _line(url, b"", b"!"), plus=True)
    if answer.plus:
        item = yield from _first_item(answer)
    else:
        item = None
        yield from _check_error_item(answer.reader)
    attributes = replace(_attributes(url, answer, b""), size=None)
    yield from Open("attributes", item.attributes(url, attributes) if item else attributes)
    yield from Close(answer.reader.peer)


# What is asked -------------------------------------------------------------------------------------------------------


def _check_type(url: GopherURL) -> None:
    gtype = url.effective_gtype
    if gtype in _NO_RESOURCE:
        place = login_url(url.host, url.port, octets_of(url.selector)) if gtype in {"8", "T"} else None
        raise UnsupportedOperation(
            f"an item of type {gtype} is {_NO_RESOURCE[gtype]}, not a resource of a gopher server",
            scheme="gopher",
            part="gtype",
            section="RFC 1738 section 3.4.1",
            hint=f"it means {place}" if place else None,
        )


def _command(url: GopherURL, *, submit_form: bool) -> bytes:
    """The Gopher+ string, if it may be sent."""
    command = octets_of(url.gopher_plus or "")
    if not CONTROL_OCTET.search(command):
        return command
    problem, hint = "", None
    if not FILLED_FORM.fullmatch(command):
        problem = "the Gopher+ string holds a control octet and is not exactly a form filled in"
    elif url.port != 70:
        problem, hint = "a form filled in is sent to port 70 only", "the item's own URL, with `?`, asks for the answers"
    elif not submit_form:
        problem, hint = "the URL submits a form, which may change something there", "the option submit_form sends it"
    if problem:
        raise UnsafeURL(problem, scheme="gopher", part="gopher_plus", section="RFC 1738 section 3.4.9", hint=hint)
    return command


def _line(url: GopherURL, words: bytes | None, command: bytes) -> bytes:
    """The line that asks for the item.

    Gopher+ follows the selector, without an empty search between them, as in the example of section 3.4.9; but after
    the words, be there none, where the item is a search (the Gopher+ document, section 2.4 and appendix II).
    """
    fields = [octets_of(url.selector)]
    if words or (words is not None and (not command or url.effective_gtype == "7")):
        fields.append(words)
    if command:
        fields.append(command)
    return b"\t".join(fields) + (b"" if command.endswith(b"\r\n") else b"\r\n")


def _access_through_form(url: GopherURL) -> Algorithm[None]:
    """Fetch the form, have it answered, and ask for the item with the answers (section 3.4.5)."""
    answer = yield from _ask(url, _line(url, b"", b"!"), plus=True)
    if not answer.plus:
        yield from _deliver(url, answer, b"")
        return
    item = yield from _first_item(answer)
    yield from Close(answer.reader.peer)
    form = None if item is None else form_of(item)
    if form is None:
        answer = yield from _ask(url, _line(url, b"", b"+"), plus=True)
    else:
        block, secret = data_block(form, (yield from Ask(form)))
        answer = yield from _ask(url, _line(url, b"", b"+\t1") + block, plus=True, secret=secret)
    yield from _deliver(url, answer, b"+")


# What is answered ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer whose first line, where it is Gopher+, has been read; `length` is that line's number."""

    reader: Reader
    asked_plus: bool
    plus: bool = False
    length: int = -2

    def content(self, *, dots: bool, most: int = TEXT_LINE) -> _Content:
        """The content that follows. `dots` tells that a single dot ends it, where nothing else says how it ends."""
        dotted = dots or self.length == -1
        return _Content(
            self.reader,
            length=self.length if self.length >= 0 else None,
            dots=DotText(most) if dotted else None,
            promised=self.length == -1,
            expected=dotted and not self.plus,
        )


class _Content:
    """The content of an answer, piece by piece, wherever it ends.

    `unterminated` tells, at its end, that the single dot was missing where it was `expected`; where it was
    `promised`, that is an error.
    """

    __slots__ = ("_dots", "_ended", "_expected", "_length", "_promised", "_reader", "_received")

    def __init__(
        self,
        reader: Reader,
        *,
        length: int | None,
        dots: DotText | None,
        promised: bool = False,
        expected: bool = False,
    ) -> None:
        self._reader = reader
        self._length = length
        self._received = 0
        self._dots = dots
        self._promised = promised
        self._expected = expected
        self._ended = False

    @property
    def unterminated(self) -> bool:
        return self._expected and self._dots is not None and not self._dots.terminated

    def some(self) -> Algorithm[bytes]:
        """The next piece, `b""` at the end; where a dot ends the content, whole lines, but for the very last."""
        dots = self._dots
        if dots is None:
            return (yield from self._octets())
        while not (self._ended or dots.terminated):
            octets = yield from self._octets()
            self._ended = not octets
            if piece := dots.feed(octets) if octets else dots.end():
                return piece
        if self._promised and not dots.terminated:
            raise Truncated("the single dot that should end the content did not come", received=self._received)
        return b""

    def _octets(self) -> Algorithm[bytes]:
        most = CHUNK if self._length is None else min(CHUNK, self._length - self._received)
        if not most:
            return b""
        octets = yield from self._reader.some(most)
        self._received += len(octets)
        if not octets and self._length is not None:
            raise Truncated(
                f"{self._received} of {self._length} octets came", received=self._received, expected=self._length
            )
        return octets


class _Lines:
    """The lines of a content that a dot may end."""

    __slots__ = ("_content", "_lines", "_unfinished")

    def __init__(self, content: _Content) -> None:
        self._content = content
        self._lines: deque[bytes] = deque()
        self._unfinished = False

    def next(self) -> Algorithm[bytes | None]:
        """The next line without its CR LF; None at the end. Raises LimitExceeded; Truncated for a line cut off."""
        if not self._lines:
            piece = yield from self._content.some()
            if not piece:
                return None
            self._lines.extend(piece.split(b"\n"))
            self._unfinished = bool(self._lines[-1])
            if not self._unfinished:
                self._lines.pop()
        line = self._lines.popleft()
        if len(line) > LINE:
            raise LimitExceeded(f"a line is longer than {LINE} octets", limit="line", value=LINE)
        if self._unfinished and not self._lines:
            raise Truncated(f"the answer ended within the line {one_line(text_of(line), 120)!r}")
        return line.removesuffix(b"\r")


def _ask(url: GopherURL, octets: bytes, *, plus: bool, secret: bytes | None = None) -> Algorithm[_Answer]:
    """Ask for the item; where `plus`, read how the answer begins. Raises RemoteError for an error of Gopher+."""
    peer = yield from Connect(url.host, url.port)
    yield from Send(peer, octets, secret=secret)
    reader = Reader(peer)
    if not plus:
        return _Answer(reader, asked_plus=False)
    while b"\n" not in reader.pending and len(reader.pending) < 32 and reader.pending[:1] in {b"", b"+", b"-"}:
        if not (yield from reader.more()):
            if BEGUN_HEAD.fullmatch(reader.pending):
                raise Truncated("the connection was closed before the answer", received=len(reader.pending))
            break
    head = HEAD.match(reader.pending)
    if head is None:
        return _Answer(reader, asked_plus=True)
    yield from reader.exactly(head.end())
    answer = _Answer(reader, asked_plus=True, plus=True, length=int(head["length"]))
    if head["sign"] == b"-":
        yield from _refuse(url, answer)
    return answer


def _refuse(url: GopherURL, answer: _Answer) -> Algorithm[NoReturn]:
    """Raise the error that a Gopher+ answer holds (section 2.3 of the Gopher+ document)."""
    content = answer.content(dots=answer.length < 0)
    octets = bytearray()
    try:
        while len(octets) < MOST_WORDS and (piece := (yield from content.some())):
            octets += piece
    except (DeadlineExceeded, Truncated):
        pass  # It is an error already; what came of its words must do.
    lines = [line.removesuffix(b"\r") for line in bytes(octets).split(b"\n")]
    status = _STATUS.fullmatch(lines[0])
    code = int(status[1]) if status else None
    if status:
        lines[0] = status[2]
    words = " ".join(text_of(line) for line in (lines[1:] if any(lines[1:]) else lines)).strip()
    hint = None
    if code == 3:
        places = [entry_of(line, url).url for line in lines if line.count(b"\t") >= 3]
        if places and places[0]:
            words, hint = places[0], f"it is now {places[0]}"
    raise RemoteError(
        f"the server refused: {words}", status=code, text=words, temporary=code == 2, scheme="gopher", hint=hint
    )


# What is delivered ---------------------------------------------------------------------------------------------------


def _deliver(url: GopherURL, answer: _Answer, command: bytes) -> Algorithm[None]:
    """Deliver the answer as what it is: by the Gopher+ string where the server heeded it, else by the type."""
    attributes = _attributes(url, answer, command)
    if answer.plus and (command.startswith(b"$") or attributes.media_type == "application/gopher+-menu"):
        yield from _deliver_items(url, answer, attributes)
    elif attributes.media_type == "application/gopher-menu":
        yield from _deliver_menu(url, answer, attributes)
    else:
        if not answer.plus:
            yield from _check_error_item(answer.reader)
        content = answer.content(dots=not answer.plus and url.effective_gtype in TEXTS)
        yield from Open("document", attributes)
        while piece := (yield from content.some()):
            yield from Deliver(piece)
        if content.unterminated:
            yield from Unterminated()
    yield from Close(answer.reader.peer)


def _attributes(url: GopherURL, answer: _Answer, command: bytes) -> Attributes:
    view = _VIEW.match(command) if answer.plus else None
    fields = {"protocol": "Gopher+" if answer.plus else "Gopher"}
    if answer.asked_plus and not answer.plus:
        fields["fallback"] = "the server took no notice of the Gopher+ string"
    if answer.plus and command.startswith(b"!"):
        kind: str | None = "text/plain"
    elif view and view[1]:
        kind = text_of(view[1]).lower()
    else:
        kind = media_type(url.effective_gtype, url.selector)
    return Attributes(media_type=kind, size=answer.length if answer.length >= 0 else None, fields=fields)


def _deliver_menu(url: GopherURL, answer: _Answer, attributes: Attributes) -> Algorithm[None]:
    """Deliver the entries of a menu; what turns out to be an error, and no menu, raises RemoteError instead."""
    content = answer.content(dots=True, most=LINE)
    lines = _Lines(content)
    undecided: list[Entry] | None = []
    tabs = False
    primary = "1"
    while (line := (yield from lines.next())) is not None:
        entry = entry_of(line, url, primary)
        if line[:1] not in {b"+", b"i", b"3", b""}:
            primary = text_of(line[:1])
        if undecided is None:
            yield from Deliver(entry)
            continue
        tabs = tabs or b"\t" in line
        undecided.append(entry)
        if entry.url is not None or len(undecided) == UNDECIDED:
            yield from _open_listing(attributes, undecided, is_menu=tabs)
            undecided = None
    if undecided is not None:
        yield from _open_listing(attributes, undecided, is_menu=tabs or not content.unterminated)
    if content.unterminated:
        yield from Unterminated()


def _open_listing(attributes: Attributes, first: list[Entry], *, is_menu: bool) -> Algorithm[None]:
    """Open the listing with its `first` entries, unless they are the words of an error.

    An error is an item of type 3, with nothing beside it but lines to be read; or, from servers that know no better,
    words without one TAB and without the final dot.
    """
    errors = [entry.name for entry in first if entry.kind == "error"]
    if errors and all(entry.kind in {"error", "info"} for entry in first):
        _say_no(" ".join(errors))
    if not is_menu and any(entry.kind != "info" for entry in first):
        _say_no(" ".join(entry.name for entry in first))
    yield from Open("listing", attributes)
    for entry in first:
        yield from Deliver(entry)


def _deliver_items(url: GopherURL, answer: _Answer, attributes: Attributes) -> Algorithm[None]:
    """Deliver the items of a menu with their attributes. Before the first `+INFO` a line is one of an ordinary menu."""
    yield from Open("listing", attributes)
    collector = Collector()
    lines = _Lines(answer.content(dots=True, most=LINE))
    while (line := (yield from lines.next())) is not None:
        if not collector.begun and not line.startswith(b"+"):
            yield from Deliver(entry_of(line, url))
        elif item := collector.feed(line):
            yield from Deliver(item.entry(url))
    if item := collector.end():
        yield from Deliver(item.entry(url))


def _first_item(answer: _Answer) -> Algorithm[Item | None]:
    """The attributes of the one item that was asked about; None where there are none."""
    collector = Collector()
    lines = _Lines(answer.content(dots=True, most=LINE))
    while (line := (yield from lines.next())) is not None:
        if item := collector.feed(line):
            return item
    return collector.end()


def _check_error_item(reader: Reader) -> Algorithm[None]:
    """Raise RemoteError where the answer is one item of type 3, which says that there is no such document."""
    while reader.pending[:1] in {b"", b"3"} and len(reader.pending) < MOST_WORDS:
        if not (yield from reader.more()):
            if error := _ERROR_ITEM.fullmatch(reader.pending):
                _say_no(text_of(error[1]))
            return


def _say_no(words: str) -> NoReturn:
    words = words.strip()
    raise RemoteError(f"the server answered with an error: {words}", text=words, scheme="gopher")
