"""The wais algorithm against written dialogues: ends of documents, entries, feedback, what is refused at once.

What was captured from a real server is in test_wais_captured.py.
"""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlschemes import URL
from urlschemes.errors import InvalidURL, UnsafeURL, UnsupportedOperation, URLError
from urlschemes.grammar.octets import octets_of, text_of
from urlschemes_access.attributes import Entry
from urlschemes_access.errors import ConnectError, LimitExceeded, ProtocolError, RemoteError, Truncated
from urlschemes_access.protocol import Algorithm
from urlschemes_testing.replay import (
    Dialogue,
    Outcome,
    Step,
    client,
    connect,
    fault_everywhere,
    replay,
    server,
    server_closes,
    server_resets,
    split_everywhere,
)
from urlschemes_wais import WaisURL, queries
from urlschemes_wais.access import SLICE, access
from urlschemes_wais.documents import media_type
from urlschemes_wais.encoding import element, number
from urlschemes_wais.feedback import Feedback
from urlschemes_wais.messages import MOST_MESSAGE, apdu, message
from urlschemes_wais.queries import Part, Relevant

HOST = "host.dom"
ID = b"\x02\x02db\x03\x02id\x07\x01\x00"


def url(path: str) -> WaisURL:
    return WaisURL.parse(f"wais://{HOST}/{path}")


DOCUMENT = WaisURL(host=HOST, database="db", wtype="TEXT", wpath=text_of(ID))


def accepted(most: int | None = 100_000, *, result: int = 1) -> bytes:
    """An answer to Init; `most` is how many octets the server's messages have."""
    return message(apdu(bytes([0x15, result]) + (b"" if most is None else number(6, most)), b""))


def answer(*records: bytes) -> bytes:
    """An answer to a search or a retrieval."""
    return message(apdu(b"\x17" + bytes(10), element(99, b"".join(records))))


def text(octets: bytes) -> bytes:
    return element(153, element(116, ID) + element(127, octets))


def refused(code: bytes, words: bytes) -> bytes:
    said = code + words + b"\x00"
    return b"\x1c" + len(said).to_bytes(2, "big") + said + b"\x1d"


BEYOND = refused(b"SF", b"Request out of range")


def header(*types: bytes, headline: bytes = b"News", identifier: bytes = ID, score: int = 1000) -> bytes:
    said = element(116, identifier) + number(118, score) + number(120, 144) + element(123, headline)
    return element(150, said + element(132, b"".join(element(133, each) for each in types)))


def talk(*steps: Step, most: int | None = 100_000) -> Dialogue:
    return Dialogue(connect(HOST, 210), client(queries.init()), server(accepted(most)), *steps)


def retrieval(start: int, end: int = -1, *, identifier: bytes = ID, wtype: bytes = b"TEXT") -> Step:
    return client(queries.retrieval(b"db", identifier, wtype, Part(start, end if end >= 0 else start + SLICE)))


def searching(*records: bytes, words: bytes = b"words") -> Dialogue:
    return talk(client(queries.search(b"db", words)), server(answer(*records)))


def got(asked: WaisURL, dialogue: Dialogue, *, feedback: Feedback = "") -> Outcome:
    """What comes of an access, which is the same however the answers are cut, and honest under every fault."""

    def algorithm() -> Algorithm[None]:
        return access(asked, feedback=feedback)

    outcome = split_everywhere(algorithm, dialogue)
    if outcome.error is None:
        fault_everywhere(algorithm, dialogue)
    return outcome


# --- where a document ends --------------------------------------------------------------------------------------------


def test_the_end_is_the_diagnostic_that_more_was_asked_for_than_there_is() -> None:
    outcome = got(DOCUMENT, talk(retrieval(0), server(answer(text(b"all of it"), BEYOND))))
    assert (outcome.content, outcome.complete, outcome.unclosed) == (b"all of it", True, ())


def test_a_short_slice_is_no_end_and_the_next_one_begins_where_it_ended() -> None:
    dialogue = talk(
        retrieval(0),
        server(answer(text(b"one "))),
        retrieval(4),
        server(answer(text(b"two"))),
        retrieval(7),
        server(answer(text(b""))),
    )
    assert got(DOCUMENT, dialogue).content == b"one two"


def test_crumbs_are_not_gathered_for_ever() -> None:
    crumbs = (step for place in range(69) for step in (retrieval(place), server(answer(text(b"x")))))
    outcome = replay(access(DOCUMENT), talk(*crumbs))
    assert isinstance(outcome.error, LimitExceeded)
    assert outcome.error.limit == "slices"
    assert len(outcome.content) == 69


