"""`open_document`, `open_listing` and `open_session`: what a caller expects, or an error and no open connection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, assert_type

import pytest
from event_loop_helpers import run
from fake_servers import Serve
from talk_scheme import LOOPBACK

from urlschemes.errors import PluginContractError, UnsupportedOperation
from urlschemes_access import (
    AsyncClient,
    AsyncDocument,
    AsyncListing,
    AsyncSession,
    Client,
    Document,
    Listing,
    Session,
    open_document,
    open_listing,
    open_session,
)
from urlschemes_access.protocol import Algorithm, Connect, Open, Send

FUNCTIONS = {"document": open_document, "listing": open_listing, "session": open_session}


@pytest.fixture
def talk(nothing_left_open: None, serve: Serve, offer: Callable[..., AsyncClient]) -> Callable[[str], Any]:
    """Return a function that makes a client whose accesses open resources of a kind."""

    def make(kind: str) -> tuple[AsyncClient, str]:
        port = serve(lambda connection: connection.sendall(connection.recv(100)))

        def algorithm(_: object) -> Algorithm[None]:
            peer = yield from Connect("127.0.0.1", port)
            yield from Open(kind, session=Session if kind == "session" else None, peer=peer)  # type: ignore[arg-type]
            yield from Send(peer, b"bye")

        return offer(access=algorithm, open_session=algorithm), f"x-talk://127.0.0.1:{port}/"

    return make


@pytest.mark.parametrize("kind", ["document", "listing", "session"])
@pytest.mark.parametrize("wanted", ["document", "listing"])
def test_a_resource_is_of_the_kind_that_is_opened(talk: Callable[[str], Any], kind: str, wanted: str) -> None:
    client, url = talk(kind)
    arguments: Any = {"policy": LOOPBACK, "registry": client.registry}
    opened: list[Any] = []

    async def open_it() -> None:
        opened.append(await getattr(client, f"open_{wanted}")(url, policy=LOOPBACK))
        await opened[0].aclose()

    if kind == wanted:
        run(open_it())
        with FUNCTIONS[wanted](url, **arguments) as resource:
            opened.append(resource)
        assert [type(each).__name__.lower().removeprefix("async") for each in opened] == [kind, kind]
        return
    for refused in (lambda: run(open_it()), lambda: FUNCTIONS[wanted](url, **arguments)):
        with pytest.raises(UnsupportedOperation, match=rf"^{url} is a {kind}, not a {wanted}; open it as a {kind}$"):
            refused()


def test_a_session_is_opened_by_an_operation_of_its_own(talk: Callable[[str], Any]) -> None:
    client, url = talk("session")

    async def converse() -> None:
        async with await client.open_session(url, policy=LOOPBACK) as session:
            assert isinstance(session, AsyncSession)

    run(converse())
    with open_session(url, policy=LOOPBACK, registry=client.registry) as session:
        assert isinstance(session, Session)
    client, url = talk("document")
    with pytest.raises(PluginContractError, match="expected Open of session"):
        run(client.open_session(url, policy=LOOPBACK))


def test_the_types_are_known() -> None:
    async def examples(client: AsyncClient, blocking: Client) -> None:
        assert_type(await client.open_document(""), AsyncDocument)
        assert_type(await client.open_listing(""), AsyncListing)
        assert_type(await client.open_session(""), AsyncSession[Any])
        assert_type(blocking.open_document(""), Document)
        assert_type(blocking.open_listing(""), Listing)
        assert_type(blocking.open_session(""), Session)

    assert examples.__name__ == "examples"
