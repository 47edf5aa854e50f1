"""HTTP/2: many requests on one connection, each with its own limits."""

from __future__ import annotations

import importlib
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from urlschemes_access import Limits, Policy

pytest.importorskip("h2", reason="needs h2: python3 dev --group bridges pytest")
trustme = pytest.importorskip("trustme", reason="needs trustme: python3 dev --group bridges pytest")
STREAMS = 20
LIBRARIES = pytest.mark.parametrize("library", ["httpx", "httpx2"])


class Server:
    """An HTTP/2 server on a loopback address. `/long` is longer than the limits; `/never` has no answer."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.context = context
        self.port = self.listener.getsockname()[1]
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self.connections += 1
                threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        from h2.config import H2Configuration
        from h2.connection import H2Connection
        from h2.events import RequestReceived

        with suppress(OSError), self.context.wrap_socket(connection, server_side=True) as secured:
            secured.settimeout(30)
            talk = H2Connection(H2Configuration(client_side=False))
            talk.initiate_connection()
            secured.sendall(talk.data_to_send())
            waiting: dict[int, bytes] = {}
            while octets := secured.recv(65536):
                for event in talk.receive_data(octets):
                    if isinstance(event, RequestReceived):
                        path = dict(event.headers)[b":path"]
                        if path == b"/never":
                            continue
                        talk.send_headers(event.stream_id, [(b":status", b"200")])
                        waiting[event.stream_id] = b"x" * (500_000 if path == b"/long" else 50_000)
                for stream in list(waiting):
                    with suppress(Exception):  # a stream that the client has reset
                        while waiting[stream] and (room := talk.local_flow_control_window(stream)):
                            piece = waiting[stream][: min(room, talk.max_outbound_frame_size)]
                            waiting[stream] = waiting[stream][len(piece) :]
                            talk.send_data(stream, piece, end_stream=not waiting[stream])
                        if waiting[stream]:
                            continue
                    del waiting[stream]
                secured.sendall(talk.data_to_send())


@pytest.fixture
def server() -> Iterator[tuple[Server, ssl.SSLContext]]:
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    context.set_alpn_protocols(["h2"])
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    made = Server(context)
    yield made, trusting
    made.listener.close()


def policy(**limits: Any) -> Policy:
    return Policy(networks=("127.0.0.1",), limits=Limits(content=100_000, **limits))


@LIBRARIES
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@pytest.mark.parametrize("odd", ["/long", "/never"])
def test_one_stream_beyond_its_limit_leaves_the_others_unharmed(
    library: str, backend: str, odd: str, server: tuple[Server, ssl.SSLContext]
) -> None:
    anyio = pytest.importorskip("anyio")
    pytest.importorskip(library)
    pytest.importorskip(backend)
    module = importlib.import_module(f"urlschemes_guard.{library}")
    serving, trusting = server
    found: dict[int, Any] = {}

    async def get(client: Any, number: int) -> None:
        path = odd if number == 7 else "/"
        try:
            found[number] = len((await client.get(f"https://127.0.0.1:{serving.port}{path}")).content)
        except module.RequestRefused as error:
            found[number] = error.error.code

    async def run() -> None:
        limits = policy(deadline=2) if odd == "/never" else policy()
        async with module.AsyncClient(policy=limits, verify=trusting, http2=True, timeout=20) as client:
            answer = await client.get(f"https://127.0.0.1:{serving.port}/")
            assert answer.http_version == "HTTP/2"
            async with anyio.create_task_group() as group:
                for number in range(STREAMS):
                    group.start_soon(get, client, number)
            await get(client, STREAMS)

    anyio.run(run, backend=backend)
    expected = "limit-exceeded" if odd == "/long" else "deadline-exceeded"
    assert found == {number: expected if number == 7 else 50_000 for number in range(STREAMS + 1)}
    assert serving.connections == 1


@LIBRARIES
def test_a_client_without_a_loop_keeps_a_connection_after_a_limit(
    library: str, server: tuple[Server, ssl.SSLContext]
) -> None:
    pytest.importorskip(library)
    module = importlib.import_module(f"urlschemes_guard.{library}")
    serving, trusting = server
    with module.Client(policy=policy(), verify=trusting, http2=True, timeout=20) as client:
        for _ in range(3):
            assert len(client.get(f"https://127.0.0.1:{serving.port}/").content) == 50_000
            with pytest.raises(module.RequestRefused, match="the content is longer than 100000"):
                client.get(f"https://127.0.0.1:{serving.port}/long")
    assert serving.connections == 1
