"""The wais algorithm against written dialogues: ends of documents, entries, feedback, refusals before connecting.

Dialogues captured from a real server are in test_wais_captured.py.
"""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from outcomes import checked

from urlschemes import URL
from urlschemes.errors import InvalidURL, UnsafeURL, UnsupportedOperation, URLError
from urlschemes.grammar.octets import octets_of, text_of
from urlschemes_access.attributes import Entry
from urlschemes_access.errors import ConnectError, LimitExceeded, ProtocolError, RemoteError, Truncated
from urlschemes_testing.replay import (
    Outcome,
    Script,
    Step,
    client,
    connect,
    replay,
    server,
    server_closes,
    server_resets,
    split_everywhere,
)
from urlschemes_wais import WaisURL
from urlschemes_wais.access import access
from urlschemes_wais.connection import MAX_RESPONSE, build_apdu, build_message
from urlschemes_wais.data_elements import encode_element, encode_number
from urlschemes_wais.relevance_feedback import Feedback
from urlschemes_wais.request import DocumentPart, RelevantDocument, init_request, retrieval_request, search_request

HOST = "host.dom"
ID = b"\x02\x02db\x03\x02id\x07\x01\x00"


def url(path: str) -> WaisURL:
    return WaisURL.parse(f"wais://{HOST}/{path}")


DOCUMENT = WaisURL(host=HOST, database="db", wtype="TEXT", wpath=text_of(ID))


SLICE = 95_000  # with the identifier; client and server agree to 100,000 octets


def accepted(most: int | None = 100_000, *, result: int = 1) -> bytes:
    """A response to Init; `most` is the maximum size of the server's messages."""
    return build_message(build_apdu(bytes([0x15, result]) + (b"" if most is None else encode_number(6, most)), b""))


def response(*records: bytes) -> bytes:
    """A response to a search or a retrieval."""
    return build_message(build_apdu(b"\x17" + bytes(10), encode_element(99, b"".join(records))))


def text(octets: bytes) -> bytes:
    return encode_element(153, encode_element(116, ID) + encode_element(127, octets))


def diagnostic(code: bytes, words: bytes) -> bytes:
    octets = code + words + b"\x00"
    return b"\x1c" + len(octets).to_bytes(2, "big") + octets + b"\x1d"


BEYOND_END = diagnostic(b"SF", b"Request out of range")


def header(*types: bytes, headline: bytes = b"News", identifier: bytes = ID, score: int = 1000) -> bytes:
    fields = (
        encode_element(116, identifier)
        + encode_number(118, score)
        + encode_number(120, 144)
        + encode_element(123, headline)
    )
    return encode_element(150, fields + encode_element(132, b"".join(encode_element(133, each) for each in types)))


def talk(*steps: Step, most: int | None = 100_000) -> Script:
    return Script(connect(HOST, 210), client(init_request()), server(accepted(most)), *steps)


def retrieval(start: int, end: int = -1, *, identifier: bytes = ID, wtype: bytes = b"TEXT") -> Step:
    end = end if end >= 0 else start + SLICE - len(identifier)
    return client(retrieval_request(b"db", identifier, wtype, DocumentPart(start, end)))


def searching(*records: bytes, words: bytes = b"words") -> Script:
    return talk(client(search_request(b"db", words)), server(response(*records)))


def got(asked: WaisURL, script: Script) -> Outcome:
    return checked(lambda: access(asked), script)


# where a document ends ------------------------------------------------------------------------------------------------


def test_a_document_ends_with_the_diagnostic_of_a_part_beyond_the_end() -> None:
    outcome = got(DOCUMENT, talk(retrieval(0), server(response(text(b"all of it"), BEYOND_END))))
    assert (outcome.content, outcome.complete, outcome.unclosed) == (b"all of it", True, ())


def test_after_a_short_slice_the_next_one_is_requested() -> None:
    script = talk(
        retrieval(0),
        server(response(text(b"one "))),
        retrieval(4),
        server(response(text(b"two"))),
        retrieval(7),
        server(response(text(b""))),
    )
    assert got(DOCUMENT, script).content == b"one two"


