"""Speed and memory of large transfers over loopback."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

from common.measurement import ROOT, Figure
from common.peers import OURS
from transfers.real_servers import real_servers
from urlschemes import default_registry as registry

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["transfers", "unconfirmed"]

MIB = 1024 * 1024
BARE = "bare socket"
LOOPED = f"{OURS}, AsyncClient"
LONGEST = 300
SMALL = 64 * 1024
"""The octets of the transfer that goes before each measured one."""


@dataclass(frozen=True)
class Transfer:
    """A transfer: what ours is compared with, and the targets against that."""

    reference: str = BARE
    """The client of the standard library that does the same, if there is one."""
    _: KW_ONLY
    cpu: float | None = None
    """The most CPU time of the client, as a ratio."""
    speed: float | None = None
    """The least speed, as a ratio."""
    memory: float | None = 4.0
    """The most MiB beyond those of a small transfer."""
    share: int = 1
    """One octet in so many is transferred."""


TRANSFERS = {
    "ftp": Transfer("ftplib", cpu=1.1, speed=0.8),
    "http": Transfer("http.client", cpu=1.1, speed=0.8),
    "gopher": Transfer(speed=0.8),
    "wais": Transfer(cpu=1.3, speed=0.8),
    "ftp upload": Transfer("ftplib", cpu=1.3),
    "http upload": Transfer("http.client", cpu=1.3),
    "mailto upload": Transfer("smtplib", cpu=1.3, memory=None, share=16),  # a message is composed in memory
}
"""By scheme, and direction where it is to the server."""


def transfers(octets: int, rounds: int) -> Iterator[Figure]:
    """`octets` octets by each protocol and each client in turns; every transfer in a process of its own."""
    wanted = {name: transfer for name, transfer in TRANSFERS.items() if name.partition(" ")[0] in registry}
    with _server(SMALL, octets) as embedded, real_servers(SMALL, octets) as real:
        servers = {name: ("the embedded server", port) for name, port in embedded.items()} | real
        for protocol, transfer in wanted.items():
            server, port = servers[protocol.partition(" ")[0]]
            clients = {OURS: "urlschemes", LOOPED: "event loop", BARE: "bare"}
            if transfer.reference != BARE:
                clients[transfer.reference] = "standard"
            runs: dict[str, list[dict[str, Any]]] = {who: [] for who in clients}
            size = octets // transfer.share
            for _ in range(rounds):
                for who, client in clients.items():
                    runs[who].append(_transfer(client, protocol, port, str(size)))
            yield from _figures(f"{protocol}, {size // MIB} MiB, {server}", transfer, size, runs)


def _figures(what: str, transfer: Transfer, octets: int, runs: dict[str, list[dict[str, Any]]]) -> Iterator[Figure]:
    reference = transfer.reference
    speed, cpu = ({who: min(run[key] for run in of) for who, of in runs.items()} for key in ("wall", "cpu"))
    for who, of in runs.items():
        short = next((f"got {run['octets']} octets: {run['said']}" for run in of if run["octets"] < octets), "")
        yield Figure(
            table="transfers over loopback, speed",
            what=what,
            who=who,
            value=octets / MIB / speed[who],
            unit="MiB/s",
            ratio=speed[reference] / speed[who],
            target=transfer.speed if who == OURS else None,
            least=True,
            note=short or f"against {reference}",
        )
    for who, seconds in cpu.items():
        yield Figure(
            table="transfers over loopback, CPU time of the client",
            what=what,
            who=who,
            value=seconds * 1000,
            unit="ms",
            ratio=seconds / cpu[reference],
            target=transfer.cpu if who == OURS else None,
        )
    for who, of in runs.items():
        grown = min(run["peak"] - run["before"] for run in of)
        yield Figure(
            table="transfers over loopback, memory",
            what=what,
            who=who,
            value=grown / MIB,
            unit="MiB",
            target=transfer.memory if who == OURS else None,
            note=f"beyond a transfer of 64 KiB; {min(run['peak'] for run in of) / MIB:.1f} MiB in all",
        )


def unconfirmed(octets: int) -> Iterator[Figure]:
    """An FTP transfer of which all octets come and the 226 does not: what the caller sees, and the memory it takes."""
    with _server() as ports:
        run = _transfer("urlschemes", "ftp", ports["ftp"], f"{octets}-unconfirmed")
    table, what = "a transfer by FTP whose 226 never comes", f"{octets // MIB} MiB"
    yield Figure(
        table=table, what=f"{what}: received", who=OURS, value=run["octets"] / MIB, unit="MiB", note=run["said"]
    )
    note = f"beyond a transfer of 64 KiB; {run['peak'] / MIB:.1f} MiB in all"
    grown = (run["peak"] - run["before"]) / MIB
    yield Figure(table=table, what=f"{what}: memory", who=OURS, value=grown, unit="MiB", target=4.0, note=note)
    yield Figure(table=table, what=f"{what}: until the error", who=OURS, value=run["wall"], unit="s")


@contextmanager
def _server(*sizes: int) -> Iterator[dict[str, int]]:
    """The ports of the serving process, by protocol."""
    command = [sys.executable, "-m", "transfers.servers", *map(str, sizes)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield json.loads(server.stdout.readline())
        server.communicate()


def _transfer(who: str, protocol: str, port: int, name: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "transfers.client", who, protocol, str(port), name]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True, timeout=LONGEST)
    found: dict[str, Any] = json.loads(done.stdout)
    return found
