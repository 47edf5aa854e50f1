"""Dialogues of a real client and a real server (freeWAIS-sf), captured octet for octet in `captured.txt`.

The requests built here must be theirs, their responses must be parsed, and an access must follow their dialogue. Only
Init differs: a client sends its own name.
"""

import ast
from pathlib import Path

import pytest
from outcomes import checked

from urlschemes.errors import UnsupportedOperation
from urlschemes.grammar.octets import octets_of, text_of
from urlschemes_access.errors import RemoteError
from urlschemes_testing.replay import Outcome, Script, client, connect, fault_everywhere, replay, server
from urlschemes_wais import WaisURL
from urlschemes_wais.access import access
from urlschemes_wais.connection import build_apdu, build_message
from urlschemes_wais.data_elements import encode_element, encode_number
from urlschemes_wais.relevance_feedback import Feedback
from urlschemes_wais.request import DocumentPart, RelevantDocument, init_request, retrieval_request, search_request
from urlschemes_wais.response import Diagnostic, SearchResponse, parse_init_response, parse_search_response

LINE = b"Line %d of report 20 mentions telescope mirrors and lenses at station %d.\n"


def report() -> bytes:
    """The document that was retrieved in slices: 59,850 octets."""
    return b"Report number 20 on telescopes\n\n" + b"".join(LINE % (n, n * 7 % 101) for n in range(800))


def captured() -> dict[str, list[tuple[str, bytes]]]:
    """The dialogues of `captured.txt` by name: messages with the side that sent them."""
    text = report()

    def octets(piece: str) -> bytes:
        if piece.startswith("b"):
            return bytes(ast.literal_eval(piece))
        start, end = piece.split(":")
        return text[int(start) : int(end)]

    dialogues: dict[str, list[tuple[str, bytes]]] = {}
    name = ""
    for line in Path(__file__).with_name("captured.txt").read_text("ascii").splitlines():
        if line.startswith("["):
            name = line[1:].partition("]")[0]
            dialogues[name] = []
        elif line and not line.startswith("#"):
            side, _, written = line.partition(" ")
            dialogues[name].append((side, b"".join(map(octets, written.split(" | ")))))
    return dialogues


CAPTURED = captured()
HOST = "host.dom"


def sent(name: str, number: int = 0) -> bytes:
    """Request `number` of a captured dialogue."""
    return [octets for side, octets in CAPTURED[name] if side == "C"][number]


def received(name: str, number: int = 0) -> SearchResponse:
    """Response `number` of a captured dialogue, parsed."""
    return parse_search_response([octets[25:] for side, octets in CAPTURED[name] if side == "S"][number])


def identifier(database: str, local: str) -> bytes:
    """An identifier in the form of freeWAIS-sf."""
    parts = (b"h1:8210", f"/usr/local/wais/sources/{database}".encode(), local.encode())
    octets = b"".join(bytes([tag, len(part)]) + part for tag, part in enumerate(parts * 2, 1))
    return octets + b"\x07\x01\x00"


PLANETS = identifier("sky", "0 144 /usr/local/wais/sources/docs/planets.txt")
REPORT = identifier("sky", "0 59850 /usr/local/wais/sources/docs/report20.txt")
PICTURE = identifier("pics", "0 12 /usr/local/wais/sources/docs/pic.gif")
DESCRIPTION = b"\x02\x03sky\x03\x230 0 /usr/local/wais/sources/sky.src\x07\x01\x00"

# requests -------------------------------------------------------------------------------------------------------------


def init_of(name: bytes, *software: bytes) -> bytes:
    """Init with the name and software of another client."""
    header = init_request()[25 + 2 :]
    names = encode_element(7, name) + b"".join(map(encode_element, (8, 9, 10), software))
    return build_message(build_apdu(header.removesuffix(encode_element(7, b"urlschemes")) + names, b""))


def test_init_is_that_of_the_captured_clients_but_for_the_name() -> None:
    name = b"waissearch freeWAIS-sf 2.2.8 string, from host: h1.unknown, user: anon"
    software = (b"LS6", b"University of Dortmund Informatik VI", b"2.2.8 string")
    assert init_of(name, *software) == sent("client")
    assert init_of(b"urltest") == sent("init")


def test_init_does_not_name_the_user() -> None:
    sizes = b"\x05\x03\x01\x86\xa0\x06\x03\x01\x86\xa0"
    octets = b"0000000031z2wais        0\x00\x1d\x14\x03\x01\x80\x04\x01\x80" + sizes + b"\x07\x0aurlschemes"
    assert init_request() == octets