@pytest.mark.fault(12)
def test_tiny_slices_exceed_a_limit() -> None:
    slices = (step for place in range(69) for step in (retrieval(place), server(response(text(b"x")))))
    outcome = replay(access(DOCUMENT), talk(*slices))
    assert isinstance(outcome.error, LimitExceeded)
    assert outcome.error.limit == "slices"
    assert len(outcome.content) == 69


def test_a_document_may_end_at_the_border_of_a_slice() -> None:
    size = 600 - 512 - len(ID)
    full = bytes(range(size))
    for last in (text(b""), BEYOND_END):
        script = talk(
            retrieval(0, size),
            server(response(text(full))),
            retrieval(size, 2 * size),
            server(response(last)),
            most=600,
        )
        outcome = got(DOCUMENT, script)
        assert (outcome.content, outcome.error) == (full, None)


def test_an_empty_document() -> None:
    for records in ((text(b""),), (text(b""), BEYOND_END)):
        outcome = got(DOCUMENT, talk(retrieval(0), server(response(*records))))
        assert (outcome.kind, outcome.content, outcome.complete) == ("document", b"", True)


def test_a_first_response_without_text_is_an_error() -> None:
    error = got(DOCUMENT, talk(retrieval(0), server(response(BEYOND_END)))).error
    assert isinstance(error, RemoteError)
    assert error.status == "SF"
    assert isinstance(got(DOCUMENT, talk(retrieval(0), server(response()))).error, ProtocolError)


def test_a_later_diagnostic_is_an_error_and_not_the_end() -> None:
    busy = diagnostic(b"S2", b"Busy")
    for records, kind in (((busy,), RemoteError), ((text(b"more"), busy), RemoteError), ((), ProtocolError)):
        script = talk(retrieval(0), server(response(text(b"one"))), retrieval(3), server(response(*records)))
        outcome = got(DOCUMENT, script)
        assert isinstance(outcome.error, kind)
        assert outcome.content == b"one"


def test_more_octets_than_requested_are_an_error() -> None:
    outcome = replay(access(DOCUMENT), talk(retrieval(0), server(response(text(bytes(SLICE + 1))))))
    assert isinstance(outcome.error, ProtocolError)
    several = replay(access(DOCUMENT), talk(retrieval(0), server(response(text(b"a"), text(b"b")))))
    assert isinstance(several.error, ProtocolError)


def test_slices_fit_into_the_messages_of_the_server() -> None:
    size = 1000 - 512 - len(ID)
    outcome = got(DOCUMENT, talk(retrieval(0, size), server(response(text(b"all"), BEYOND_END)), most=1000))
    assert outcome.content == b"all"
    unsaid = talk(retrieval(0, 10_000), server(response(text(b"all"), BEYOND_END)), most=None)
    assert got(DOCUMENT, unsaid).content == b"all"
    tiny = talk(retrieval(0, 1), server(response(text(b"a"), BEYOND_END)), most=1)
    assert got(DOCUMENT, tiny).content == b"a"


def test_a_server_that_cannot_fit_what_it_agreed_to_is_asked_for_less() -> None:
    script = talk(
        *(retrieval(0), server(b"0000000000z2wais        0")),
        *(retrieval(0, 10_000), server(response(text(bytes(10_000)))), retrieval(10_000, 20_000)),
        server(response(text(b"end"), BEYOND_END)),
    )
    assert replay(access(DOCUMENT), script).content == bytes(10_000) + b"end"


def test_a_database_that_the_server_cannot_describe_is_an_error() -> None:
    for path in ("db", "db?"):
        outcome = got(url(path), searching(words=b""))
        assert isinstance(outcome.error, RemoteError)
        assert "no description of the database 'db', which may not exist" in str(outcome.error)
    assert got(url("db?words"), searching()).entries == ()


OLD_NOTATION = url("db/TEXT/7%2F2%3Ddb%3B3%3Did%3B7%3D%00%3B")


def test_a_document_must_have_the_size_in_the_old_notation() -> None:
    outcome = got(OLD_NOTATION, talk(retrieval(0, 7), server(response(text(b"1234567")))))
    assert (outcome.content, outcome.complete) == (b"1234567", True)
    assert outcome.attributes is not None
    assert outcome.attributes.size == 7
    short = got(OLD_NOTATION, talk(retrieval(0, 7), server(response(text(b"1234"), BEYOND_END))))
    assert isinstance(short.error, Truncated)
    assert (short.content, short.error.received, short.error.expected) == (b"1234", 4, 7)
    without_size = url("db/TEXT/2%3Ddb%3B3%3Did%3B7%3D%00%3B")
    assert got(without_size, talk(retrieval(0), server(response(text(b"all"), BEYOND_END)))).content == b"all"


