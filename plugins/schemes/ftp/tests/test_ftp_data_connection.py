"""Data connections: which port is connected to, and a server that does not use it as it should."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from ftp_dialogues import HOST, LOGIN, QUIT, download, type_and_size
from opening import content_of, open_document

from urlschemes_access import Limits, Policy
from urlschemes_access.errors import DeadlineExceeded, PolicyDenied, ProtocolError, Truncated
from urlschemes_ftp import FtpURL
from urlschemes_ftp.access import access
from urlschemes_testing.replay import connect_back, exchange, replay
from urlschemes_testing.rogue import Act, after_data, deaf, hears, offers_data, rogue, says, stays_silent

# B27: the port

EPSV_PORTS = {
    "229 (|||40001|)": 40001,
    "229 Entering Extended Passive Mode (|||1024|)": 1024,
    "229 (!!!65535!)": 65535,
    "229 with an address, which is ignored (|1|10.0.0.1|40001|)": 40001,
    "229 (|||1023|)": None,
    "229 (|||0|)": None,
    "229 (|||65536|)": None,
    "229 (|||99999|)": None,
    f"229 (|||{'9' * 5000}|)": None,
    "229 (|||-5000|)": None,
    "229 (|||)": None,
    "229 (||40001|)": None,
    "229 (111400011)": None,
    "229 40001": None,
    "229": None,
    "227 (127,0,0,1,156,65)": None,
    "200 (|||40001|)": None,
}
PASV_PORTS = {
    "227 Entering Passive Mode (127,0,0,1,156,65)": 40001,
    "227 =127,0,0,1,156,65": 40001,
    "227 Entering Passive Mode. 10,0,0,1,156,65 is it": 40001,
    "227 (1,2,3,4,4,0)": 1024,
    "227 (1,2,3,4,3,255)": None,
    "227 (1,2,3,4,0,0)": None,
    "227 (1,2,3,4,256,1)": None,
    "227 (1,2,3,4,156,256)": None,
    "227 (1,2,3,4,156)": None,
    "227 ok 1,2,3,4,5,6,7": None,
    "227 ok 9,127,0,0,1,156,65": None,
    f"227 (1,2,3,4,{'9' * 5000},1)": None,
    "227 (1,2,3,4,-156,1)": None,
    "227": None,
    "229 (|||40001|)": None,
    "200 (1,2,3,4,156,65)": None,
}


@pytest.mark.parametrize(
    ("commands", "reply", "port"),
    [
        *(pytest.param(("EPSV",), reply, port, id=f"EPSV {reply[:50]}") for reply, port in EPSV_PORTS.items()),
        *(
            pytest.param(("EPSV", "500 What?", "PASV"), reply, port, id=f"PASV {reply[:50]}")
            for reply, port in PASV_PORTS.items()
        ),
    ],
)
def test_the_port_of_a_passive_reply(commands: tuple[str, ...], reply: str, port: int | None) -> None:
    url = FtpURL.parse(f"ftp://{HOST}/a")
    begun = LOGIN.then(*type_and_size("a", 1), *exchange(*commands, reply))
    if port is None:
        error = replay(access(url), begun).error
        assert type(error) is ProtocolError
        assert error.where in ("EPSV", "PASV")
    else:
        outcome = replay(access(url), begun.then(connect_back(port), *download("RETR", "a", b"x"), *QUIT))
        assert (outcome.error, outcome.content) == (None, b"x")


# Over sockets

LOGS_IN = (says("220 ready"), hears(), says("331 password"), hears(), says("230 in"))
PATIENCE = 60


def read(url: str, policy: Policy | None = None) -> bytes:
    return content_of(url, policy=policy or limited())


def limited(**limits: float) -> Policy:
    """Return the policy for this machine with these limits."""
    few: dict[str, Any] = limits
    return Policy(networks=Policy.interactive().networks, limits=Limits(**few))


def size(octets: int | None) -> tuple[Act, ...]:
    return hears(), says("200 OK"), hears(), says("500 What?" if octets is None else f"213 {octets}")


def sending(*acts: Act) -> tuple[Act, ...]:
    """Return the acts of a server whose data connection goes through `acts`."""
    return hears(), offers_data("229 (|||{port}|)", *acts), hears(), says("150 here it comes")


@pytest.mark.fault(27)
def test_the_address_in_pasv_is_not_used() -> None:
    with rogue(
        *(*LOGS_IN, *size(4), hears(), says("500 What?"), hears()),
        offers_data("227 Entering Passive Mode (192,0,2,7,{high},{low})", says(b"data")),
        *(hears(), says("150 here it comes", "226 sent"), hears(), says("221 bye")),
    ) as server:
        assert read(f"ftp://{server}/a") == b"data"
    commands = b"USER anonymous|PASS anonymous@example.com|TYPE I|SIZE a|EPSV|PASV|RETR a|QUIT|"
    assert server.heard[0].split(b"\r\n") == commands.split(b"|")


PASSIVE = {
    "EPSV": (hears(), says("229 (|||6000|)")),
    "PASV": (hears(), says("500 What?"), hears(), says("227 (127,0,0,1,23,112)")),
}
"""The acts of a server that names port 6000, which the policy denies."""


@pytest.mark.fault(27)
@pytest.mark.parametrize("command", PASSIVE)
def test_another_port_is_asked_for_once_if_the_policy_denies_the_first(command: str) -> None:
    end = (after_data(), says("226 sent"), hears(), says("221 bye"))
    with rogue(*LOGS_IN, *size(4), *PASSIVE[command], *sending(says(b"data")), *end) as server:
        assert read(f"ftp://{server}/a") == b"data"
    acts = (*LOGS_IN, *size(4), *PASSIVE[command], *PASSIVE[command], stays_silent())
    with rogue(*acts) as server, pytest.raises(PolicyDenied) as refusal:
        read(f"ftp://{server}/a")
    assert refusal.value.rule == "ports"
    assert "port 6000 " in str(refusal.value)
    assert server.heard[0].count(command.encode()) == 2
    assert b"RETR" not in server.heard[0]


@pytest.mark.fault(28)
def test_connecting_for_the_data_hangs() -> None:
    with deaf() as hanging:
        acts = (*LOGS_IN, *size(4), hears(), says(f"229 (|||{hanging.port}|)"), stays_silent())
        with rogue(*acts) as server, pytest.raises(DeadlineExceeded) as late:
            read(f"ftp://{server}/a", policy=limited(connect=0.2))
    assert late.value.phase == "data"


@pytest.mark.fault(29)
@pytest.mark.parametrize(
    ("timeout", "limits"), [(0.2, {}), (15.0, {"deadline": 2})], ids=["its own timeout", "the deadline"]
)
def test_the_226_never_comes(monkeypatch: pytest.MonkeyPatch, timeout: float, limits: dict[str, float]) -> None:
    monkeypatch.setattr("urlschemes_ftp.data_connection.CONFIRMATION_TIMEOUT", timeout)
    acts = (*LOGS_IN, *size(4), *sending(says(b"data")), stays_silent())
    with rogue(*acts) as server, pytest.raises(Truncated) as cut:
        read(f"ftp://{server}/a", policy=limited(**limits))
    assert (cut.value.received, cut.value.expected, cut.value.partial) == (4, 4, b"data")


@pytest.mark.fault(50)
def test_closing_early_closes_both_connections() -> None:
    control_closed, data_closed = threading.Event(), threading.Event()
    data = (says(b"data"), stays_silent(), lambda _: data_closed.set())
    acts = (*LOGS_IN, *size(None), *sending(*data), stays_silent(), lambda _: control_closed.set())
    with rogue(*acts) as server:
        with open_document(f"ftp://{server}/a", policy=limited()) as found:
            assert next(found) == b"data"
        assert control_closed.wait(PATIENCE)
        assert data_closed.wait(PATIENCE)