def test_an_end_on_the_border_of_a_slice() -> None:
    full = bytes(range(250)) * 40
    for last in (text(b""), BEYOND):
        dialogue = talk(retrieval(0), server(answer(text(full))), retrieval(SLICE), server(answer(last)))
        outcome = got(DOCUMENT, dialogue)
        assert (outcome.content, outcome.error) == (full, None)


def test_an_empty_document() -> None:
    for records in ((text(b""),), (text(b""), BEYOND)):
        outcome = got(DOCUMENT, talk(retrieval(0), server(answer(*records))))
        assert (outcome.kind, outcome.content, outcome.complete) == ("document", b"", True)


def test_no_text_at_the_beginning_is_no_document() -> None:
    error = got(DOCUMENT, talk(retrieval(0), server(answer(BEYOND)))).error
    assert isinstance(error, RemoteError)
    assert error.status == "SF"
    assert isinstance(got(DOCUMENT, talk(retrieval(0), server(answer()))).error, ProtocolError)


def test_an_error_later_on_is_no_end() -> None:
    busy = refused(b"S2", b"Busy")
    for records, kind in (((busy,), RemoteError), ((text(b"more"), busy), RemoteError), ((), ProtocolError)):
        dialogue = talk(retrieval(0), server(answer(text(b"one"))), retrieval(3), server(answer(*records)))
        outcome = got(DOCUMENT, dialogue)
        assert isinstance(outcome.error, kind)
        assert outcome.content == b"one"


def test_more_than_was_asked_for_is_an_error() -> None:
    outcome = replay(access(DOCUMENT), talk(retrieval(0), server(answer(text(bytes(SLICE + 1))))))
    assert isinstance(outcome.error, ProtocolError)
    several = replay(access(DOCUMENT), talk(retrieval(0), server(answer(text(b"a"), text(b"b")))))
    assert isinstance(several.error, ProtocolError)


def test_a_server_with_small_messages_is_asked_for_small_slices() -> None:
    size = 1000 - 512 - len(ID)
    outcome = got(DOCUMENT, talk(retrieval(0, size), server(answer(text(b"all"), BEYOND)), most=1000))
    assert outcome.content == b"all"
    unsaid = talk(retrieval(0), server(answer(text(b"all"), BEYOND)), most=None)
    assert got(DOCUMENT, unsaid).content == b"all"
    tiny = talk(retrieval(0, 1), server(answer(text(b"a"), BEYOND)), most=1)
    assert got(DOCUMENT, tiny).content == b"a"


OLD = url("db/TEXT/7%2F2%3Ddb%3B3%3Did%3B7%3D%00%3B")


def test_a_size_in_the_old_notation_is_asked_for_and_must_come() -> None:
    outcome = got(OLD, talk(retrieval(0, 7), server(answer(text(b"1234567")))))
    assert (outcome.content, outcome.complete) == (b"1234567", True)
    assert outcome.attributes is not None
    assert outcome.attributes.size == 7
    short = got(OLD, talk(retrieval(0, 7), server(answer(text(b"1234"), BEYOND))))
    assert isinstance(short.error, Truncated)
    assert (short.content, short.error.received, short.error.expected) == (b"1234", 4, 7)
    without_size = url("db/TEXT/2%3Ddb%3B3%3Did%3B7%3D%00%3B")
    assert got(without_size, talk(retrieval(0), server(answer(text(b"all"), BEYOND)))).content == b"all"


def test_any_octets_are_delivered_as_they_are() -> None:
    octets = bytes(range(256)) + b"\x1b(term\x1b)\r\n.\r\n"
    picture = WaisURL(host=HOST, database="db", wtype="GIF", wpath=text_of(ID))
    outcome = got(picture, talk(retrieval(0, wtype=b"GIF"), server(answer(text(octets), BEYOND))))
    assert outcome.content == octets
    assert outcome.attributes is not None
    assert (outcome.attributes.media_type, dict(outcome.attributes.fields)) == ("image/gif", {"type": "GIF"})


@pytest.mark.parametrize(
    ("wtype", "kind"),
    [
        ("TEXT", "text/plain"),
        ("text", "text/plain"),
        ("HTML", "text/html"),
        ("WSRC", "application/x-wais-source"),
        ("WCAT", "text/plain"),
        ("GIF", "image/gif"),
        ("JPEG", "image/jpeg"),
        ("TIFF", "image/tiff"),
        ("PICT", "image/x-pict"),
        ("PS", "application/postscript"),
        ("DVI", "application/x-dvi"),
        ("FTP-DIR", None),
        ("", None),
    ],
)
def test_the_media_type_of_a_type(wtype: str, kind: str | None) -> None:
    assert media_type(wtype) == kind