@pytest.mark.rfc1738(124)
@given(st.binary(max_size=60))
def test_an_identifier_of_any_octets_is_sent_unchanged(identifier: bytes) -> None:
    identifier = b"\x01" + identifier
    asked = WaisURL(host=HOST, database="db", wtype="TEXT", wpath=text_of(identifier))
    script = talk(retrieval(0, identifier=identifier), server(response(text(b"all"), BEYOND_END)))
    assert replay(access(asked), script).content == b"all"


# the results of a search ----------------------------------------------------------------------------------------------


def one(*records: bytes) -> Entry:
    (entry,) = got(url("db?words"), searching(*records)).entries
    return entry


def test_search_words_are_sent_decoded_and_otherwise_unchanged() -> None:
    for path, words in (("db?a+b", b"a+b"), ("db?a%20b", b"a b"), ("db?%C3%A9%FF;:@&=", b"\xc3\xa9\xff;:@&=")):
        assert len(got(url(path), searching(header(b"TEXT"), words=words)).entries) == 1


def test_a_document_without_a_type_is_a_text() -> None:
    assert one(header()).kind == "TEXT"


def test_an_entry_has_all_fields_of_the_header() -> None:
    fields = (
        encode_element(116, ID)
        + encode_number(117, 0)
        + encode_number(118, 900)
        + encode_number(119, 20)
        + encode_number(120, 1_000_000)
    )
    fields += (
        encode_number(131, 7)
        + encode_element(121, b"WSJ")
        + encode_element(122, b"19900601")
        + encode_element(123, b"TMC \xe9")
    )
    entry = one(encode_element(115, b"used"), encode_element(152, fields + encode_element(124, b"Cambridge, MA")))
    assert (entry.name, entry.size) == ("TMC \u00e9", 1_000_000)
    assert dict(entry.fields) == {
        "types": "TEXT",
        "score": "900",
        "lines": "7",
        "best match": "20",
        "source": "WSJ",
        "date": "19900601",
        "origin": "Cambridge, MA",
    }


def test_the_attributes_of_the_listing_have_the_words_used() -> None:
    outcome = got(url("db?words"), searching(encode_element(115, b"words"), header()))
    assert outcome.attributes is not None
    assert dict(outcome.attributes.fields) == {"words": "words"}


@pytest.mark.rfc1738(125)
def test_entries_have_the_host_and_database_of_the_search_whatever_the_identifier_names() -> None:
    asked = WaisURL.parse("wais://host.dom:8210/a%2Fb?words")
    foreign = b"\x01\x0eother.dom:7070\x02\x05other\x03\x02id\x04\x0eother.dom:7070"
    script = Script(
        connect(HOST, 8210),
        client(init_request()),
        server(accepted()),
        client(search_request(b"a/b", b"words")),
        server(response(header(b"TEXT", identifier=foreign))),
    )
    entry = WaisURL.parse(got(asked, script).entries[0].url or "")
    assert (entry.host, entry.port, entry.database, octets_of(entry.wpath or "")) == (HOST, 8210, "a/b", foreign)


def test_the_url_of_a_document_of_type_url_is_its_headline() -> None:
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
def test_an_entry_that_no_url_can_name_has_a_problem(record: bytes) -> None:
    asked, script = url("db?words"), searching(record)
    (entry,) = (got(asked, script) if len(record) < 1000 else replay(access(asked), script)).entries
    assert entry.url is None
    assert entry.problem
    assert entry.problem.isascii()
    assert entry.problem.isprintable()


def test_a_search_without_results_is_an_empty_listing() -> None:
    headline = b"Search produced no result. Here's the Catalog for database: db"
    for records in ((), (header(headline=headline, score=0),)):
        outcome = got(url("db?words"), searching(*records))
        assert (outcome.kind, outcome.entries, outcome.complete) == ("listing", (), True)
    assert len(got(url("db?words"), searching(header(headline=headline, score=7))).entries) == 1


