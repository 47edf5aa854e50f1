"""Requests check themselves when an algorithm makes them."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from talk_scheme import run

from urlschemes.errors import PluginContractError, PluginError
from urlschemes_access.protocol import (
    Algorithm,
    Authenticate,
    Connect,
    ConnectBack,
    Examine,
    Follow,
    Open,
    OpenFile,
    Peer,
    Ready,
    Receive,
    Request,
    Send,
    StartTLS,
)

PEER = Peer("peer")
NO: Any = None
FIELDS = "host, port, transport, label, reuse"


@pytest.mark.parametrize(
    ("kind", "values", "named", "message"),
    [
        (Connect, (7, 7), {}, "Connect: host must be str, not int"),
        (Connect, ("h", "echo"), {}, "Connect: port must be int, not str"),
        (Connect, ("h", 7), {"transport": "sctp"}, "Connect: transport must be tcp or udp, not 'sctp'"),
        (Connect, ("h", 7), {"reuse": 7}, "Connect: reuse must be str or NoneType, not int"),
        (Connect, ("h",), {}, "Connect: port must be given"),
        (Connect, (), {"label": "c"}, "Connect: host and port must be given"),
        (Connect, ("h", 7, "tcp"), {}, "Connect: expected at most 2 values without their names"),
        (Connect, ("h", 7), {"port": 8}, f"Connect: unknown or second port: expected {FIELDS}"),
        (Connect, ("h", 7), {"ports": 8}, f"Connect: unknown or second ports: expected {FIELDS}"),
        (ConnectBack, (PEER, "7"), {}, "ConnectBack: port must be int, not str"),
        (StartTLS, (PEER, None), {}, "StartTLS: host must be str, not NoneType"),
        (Send, (PEER, "text"), {}, "Send: octets must be bytes, not str"),
        (Send, (PEER, (b"one", "two")), {}, "Send: octets must be bytes, not str"),
        (Send, (PEER, b"one"), {"secret": "one"}, "Send: secret must be bytes, not str"),
        (Receive, (PEER,), {"within": "1"}, "Receive: within must be int or float or NoneType, not str"),
        (Receive, (PEER,), {"most": 1.5}, "Receive: most must be int, not float"),
        (Ready, ([PEER],), {"phase": None}, "Ready: phase must be str, not NoneType"),
        (OpenFile, (b"/etc/motd",), {}, "OpenFile: path must be str, not bytes"),
        (OpenFile, ("/a",), {"to": "truncate"}, "OpenFile: to must be read or replace or append, not 'truncate'"),
        (OpenFile, ("/a",), {"start": True}, "OpenFile: start must be int, not bool"),
        (Examine, (None,), {}, "Examine: path must be str, not NoneType"),
        (Follow, (7,), {}, "Follow: location must be str, not int"),
        (Authenticate, ("h", 7), {"protected": 1}, "Authenticate: protected must be bool, not int"),
        (Open, ("window",), {}, "Open: kind must be document or listing or session or attributes, not 'window'"),
    ],
)
def test_a_value_of_a_wrong_type_is_refused(
    kind: type[Request[Any]], values: tuple[Any, ...], named: dict[str, Any], message: str
) -> None:
    for _ in range(2):
        with pytest.raises(TypeError) as refusal:
            kind(*values, **named)
        assert str(refusal.value) == message


def test_the_first_use_of_a_request_compiles_nothing() -> None:
    # CPython ends the process if an interrupt falls into that.
    code = """
import sys
from urlschemes_access.protocol import Connect, Deliver, Release
def hook(event, arguments):
    assert event not in ("compile", "exec"), arguments
sys.addaudithook(hook)
peer = Connect("h", 7, label="c").label
Deliver(b"octets"), Release(peer=peer)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_file_is_read_from_one_of_its_octets() -> None:
    def algorithm(to: Any, start: int) -> Algorithm[None]:
        yield from OpenFile("/a", to=to, start=start)

    for to, start in (("read", -1), ("append", 1)):
        with pytest.raises(PluginContractError, match=f"the start of a file to read, got OpenFile.*start={start}"):
            run(algorithm(to, start))


def test_a_request_that_is_refused_is_the_plugins_error() -> None:
    def algorithm() -> Algorithm[None]:
        yield from Connect(NO, 7)

    with pytest.raises(PluginError, match="failed: TypeError: Connect: host must be str, not NoneType") as fault:
        run(algorithm())
    assert isinstance(fault.value.__cause__, TypeError)


def test_a_request_prints_without_its_secrets() -> None:
    assert (
        repr(Receive(PEER, most=3)) == "Receive(peer=<Peer peer>, within=None, most=3, enough=None, phase='response')"
    )
    assert "password" not in repr(Connect("h", 7, reuse="password")) + repr(Send(PEER, b"password", secret=b"password"))
