"""Documents: their identifiers as URLs write them, their types, and their entries in a listing.

RFC 1738 section 3.9: the wpath is the identifier that the server gave, each octet of it written or encoded. Clients
before the RFC wrote the elements of an identifier in a notation of their own, with the size of the document in front:

    144/1=host.dom:210;2=database;3=0 144 notes;7=<00>;        wpath, decoded
    01 0C host.dom:210  02 08 database  03 .. 0 144 notes  07 01 00        the identifier: elements 1, 2, 3 and 7

Both are understood. They cannot be taken for each other: the identifiers of servers begin with an octet from 01 to 07.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.errors import InvalidURL, UnsafeURL
from urlschemes.grammar.octets import text_of
from urlschemes.redaction import one_line
from urlschemes_access.attributes import Entry
from urlschemes_wais import WaisURL
from urlschemes_wais.encoding import element

if TYPE_CHECKING:
    from urlschemes_wais.answers import Header

__all__ = ["entry_of", "identifier_of", "is_hit", "media_type"]

_OLD_NOTATION = re.compile(rb"(?:([0-9]{1,10})/)?((?>(?:[0-9]{1,3}=[^;]*+;)+))")
_OLD_ELEMENT = re.compile(rb"([0-9]{1,3})=([^;]*+);")
_URL = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*+:[\x21-\x7e]++")
_NO_RESULT = b"search produced no result"

_MEDIA_TYPES = {
    "TEXT": "text/plain",
    "WCAT": "text/plain",
    "HTML": "text/html",
    "WSRC": "application/x-wais-source",
    "GIF": "image/gif",
    "JPEG": "image/jpeg",
    "TIFF": "image/tiff",
    "PICT": "image/x-pict",
    "PS": "application/postscript",
    "DVI": "application/x-dvi",
}


def identifier_of(wpath: bytes) -> tuple[bytes, int | None]:
    """The identifier that the octets of a wpath are, and the size of the document where the old notation tells it."""
    old = _OLD_NOTATION.fullmatch(wpath)
    if old is None:
        return wpath, None
    identifier = b"".join(element(int(tag), value) for tag, value in _OLD_ELEMENT.findall(old[2]))
    return identifier, int(old[1] or 0) or None


def media_type(wtype: str) -> str | None:
    """The media type of a WAIS type; None where there is none."""
    return _MEDIA_TYPES.get(wtype.upper())


def is_hit(header: Header) -> bool:
    """Whether a record is something that was found. Where nothing was, freeWAIS gives its catalog, and says so."""
    return bool(header.score) or not header.headline.lower().startswith(_NO_RESULT)


def entry_of(header: Header, asked: WaisURL) -> Entry:
    """The entry of a document in the answer to `asked`: its URL has the first of its types.

    A document of the type URL is what its headline says, if that can be a URL: data from the server like any other.
    """
    types = [text_of(each) for each in header.types] or ["TEXT"]
    said = {
        "types": " ".join(types),
        "score": header.score,
        "lines": header.lines,
        "best match": header.best_match,
        "source": text_of(header.source),
        "date": text_of(header.date),
        "origin": text_of(header.origin),
    }
    url: str | None = None
    problem: str | None = None
    try:
        url = _url_of(header, types, asked)
    except (InvalidURL, UnsafeURL) as error:
        problem = one_line(str(error))
    return Entry(
        name=text_of(header.headline),
        url=url,
        kind=types[0],
        size=header.size,
        fields={name: str(value) for name, value in said.items() if value not in {None, ""}},
        problem=problem,
    )


def _url_of(header: Header, types: list[str], asked: WaisURL) -> str:
    if types == ["URL"] and _URL.fullmatch(header.headline):
        return header.headline.decode("ascii")
    if not header.identifier:
        raise UnsafeURL("the document has no identifier")
    url = WaisURL(
        host=asked.host,
        port=asked.port,
        database=asked.database,
        wtype=types[0],
        wpath=text_of(header.identifier),
    )
    url.check_line()
    return str(url)
