"""WAIS over real sockets: the server of urlschemes-servers."""

from collections.abc import Iterator
from typing import Any

import pytest
from opening import content_of, entries_of, open_document

from urlschemes_access import Entry
from urlschemes_access.errors import RemoteError
from urlschemes_servers.wais import WaisDocument, wais_server
from urlschemes_testing.loopback import Address
from urlschemes_wais import WaisURL

ALL_OCTETS = bytes(range(256)) * 1200  # 307,200 octets: four slices
POEM = b"Roses are red, and bread is brown.\n"
TEXTS = {
    "planets": b"Planets and their moons.\nJupiter has many moons. A comet struck Jupiter in 1994.\n",
    "comets": b"Comets are made of ice and dust. A comet has a tail.\n",
    "cooking": b"Bread is made of flour, water and salt.\n",
}
SKY: dict[str, str | bytes | WaisDocument] = {
    **TEXTS,
    "octets": WaisDocument({"GIF": ALL_OCTETS, "TEXT": POEM}, headline="All octets, in a picture", date="19941201"),
}


@pytest.fixture(scope="module")
def server() -> Iterator[Address]:
    with wais_server({"sky": SKY}) as address:
        yield address


def entries(url: str, **options: Any) -> list[Entry]:
    return entries_of(url, options=options)


def test_a_database_opens_to_its_description_and_catalog(server: Address) -> None:
    description, catalog = entries(f"wais://{server}/sky")
    assert (description.kind, description.name) == ("WSRC", "Information on database: sky")
    assert (catalog.kind, catalog.name) == ("TEXT", "Catalog for database: sky")
    with open_document(description.url or "") as document:
        assert document.media_type == "application/x-wais-source"
        source = document.read()
    assert b':database-name "sky"' in source
    assert len(source) == description.size
    assert b"All octets, in a picture\n" in content_of(catalog.url or "")


@pytest.mark.rfc1738(122)
def test_the_urls_of_the_results_of_a_search_give_their_documents(server: Address) -> None:
    results = entries(f"wais://{server}/sky?comet%20jupiter")
    assert [(entry.name, entry.fields["score"]) for entry in results] == [("planets", "1000"), ("comets", "333")]
    for entry in results:
        url = entry.parse()
        assert isinstance(url, WaisURL)
        assert (url.host, url.port, url.database, url.wtype) == (*server, "sky", "TEXT")
        assert content_of(str(url)) == TEXTS[entry.name]
        assert entry.size == len(TEXTS[entry.name])


def test_a_document_of_several_types_is_retrieved_in_each(server: Address) -> None:
    (entry,) = entries(f"wais://{server}/sky?picture")
    assert (entry.kind, entry.fields["types"], entry.fields["date"]) == ("GIF", "GIF TEXT", "19941201")
    picture = entry.parse()
    assert isinstance(picture, WaisURL)
    with open_document(str(picture)) as document:
        assert document.media_type == "image/gif"
        pieces = list(document)
    assert b"".join(pieces) == ALL_OCTETS
    assert len(pieces) == 4
    assert all(90_000 < len(piece) < 95_000 for piece in pieces[:3])
    assert content_of(str(picture.replace(wtype="TEXT"))) == POEM


def test_a_search_takes_options_and_a_diagnostic_is_a_remote_error(server: Address) -> None:
    planets = entries(f"wais://{server}/sky?planets")[0].url or ""
    assert len(entries(f"wais://{server}/sky?bread", feedback=[f"b0-7:{planets}"], most=1)) == 1
    with pytest.raises(RemoteError) as caught:
        open_document(f"wais://{server}/nosuch")
    assert (caught.value.status, caught.value.temporary) == ("S1", False)
