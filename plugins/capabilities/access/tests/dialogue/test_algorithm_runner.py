"""Algorithms that raise, or break their contract."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest
from fake_servers import Serve, until_gone
from talk_scheme import TalkURL, run

from urlschemes.errors import PluginContractError, PluginError
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.protocol import Algorithm, Close, Connect, Deliver, Open, Peer, Ready, Receive, Send

pytestmark = pytest.mark.usefixtures("backend")


def test_a_memory_error_passes_through() -> None:
    def algorithm() -> Algorithm[None]:
        yield from ()
        raise MemoryError

    with pytest.raises(MemoryError):
        run(algorithm())


def recursion() -> None:
    recursion()


RAISED = {
    "value": (lambda: int("\x1b[2J\nx"), r"ValueError: invalid literal for int\(\) with base 10: '\\"),
    "key": (lambda: {}["\x1b[2J\nx"], "KeyError: "),
    "attribute": (lambda: cast("Any", None).nothing, "AttributeError: 'NoneType' object has no attribute 'nothing'"),
    "recursion": (recursion, "RecursionError: maximum recursion depth exceeded"),
    "stop": (lambda: next(iter(())), "RuntimeError: generator raised StopIteration"),
}


@pytest.mark.plugin_fault(15)
@pytest.mark.parametrize(("fail", "words"), RAISED.values(), ids=RAISED)
def test_any_other_exception_becomes_a_plugin_error(fail: Callable[[], object], words: str) -> None:
    def algorithm() -> Algorithm[None]:
        yield from Open("document")
        fail()

    with pytest.raises(PluginError, match=f"^the algorithm of scheme 'x-talk' failed: {words}") as fault:
        run(algorithm()).read()
    assert type(fault.value.__cause__).__name__ == words.partition(":")[0]
    assert str(fault.value).isprintable()


@pytest.mark.plugin_fault(24)
def test_an_exception_that_contains_the_password_is_not_the_cause() -> None:
    def algorithm() -> Algorithm[None]:
        yield from ()
        raise ValueError("cannot log in with hunter22")

    with pytest.raises(PluginError, match=r"cannot log in with \*\*\*") as fault:
        run(algorithm(), url=TalkURL.parse("x-talk://me:hunter22@127.0.0.1/"))
    assert fault.value.__cause__ is None


def asks(*requests: Any) -> Any:
    yield from requests


def opens(*delivered: Any, kind: Any = "document", attributes: Any = None, **more: Any) -> Any:
    return asks(Open(kind, attributes, **more), *map(Deliver, delivered))


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "opens twice": (lambda: asks(Open("document"), Open("document")), ""),
    "delivers first": (lambda: asks(Deliver(b"x")), ""),
    "never opens": (asks, ""),
    "yields a number": (lambda: asks(7), ""),
    "delivers text": (lambda: opens("text"), "octets of a document"),
    "delivers nothing": (lambda: opens(None), "octets of a document"),
    "delivers an entry of a document": (lambda: opens(Entry(name="a")), "octets of a document"),
    "delivers octets of a listing": (lambda: opens(b"x", kind="listing"), "entries of a listing"),
    "delivers octets of attributes": (lambda: opens(b"x", kind="attributes"), ""),
    "opens a session of no type": (lambda: opens(kind="session", session=dict), ""),
    "opens with a dict": (lambda: opens(attributes={"size": 1}), ""),
    "uses a stranger's peer": (lambda: asks(Receive(Peer("mine"))), ""),
    "waits for no peer": (lambda: asks(Ready([])), ""),
    "a wrong size": (lambda: opens(attributes=Attributes(size=cast("Any", "1"))), "int or None as size"),
    "a wrong start": (lambda: opens(attributes=Attributes(start=True)), "int or None as start"),
    "a wrong name": (lambda: opens(Entry(name=cast("Any", b"a")), kind="listing"), "str or None as name"),
    "wrong fields": (
        lambda: opens(Entry(name="a", fields=cast("Any", [1])), kind="listing"),
        "a mapping of str to str as fields",
    ),
    "a wrong field": (
        lambda: opens(attributes=Attributes(fields=cast("Any", {"a": 1}))),
        "a mapping of str to str as fields",
    ),
    "an iterator": (lambda: iter(()), "an algorithm made by a generator function"),
    "a number": (lambda: 7, "an algorithm made by a generator function"),
}


@pytest.mark.plugin_fault(17)
@pytest.mark.parametrize(("algorithm", "expected"), WRONG.values(), ids=WRONG)
def test_a_broken_contract_is_an_error_with_what_was_expected(algorithm: Callable[[], Any], expected: str) -> None:
    broke = f"^the algorithm of scheme 'x-talk' broke its contract: expected {expected}.*, got "
    with pytest.raises(PluginContractError, match=broke) as fault:
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
