"""WAIS over real sockets on this machine: a whole server, and servers that misbehave."""

import itertools
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeVar

import pytest

import urlschemes_access
from urlschemes.errors import UnsafeURL, URLError
from urlschemes.grammar.octets import octets_of
from urlschemes_access import Document, Entry, Limits, Listing, Policy
from urlschemes_access.errors import (
    DeadlineExceeded,
    LimitExceeded,
    PolicyDenied,
    ProtocolError,
    RemoteError,
    Truncated,
)
from urlschemes_access.trace_event import TraceEvent
from urlschemes_servers.wais import WaisDocument, wais_server
from urlschemes_testing.loopback import Address
from urlschemes_testing.rogue import (
    Act,
    Visitor,
    closes,
    ends_output,
    floods,
    hears_exactly,
    loops,
    resets,
    rogue,
    says,
    stays_silent,
)
from urlschemes_wais import WaisURL, queries
from urlschemes_wais.encoding import element, number
from urlschemes_wais.messages import MOST_MESSAGE, apdu, message

HERE = Policy.interactive()
QUICK = replace(HERE, limits=Limits(deadline=1, first_octet=0.5, idle=0.5, connect=0.5))

ALL_OCTETS = bytes(range(256)) * 150  # 38,400 octets: four slices
POEM = b"Roses are red, and bread is brown.\n"
TEXTS = {
    "planets": b"Planets and their moons.\nJupiter has many moons. A comet struck Jupiter in 1994.\n",
    "comets": b"Comets are made of ice and dust. A comet has a tail.\n",
    "cooking": b"Bread is made of flour, water and salt.\n",
    "border": bytes(20_000),
    "empty": b"",
    "many": b"telescope " * 3000,
}
SKY: dict[str, str | bytes | WaisDocument] = {
    **TEXTS,
    "octets": WaisDocument({"GIF": ALL_OCTETS, "TEXT": POEM}, headline="All octets, in a picture", date="19941201"),
    "link": WaisDocument({"URL": b"http://host.dom/a"}, headline="http://host.dom/a"),
}


@pytest.fixture(scope="module")
def server() -> Iterator[Address]:
    with wais_server({"sky": SKY, "a/b": {"x": b"word"}}) as address:
        yield address


def access(url: str, **options: Any) -> Document | Listing:
    found = urlschemes_access.access(url, **{"policy": HERE, **options})
    assert isinstance(found, Document | Listing)
    return found


def read(url: str, **options: Any) -> bytes:
    with access(url, **options) as found:
        assert isinstance(found, Document)
        return found.read()


def entries(url: str, **options: Any) -> list[Entry]:
    with access(url, **options) as found:
        assert isinstance(found, Listing)
        return list(found)


def the(url: str, **options: Any) -> Entry:
    (entry,) = entries(url, **options)
    return entry


# --- a whole server ---------------------------------------------------------------------------------------------------


def test_a_database_opens_to_its_description_and_catalog(server: Address) -> None:
    description, catalog = entries(f"wais://{server}/sky")
    assert (description.kind, description.name) == ("WSRC", "Information on database: sky")
    assert (catalog.kind, catalog.name) == ("TEXT", "Catalog for database: sky")
    with access(description.url or "") as document:
        assert isinstance(document, Document)
        assert document.media_type == "application/x-wais-source"
        source = document.read()
    assert b':database-name "sky"' in source
    assert len(source) == description.size
    assert b"All octets, in a picture\n" in read(catalog.url or "")


def test_a_search_finds_documents_best_first_and_their_urls_give_them(server: Address) -> None:
    found = entries(f"wais://{server}/sky?comet%20jupiter")
    assert [(entry.name, entry.fields["score"]) for entry in found] == [("planets", "1000"), ("comets", "333")]
    for entry in found:
        url = entry.parse()
        assert isinstance(url, WaisURL)
        assert (url.host, url.port, url.database, url.wtype) == (*server, "sky", "TEXT")
        assert read(str(url)) == TEXTS[entry.name]
        assert entry.size == len(TEXTS[entry.name])


