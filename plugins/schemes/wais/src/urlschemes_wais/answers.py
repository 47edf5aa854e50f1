"""What a server answers: how large its messages may be, headers of documents, text, diagnostics."""

from __future__ import annotations

from dataclasses import dataclass

from urlschemes.grammar.octets import text_of
from urlschemes_access.errors import ProtocolError, RemoteError
from urlschemes_wais.encoding import Cursor, number_of

__all__ = ["OUT_OF_RANGE", "Diagnostic", "Header", "SearchAnswer", "Text", "init_answer", "search_answer"]

INIT_RESPONSE, SEARCH_RESPONSE = 21, 23

OUT_OF_RANGE = "SF"
"""The diagnostic of a part that goes beyond the end of its document; also of an identifier that means nothing."""
_TEMPORARY = frozenset({"S2", "SU", "SV"})  # an error that passes, a result set in use, a database locked
_END_OF_RECORD = 0x1D


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What the server says went wrong: a code of two characters, and words."""

    code: str
    words: str

    def error(self) -> RemoteError:
        """The diagnostic as an error."""
        return RemoteError(
            f"the server refused: {self.words} ({self.code})",
            status=self.code,
            text=self.words,
            temporary=self.code in _TEMPORARY,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What the answer to a search says of a document; b"" and None where it says nothing."""

    identifier: bytes = b""
    headline: bytes = b""
    types: tuple[bytes, ...] = ()
    score: int | None = None
    size: int | None = None
    lines: int | None = None
    best_match: int | None = None
    version: int | None = None
    source: bytes = b""
    date: bytes = b""
    origin: bytes = b""


@dataclass(frozen=True, slots=True)
class Text:
    """A part of a document, and the identifier that the server gives with it."""

    identifier: bytes
    octets: bytes


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The records of an answer. `words` are those of the search that were found, where the server says so.

    What the answer says of its own success, and how many records it counts, is not here: servers say the same of
    searches that failed and of those that did not.
    """

    headers: tuple[Header, ...] = ()
    texts: tuple[Text, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    words: bytes = b""


def init_answer(body: bytes) -> int | None:
    """How many octets the server's messages have at the most; None where it does not say.

    Raises RemoteError where it refuses the association, ProtocolError for what is no answer to an Init.
    """
    where = "the answer to Init"
    header, _ = _apdu(body, INIT_RESPONSE, where)
    if not header.integer(1):
        raise RemoteError("the server refused the association")
    most = None
    for tag, value in header.elements():
        if tag == 6:
            most = number_of(value, where)
    return most


def search_answer(body: bytes) -> SearchAnswer:
    """The records of an answer to a search or a retrieval. Raises ProtocolError for what is none."""
    where = "the answer"
    header, information = _apdu(body, SEARCH_RESPONSE, where)
    header.take(10)  # status, result count, records returned, next position
    for _ in header.elements():
        pass
    if not information.left:
        return SearchAnswer()
    tag, records = information.element()
    if tag != 99 or information.left:
        raise ProtocolError("something else than one group of records stands in the answer", where=where)
    return _records(Cursor(records, where))


def _apdu(body: bytes, kind: int, where: str) -> tuple[Cursor, Cursor]:
    """The header of an APDU, behind its type, and what follows the header."""
    octets = Cursor(body, where)
    header = Cursor(octets.take(octets.integer(2)), where)
    found = header.integer(1)
    if found != kind:
        raise ProtocolError(f"an APDU of type {kind} was due, and one of type {found} came", where=where)
    return header, Cursor(octets.take(octets.left), where)


def _records(records: Cursor) -> SearchAnswer:
    headers: list[Header] = []
    texts: list[Text] = []
    diagnostics: list[Diagnostic] = []
    words = b""
    while records.left:
        tag = records.compressed()
        if tag == 28:  # the one record with a length of two octets, and perhaps a mark behind it
            diagnostics.append(_diagnostic(Cursor(records.take(records.integer(2)), "a diagnostic")))
            records.skip(_END_OF_RECORD)
            continue
        value = records.take(records.compressed())
        if tag == 115:
            words = value
        elif tag in {150, 151, 152, 154}:  # a header: the usual, short or long one, or a headline
            headers.append(_header(value))
        elif tag == 153:
            texts.append(_text(value))
    return SearchAnswer(tuple(headers), tuple(texts), tuple(diagnostics), words)


def _diagnostic(octets: Cursor) -> Diagnostic:
    code = octets.take(2)
    words = octets.take(octets.left - 1) if octets.left else b""
    return Diagnostic(text_of(code), text_of(words).strip())


def _header(octets: bytes) -> Header:
    where = "the header of a document"
    found = dict(Cursor(octets, where).elements())

    def count(tag: int) -> int | None:
        return number_of(found[tag], where) if tag in found else None

    return Header(
        identifier=found.get(116, b""),
        headline=found.get(123, b""),
        types=tuple(each for tag, each in Cursor(found.get(132, b""), where).elements() if tag == 133),
        score=count(118),
        size=count(120),
        lines=count(131),
        best_match=count(119),
        version=count(117),
        source=found.get(121, b""),
        date=found.get(122, b""),
        origin=found.get(124, b""),
    )


def _text(octets: bytes) -> Text:
    where = "the text of a document"
    found = dict(Cursor(octets, where).elements())
    if 127 not in found:
        raise ProtocolError(f"{where} lacks the text", where=where)
    return Text(found.get(116, b""), found[127])