@given(st.binary(max_size=60))
def test_any_identifier_is_sent_as_its_octets(identifier: bytes) -> None:
    identifier = b"\x01" + identifier
    asked = WaisURL(host=HOST, database="db", wtype="TEXT", wpath=text_of(identifier))
    dialogue = talk(retrieval(0, identifier=identifier), server(answer(text(b"all"), BEYOND)))
    assert replay(access(asked), dialogue).content == b"all"


# --- what a search finds ----------------------------------------------------------------------------------------------


def one(*records: bytes) -> Entry:
    (entry,) = got(url("db?words"), searching(*records)).entries
    return entry


def test_the_words_are_sent_as_they_are() -> None:
    for path, words in (("db?a+b", b"a+b"), ("db?a%20b", b"a b"), ("db?%C3%A9%FF;:@&=", b"\xc3\xa9\xff;:@&=")):
        assert len(got(url(path), searching(header(b"TEXT"), words=words)).entries) == 1


def test_an_entry_of_several_types_has_the_first_in_its_url_and_names_them_all() -> None:
    entry = one(header(b"TEXT", b"GIF", b"PS"))
    assert (entry.kind, entry.fields["types"]) == ("TEXT", "TEXT GIF PS")
    found = WaisURL.parse(entry.url or "")
    assert (found.wtype, octets_of(found.wpath or "")) == ("TEXT", ID)
    assert found.replace(wtype="GIF").wpath == found.wpath


def test_an_entry_without_a_type_is_a_text() -> None:
    assert one(header()).kind == "TEXT"


def test_all_that_a_header_says_is_in_its_entry() -> None:
    said = element(116, ID) + number(117, 0) + number(118, 900) + number(119, 20) + number(120, 1_000_000)
    said += number(131, 7) + element(121, b"WSJ") + element(122, b"19900601") + element(123, b"TMC \xe9")
    entry = one(element(115, b"used"), element(152, said + element(124, b"Cambridge, MA")))
    assert (entry.name, entry.size) == ("TMC \udce9", 1_000_000)
    assert dict(entry.fields) == {
        "types": "TEXT",
        "score": "900",
        "lines": "7",
        "best match": "20",
        "source": "WSJ",
        "date": "19900601",
        "origin": "Cambridge, MA",
    }


def test_the_words_that_were_used_are_known() -> None:
    outcome = got(url("db?words"), searching(element(115, b"words"), header()))
    assert outcome.attributes is not None
    assert dict(outcome.attributes.fields) == {"words": "words"}


def test_entries_lead_to_the_host_and_database_that_were_asked_whatever_the_identifier_says() -> None:
    asked = WaisURL.parse("wais://host.dom:8210/a%2Fb?words")
    foreign = b"\x01\x0eother.dom:7070\x02\x05other\x03\x02id\x04\x0eother.dom:7070"
    dialogue = Dialogue(
        connect(HOST, 8210),
        client(queries.init()),
        server(accepted()),
        client(queries.search(b"a/b", b"words")),
        server(answer(header(b"TEXT", identifier=foreign))),
    )
    found = WaisURL.parse(got(asked, dialogue).entries[0].url or "")
    assert (found.host, found.port, found.database, octets_of(found.wpath or "")) == (HOST, 8210, "a/b", foreign)


def test_a_document_that_is_a_url_is_what_its_headline_says() -> None:
    assert one(header(b"URL", headline=b"http://x.dom/~y")).url == "http://x.dom/~y"
    for headline in (b"not a URL", b"http://x.dom/\x1b[2J", b"http:", b""):
        entry = one(header(b"URL", headline=headline))
        assert WaisURL.parse(entry.url or "").wtype == "URL"
    assert (one(header(b"URL", b"TEXT", headline=b"http://x.dom/")).url or "").startswith("wais:")


@pytest.mark.parametrize(
    "record",
    [
        header(b"TEXT\x1b"),
        header(b"TEXT\x1f"),
        header(b"TEXT", identifier=b""),
        header(b"TEXT", identifier=b"\xff" * 60_000),
    ],
)
def test_an_entry_that_no_url_leads_to_says_why(record: bytes) -> None:
    asked, dialogue = url("db?words"), searching(record)
    (entry,) = (got(asked, dialogue) if len(record) < 1000 else replay(access(asked), dialogue)).entries
    assert entry.url is None
    assert entry.problem
    assert entry.problem.isascii()
    assert entry.problem.isprintable()