@pytest.mark.parametrize(
    ("name", "database", "words", "most"),
    [
        ("search", b"sky", b"comet", 40),
        ("help", b"sky", b"", 40),
        ("question mark", b"sky", b"?", 40),
        ("nothing found", b"sky", b"zzzzqq", 40),
        ("three", b"sky", b"telescope", 3),
        ("no database", b"nosuch", b"comet", 40),
        ("empty name", b"", b"comet", 40),
        ("picture", b"pics", b"pic", 40),
        ("syntax", b"sky", b"(comet and", 40),
    ],
)
def test_a_search_is_the_captured_one(name: str, database: bytes, words: bytes, most: int) -> None:
    assert search_request(database, words, most=most) == sent(name)


def test_a_search_is_that_of_the_freewais_client() -> None:
    assert search_request(b"sky", b"comet jupiter") == sent("client", 1)


def test_relevance_feedback_is_the_captured_one() -> None:
    whole, part = RelevantDocument(PLANETS, b"TEXT"), RelevantDocument(PLANETS, b"TEXT", DocumentPart(0, 100))
    assert search_request(b"sky", b"bread", relevant=[whole]) == sent("feedback", 0)
    assert search_request(b"sky", b"bread", relevant=[part]) == sent("feedback", 1)
    assert search_request(b"sky", b"", relevant=[part]) == sent("feedback alone")


@pytest.mark.rfc1738(123)
@pytest.mark.parametrize(
    ("name", "number", "database", "document", "wtype", "part"),
    [
        ("client", 2, b"sky", PLANETS, b"TEXT", DocumentPart(0, 144)),
        ("beyond the end", 0, b"sky", PLANETS, b"TEXT", DocumentPart(0, 10_000)),
        ("within", 0, b"sky", PLANETS, b"TEXT", DocumentPart(5, 20)),
        ("lines", 0, b"sky", PLANETS, b"TEXT", DocumentPart(0, 2, "l")),
        ("behind the end", 0, b"sky", PLANETS, b"TEXT", DocumentPart(100_000, 110_000)),
        ("no document", 0, b"sky", b"zzzz", b"TEXT", DocumentPart(0, 10_000)),
        ("picture", 1, b"pics", PICTURE, b"GIF", DocumentPart(0, 12)),
        ("description", 0, b"sky", DESCRIPTION, b"WSRC", DocumentPart(0, 1451)),
        *(("slices", n, b"sky", REPORT, b"TEXT", DocumentPart(10_000 * n, 10_000 * n + 10_000)) for n in range(6)),
    ],
)
def test_a_retrieval_is_the_captured_one(
    name: str, number: int, database: bytes, document: bytes, wtype: bytes, part: DocumentPart
) -> None:
    assert retrieval_request(database, document, wtype, part) == sent(name, number)


# responses ------------------------------------------------------------------------------------------------------------


def test_responses_to_init() -> None:
    assert parse_init_response(CAPTURED["client"][1][1][25:]) == 100_000
    with pytest.raises(RemoteError):
        parse_init_response(CAPTURED["refused"][1][1][25:])


def test_a_response_to_a_search_has_headers() -> None:
    for response in (received("search"), parse_search_response(CAPTURED["client"][3][1][25:])):
        planets, comets = response.headers
        assert (planets.identifier, planets.types, planets.size, planets.lines) == (PLANETS, (b"TEXT",), 144, 4)
        assert planets.headline == b"planets.txt   /usr/local/wais/sources/docs/"
        assert (comets.headline[:10], comets.size, comets.score) == (b"comets.txt", 171, 432)
        assert (planets.best_match, planets.source, planets.date) == (0, b"/usr/local/wais/sources/sky", b"0")
        assert (response.texts, response.diagnostics, response.words) == ((), (), b"")
    assert received("search").headers[0].score == 460
    assert [header.size for header in received("three").headers] == [2936, 5853, 8789]


def test_a_response_to_a_retrieval_has_a_text() -> None:
    text = b"Planets and their moons\n\nJupiter has many moons; Saturn has rings."
    (whole,) = parse_search_response(CAPTURED["client"][5][1][25:]).texts
    assert whole.identifier == PLANETS
    assert (len(whole.octets), whole.octets[: len(text)]) == (144, text)
    assert received("within").texts[0].octets == b"ts and their mo"
    assert received("lines").texts[0].octets == b"Planets and their moons\n\n"
    assert received("beyond the end").texts[0] == whole
    assert received("beyond the end").diagnostics == (Diagnostic("SF", "Request out of range"),)
    assert received("behind the end") == SearchResponse(diagnostics=(Diagnostic("SF", "Request out of range"),))


