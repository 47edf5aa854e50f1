"""Access by WAIS (WAIS protocol specification 1.5 of 1990, over Z39.50-1988), as RFC 1738 section 3.9 says.

    Init                                  an association is begun
    Search, query of type 3: words        headers of the documents found; without words, of those about the database
    Search, query of type 1: a part       octets of one document; again and again, to its end

One request at a time: the next is sent when the answer to the last one has come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import UnsafeURL, UnsupportedOperation
from urlschemes.grammar.octets import octets_of, text_of
from urlschemes_access.attributes import Attributes
from urlschemes_access.errors import LimitExceeded, ProtocolError, Truncated
from urlschemes_access.protocol import Algorithm, Close, Connect, Deliver, Open
from urlschemes_wais import queries
from urlschemes_wais.answers import OUT_OF_RANGE, SearchAnswer, init_answer, search_answer
from urlschemes_wais.documents import entry_of, identifier_of, is_hit, media_type
from urlschemes_wais.feedback import relevant
from urlschemes_wais.messages import RECORD, Association
from urlschemes_wais.queries import Part

if TYPE_CHECKING:
    from urlschemes_wais import WaisURL
    from urlschemes_wais.feedback import Feedback

__all__ = ["access"]

SLICE = 10_000
"""Octets of a document that are asked for at once, as all clients did."""
AROUND = 512
"""Octets that stand around the octets of a document in a message, beside its identifier."""
FEW_SLICES, LEAST = 64, 16
"""So many slices may be of any length; of all beyond them together, each must bring so many octets on average."""
MOST_DOCUMENTS = 10_000
"""The most documents that a search may ask for."""


def access(url: WaisURL, *, feedback: Feedback | None = None, most: int = 40) -> Algorithm[None]:
    """Deliver what `url` designates.

    A database is a listing of the documents that describe it, a search one of those found, at most `most`; a document
    is its octets. `feedback` names documents that those searched for should resemble (`urlschemes_wais.feedback`).

    Raises UnsafeURL and UnsupportedOperation before it connects; RemoteError for what the server refuses,
    ProtocolError, LimitExceeded, Truncated.
    """
    _check_database(url)
    documents = relevant(() if feedback is None else feedback, url)
    if url.form == "document":
        yield from _access_document(url)
        return
    if not 1 <= most <= MOST_DOCUMENTS:
        raise UnsupportedOperation(f"a search gives 1 to {MOST_DOCUMENTS} documents, not {most}", scheme="wais")
    request = queries.search(url.line("database"), url.line("search"), relevant=documents, most=most)
    association, _ = yield from _associate(url)
    answer = search_answer((yield from association.ask(request, "the answer to the search")))
    yield from _deliver_found(url, answer)
    yield from Close(association.peer)


def _check_database(url: WaisURL) -> None:
    """Refuse a name that makes servers turn elsewhere: to another host, or out of the folder of their databases."""
    steps = url.database.split("/")
    if "@" in url.database:
        problem = "the database name holds an @, with which servers pass the request on to another host"
        hint = "ask that host itself"
    elif {".", ".."}.intersection(steps) or (len(steps) > 1 and "" in steps):
        problem = "the database name is a path that leaves the folder of the databases"
        hint = None
    else:
        return
    raise UnsafeURL(problem, scheme="wais", part="database", section="RFC 1738 section 6", hint=hint)


def _associate(url: WaisURL) -> Algorithm[tuple[Association, int]]:
    """Connect and begin an association; the number is how many octets a message may have."""
    association = Association((yield from Connect(url.host, url.port)))
    most = init_answer((yield from association.ask(queries.init(), "the answer to Init")))
    return association, RECORD if most is None else min(most, RECORD)


def _deliver_found(url: WaisURL, answer: SearchAnswer) -> Algorithm[None]:
    """Deliver the documents of an answer. A diagnostic is raised, behind what came with it."""
    found = [header for header in answer.headers if is_hit(header)]
    if answer.diagnostics and not found:
        raise answer.diagnostics[0].error()
    yield from Open("listing", Attributes(fields={"words": text_of(answer.words)} if answer.words else {}))
    for header in found:
        yield from Deliver(entry_of(header, url))
    if answer.diagnostics:
        raise answer.diagnostics[0].error()


def _access_document(url: WaisURL) -> Algorithm[None]:
    """Deliver a document slice by slice, to the end that the server or, in the old notation, the URL tells."""
    identifier, size = identifier_of(octets_of(url.wpath or ""))
    database, wtype = url.line("database"), url.line("wtype")

    def request(start: int, end: int) -> bytes:
        return queries.retrieval(database, identifier, wtype, Part(start, end))

    request(0, SLICE)  # raises UnsafeURL where none can be sent
    association, most = yield from _associate(url)
    slice_size = max(1, min(SLICE, most - AROUND - len(identifier)))
    place = asked = 0
    over = False
    while not over and (size is None or place < size):
        end = place + slice_size if size is None else min(place + slice_size, size)
        answer = search_answer((yield from association.ask(request(place, end), "a part of the document")))
        octets, over = _octets(answer, end - place, first=not place)
        if not place:
            attributes = Attributes(media_type=media_type(url.wtype or ""), size=size, fields={"type": url.wtype or ""})
            yield from Open("document", attributes)
        yield from Deliver(octets)
        place += len(octets)
        asked += 1
        if asked > FEW_SLICES + place // LEAST and not over:
            # The deadline grows with what goes to and fro: without this, crumbs would keep us for hours.
            raise LimitExceeded(
                f"{asked} parts brought {place} octets, which is no way to get a document",
                limit="slices",
                value=FEW_SLICES,
            )
    if size is not None and place < size:
        raise Truncated(f"{place} of {size} octets came", received=place, expected=size)
    yield from Close(association.peer)


def _octets(answer: SearchAnswer, most: int, *, first: bool) -> tuple[bytes, bool]:
    """The octets of one slice, and whether the document ends with them.

    The end is an empty slice, or the diagnostic that more was asked for than there is. A slice that is only short is
    followed by another one: it may be all that fits into a message.
    """
    beyond = False
    for diagnostic in answer.diagnostics:
        if diagnostic.code != OUT_OF_RANGE or (first and not answer.texts):  # the same says that there is no document
            raise diagnostic.error()
        beyond = True
    if beyond and not answer.texts:
        return b"", True
    if len(answer.texts) != 1:
        raise ProtocolError(f"one part of a document was due, and {len(answer.texts)} came", where="a part")
    octets = answer.texts[0].octets
    if len(octets) > most:
        raise ProtocolError(f"a part of {most} octets was due, and one of {len(octets)} came", where="a part")
    return octets, beyond or not octets
