"""Responses: the maximum message size from Init; document headers, texts and diagnostics from a search."""

from __future__ import annotations

from dataclasses import dataclass

from urlschemes.grammar.octets import text_of
from urlschemes_access.errors import ProtocolError, RemoteError
from urlschemes_wais.data_elements import ElementReader, decode_number

__all__ = [
    "OUT_OF_RANGE",
    "Diagnostic",
    "DocumentHeader",
    "DocumentText",
    "SearchResponse",
    "parse_init_response",
    "parse_search_response",
]

OUT_OF_RANGE = "SF"
"""The diagnostic for a part beyond the end of its document, and for an identifier that the server does not know."""

# Types of APDUs, and tags of elements.
_INIT_RESPONSE, _SEARCH_RESPONSE = 21, 23
_RECORD_SIZE, _DIAGNOSTIC, _GROUP, _SEED_WORDS_USED = 6, 28, 99, 115
_DOCUMENT, _VERSION, _SCORE, _BEST_MATCH, _SIZE, _SOURCE, _DATE, _HEADLINE = 116, 117, 118, 119, 120, 121, 122, 123
_ORIGIN, _TEXT, _LINES, _TYPES, _TYPE = 124, 127, 131, 132, 133
_DOCUMENT_HEADERS = frozenset({150, 151, 152, 154})  # normal, short, long, headline
_DOCUMENT_TEXT = 153

_TEMPORARY = frozenset({"S2", "SU", "SV"})  # temporary error, result set in use, database locked
_END_OF_RECORD = 0x1D


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """An error that the server reports: a code of two characters, and words."""

    code: str
    words: str

    def error(self) -> RemoteError:
        """Return the diagnostic as an exception."""
        return RemoteError(
            f"the server refused: {self.words} ({self.code})",
            status=self.code,
            text=self.words,
            temporary=self.code in _TEMPORARY,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentHeader:
    """A document in the response to a search; `b""` and None for fields that the server omits."""

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
class DocumentText:
    """A part of a document, with the identifier in the response."""

    identifier: bytes
    octets: bytes


@dataclass(frozen=True, slots=True)
class SearchResponse:
    """The records of a response. `words` are the search words that the server used, if it tells.

    The status and the record count are not here: servers send the same for successful and failed searches.
    """

    headers: tuple[DocumentHeader, ...] = ()
    texts: tuple[DocumentText, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    words: bytes = b""


def parse_init_response(body: bytes) -> int | None:
    """Return the maximum size of the server's messages; None if it sends none.

    Raise RemoteError if the server refuses the association, ProtocolError if this is not a response to Init.
    """
    where = "the response to Init"
    header, _ = _split_apdu(body, _INIT_RESPONSE, where)
    if not header.integer(1):
        raise RemoteError("the server refused the association")
    size = None
    for tag, value in header.elements():
        if tag == _RECORD_SIZE:
            size = decode_number(value, where)
    return size


def parse_search_response(body: bytes) -> SearchResponse:
    """Return the records of a response to a search or a retrieval. Raise ProtocolError if it is none."""
    where = "the response"
    header, information = _split_apdu(body, _SEARCH_RESPONSE, where)
    header.take(10)  # status, result count, records returned, next position
    for _ in header.elements():
        pass
    if not information.left:
        return SearchResponse()
    tag, records = information.compressed_integer(), information.part(information.compressed_integer())
    if tag != _GROUP or information.left:
        raise ProtocolError(f"expected one group of records in {where}, got an element with tag {tag}", where=where)
    return _parse_records(records)


def _split_apdu(body: bytes, expected: int, where: str) -> tuple[ElementReader, ElementReader]:
    """Return the header of an APDU after its type, and the user information."""
    octets = ElementReader(body, where)
    header = octets.part(octets.integer(2))
    apdu_type = header.integer(1)
    if apdu_type != expected:
        raise ProtocolError(f"expected an APDU of type {expected} in {where}, got type {apdu_type}", where=where)
    return header, octets


def _parse_records(records: ElementReader) -> SearchResponse:
    headers: list[DocumentHeader] = []
    texts: list[DocumentText] = []
    diagnostics: list[Diagnostic] = []
    words = b""
    while records.left:
        tag = records.compressed_integer()
        if tag == _DIAGNOSTIC:  # the one record with a length of two octets, and perhaps an end mark
            diagnostics.append(_parse_diagnostic(records.part(records.integer(2), "a diagnostic")))
            records.skip(_END_OF_RECORD)
            continue
        value = records.part(records.compressed_integer())
        if tag == _SEED_WORDS_USED:
            words = value.take(value.left)
        elif tag in _DOCUMENT_HEADERS:
            headers.append(_parse_header(value))
        elif tag == _DOCUMENT_TEXT:
            texts.append(_parse_text(value))
    return SearchResponse(tuple(headers), tuple(texts), tuple(diagnostics), words)


def _parse_diagnostic(octets: ElementReader) -> Diagnostic:
    code = octets.take(2)
    words = octets.take(octets.left - 1) if octets.left else b""
    return Diagnostic(text_of(code), text_of(words).strip())


def _parse_header(octets: ElementReader) -> DocumentHeader:
    where = octets.where = "the header of a document"
    fields = dict(octets.elements())

    def number(tag: int) -> int | None:
        return decode_number(fields[tag], where) if tag in fields else None

    return DocumentHeader(
        identifier=fields.get(_DOCUMENT, b""),
        headline=fields.get(_HEADLINE, b""),
        types=tuple(each for tag, each in ElementReader(fields.get(_TYPES, b""), where).elements() if tag == _TYPE),
        score=number(_SCORE),
        size=number(_SIZE),
        lines=number(_LINES),
        best_match=number(_BEST_MATCH),
        version=number(_VERSION),
        source=fields.get(_SOURCE, b""),
        date=fields.get(_DATE, b""),
        origin=fields.get(_ORIGIN, b""),
    )


def _parse_text(octets: ElementReader) -> DocumentText:
    where = octets.where = "the text of a document"
    fields = dict(octets.elements())
    if _TEXT not in fields:
        raise ProtocolError(f"expected an element with tag {_TEXT} in {where}", where=where)
    return DocumentText(fields.get(_DOCUMENT, b""), fields[_TEXT])