@pytest.mark.parametrize(
    ("name", "diagnostic"),
    [
        ("no database", Diagnostic("S1", "The following database is not available: /usr/local/wais/sources/nosuch")),
        ("empty name", Diagnostic("S1", "The following database is not available: /usr/local/wais/sources/INFO")),
        ("no document", Diagnostic("SF", "Missing DocID in request")),
        ("syntax", Diagnostic("S1", "query syntax error: (comet and")),
        ("feedback alone", Diagnostic("S1", "query syntax error:")),
    ],
)
def test_a_refusal_has_a_diagnostic(name: str, diagnostic: Diagnostic) -> None:
    response = received(name)
    assert response.diagnostics == (diagnostic,)
    assert (response.diagnostics[0].error().status, response.texts) == (diagnostic.code, ())


# whole dialogues ------------------------------------------------------------------------------------------------------

# The captured clients requested slices of 10,000 octets, as access does only if the server agrees to no size.
SIZE = encode_number(6, 100_000)
AGREED_TO_NO_SIZE = build_message(build_apdu(CAPTURED["init"][1][1][27:102].replace(SIZE, b""), b""))
ASSOCIATION = (connect(HOST, 210), client(init_request()), server(AGREED_TO_NO_SIZE))


def script(*messages: tuple[str, bytes]) -> Script:
    """Init, then the captured messages."""
    return Script(*ASSOCIATION, *((client if side == "C" else server)(octets) for side, octets in messages))


def url(path: str) -> WaisURL:
    return WaisURL.parse(f"wais://{HOST}/{path}")


def document(database: str, wtype: str, wpath: bytes) -> WaisURL:
    return WaisURL(host=HOST, database=database, wtype=wtype, wpath=text_of(wpath))


def got(asked: WaisURL, talk: Script, *, feedback: Feedback = "", most: int = 40) -> Outcome:
    """The outcome of an access, which must not depend on how responses are cut; no fault may look like a success."""
    return checked(lambda: access(asked, feedback=feedback, most=most), talk)


@pytest.mark.fault(51, 52)
def test_a_search_gives_a_listing() -> None:
    outcome = got(url("sky?comet%20jupiter"), script(*CAPTURED["client"][2:4]))
    assert (outcome.kind, outcome.complete, outcome.unclosed) == ("listing", True, ())
    planets, comets = outcome.entries
    assert (planets.name, planets.kind, planets.size) == ("planets.txt   /usr/local/wais/sources/docs/", "TEXT", 144)
    assert planets.url == str(document("sky", "TEXT", PLANETS))
    assert octets_of(WaisURL.parse(planets.url or "").wpath or "") == PLANETS
    assert dict(planets.fields) == {
        "types": "TEXT",
        "score": "1245",
        "lines": "4",
        "best match": "0",
        "source": "/usr/local/wais/sources/sky",
        "date": "0",
    }
    assert (comets.fields["score"], comets.problem) == ("432", None)


OLD_NOTATION = (
    "sky/TEXT/144%2F1%3Dh1%3A8210%3B2%3D%2Fusr%2Flocal%2Fwais%2Fsources%2Fsky%3B"
    "3%3D0%20144%20%2Fusr%2Flocal%2Fwais%2Fsources%2Fdocs%2Fplanets.txt%3B4%3Dh1%3A8210%3B"
    "5%3D%2Fusr%2Flocal%2Fwais%2Fsources%2Fsky%3B"
    "6%3D0%20144%20%2Fusr%2Flocal%2Fwais%2Fsources%2Fdocs%2Fplanets.txt%3B7%3D%00%3B"
)


def test_a_retrieval_gives_a_document() -> None:
    """The old notation has the size, which the captured client knew from its search: the requests are the same."""
    outcome = got(url(OLD_NOTATION), script(*CAPTURED["client"][4:6]))
    assert (outcome.kind, len(outcome.content), outcome.complete) == ("document", 144, True)
    assert outcome.attributes is not None
    assert (outcome.attributes.media_type, outcome.attributes.size) == ("text/plain", 144)


def test_a_document_that_ends_within_its_first_slice() -> None:
    outcome = got(document("sky", "TEXT", PLANETS), script(*CAPTURED["beyond the end"]))
    assert (len(outcome.content), outcome.complete) == (144, True)
    assert outcome.attributes is not None
    assert (outcome.attributes.size, dict(outcome.attributes.fields)) == (None, {"type": "TEXT"})


@pytest.mark.fault(52)
@pytest.mark.parametrize("chunk", [None, 1, 7, 4096])
def test_a_document_in_six_slices(chunk: int | None) -> None:
    outcome = replay(access(document("sky", "TEXT", REPORT)), script(*CAPTURED["slices"]), chunk=chunk)
    assert outcome.error is None
    assert outcome.content == report()
    assert [len(piece) for piece in outcome.delivered if isinstance(piece, bytes)] == [10_000] * 5 + [9_850]


