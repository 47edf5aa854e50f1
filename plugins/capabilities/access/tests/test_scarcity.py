"""When the system has no more threads or descriptors, and when a listener raises: a typed error, nothing left open."""

from __future__ import annotations

import errno
import gc
import selectors
import socket
import threading
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from talking import TALK, TalkURL

from urlschemes_access.backends import blocking
from urlschemes_access.dialogue import Dialogue
from urlschemes_access.errors import ConnectError, ResolveError
from urlschemes_access.policy import Policy
from urlschemes_access.protocol import Algorithm, Connect, Deliver, Open, Ready
from urlschemes_access.trace_event import TraceEvent

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def port() -> Iterator[int]:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        yield server.getsockname()[1]


def run(algorithm: Algorithm[None], **more: Any) -> Any:
    url = TalkURL.parse("x-talk://127.0.0.1/")
    return blocking.run(Dialogue(algorithm, url=url, registration=TALK, policy=Policy(networks=("127.0.0.0/8",)), **more))


def test_no_more_threads_to_resolve_in(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    def algorithm() -> Algorithm[None]:
        yield from Connect("localhost", port)

    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(ResolveError, match="can't start new thread"):
        run(algorithm())


def test_no_more_descriptors_to_wait_with(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from Ready((peer,))

    def none_left() -> selectors.BaseSelector:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(selectors, "DefaultSelector", none_left)
    with pytest.raises(ConnectError, match="Too many open files"):
        run(algorithm())


def test_a_listener_that_raises_keeps_nothing_from_being_closed(port: int) -> None:
    def algorithm() -> Algorithm[None]:
        yield from Connect("127.0.0.1", port)
        yield from Connect("127.0.0.1", port)
        yield from Open("document")
        yield from Deliver(b"x")

    def trace(event: TraceEvent) -> None:
        if event.kind == "close":
            raise OSError("nobody listens any more")

    document = run(algorithm(), trace=trace)
    gc.collect()
    before = open_descriptors()
    with pytest.raises(OSError, match="nobody listens"):
        document.close()
    assert open_descriptors() == before - 2


def open_descriptors() -> int:
    folder = Path("/proc/self/fd")
    if not folder.exists():
        pytest.skip("the system does not tell what is open")
    return len(list(folder.iterdir()))