def test_several_types_of_one_document(server: Address) -> None:
    entry = the(f"wais://{server}/sky?picture")
    assert (entry.kind, entry.fields["types"], entry.fields["date"]) == ("GIF", "GIF TEXT", "19941201")
    picture = entry.parse()
    assert isinstance(picture, WaisURL)
    with access(str(picture)) as document:
        assert isinstance(document, Document)
        assert document.media_type == "image/gif"
        pieces = list(document)
    assert b"".join(pieces) == ALL_OCTETS
    assert [len(piece) for piece in pieces] == [10_000, 10_000, 10_000, 8_400]
    assert read(str(picture.replace(wtype="TEXT"))) == POEM


def test_documents_that_end_where_a_slice_does_or_before_they_begin(server: Address) -> None:
    for name in ("border", "empty", "many"):
        assert read(f"wais://{server}/sky/TEXT/2%3Dsky%3B3%3D{name}%3B") == TEXTS[name]


def test_the_old_notation_of_an_identifier(server: Address) -> None:
    place = f"wais://{server}/sky/TEXT/"
    size = len(TEXTS["planets"])
    assert read(f"{place}{size}%2F2%3Dsky%3B3%3D0%20{size}%20planets%3B7%3D%00%3B") == TEXTS["planets"]
    with pytest.raises(Truncated) as short:
        read(f"{place}{size + 1}%2F2%3Dsky%3B3%3Dplanets%3B")
    assert short.value.partial == TEXTS["planets"]


def test_a_url_that_is_a_document(server: Address) -> None:
    assert the(f"wais://{server}/sky?host").url == "http://host.dom/a"


def test_nothing_found(server: Address) -> None:
    assert entries(f"wais://{server}/sky?zzzzqq") == []


def test_how_many_are_found_at_the_most(server: Address) -> None:
    assert len(entries(f"wais://{server}/sky?a%20comet%20bread%20telescope")) > 3
    assert len(entries(f"wais://{server}/sky?a%20comet%20bread%20telescope", most=2)) == 2


def test_relevance_feedback(server: Address) -> None:
    search = f"wais://{server}/sky?bread"
    assert [entry.name for entry in entries(search)] == ["cooking"]
    planets = entries(f"wais://{server}/sky?planets")[0].url or ""
    with_all = [entry.name for entry in entries(search, feedback=planets)]
    assert set(with_all) >= {"cooking", "planets", "comets"}
    # `Planets and their` has nothing that `comets` has but `and`; the first line none of its other words.
    assert [entry.name for entry in entries(search, feedback=f"b0-7:{planets}")] == ["cooking", "planets"]
    assert "planets" in [entry.name for entry in entries(search, feedback=[f"l1-2:{planets}"])]
    with pytest.raises(RemoteError, match="query syntax error"):
        entries(f"wais://{server}/sky?", feedback=planets)


def test_a_database_below_another_name(server: Address) -> None:
    assert read(the(f"wais://{server}/a%2Fb?word").url or "") == b"word"


@pytest.mark.parametrize(
    ("path", "status"),
    [("nosuch", "S1"), ("", "S1"), ("nosuch?words", "S1"), ("sky?(a", "S1"), ("sky/TEXT/zzzz", "SF")],
)
def test_refusals(server: Address, path: str, status: str) -> None:
    with pytest.raises(RemoteError) as caught:
        access(f"wais://{server}/{path}")
    assert (caught.value.status, caught.value.temporary) == (status, False)


def test_a_document_that_is_gone_and_a_type_that_it_has_not(server: Address) -> None:
    for path in ("sky/TEXT/2%3Dsky%3B3%3Dgone%3B", "sky/GIF/2%3Dsky%3B3%3Dplanets%3B"):
        with pytest.raises(RemoteError, match="Bad DocID"):
            access(f"wais://{server}/{path}")