@pytest.mark.fault(51)
def test_every_fault_in_a_document_in_six_slices() -> None:
    runs = fault_everywhere(lambda: access(document("sky", "TEXT", REPORT)), script(*CAPTURED["slices"]))
    assert len(runs) > 90


def test_a_picture_is_retrieved_unchanged() -> None:
    (entry,) = got(url("pics?pic"), script(*CAPTURED["picture"][:2])).entries
    assert (entry.name, entry.kind, entry.size) == ("pic.gif", "GIF", 12)
    old = b"12/" + b"".join(
        b"%d=%b;" % (tag, part)
        for tag, part in enumerate(
            (b"h1:8210", b"/usr/local/wais/sources/pics", b"0 12 /usr/local/wais/sources/docs/pic.gif") * 2, 1
        )
    )
    outcome = got(document("pics", "GIF", old + b"7=\0;"), script(*CAPTURED["picture"][2:]))
    assert outcome.content == b"\x89PNG\r\n\x1a\n\x00\x01\x02\xff"
    assert outcome.attributes is not None
    assert outcome.attributes.media_type == "image/gif"


@pytest.mark.rfc1738(119)
def test_a_database_opens_to_its_description_and_catalog() -> None:
    outcome = got(url("sky"), script(*CAPTURED["help"]))
    assert [(entry.kind, entry.name) for entry in outcome.entries] == [
        ("WSRC", "Information on database: sky"),
        ("TEXT", "Catalog for database: sky"),
    ]
    assert outcome.entries[0].url == str(document("sky", "WSRC", DESCRIPTION))
    assert got(url("sky?"), script(*CAPTURED["help"])).entries == outcome.entries


def test_the_description_of_a_database_is_a_document() -> None:
    old = b"1451/2=sky;3=0 0 /usr/local/wais/sources/sky.src;7=\0;"
    outcome = got(document("sky", "WSRC", old), script(*CAPTURED["description"]))
    assert b'(:source \n   :version  3 \n   :ip-address "127.0.0.1"' in outcome.content
    assert outcome.attributes is not None
    assert outcome.attributes.media_type == "application/x-wais-source"


def test_the_results_of_a_search_for_a_question_mark_come_before_the_error() -> None:
    outcome = got(url("sky?%3F"), script(*CAPTURED["question mark"]))
    assert [entry.kind for entry in outcome.entries] == ["WSRC", "TEXT"]
    assert isinstance(outcome.error, RemoteError)
    assert (outcome.error.status, outcome.error.text) == ("S1", "query syntax error: ?")


def test_a_search_without_results_is_an_empty_listing_without_the_catalog() -> None:
    outcome = got(url("sky?zzzzqq"), script(*CAPTURED["nothing found"]))
    assert (outcome.kind, outcome.entries, outcome.complete) == ("listing", (), True)


def test_most_limits_the_results() -> None:
    assert len(got(url("sky?telescope"), script(*CAPTURED["three"]), most=3).entries) == 3


@pytest.mark.parametrize(
    ("name", "path", "text"),
    [
        ("no database", "nosuch?comet", "The following database is not available: /usr/local/wais/sources/nosuch"),
        ("empty name", "?comet", "The following database is not available: /usr/local/wais/sources/INFO"),
        ("syntax", "sky?(comet%20and", "query syntax error: (comet and"),
        ("no document", "sky/TEXT/zzzz", "Missing DocID in request"),
    ],
)
def test_a_refusal_is_a_remote_error(name: str, path: str, text: str) -> None:
    outcome = got(url(path), script(*CAPTURED[name]))
    assert isinstance(outcome.error, RemoteError)
    assert (outcome.kind, outcome.error.text, outcome.error.temporary) == (None, text, False)


@pytest.mark.parametrize("text", ["", "b0-100:"])
def test_feedback_may_be_a_string_a_list_or_a_url(text: str) -> None:
    planets = str(document("sky", "TEXT", PLANETS))
    talk = script(("C", sent("feedback", 1 if text else 0)), *CAPTURED["search"][1:])
    given: list[Feedback] = [text + planets, [text + planets]]
    if not text:
        given.append(WaisURL.parse(planets))
    for feedback in given:
        assert len(got(url("sky?bread"), talk, feedback=feedback).entries) == 2


def test_feedback_without_words_is_refused_by_the_server() -> None:
    feedback = f"b0-100:{document('sky', 'TEXT', PLANETS)}"
    outcome = got(url("sky?"), script(*CAPTURED["feedback alone"]), feedback=feedback)
    assert isinstance(outcome.error, RemoteError)
    database = replay(access(url("sky"), feedback=feedback), Script())
    assert isinstance(database.error, UnsupportedOperation)