@pytest.mark.parametrize("most", [0, -1, 10_001])
def test_most_is_between_1_and_10000(most: int) -> None:
    outcome = replay(access(url("db?words"), most=most), Script())
    assert isinstance(outcome.error, UnsupportedOperation)


# relevance feedback ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("feedback", "relevant"),
    [
        ("", ()),
        ("  ", ()),
        (str(DOCUMENT), (RelevantDocument(ID, b"TEXT"),)),
        (DOCUMENT, (RelevantDocument(ID, b"TEXT"),)),
        (f"b0-100:{DOCUMENT}", (RelevantDocument(ID, b"TEXT", DocumentPart(0, 100)),)),
        (f"l3-5:{DOCUMENT}", (RelevantDocument(ID, b"TEXT", DocumentPart(3, 5, "l")),)),
        (
            f"{DOCUMENT}  l3-5:{OLD_NOTATION}",
            (RelevantDocument(ID, b"TEXT"), RelevantDocument(ID, b"TEXT", DocumentPart(3, 5, "l"))),
        ),
        (URL.parse(str(DOCUMENT)), (RelevantDocument(ID, b"TEXT"),)),
        (
            [DOCUMENT, f"b1-2:{DOCUMENT}"],
            (RelevantDocument(ID, b"TEXT"), RelevantDocument(ID, b"TEXT", DocumentPart(1, 2))),
        ),
        ("WAIS://HOST.DOM:210/other/GIF/x", (RelevantDocument(b"x", b"GIF"),)),
    ],
)
def test_feedback(feedback: Feedback, relevant: tuple[RelevantDocument, ...]) -> None:
    request = search_request(b"db", b"words", relevant=relevant)
    script = talk(client(request), server(response(header(b"TEXT"))))
    assert len(replay(access(url("db?words"), feedback=feedback), script).entries) == 1


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
def test_invalid_feedback_is_refused_before_connecting(path: str, feedback: Any, error: type[URLError]) -> None:
    outcome = replay(access(url(path), feedback=feedback), Script())
    assert isinstance(outcome.error, error)
    assert str(outcome.error).isprintable()


# refusals before connecting -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "database", ["sky%40other.dom", "%40", "%2Fetc", "..", "%2E", "..%2Fetc", "a%2F..%2Fb", "a%2F", "%2E%2F"]
)
def test_a_database_on_another_host_or_outside_the_folder_is_refused(database: str) -> None:
    for form in ("", "?words", "/TEXT/id"):
        error = replay(access(url(database + form)), Script()).error
        assert isinstance(error, UnsafeURL)
        assert error.part == "database"


def test_a_database_may_be_a_path() -> None:
    script = talk(client(search_request(b"a/b..c", b"")), server(response(header(b"WSRC"))))
    assert len(got(url("a%2Fb..c"), script).entries) == 1


@pytest.mark.parametrize("path", ["d%00b", "d%1Fb?words", "db?a%0Ab", "db?%7F", "db/T%1FEXT/id"])
def test_a_control_octet_is_refused(path: str) -> None:
    assert isinstance(replay(access(url(path)), Script()).error, UnsafeURL)


# servers that break the protocol --------------------------------------------------------------------------------------


def after_init(*messages: bytes) -> Script:
    steps = [server(octets) for octets in messages]
    return Script(connect(HOST, 210), client(init_request()), *steps, server_closes())


ACCEPTED = accepted()