def test_an_identifier_that_breaks_the_server_is_an_error(server: Address) -> None:
    with pytest.raises(Truncated):
        access(f"wais://{server}/sky/TEXT/%03%05local")


def test_a_server_with_small_messages() -> None:
    with wais_server({"sky": SKY}, record=900) as server:
        assert read(f"wais://{server}/sky/GIF/2%3Dsky%3B3%3Doctets%3B") == ALL_OCTETS
        with pytest.raises(RemoteError, match="empty"):
            access(f"wais://{server}/sky?a%20comet%20bread%20telescope%20picture%20host%20planets%20empty%20border")


def test_one_request_at_a_time(server: Address) -> None:
    """The server hangs up where two come at once, as real ones do: what is done here never meets that."""
    sent: list[str] = []

    def watch(event: TraceEvent) -> None:
        if event.kind in {"send", "receive", "connect"}:
            sent.append(event.kind)

    read(f"wais://{server}/sky/GIF/2%3Dsky%3B3%3Doctets%3B", trace=watch)
    assert ("send", "send") not in itertools.pairwise(sent)
    assert sent.count("send") == 5
    assert sent.count("connect") == 1


def test_options_as_text(server: Address) -> None:
    planets = entries(f"wais://{server}/sky?planets")[0].url or ""
    both = f"l0-1:{planets} b0-5:{planets}"
    assert "planets" in [entry.name for entry in entries(f"wais://{server}/sky?bread", feedback=both)]


# --- what is refused before a connection ------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["d%00b", "d%1Fb?words", "db?a%0Ab", "db?%7F", "db/T%1FEXT/id", "d%40b/TEXT/id"])
def test_what_may_not_be_sent_reaches_no_server(path: str) -> None:
    with rogue(stays_silent()) as server:
        with pytest.raises(UnsafeURL):
            access(f"wais://{server}/{path}")
        assert server.visits == []


def test_the_port_of_another_protocol_is_refused() -> None:
    with pytest.raises(PolicyDenied) as refused:
        access("wais://127.0.0.1:25/db")
    assert refused.value.rule == "ports"


# --- servers that misbehave -------------------------------------------------------------------------------------------

PATHS = ["db", "db?words", "db/TEXT/id"]
ACCEPTED = message(apdu(b"\x15\x01" + number(6, 100_000), b""))
HEARS_INIT = hears_exactly(len(queries.init()))


def text(octets: bytes) -> bytes:
    record = element(153, element(116, b"id") + element(127, octets))
    return message(apdu(b"\x17" + bytes(10), element(99, record)))


def hears_request() -> Act:
    """Wait for a whole message."""

    def act(visitor: Visitor) -> None:
        visitor.hear_exactly(int(visitor.hear_exactly(25)[:10]))

    return act


Failure = TypeVar("Failure", bound=URLError)


def fails(path: str, error: type[Failure], *acts: Act, policy: Policy = QUICK) -> Failure:
    """The error that an access of a server that does this must end with."""
    with rogue(*acts) as server, pytest.raises(error) as caught:
        exhaust(f"wais://{server}/{path}", policy)
    assert str(caught.value).isascii()
    assert str(caught.value).isprintable()
    return caught.value


def exhaust(url: str, policy: Policy) -> None:
    with access(url, policy=policy) as found:
        for _ in found:
            pass


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("end", [resets, closes, ends_output])
def test_broken_off_in_the_middle(path: str, end: Any) -> None:  # B09, B10
    begun = says(text(b"12345")[:40])
    pause = lambda visitor: visitor.wait(0.1)  # noqa: E731  else the octets are lost with the connection
    assert fails(path, Truncated, HEARS_INIT, says(ACCEPTED), hears_request(), begun, pause, end()).received


