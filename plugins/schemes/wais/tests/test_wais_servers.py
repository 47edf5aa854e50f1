"""WAIS over real sockets: the server of urlschemes-servers."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import urlschemes_access
from urlschemes_access import Document, Entry, Listing, Policy
from urlschemes_access.errors import RemoteError, Truncated
from urlschemes_access.trace_event import TraceEvent
from urlschemes_servers.wais import WaisDocument, wais_server
from urlschemes_testing.loopback import Address
from urlschemes_wais import WaisURL

HERE = Policy.interactive()

ALL_OCTETS = bytes(range(256)) * 1200  # 307,200 octets: four slices
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


def access(url: str, trace: Callable[[TraceEvent], None] | None = None, **options: Any) -> Document | Listing:
    opened = urlschemes_access.access(url, policy=HERE, trace=trace, options=options)
    assert isinstance(opened, Document | Listing)
    return opened


def read(url: str, trace: Callable[[TraceEvent], None] | None = None) -> bytes:
    with access(url, trace) as document:
        assert isinstance(document, Document)
        return document.read()


def entries(url: str, **options: Any) -> list[Entry]:
    with access(url, **options) as listing:
        assert isinstance(listing, Listing)
        return list(listing)


def only_entry(url: str) -> Entry:
    (entry,) = entries(url)
    return entry


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


@pytest.mark.rfc1738(122)
def test_the_urls_of_the_results_of_a_search_give_their_documents(server: Address) -> None:
    results = entries(f"wais://{server}/sky?comet%20jupiter")
    assert [(entry.name, entry.fields["score"]) for entry in results] == [("planets", "1000"), ("comets", "333")]
    for entry in results:
        url = entry.parse()
        assert isinstance(url, WaisURL)
        assert (url.host, url.port, url.database, url.wtype) == (*server, "sky", "TEXT")
        assert read(str(url)) == TEXTS[entry.name]
        assert entry.size == len(TEXTS[entry.name])


def test_a_document_of_several_types_is_retrieved_in_each(server: Address) -> None:
    entry = only_entry(f"wais://{server}/sky?picture")
    assert (entry.kind, entry.fields["types"], entry.fields["date"]) == ("GIF", "GIF TEXT", "19941201")
    picture = entry.parse()
    assert isinstance(picture, WaisURL)
    with access(str(picture)) as document:
        assert isinstance(document, Document)
        assert document.media_type == "image/gif"
        pieces = list(document)
    assert b"".join(pieces) == ALL_OCTETS
    assert len(pieces) == 4
    assert all(90_000 < len(piece) < 95_000 for piece in pieces[:3])
    assert read(str(picture.replace(wtype="TEXT"))) == POEM


def test_a_document_may_be_empty_or_end_at_the_border_of_a_slice(server: Address) -> None:
    for name in ("border", "empty", "many"):
        assert read(f"wais://{server}/sky/TEXT/2%3Dsky%3B3%3D{name}%3B") == TEXTS[name]


def test_an_identifier_in_the_old_notation_is_understood(server: Address) -> None:
    place = f"wais://{server}/sky/TEXT/"
    size = len(TEXTS["planets"])
    assert read(f"{place}{size}%2F2%3Dsky%3B3%3D0%20{size}%20planets%3B7%3D%00%3B") == TEXTS["planets"]
    with pytest.raises(Truncated) as short:
        read(f"{place}{size + 1}%2F2%3Dsky%3B3%3Dplanets%3B")
    assert short.value.partial == TEXTS["planets"]


def test_a_document_of_type_url_is_a_url(server: Address) -> None:
    assert only_entry(f"wais://{server}/sky?host").url == "http://host.dom/a"


def test_a_search_without_results_is_an_empty_listing(server: Address) -> None:
    assert entries(f"wais://{server}/sky?zzzzqq") == []


def test_most_limits_the_results(server: Address) -> None:
    assert len(entries(f"wais://{server}/sky?a%20comet%20bread%20telescope")) > 3
    assert len(entries(f"wais://{server}/sky?a%20comet%20bread%20telescope", most=2)) == 2


def test_relevance_feedback_finds_similar_documents(server: Address) -> None:
    search = f"wais://{server}/sky?bread"
    assert [entry.name for entry in entries(search)] == ["cooking"]
    planets = entries(f"wais://{server}/sky?planets")[0].url or ""
    similar = {entry.name for entry in entries(search, feedback=planets)}
    assert similar >= {"cooking", "planets", "comets"}
    assert [entry.name for entry in entries(search, feedback=f"b0-7:{planets}")] == ["cooking", "planets"]
    assert "planets" in [entry.name for entry in entries(search, feedback=[f"l1-2:{planets}"])]
    with pytest.raises(RemoteError, match="query syntax error"):
        entries(f"wais://{server}/sky?", feedback=planets)


def test_a_database_name_may_be_a_path(server: Address) -> None:
    assert read(only_entry(f"wais://{server}/a%2Fb?word").url or "") == b"word"


@pytest.mark.parametrize(
    ("path", "status"),
    [("nosuch", "S1"), ("", "S1"), ("nosuch?words", "S1"), ("sky?(a", "S1"), ("sky/TEXT/zzzz", "SF")],
)
def test_a_diagnostic_is_a_remote_error(server: Address, path: str, status: str) -> None:
    with pytest.raises(RemoteError) as caught:
        access(f"wais://{server}/{path}")
    assert (caught.value.status, caught.value.temporary) == (status, False)


def test_a_missing_document_or_type_is_a_remote_error(server: Address) -> None:
    for path in ("sky/TEXT/2%3Dsky%3B3%3Dgone%3B", "sky/GIF/2%3Dsky%3B3%3Dplanets%3B"):
        with pytest.raises(RemoteError, match="Bad DocID"):
            access(f"wais://{server}/{path}")


def test_an_identifier_that_crashes_the_server_is_an_error(server: Address) -> None:
    with pytest.raises(Truncated):
        access(f"wais://{server}/sky/TEXT/%03%05local")


def test_slices_fit_into_the_messages_of_the_server() -> None:
    with wais_server({"sky": SKY}, record=900) as server:
        assert read(f"wais://{server}/sky/TEXT/2%3Dsky%3B3%3Dborder%3B") == TEXTS["border"]
        with pytest.raises(RemoteError, match="empty"):
            access(f"wais://{server}/sky?a%20comet%20bread%20telescope%20picture%20host%20planets%20empty%20border")


def test_each_request_waits_for_the_previous_response(server: Address) -> None:
    """The server, like real ones, closes the connection if two requests arrive at once."""
    sent: list[str] = []

    def watch(event: TraceEvent) -> None:
        if event.kind in {"send", "receive", "connect"}:
            sent.append(event.kind)

    read(f"wais://{server}/sky/GIF/2%3Dsky%3B3%3Doctets%3B", trace=watch)
    assert ("send", "send") not in itertools.pairwise(sent)
    assert sent.count("send") == 5
    assert sent.count("connect") == 1


def test_feedback_may_be_several_urls_in_one_string(server: Address) -> None:
    planets = entries(f"wais://{server}/sky?planets")[0].url or ""
    both = f"l0-1:{planets} b0-5:{planets}"
    assert "planets" in [entry.name for entry in entries(f"wais://{server}/sky?bread", feedback=both)]
