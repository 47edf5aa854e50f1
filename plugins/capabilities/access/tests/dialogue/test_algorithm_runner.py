"""Algorithms that raise, or break their contract."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest
from fake_servers import (
    Serve,
    until_gone,
)
from talk_scheme import TalkURL, run

from urlschemes.errors import PluginContractError, PluginError
from urlschemes_access.protocol import (
    Algorithm,
    Close,
    Connect,
    Deliver,
    Open,
    Peer,
    Ready,
    Receive,
    Send,
)

pytestmark = pytest.mark.usefixtures("backend")


def test_a_memory_error_passes_through() -> None:
    def algorithm() -> Algorithm[None]:
        yield from ()
        raise MemoryError

    with pytest.raises(MemoryError):
        run(algorithm())


def test_any_other_exception_becomes_a_plugin_error() -> None:
    def algorithm() -> Algorithm[None]:
        yield from Open("document")
        raise KeyError("\x1b[2J\nx")

    with pytest.raises(PluginError, match=r"the algorithm of scheme 'x-talk' failed: KeyError") as fault:
        run(algorithm()).read()
    assert isinstance(fault.value.__cause__, KeyError)
    assert "\n" not in str(fault.value)
    assert "\x1b" not in str(fault.value)


def test_an_exception_that_contains_the_password_is_not_the_cause() -> None:
    def algorithm() -> Algorithm[None]:
        yield from ()
        raise ValueError("cannot log in with hunter22")

    with pytest.raises(PluginError, match=r"cannot log in with \*\*\*") as fault:
        run(algorithm(), url=TalkURL.parse("x-talk://me:hunter22@127.0.0.1/"))
    assert fault.value.__cause__ is None


def opens_twice() -> Algorithm[None]:
    yield from Open("document")
    yield from Open("document")


def delivers_first() -> Algorithm[None]:
    yield from Deliver(b"x")


def never_opens() -> Algorithm[None]:
    yield from ()


def yields_a_number() -> Algorithm[None]:
    yield cast("Any", 7)


def delivers_text() -> Algorithm[None]:
    yield from Open("document")
    yield from Deliver(cast("Any", "text"))


def delivers_octets_in_a_listing() -> Algorithm[None]:
    yield from Open("listing")
    yield from Deliver(b"x")


def delivers_attributes() -> Algorithm[None]:
    yield from Open("attributes")
    yield from Deliver(b"x")


def opens_a_session_of_no_type() -> Algorithm[None]:
    yield from Open("session", session=cast("Any", dict))


def opens_with_a_dict() -> Algorithm[None]:
    yield from Open("document", cast("Any", {"size": 1}))


def uses_a_strangers_peer() -> Algorithm[None]:
    yield from Receive(Peer("mine"))


def waits_for_no_peer() -> Algorithm[None]:
    yield from Ready([])


def is_no_generator() -> Any:
    return iter(())


@pytest.mark.parametrize(
    "algorithm",
    [
        opens_twice,
        delivers_first,
        never_opens,
        yields_a_number,
        delivers_text,
        delivers_octets_in_a_listing,
        delivers_attributes,
        opens_a_session_of_no_type,
        opens_with_a_dict,
        uses_a_strangers_peer,
        waits_for_no_peer,
        is_no_generator,
    ],
)
def test_a_broken_contract_is_an_error_with_what_was_expected(algorithm: Callable[[], Any]) -> None:
    with pytest.raises(
        PluginContractError, match="the algorithm of scheme 'x-talk' broke its contract: expected"
    ) as fault:
        list(run(algorithm()))
    assert fault.value.wants
    assert fault.value.has


def test_a_closed_peer_cannot_be_used(serve: Serve) -> None:
    port = serve(until_gone)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from Close(peer)
        yield from Send(peer, b"x")

    with pytest.raises(PluginContractError):
        run(algorithm(), port=port)
