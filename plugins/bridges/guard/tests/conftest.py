"""Fixtures: servers, names, and the clients. Nothing leaves this machine."""

from __future__ import annotations

import gc
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from local_web import Answer, Network, Server, Start, loopback_only


def pytest_itemcollected(item: pytest.Item) -> None:
    """Let httpx leave generators to the collector, of which trio warns: it does so without a guard, too."""
    if Path(__file__).parent in item.path.parents:
        item.add_marker(pytest.mark.filterwarnings("ignore:Async generator 'http:ResourceWarning"))


@pytest.fixture
def serve() -> Iterator[Start]:
    """Return a function that starts a server with answers by path, at a loopback address."""
    servers: list[Server] = []

    def start(answers: dict[str, Answer] | None = None, *, at: str = "127.0.0.1", context: Any = None) -> Server:
        server = Server(answers or {}, at, context)
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return server

    yield start
    for server in servers:
        server.stop()


@pytest.fixture(autouse=True)
def network(monkeypatch: pytest.MonkeyPatch) -> Iterator[Network]:
    """Answer for the resolver, and let nothing leave this machine."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    made = Network()
    with loopback_only(made):
        yield made


@pytest.fixture
def client(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A guarded client, if its library is installed."""
    for library in (request.param.library, *(["trio"] if "trio" in request.param.name else [])):
        pytest.importorskip(library, reason=f"needs {library}: python3 dev --group bridges pytest")
    yield request.param
    if request.param.library == "aiohttp":  # it leaves a socket of a request that ran late to the collector, in itself
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A certificate authority, and the file with its certificate."""
    trustme = pytest.importorskip("trustme", reason="needs trustme: python3 dev --group bridges pytest")
    made = trustme.CA()
    file = tmp_path_factory.mktemp("tls") / "ca.pem"
    made.cert_pem.write_to_path(str(file))
    return made, file