def test_nothing_found_is_an_empty_listing() -> None:
    headline = b"Search produced no result. Here's the Catalog for database: db"
    for records in ((), (header(headline=headline, score=0),)):
        outcome = got(url("db?words"), searching(*records))
        assert (outcome.kind, outcome.entries, outcome.complete) == ("listing", (), True)
    assert len(got(url("db?words"), searching(header(headline=headline, score=7))).entries) == 1


def test_a_diagnostic_without_records_is_an_error_and_one_with_records_comes_behind_them() -> None:
    bare = got(url("db?words"), searching(refused(b"T2", b"Access denied")))
    assert isinstance(bare.error, RemoteError)
    assert (bare.error.status, bare.kind) == ("T2", None)
    both = got(url("db?words"), searching(header(b"TEXT"), refused(b"SD", b"Too many")))
    assert isinstance(both.error, RemoteError)
    assert (both.kind, len(both.entries), both.complete) == ("listing", 1, False)


@pytest.mark.parametrize("most", [0, -1, 10_001])
def test_how_many_documents_may_be_asked_for(most: int) -> None:
    outcome = replay(access(url("db?words"), most=most), Dialogue())
    assert isinstance(outcome.error, UnsupportedOperation)


# --- relevance feedback -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("feedback", "relevant"),
    [
        ("", ()),
        ("  ", ()),
        (str(DOCUMENT), (Relevant(ID, b"TEXT"),)),
        (DOCUMENT, (Relevant(ID, b"TEXT"),)),
        (f"b0-100:{DOCUMENT}", (Relevant(ID, b"TEXT", Part(0, 100)),)),
        (f"l3-5:{DOCUMENT}", (Relevant(ID, b"TEXT", Part(3, 5, "l")),)),
        (f"{DOCUMENT}  l3-5:{OLD}", (Relevant(ID, b"TEXT"), Relevant(ID, b"TEXT", Part(3, 5, "l")))),
        (URL.parse(str(DOCUMENT)), (Relevant(ID, b"TEXT"),)),
        ([DOCUMENT, f"b1-2:{DOCUMENT}"], (Relevant(ID, b"TEXT"), Relevant(ID, b"TEXT", Part(1, 2)))),
        ("WAIS://HOST.DOM:210/other/GIF/x", (Relevant(b"x", b"GIF"),)),
    ],
)
def test_feedback(feedback: Feedback, relevant: tuple[Relevant, ...]) -> None:
    request = queries.search(b"db", b"words", relevant=relevant)
    dialogue = talk(client(request), server(answer(header(b"TEXT"))))
    assert len(got(url("db?words"), dialogue, feedback=feedback).entries) == 1


@pytest.mark.parametrize(
    ("path", "feedback", "error"),
    [
        ("db?words", "wais://host.dom/db?words", UnsupportedOperation),
        ("db?words", "wais://host.dom/db", UnsupportedOperation),
        ("db?words", f"b5-5:{DOCUMENT}", UnsupportedOperation),
        ("db?words", f"l9-5:{DOCUMENT}", UnsupportedOperation),
        ("db?words", f"p1-5:{DOCUMENT}", InvalidURL),
        ("db?words", "http://host.dom/", InvalidURL),
        ("db?words", "\x1b]52;c;x\x07", InvalidURL),
        ("db?words", "wais://other.dom/db/TEXT/id", UnsafeURL),
        ("db?words", "wais://host.dom:7070/db/TEXT/id", UnsafeURL),
        ("db?words", "wais://host.dom/db/TE%0AXT/id", UnsafeURL),
        ("db", str(DOCUMENT), UnsupportedOperation),
        ("db/TEXT/id", str(DOCUMENT), UnsupportedOperation),
        ("db?words", 7, UnsupportedOperation),
        ("db?words", [7], InvalidURL),
        ("db?words", [url("db?words")], UnsupportedOperation),
    ],
)
def test_feedback_that_cannot_be_given_is_refused_before_connecting(
    path: str, feedback: Any, error: type[URLError]
) -> None:
    outcome = replay(access(url(path), feedback=feedback), Dialogue())
    assert isinstance(outcome.error, error)
    assert str(outcome.error).isprintable()


# --- what is refused before connecting --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "database", ["sky%40other.dom", "%40", "%2Fetc", "..", "%2E", "..%2Fetc", "a%2F..%2Fb", "a%2F", "%2E%2F"]
)
def test_a_database_that_leads_elsewhere_is_refused(database: str) -> None:
    for form in ("", "?words", "/TEXT/id"):
        error = replay(access(url(database + form)), Dialogue()).error
        assert isinstance(error, UnsafeURL)
        assert error.part == "database"


def test_a_database_may_be_a_path_below() -> None:
    dialogue = talk(client(queries.search(b"a/b..c", b"")), server(answer(header(b"WSRC"))))
    assert len(got(url("a%2Fb..c"), dialogue).entries) == 1


