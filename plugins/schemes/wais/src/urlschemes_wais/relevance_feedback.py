"""Relevance feedback: the option `feedback`, which names documents that the results of a search should resemble."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias, cast

from urlschemes import URL
from urlschemes.errors import UnsafeURL, UnsupportedOperation
from urlschemes.grammar.octets import octets_of
from urlschemes.redaction import one_line
from urlschemes_wais.documents import parse_wpath
from urlschemes_wais.request import DocumentPart, RelevantDocument, Unit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes_wais import WaisURL

__all__ = ["Feedback", "relevant_documents"]

Feedback: TypeAlias = str | URL | Iterable[str | URL]
"""URLs of documents; several in one string are separated by white space.

A prefix of a URL in a string selects a part of the document: `b0-100:` is the first hundred bytes, `l3-5:` the lines 3
and 4, counted from 0.
"""

_PART = re.compile(r"([bl])([0-9]{1,9})-([0-9]{1,9}):(.*)", re.DOTALL)


def relevant_documents(feedback: Feedback, search: WaisURL) -> tuple[RelevantDocument, ...]:
    """Return the documents that `feedback` names for the URL `search`.

    Raise InvalidURL for an invalid wais URL; UnsupportedOperation for a URL of no document, for an empty part, and
    if `search` is not a search; UnsafeURL for a document of another server, whose identifier means nothing to this one.
    """
    documents = tuple(_parse(text, search) for text in _split(feedback))
    if documents and search.form != "search":
        raise UnsupportedOperation(
            f"the option feedback needs a search, and the URL is a {search.form}", scheme="wais", part="search"
        )
    return documents


def _split(feedback: Feedback) -> Iterator[str]:
    if isinstance(feedback, str):
        yield from feedback.split()
    elif isinstance(feedback, URL):
        yield str(feedback)
    elif isinstance(feedback, Iterable):
        yield from map(str, feedback)
    else:
        raise _unsupported(f"invalid feedback of type {type(feedback).__name__}: expected URLs of documents")


def _parse(text: str, search: WaisURL) -> RelevantDocument:
    part: DocumentPart | None = None
    if match := _PART.fullmatch(text):
        part = DocumentPart(int(match[2]), int(match[3]), cast("Unit", match[1]))
        text = match[4]
        if part.start >= part.end:
            raise _unsupported(f"the part from {part.start} up to {part.end} in feedback is empty")
    url = type(search).parse(text)
    if url.wtype is None or url.wpath is None:
        raise _unsupported(f"feedback must name documents, and {one_line(text, 120)} is a {url.form}")
    if (url.host.lower(), url.port) != (search.host.lower(), search.port):
        raise UnsafeURL(
            f"the document {one_line(text, 120)} in feedback is not on {search.host} port {search.port}",
            scheme="wais",
            hint="a document identifier has a meaning only on its own server",
        )
    return RelevantDocument(parse_wpath(octets_of(url.wpath))[0], url.line("wtype"), part)


def _unsupported(message: str) -> UnsupportedOperation:
    return UnsupportedOperation(message, scheme="wais", part="wpath")
