"""What a client asks for: an association, a search, a piece of a document.

The octets are those of the clients of the time (freeWAIS), whose servers do not understand all that the protocol
allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from urlschemes_wais.encoding import element, number
from urlschemes_wais.messages import RECORD, apdu, message

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Part", "Relevant", "Unit", "init", "retrieval", "search"]

INIT, SEARCH = 20, 22

REFERENCE, VERSION, OPTIONS, MESSAGE_SIZE, RECORD_SIZE, AUTHENTICATION = 2, 3, 4, 5, 6, 7
RESULT_SET, DATABASES, ELEMENT_SETS, QUERY_TYPE, QUERY = 17, 18, 19, 20, 21
ATTRIBUTES, TERM, OPERATOR = 44, 45, 46
GROUP, CHUNK_CODE, SEED_WORDS, CHUNK, CHUNK_START, CHUNK_END = 99, 100, 106, 107, 108, 109
DATE_FACTOR, MOST_DOCUMENTS, DOCUMENT, TYPE = 111, 114, 116, 133

_FIRST_BIT = b"\x80"
"""The first version of Z39.50; search, of the options. Servers refuse who offers to present as well."""

Unit: TypeAlias = Literal["b", "l"]
"""What a part of a document is counted in: bytes, or lines."""
_CHUNK_CODES: dict[Unit, int] = {"b": 1, "l": 2}


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document: from `start` to before `end`, counted from 0 in `unit`."""

    start: int
    end: int
    unit: Unit = "b"


@dataclass(frozen=True, slots=True)
class Relevant:
    """A document, or a part of one, that what is searched for should resemble (relevance feedback)."""

    identifier: bytes
    wtype: bytes
    part: Part | None = None


def init() -> bytes:
    """The message that begins an association. It is one for searching, in messages of 100,000 octets.

    Where the clients of the time named themselves, their user and host, it says the name of this software.
    """
    header = (
        element(VERSION, _FIRST_BIT)
        + element(OPTIONS, _FIRST_BIT)
        + number(MESSAGE_SIZE, RECORD)
        + number(RECORD_SIZE, RECORD)
        + element(AUTHENTICATION, b"urlschemes")
    )
    return message(apdu(bytes([INIT]) + header, b""))


def search(database: bytes, words: bytes, *, relevant: Sequence[Relevant] = (), most: int = 40) -> bytes:
    """The message that searches for `words` and for what resembles the `relevant` documents, `most` at the most.

    Without words it asks what the database is: servers answer with its description and its catalog.
    """
    header = _search_header((30, 5000, 30), b"", database, b"3")
    query = element(SEED_WORDS, words) + b"".join(map(_relevant, relevant))
    query += number(DATE_FACTOR, 1) + number(MOST_DOCUMENTS, most)  # 1: dates do not matter
    return message(apdu(header, element(GROUP, query)))


def retrieval(database: bytes, identifier: bytes, wtype: bytes, part: Part) -> bytes:
    """The message that asks for a part of a document: its identifier is that, its type is that, and it is within that.

    Without the type, servers break.
    """
    header = _search_header((10, 16, 15), b"FOO", database, b"1")
    header += element(ELEMENT_SETS, b" \x1fDocument Text") + element(REFERENCE, b"3")
    unit = part.unit.encode()
    query = (
        _term(b"un re", identifier)
        + _term(b"wt re", wtype, b"a")
        + _term(b"w%b ro" % unit, b"%d" % part.start, b"a")
        + _term(b"w%b rl" % unit, b"%d" % part.end, b"a")
    )
    return message(apdu(header, element(QUERY, query)))


def _search_header(sets: tuple[int, int, int], result_set: bytes, database: bytes, query_type: bytes) -> bytes:
    """The header of a search. `sets` bound how many records come at once; servers go by the query instead."""
    bounds = b"".join(bound.to_bytes(3, "big") for bound in sets)
    named = element(RESULT_SET, result_set) + element(DATABASES, database) + element(QUERY_TYPE, query_type)
    return bytes([SEARCH]) + bounds + b"\x01" + named  # 01: replace the result set


def _relevant(document: Relevant) -> bytes:
    part = document.part
    named = element(DOCUMENT if part is None else CHUNK, document.identifier) + element(TYPE, document.wtype)
    if part is None:
        return named
    return (
        named
        + number(CHUNK_CODE, _CHUNK_CODES[part.unit])
        + number(CHUNK_START, part.start)
        + number(CHUNK_END, part.end)
    )


def _term(attributes: bytes, term: bytes, operator: bytes = b"") -> bytes:
    """A term of a query of type 1, which `a` ties to those before it. Of six attributes four are not made use of."""
    octets = element(ATTRIBUTES, attributes + b" ig ig ig ig") + element(TERM, term)
    return octets + element(OPERATOR, operator) if operator else octets
