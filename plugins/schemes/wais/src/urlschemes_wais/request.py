"""Requests: Init, a search, and the retrieval of a part of a document.

They are the same, octet for octet, as those of contemporary clients (freeWAIS): servers do not understand all that the
protocol allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from urlschemes_wais.connection import MAX_MESSAGE, build_apdu, build_message
from urlschemes_wais.data_elements import encode_element, encode_number

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["DocumentPart", "RelevantDocument", "Unit", "init_request", "retrieval_request", "search_request"]

# Types of APDUs, and tags of elements.
_INIT, _SEARCH = 20, 22
_REFERENCE, _VERSION, _OPTIONS, _MESSAGE_SIZE, _RECORD_SIZE, _AUTHENTICATION = 2, 3, 4, 5, 6, 7
_RESULT_SET, _DATABASES, _ELEMENT_SETS, _QUERY_TYPE, _QUERY = 17, 18, 19, 20, 21
_ATTRIBUTES, _TERM, _OPERATOR = 44, 45, 46
_GROUP, _CHUNK_CODE, _SEED_WORDS, _CHUNK, _CHUNK_START, _CHUNK_END = 99, 100, 106, 107, 108, 109
_DATE_FACTOR, _MAX_DOCUMENTS, _DOCUMENT, _TYPE = 111, 114, 116, 133

_FIRST_BIT = b"\x80"
"""Version 1 of Z39.50, and the option search. Servers refuse a client that also offers the option present."""

Unit: TypeAlias = Literal["b", "l"]
"""The unit of a part of a document: bytes or lines."""
_CHUNK_CODES: dict[Unit, int] = {"b": 1, "l": 2}


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """A part of a document: from `start` up to but not including `end`, counted from 0 in `unit`."""

    start: int
    end: int
    unit: Unit = "b"


@dataclass(frozen=True, slots=True)
class RelevantDocument:
    """A document, or a part of one, that the results of a search should resemble (relevance feedback)."""

    identifier: bytes
    wtype: bytes
    part: DocumentPart | None = None


def init_request() -> bytes:
    """Return the message that begins an association for searching, with messages of at most 100,000 octets.

    It names this software; contemporary clients also sent the user and the host.
    """
    header = (
        encode_element(_VERSION, _FIRST_BIT)
        + encode_element(_OPTIONS, _FIRST_BIT)
        + encode_number(_MESSAGE_SIZE, MAX_MESSAGE)
        + encode_number(_RECORD_SIZE, MAX_MESSAGE)
        + encode_element(_AUTHENTICATION, b"urlschemes")
    )
    return build_message(build_apdu(bytes([_INIT]) + header, b""))


def search_request(
    database: bytes, words: bytes, *, relevant: Sequence[RelevantDocument] = (), most: int = 40
) -> bytes:
    """Return the message that searches for `words` and for documents like the `relevant` ones, at most `most`.

    Without words, servers answer with the description and the catalog of the database.
    """
    header = _search_header((30, 5000, 30), b"", database, b"3")
    query = encode_element(_SEED_WORDS, words) + b"".join(map(_encode_relevant, relevant))
    query += encode_number(_DATE_FACTOR, 1) + encode_number(_MAX_DOCUMENTS, most)  # 1: any date
    return build_message(build_apdu(header, encode_element(_GROUP, query)))


def retrieval_request(database: bytes, identifier: bytes, wtype: bytes, part: DocumentPart) -> bytes:
    """Return the message that requests a part of a document. Without the type, servers crash."""
    header, document = _document_request(database, identifier, wtype)
    unit = part.unit.encode()
    start = _encode_term(b"w%b ro" % unit, b"%d" % part.start, b"a")
    end = _encode_term(b"w%b rl" % unit, b"%d" % part.end, b"a")
    return build_message(build_apdu(header, encode_element(_QUERY, document + start + end)))


@lru_cache(maxsize=8)
def _document_request(database: bytes, identifier: bytes, wtype: bytes) -> tuple[bytes, bytes]:
    """Return the header and the first terms of a request for a document: they are the same for each of its parts."""
    header = _search_header((10, 16, 15), b"FOO", database, b"1")
    header += encode_element(_ELEMENT_SETS, b" \x1fDocument Text") + encode_element(_REFERENCE, b"3")
    return header, _encode_term(b"un re", identifier) + _encode_term(b"wt re", wtype, b"a")


def _search_header(set_bounds: tuple[int, int, int], result_set: bytes, database: bytes, query_type: bytes) -> bytes:
    """Return the header of a search. `set_bounds` limit the records in one response; servers ignore them."""
    bounds = b"".join(bound.to_bytes(3, "big") for bound in set_bounds)
    names = (
        encode_element(_RESULT_SET, result_set)
        + encode_element(_DATABASES, database)
        + encode_element(_QUERY_TYPE, query_type)
    )
    return bytes([_SEARCH]) + bounds + b"\x01" + names  # 01: replace the result set


def _encode_relevant(document: RelevantDocument) -> bytes:
    part = document.part
    tag = _DOCUMENT if part is None else _CHUNK
    octets = encode_element(tag, document.identifier) + encode_element(_TYPE, document.wtype)
    if part is None:
        return octets
    return (
        octets
        + encode_number(_CHUNK_CODE, _CHUNK_CODES[part.unit])
        + encode_number(_CHUNK_START, part.start)
        + encode_number(_CHUNK_END, part.end)
    )


def _encode_term(attributes: bytes, term: bytes, operator: bytes = b"") -> bytes:
    """Return a term of a type-1 query; the operator `a` (and) combines it with the terms before it."""
    octets = encode_element(_ATTRIBUTES, attributes + b" ig ig ig ig") + encode_element(_TERM, term)
    return octets + encode_element(_OPERATOR, operator) if operator else octets
