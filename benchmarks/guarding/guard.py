"""CPU time of a request through a guarded client, compared with the client alone."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import ipaddress
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from common.measurement import ROOT, Figure
from common.peers import OURS
from common.timing import quiet
from urlschemes import Registry
from urlschemes_access import Policy

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["can_run", "guard"]

CLIENTS = [
    ("httpx", "Client"),
    ("httpx", "AsyncClient"),
    ("httpx2", "Client"),
    ("httpx2", "AsyncClient"),
    ("requests", "Session"),
    ("aiohttp", "ClientSession"),
]
PEER = "ssrfguard"
TARGET = 1.1
LOOPBACK = "127.0.0.0/8"
BATCH = 50
"""Requests that one client makes before it is the turn of the next."""


def can_run() -> bool:
    """Return True if the bridges and their clients are installed."""
    return all(importlib.util.find_spec(name) for name in ("urlschemes_guard", *(library for library, _ in CLIENTS)))


def guard(rounds: int) -> Iterator[Figure]:
    """Yield the CPU time of a request by each client, on kept connections and on new ones."""
    if not can_run():
        sys.exit("benchmarks: guard needs the clients: python3 dev --group bridges python benchmarks/run.py guard")
    with _server() as port, asyncio.Runner() as runner:
        for library, name in CLIENTS:
            for path in ("kept", "new"):
                clients = runner.run(_clients(library, name, port))
                seconds = _in_turns(runner, clients, f"http://127.0.0.1:{port}/{path}", rounds)
                for who, each in seconds.items():
                    yield Figure(
                        table="requests over loopback: CPU time of the client",
                        what=f"{library}.{name}, {path} connections",
                        who=who,
                        value=each * 1e6,
                        unit="us",
                        ratio=each / seconds[library],
                        target=TARGET if who == OURS else None,
                    )


async def _clients(library: str, name: str, port: int) -> dict[str, Any]:
    """Return a client as its library has it, as ours, and as the peer's if that is installed and has one."""
    alone = getattr(importlib.import_module(library), name)
    ours = importlib.import_module(f"urlschemes_guard.{library}")
    policy, registry = Policy(networks=(LOOPBACK,)), Registry(plugins=())  # without the hooks that are installed here
    if library == "aiohttp":
        with_connector = alone(
            connector=ours.PolicyConnector(policy, registry=registry), timeout=ours.timeout_of(policy)
        )
        return {
            library: alone(),
            OURS: with_connector,
            f"{OURS}, session": ours.session(ours.PolicyConnector(policy, registry=registry)),
        }
    found = {library: alone(), OURS: getattr(ours, name)(policy=policy, registry=registry)}
    if importlib.util.find_spec(PEER) and importlib.util.find_spec(f"{PEER}.{library}"):
        networks = (ipaddress.ip_network(LOOPBACK),)
        other = importlib.import_module(PEER).Policy(allowed_networks=networks, allowed_ports=frozenset({port}))
        found[PEER] = getattr(importlib.import_module(f"{PEER}.{library}"), name)(policy=other)
    if library == "requests":
        for client in found.values():
            client.trust_env = False  # the guarded session does not ask the environment
    return found


def _in_turns(runner: asyncio.Runner, clients: dict[str, Any], url: str, rounds: int) -> dict[str, float]:
    """CPU seconds of a request by each client: the least of all rounds, in each of which another one begins."""

    def batch(client: Any) -> float:
        begun = time.process_time()
        if hasattr(client, "__aenter__"):
            runner.run(_get_in_loop(client, url))
        else:
            _get(client, url)
        return (time.process_time() - begun) / BATCH

    best, order = dict.fromkeys(clients, float("inf")), list(clients)
    with quiet():
        for _ in range(rounds):
            for who in order:
                best[who] = min(best[who], batch(clients[who]))
            order.append(order.pop(0))
    for client in clients.values():
        closing = client.aclose() if hasattr(client, "aclose") else client.close()
        if closing is not None:
            runner.run(closing)
    return best


def _get(client: Any, url: str) -> None:
    for _ in range(BATCH):
        assert client.get(url).content


async def _get_in_loop(client: Any, url: str) -> None:
    for _ in range(BATCH):
        response = await client.get(url)
        assert response.content if hasattr(client, "aclose") else await response.read()


@contextmanager
def _server() -> Iterator[int]:
    command = [sys.executable, "-m", "guarding.web_server"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield int(server.stdout.readline())
        server.communicate()