@pytest.mark.fault(14, 25, 44)
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
        (b"%010dz2wais        0" % (MAX_RESPONSE + 1), LimitExceeded),
        (b"0000000148z2wais        0" + bytes(147), Truncated),
        (b"0000000148z2wais        ", Truncated),
        (b"0", Truncated),
        (ACCEPTED[:-1], Truncated),
        (ACCEPTED[:10] + b"y" + ACCEPTED[11:], ProtocolError),
        (ACCEPTED[:10] + b"n" + ACCEPTED[11:], ProtocolError),
        (ACCEPTED[:11] + b"1" + ACCEPTED[12:], ProtocolError),
        (ACCEPTED[:22] + b"u" + ACCEPTED[23:], ProtocolError),  # compressed
        (ACCEPTED[:23] + b"h" + ACCEPTED[24:], ProtocolError),  # in hexadecimal
        (build_message(b""), RemoteError),
        (build_message(b"\x00"), ProtocolError),
        (build_message(b"\xff\xff\x15\x01"), ProtocolError),
        (accepted(result=0), RemoteError),
        (response(), ProtocolError),  # to a search
        (ACCEPTED + b"\x00", ProtocolError),  # more than was asked for
        (ACCEPTED + ACCEPTED, ProtocolError),
        (b"220 host.dom ESMTP ready\r\n", ProtocolError),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", ProtocolError),
        (b"\x00" * 100, ProtocolError),
        (bytes(range(256)), ProtocolError),
        (b"\x1b[2J\r\n\xe2\x80\xae", ProtocolError),
    ],
)
def test_an_invalid_response_to_init_is_an_error(octets: bytes, error: type[URLError]) -> None:
    for asked in (url("db"), url("db?words"), DOCUMENT):
        outcome = replay(access(asked), after_init(octets))
        assert isinstance(outcome.error, error), outcome.error
        assert outcome.kind is None
        assert str(outcome.error).isascii()
        assert str(outcome.error).isprintable()
        assert outcome.sent["connection"] == init_request()


@pytest.mark.fault(11, 14, 25, 44)
@pytest.mark.parametrize(
    ("octets", "error"),
    [
        (b"00000000x8z2wais        0", ProtocolError),
        (b"9999999999z2wais        0", LimitExceeded),
        (b"0000000009z2wais        0" + bytes(8), Truncated),
        (b"0000000005z2wais        0" + b"\xff\xff\x17\x00\x00", ProtocolError),
        (build_message(build_apdu(b"\x17" + bytes(10), b"\x63\xff\xff\x7f")), ProtocolError),
        (b"220 host.dom ESMTP ready\r\n", ProtocolError),
    ],
)
def test_an_invalid_response_to_a_request_is_an_error(octets: bytes, error: type[URLError]) -> None:
    search = client(search_request(b"db", b"words"))
    for asked, request in ((url("db?words"), search), (DOCUMENT, retrieval(0))):
        outcome = replay(access(asked), talk(request, server(octets), server_closes()))
        assert isinstance(outcome.error, error), outcome.error
        assert outcome.kind is None
        assert str(outcome.error).isprintable()


def test_the_first_invalid_octet_of_a_header_is_an_error_at_once() -> None:
    script = Script(connect(HOST, 210), client(init_request()), server(b"220 "))
    assert isinstance(replay(access(url("db")), script).error, ProtocolError)


def test_a_connection_that_ends_before_its_first_octet_is_a_connect_error_and_after_it_truncated() -> None:
    for end in (server_closes(), server_resets()):
        first = replay(access(url("db")), Script(connect(HOST, 210), client(init_request()), end))
        assert isinstance(first.error, ConnectError)
        dropped = replay(access(DOCUMENT), talk(retrieval(0), end))
        assert isinstance(dropped.error, Truncated)
        assert dropped.kind is None
        later = talk(retrieval(0), server(response(text(b"one"))), retrieval(3), end)
        assert isinstance(replay(access(DOCUMENT), later).error, Truncated)


def test_octets_after_the_last_response_are_ignored() -> None:
    script = talk(retrieval(0), server(response(text(b"all"), BEYOND_END) + ACCEPTED))
    assert got(DOCUMENT, script).content == b"all"


@settings(max_examples=5)
@given(st.binary(min_size=1, max_size=20))
def test_random_responses_have_the_same_outcome_however_they_are_cut(octets: bytes) -> None:
    for response_to_init in (octets, build_message(octets)):
        assert split_everywhere(lambda: access(url("db")), after_init(response_to_init)).error is not None
    for body in (build_apdu(b"\x17" + octets, b""), build_apdu(b"\x17" + bytes(10), octets)):
        search = talk(client(search_request(b"db", b"")), server(build_message(body)))
        split_everywhere(lambda: access(url("db")), search)
        retrieve = talk(retrieval(0), server(build_message(body)), server_closes())
        assert split_everywhere(lambda: access(DOCUMENT), retrieve).error is not None
