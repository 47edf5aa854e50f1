"""Fixtures: servers, both backends, clients of x-talk, and checks that nothing is left open or running."""

from __future__ import annotations

import gc
import socket
import sys
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from event_loop_runner import EventLoopRunner
from fake_servers import PATIENCE, Serve, Talk, descriptors, eventually
from talk_scheme import TALK, TalkURL

from urlschemes import Registry, Scheme
from urlschemes_access.client import AsyncClient
from urlschemes_access.protocol import Algorithm
from urlschemes_access.resources import synchronous


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Return a function that starts a server on a loopback address and returns its port; `talk` gets each connection.

    Every client must have closed its connections when the test ends.
    """
    listeners: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def begin(what: Callable[[socket.socket, Talk], None], served: socket.socket, talk: Talk) -> None:
        thread = threading.Thread(target=what, args=(served, talk))
        threads.append(thread)
        thread.start()

    def attend(connection: socket.socket, talk: Talk) -> None:
        connection.settimeout(PATIENCE)
        with connection, suppress(OSError):  # in many tests the client closes early
            talk(connection)

    def accept(listener: socket.socket, talk: Talk) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            begin(attend, connection, talk)

    def start(talk: Talk, *, at: str = "127.0.0.1") -> int:
        family = socket.AF_INET6 if ":" in at else socket.AF_INET
        listener = socket.create_server((at, 0), family=family, backlog=200, dualstack_ipv6=at == "::")
        listener.settimeout(PATIENCE)
        listeners.append(listener)
        begin(accept, listener, talk)
        return int(listener.getsockname()[1])

    yield start
    for listener in listeners:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()


@pytest.fixture
def nothing_left_open() -> Iterator[None]:
    """Fail a test that leaves file descriptors open."""
    before = descriptors()
    yield
    if descriptors() <= before:
        return
    gc.collect()
    assert eventually(lambda: descriptors() <= before)


@pytest.fixture
def no_thread_left() -> Iterator[None]:
    """Fail a test that leaves threads running."""
    before = threading.active_count()
    yield
    assert eventually(lambda: threading.active_count() <= before)


@pytest.fixture(params=["blocking", "event loop"])
def backend(request: pytest.FixtureRequest, nothing_left_open: None) -> Iterator[str]:
    """Run the test once on each backend: `urlschemes_access.resources.synchronous.run` is either."""
    if request.param == "blocking":
        yield request.param
        return
    runner = EventLoopRunner()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(synchronous, "run", runner.run)
        yield request.param
    runner.close()


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Callable[..., AsyncClient]:
    """Return a function that registers x-talk with algorithms, by the names of its operations, and returns a client."""

    def make(**algorithms: Callable[..., Algorithm[None]]) -> AsyncClient:
        module = types.ModuleType("x_talk_algorithms")
        vars(module).update(algorithms)
        monkeypatch.setitem(sys.modules, module.__name__, module)
        registry = Registry(plugins=())
        registry.register(Scheme(TALK, TalkURL, access=module.__name__))
        return AsyncClient(registry=registry)

    return make
