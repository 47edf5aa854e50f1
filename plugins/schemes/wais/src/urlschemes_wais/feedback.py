"""Relevance feedback: documents that what is searched for should resemble, as a caller names them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias, cast

from urlschemes import URL
from urlschemes.errors import UnsafeURL, UnsupportedOperation
from urlschemes.grammar.octets import octets_of
from urlschemes.redaction import one_line
from urlschemes_wais import WaisURL
from urlschemes_wais.documents import identifier_of
from urlschemes_wais.queries import Part, Relevant, Unit

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Feedback", "relevant"]

Feedback: TypeAlias = str | URL | Iterable[str | URL]
"""URLs of documents; of several in one text, each stands by itself between blanks.

Before a URL in a text may stand which part of its document is meant, as in WAIS document identifiers: `b0-100:` is the
first hundred bytes, `l3-5:` the lines 3 and 4, counted from 0.
"""

_PART = re.compile(r"([bl])([0-9]{1,9})-([0-9]{1,9}):(.*)", re.DOTALL)


def relevant(feedback: Feedback, asked: WaisURL) -> tuple[Relevant, ...]:
    """The documents that `feedback` names for the search `asked`.

    Raises InvalidURL for what is no wais URL, UnsupportedOperation for one that is no document, for a part without
    extent and where nothing is searched; UnsafeURL for a document of another server, whose identifier means nothing to
    this one.
    """
    found = tuple(_document(each, asked) for each in _each(feedback))
    if found and asked.form != "search":
        raise UnsupportedOperation(
            f"feedback is for a search, and this URL is a {asked.form}", scheme="wais", part="search"
        )
    return found


def _each(feedback: Feedback) -> Iterator[str]:
    if isinstance(feedback, str):
        yield from feedback.split()
    elif isinstance(feedback, URL):
        yield str(feedback)
    elif isinstance(feedback, Iterable):
        yield from map(str, feedback)
    else:
        raise _unsupported(f"feedback is URLs of documents, and not of the type {type(feedback).__name__}")


def _document(text: str, asked: WaisURL) -> Relevant:
    part: Part | None = None
    if found := _PART.fullmatch(text):
        part = Part(int(found[2]), int(found[3]), cast("Unit", found[1]))
        text = found[4]
        if part.start >= part.end:
            raise _unsupported(f"the part from {part.start} to before {part.end} holds nothing")
    url = WaisURL.parse(text)
    if url.wtype is None or url.wpath is None:
        raise _unsupported(f"feedback is documents, and {one_line(text, 120)} is a {url.form}")
    if (url.host.lower(), url.port) != (asked.host.lower(), asked.port):
        raise UnsafeURL(
            f"the document {one_line(text, 120)} is not of {asked.host} port {asked.port}",
            scheme="wais",
            hint="an identifier means something to its own server alone",
        )
    return Relevant(identifier_of(octets_of(url.wpath))[0], url.line("wtype"), part)


def _unsupported(message: str) -> UnsupportedOperation:
    return UnsupportedOperation(message, scheme="wais", part="wpath")
