"""The blocking backend when the system has no more threads or file descriptors."""

from __future__ import annotations

import errno
import selectors
import threading

import pytest
from fake_servers import Serve, until_gone
from talk_scheme import run

from urlschemes_access.errors import ConnectError, ResolveError
from urlschemes_access.protocol import Algorithm, Connect, Ready

pytestmark = pytest.mark.usefixtures("nothing_left_open")


def test_a_system_without_more_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def algorithm() -> Algorithm[None]:
        yield from Connect("localhost", 8000)

    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(ResolveError, match="can't start new thread"):
        run(algorithm())


def test_a_system_that_cannot_wait(monkeypatch: pytest.MonkeyPatch, serve: Serve) -> None:
    port = serve(until_gone)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        yield from Ready((peer,))

    def selector() -> selectors.BaseSelector:
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    monkeypatch.setattr(selectors, "PollSelector", selector, raising=False)
    with pytest.raises(ConnectError, match="Cannot allocate memory"):
        run(algorithm(), port=port)