def test_a_document_without_an_end_takes_no_memory() -> None:  # B11
    patient = replace(QUICK, limits=replace(QUICK.limits, deadline=30))
    endless = (HEARS_INIT, says(ACCEPTED), loops(hears_request(), says(text(bytes(10_000)))))
    with rogue(*endless) as server, access(f"wais://{server}/db/TEXT/id", policy=patient) as document:
        assert isinstance(document, Document)
        received = len(document.read(10_000))
        tracemalloc.start()
        try:
            for piece in document:
                received += len(piece)
                if received > 3_000_000:
                    break
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 1_500_000


@pytest.mark.parametrize("path", PATHS)
def test_a_flood(path: str) -> None:  # B11
    assert fails(path, ProtocolError, HEARS_INIT, floods()).where
    fails(path, ProtocolError, HEARS_INIT, floods(ACCEPTED))


def test_slices_of_one_octet_meet_the_deadline() -> None:  # B12
    slow = (HEARS_INIT, says(ACCEPTED), loops(hears_request(), lambda visitor: visitor.wait(0.05), says(text(b"x"))))
    fails("db/TEXT/id", DeadlineExceeded, *slow)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "octets",
    [
        b"\0" * 5000,
        bytes(range(256)) * 20,
        b"\x1b]52;c;x\x07\r\n" * 5,
        b"220 host.dom ready\r\n",
        b"HTTP/1.0 400 \r\n\r\n",
    ],
)
def test_noise(path: str, octets: bytes) -> None:  # B14
    assert fails(path, ProtocolError, HEARS_INIT, says(octets), stays_silent()).where
    assert fails(path, ProtocolError, HEARS_INIT, says(ACCEPTED), hears_request(), says(octets), stays_silent()).where


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("head", "error"),
    [
        (b"00000000x8z2wais        0", ProtocolError),
        (b"-000000008z2wais        0", ProtocolError),
        (b"+000000008z2wais        0", ProtocolError),
        (b"         8z2wais        0", ProtocolError),
        (b"9999999999z2wais        0", LimitExceeded),
        (b"0000000009z2wais        0" + bytes(8), Truncated),
        (b"0000000005z2wais        0" + b"\xff\xff\x17\x00\x00", ProtocolError),
        (message(apdu(b"\x17" + bytes(10), b"\x63\xff\xff\x7f")), ProtocolError),
    ],
)
def test_a_length_that_lies(path: str, head: bytes, error: type[URLError]) -> None:  # B44
    fails(path, error, HEARS_INIT, says(ACCEPTED), hears_request(), says(head))


def test_memory_follows_the_octets_received_and_no_announced_length() -> None:  # B44
    announced = b"%010dz2wais        0" % MOST_MESSAGE
    with rogue(HEARS_INIT, says(announced, b"only this")) as server:
        tracemalloc.start()
        try:
            with pytest.raises(Truncated) as caught:
                access(f"wais://{server}/db", policy=QUICK)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert (caught.value.received, caught.value.expected) == (9, MOST_MESSAGE)
    assert peak < 1_000_000


def test_nothing_that_an_identifier_names_is_contacted() -> None:
    with rogue(stays_silent()) as other:
        place = str(other).encode()
        identifier = element(1, place) + element(2, b"db") + element(3, b"x") + element(4, place)
        said = element(116, identifier) + element(123, b"Elsewhere") + element(132, element(133, b"TEXT"))
        answer = message(apdu(b"\x17" + bytes(10), element(99, element(150, said))))
        with rogue(HEARS_INIT, says(ACCEPTED), hears_request(), says(answer)) as server:
            entry = the(f"wais://{server}/db?words", policy=QUICK)
            found = WaisURL.parse(entry.url or "")
            assert (found.host, found.port) == server
            assert octets_of(found.wpath or "") == identifier
        assert other.visits == []


def test_nothing_is_sent_but_what_the_url_says() -> None:
    with rogue(HEARS_INIT, says(ACCEPTED), hears_request(), says(text(b"")), stays_silent()) as server:
        assert read(f"wais://{server}/db/TEXT/id", policy=QUICK) == b""
        expected = queries.init() + queries.retrieval(b"db", b"id", b"TEXT", queries.Part(0, 10_000))
        assert server.heard == [expected]
