"""Access by WAIS (RFC 1738 section 3.9; WAIS protocol 1.5 of 1990, over Z39.50-1988).

    Init                                  begins an association
    Search, query of type 3: words        headers of the documents found; without words, of those about the database
    Search, query of type 1: a part       octets of one document; repeated until its end

There is one request at a time: the next is sent when the previous response has arrived.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import UnsafeURL, UnsupportedOperation
from urlschemes.grammar.octets import octets_of, text_of
from urlschemes.redaction import one_line
from urlschemes_access.attributes import Attributes
from urlschemes_access.errors import LimitExceeded, ProtocolError, RemoteError, Truncated
from urlschemes_access.protocol import Algorithm, Close, Connect, Deliver, Open
from urlschemes_wais.connection import MAX_MESSAGE, Connection, EmptyResponse
from urlschemes_wais.documents import entry_of, is_result, media_type, parse_wpath
from urlschemes_wais.relevance_feedback import relevant_documents
from urlschemes_wais.request import DocumentPart, init_request, retrieval_request, search_request
from urlschemes_wais.response import OUT_OF_RANGE, SearchResponse, parse_init_response, parse_search_response

if TYPE_CHECKING:
    from urlschemes_wais import WaisURL
    from urlschemes_wais.relevance_feedback import Feedback

__all__ = ["access"]

SMALL_SLICE = 10_000
"""Octets of a document in one request of contemporary clients, which all servers can answer."""
MESSAGE_OVERHEAD = 512
"""Octets in a message besides the octets of the document and its identifier."""
FREE_SLICES, MIN_AVERAGE = 64, 16
"""Slices of any length, and the average length that all further slices must reach."""
MAX_DOCUMENTS = 10_000
"""The maximum of the option `most`."""


def access(url: WaisURL, *, feedback: Feedback | None = None, most: int = 40) -> Algorithm[None]:
    """Deliver what `url` designates (RFC 1738 section 3.9).

    A database gives a listing of the documents that describe it, a search a listing of at most `most` documents, a
    document its octets. `feedback` names documents that the results should resemble
    (`urlschemes_wais.relevance_feedback.Feedback`). Raise UnsafeURL and UnsupportedOperation before connecting;
    RemoteError if the server refuses; ProtocolError, LimitExceeded, Truncated.
    """
    _check_database(url)
    relevant = relevant_documents(() if feedback is None else feedback, url)
    if url.form == "document":
        yield from _deliver_document(url)
        return
    if not 1 <= most <= MAX_DOCUMENTS:
        raise UnsupportedOperation(f"invalid most {most}: expected 1 to {MAX_DOCUMENTS}", scheme="wais")
    request = search_request(url.line("database"), url.line("search"), relevant=relevant, most=most)
    connection, _ = yield from _open_connection(url)
    body = yield from connection.exchange(request, "the response to the search")
    results = parse_search_response(body)
    if not (url.search or results.headers or results.diagnostics):
        raise RemoteError(
            f"the server has no description of the database '{one_line(url.database, 100)}', which may not exist",
            scheme="wais",
        )
    yield from _deliver_results(url, results)
    yield from Close(connection.peer)


def _check_database(url: WaisURL) -> None:
    """Raise UnsafeURL for a database name that makes servers connect elsewhere or leave their database folder."""
    components = url.database.split("/")
    if "@" in url.database:
        problem = "the database name contains '@', and servers forward such a request to another host"
        hint = "ask that host itself"
    elif {".", ".."}.intersection(components) or (len(components) > 1 and "" in components):
        problem = "the database name is a path that leaves the folder of the databases"
        hint = None
    else:
        return
    raise UnsafeURL(problem, scheme="wais", part="database", section=url.syntax.profile.section("security"), hint=hint)


def _open_connection(url: WaisURL) -> Algorithm[tuple[Connection, int | None]]:
    """Connect, begin an association, and return it with the maximum size of its messages, if the server sends it."""
    connection = Connection((yield from Connect(url.host, url.port)))
    size = parse_init_response((yield from connection.exchange(init_request(), "the response to Init")))
    return connection, None if size is None else min(size, MAX_MESSAGE)


def _deliver_results(url: WaisURL, response: SearchResponse) -> Algorithm[None]:
    """Deliver the documents of a response, then raise its diagnostic, if any."""
    results = [header for header in response.headers if is_result(header)]
    if response.diagnostics and not results:
        raise response.diagnostics[0].error()
    yield from Open("listing", Attributes(fields={"words": text_of(response.words)} if response.words else {}))
    for header in results:
        yield from Deliver(entry_of(header, url))
    if response.diagnostics:
        raise response.diagnostics[0].error()


def _deliver_document(url: WaisURL) -> Algorithm[None]:
    """Deliver a document slice by slice, to the end that the server tells or, in the old notation, the URL."""
    identifier, size = parse_wpath(octets_of(url.wpath or ""))
    database, wtype = url.line("database"), url.line("wtype")

    def request(start: int, end: int) -> bytes:
        return retrieval_request(database, identifier, wtype, DocumentPart(start, end))

    request(0, MAX_MESSAGE)  # raises UnsafeURL before connecting
    connection, max_message = yield from _open_connection(url)
    slice_size = _slice_size(max_message, identifier)
    position = slices = 0
    ended = False
    while not ended and (size is None or position < size):
        end = position + slice_size if size is None else min(position + slice_size, size)
        try:
            wanted = request(position, end)
            body = yield from connection.exchange(wanted, "the response to the retrieval", enough=end - position)
        except EmptyResponse:
            if end - position <= SMALL_SLICE:
                raise
            slice_size = SMALL_SLICE
            continue
        octets, ended = _slice_of(parse_search_response(body), end - position, first=not position)
        if not position:
            attributes = Attributes(media_type=media_type(url.wtype or ""), size=size, fields={"type": url.wtype or ""})
            yield from Open("document", attributes)
        yield from Deliver(octets)
        position += len(octets)
        slices += 1
        if not ended:
            _check_progress(slices, position)
    if size is not None and position < size:
        raise Truncated(f"received {position} of {size} octets", received=position, expected=size)
    yield from Close(connection.peer)


def _slice_size(max_message: int | None, identifier: bytes) -> int:
    """Return how many octets of a document fit into a message of the size that server and client agreed to."""
    if max_message is None:
        return SMALL_SLICE
    overhead = max(MESSAGE_OVERHEAD, max_message // 20)  # 95,000 octets of 100,000 are known to work
    return max(1, max_message - overhead - len(identifier))


def _slice_of(response: SearchResponse, expected: int, *, first: bool) -> tuple[bytes, bool]:
    """Return the octets of one slice, and True if the document ends with them.

    The end is an empty slice, or the diagnostic of a part beyond the end. After a slice that is only short, the next is
    requested: it may be all that fits into a message.
    """
    beyond_end = False
    for diagnostic in response.diagnostics:
        # Without any text, the same diagnostic means that there is no such document.
        if diagnostic.code != OUT_OF_RANGE or (first and not response.texts):
            raise diagnostic.error()
        beyond_end = True
    if beyond_end and not response.texts:
        return b"", True
    if len(response.texts) != 1:
        raise ProtocolError(f"expected one part of a document, got {len(response.texts)}", where="the retrieval")
    octets = response.texts[0].octets
    if len(octets) > expected:
        raise ProtocolError(
            f"expected a part of at most {expected} octets, got {len(octets)} octets", where="the retrieval"
        )
    return octets, beyond_end or not octets


def _check_progress(slices: int, position: int) -> None:
    """Raise LimitExceeded for many tiny slices: each costs a request, and time of the processor."""
    if slices > FREE_SLICES + position // MIN_AVERAGE:
        raise LimitExceeded(
            f"the server sent only {position} octets in {slices} slices", limit="slices", value=FREE_SLICES
        )