# --- servers that do otherwise ----------------------------------------------------------------------------------------


def after_init(*said: bytes) -> Dialogue:
    steps = [server(octets) for octets in said]
    return Dialogue(connect(HOST, 210), client(queries.init()), *steps, server_closes())


GOOD = accepted()


@pytest.mark.parametrize(
    ("octets", "error"),
    [
        (b"000000x148z2wais        0" + bytes(148), ProtocolError),
        (b"+000000148z2wais        0" + bytes(148), ProtocolError),
        (b"-000000148z2wais        0" + bytes(148), ProtocolError),
        (b"       148z2wais        0" + bytes(148), ProtocolError),
        (b"0x00000014z2wais        0" + bytes(148), ProtocolError),
        ("٠٠٠٠٠".encode() + b"z2wais        0", ProtocolError),
        (b"9999999999z2wais        0" + bytes(148), LimitExceeded),
        (b"%010dz2wais        0" % (MOST_MESSAGE + 1), LimitExceeded),
        (b"0000000148z2wais        0" + bytes(147), Truncated),
        (b"0000000148z2wais        ", Truncated),
        (b"0", Truncated),
        (GOOD[:-1], Truncated),
        (GOOD[:10] + b"y" + GOOD[11:], ProtocolError),
        (GOOD[:10] + b"n" + GOOD[11:], ProtocolError),
        (GOOD[:11] + b"1" + GOOD[12:], ProtocolError),
        (GOOD[:22] + b"u" + GOOD[23:], ProtocolError),  # compressed
        (GOOD[:23] + b"h" + GOOD[24:], ProtocolError),  # in hexadecimal
        (message(b""), RemoteError),
        (message(b"\x00"), ProtocolError),
        (message(b"\xff\xff\x15\x01"), ProtocolError),
        (accepted(result=0), RemoteError),
        (answer(), ProtocolError),  # to a search
        (GOOD + b"\x00", ProtocolError),  # more than was asked for
        (GOOD + GOOD, ProtocolError),
        (b"220 host.dom ESMTP ready\r\n", ProtocolError),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", ProtocolError),
        (b"\x00" * 100, ProtocolError),
        (bytes(range(256)), ProtocolError),
        (b"\x1b[2J\r\n\xe2\x80\xae", ProtocolError),
    ],
)
def test_a_header_that_is_none(octets: bytes, error: type[URLError]) -> None:  # B14, B44
    for asked in (url("db"), url("db?words"), DOCUMENT):
        outcome = replay(access(asked), after_init(octets))
        assert isinstance(outcome.error, error), outcome.error
        assert outcome.kind is None
        assert str(outcome.error).isascii()
        assert str(outcome.error).isprintable()
        assert outcome.sent["connection"] == queries.init()


def test_what_is_no_message_is_not_waited_for() -> None:
    open_still = Dialogue(connect(HOST, 210), client(queries.init()), server(b"220 "))
    assert isinstance(replay(access(url("db")), open_still).error, ProtocolError)


def test_a_connection_that_ends_before_its_first_octet_failed_and_after_it_was_cut() -> None:
    for end in (server_closes(), server_resets()):
        first = replay(access(url("db")), Dialogue(connect(HOST, 210), client(queries.init()), end))
        assert isinstance(first.error, ConnectError)
        dropped = replay(access(DOCUMENT), talk(retrieval(0), end))
        assert isinstance(dropped.error, Truncated)
        assert dropped.kind is None
        later = talk(retrieval(0), server(answer(text(b"one"))), retrieval(3), end)
        assert isinstance(replay(access(DOCUMENT), later).error, Truncated)


def test_what_follows_the_last_answer_is_nobodys_business() -> None:
    dialogue = talk(retrieval(0), server(answer(text(b"all"), BEYOND) + GOOD))
    assert got(DOCUMENT, dialogue).content == b"all"


@given(st.binary(min_size=1, max_size=100))
def test_whatever_a_server_says_the_outcome_is_the_same_however_it_is_cut(octets: bytes) -> None:
    for said in (octets, message(octets)):
        assert split_everywhere(lambda: access(url("db")), after_init(said)).error is not None
    for body in (apdu(b"\x17" + octets, b""), apdu(b"\x17" + bytes(10), octets)):
        found = talk(client(queries.search(b"db", b"")), server(message(body)))
        split_everywhere(lambda: access(url("db")), found)
        text_was_due = talk(retrieval(0), server(message(body)), server_closes())
        assert split_everywhere(lambda: access(DOCUMENT), text_was_due).error is not None
