"""Documents: their identifiers in URLs, their types, and their entries in a listing.

By RFC 1738 section 3.9, the wpath is the server's document identifier, with its octets encoded where necessary. Clients
before the RFC wrote the elements of an identifier in their own notation, after the size of the document:

    144/1=host.dom:210;2=database;3=0 144 notes;7=<00>;        wpath, decoded
    01 0C host.dom:210  02 08 database  03 .. 0 144 notes  07 01 00        the identifier: elements 1, 2, 3 and 7

Both are understood. They cannot be confused: the identifiers of servers begin with an octet from 01 to 07.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.errors import InvalidURL, UnsafeURL
from urlschemes.grammar.octets import text_of
from urlschemes.redaction import one_line
from urlschemes_access.attributes import Entry, name_of
from urlschemes_wais.data_elements import encode_element

if TYPE_CHECKING:
    from urlschemes_wais import WaisURL
    from urlschemes_wais.response import DocumentHeader

__all__ = ["entry_of", "is_result", "media_type", "parse_wpath"]

_OLD_NOTATION = re.compile(rb"(?:([0-9]{1,10})/)?((?>(?:[0-9]{1,3}=[^;]*+;)+))")
_OLD_ELEMENT = re.compile(rb"([0-9]{1,3})=([^;]*+);")
_GRAPHIC = re.compile(rb"[!-~]+")
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


def parse_wpath(wpath: bytes) -> tuple[bytes, int | None]:
    """Return the document identifier, and the size of the document if the wpath has the old notation with a size."""
    match = _OLD_NOTATION.fullmatch(wpath)
    if match is None:
        return wpath, None
    identifier = b"".join(encode_element(int(tag), value) for tag, value in _OLD_ELEMENT.findall(match[2]))
    return identifier, int(match[1] or 0) or None


def media_type(wtype: str) -> str | None:
    """Return the media type of a WAIS type; None if it has none."""
    return _MEDIA_TYPES.get(wtype.upper())


def is_result(header: DocumentHeader) -> bool:
    """Return False for the catalog that freeWAIS sends, with this headline, if a search finds nothing."""
    return bool(header.score) or not header.headline.lower().startswith(_NO_RESULT)


def entry_of(header: DocumentHeader, search: WaisURL) -> Entry:
    """Return the entry of a document that `search` found. Its URL has the first of its types.

    The URL of a document of type URL is its headline if that can be a URL; like all data it is untrusted.
    """
    types = [text_of(each) for each in header.types] or ["TEXT"]
    fields = {
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
        url = _document_url(header, types, search)
    except (InvalidURL, UnsafeURL) as error:
        problem = one_line(str(error))
    return Entry(
        name=name_of(header.headline),
        url=url,
        kind=types[0],
        size=header.size,
        fields={name: str(value) for name, value in fields.items() if value not in {None, ""}},
        problem=problem,
    )


def _document_url(header: DocumentHeader, types: list[str], search: WaisURL) -> str:
    if types == ["URL"] and _GRAPHIC.fullmatch(header.headline):
        text = header.headline.decode("ascii")
        name, _, rest = text.partition(":")
        if rest and search.syntax.profile.is_scheme_name(name):
            return text
    if not header.identifier:
        raise UnsafeURL("the server sent no identifier for the document")
    url = type(search)(
        host=search.host,
        port=search.port,
        database=search.database,
        wtype=types[0],
        wpath=text_of(header.identifier),
    )
    url.check_line()
    return str(url)
