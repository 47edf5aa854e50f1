"""Requests check themselves when an algorithm makes them."""

from __future__ import annotations

from typing import Any

import pytest
from talk_scheme import run

from urlschemes.errors import PluginError
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


@pytest.mark.parametrize(
    ("kind", "values", "named", "message"),
    [
        (Connect, (7, 7), {}, "Connect: host must be str, not int"),
        (Connect, ("h", "echo"), {}, "Connect: port must be int, not str"),
        (Connect, ("h", 7), {"transport": "sctp"}, "Connect: transport must be tcp or udp, not 'sctp'"),
        (Connect, ("h", 7), {"reuse": 7}, "Connect: reuse must be str or NoneType, not int"),
        (ConnectBack, (PEER, "7"), {}, "ConnectBack: port must be int, not str"),
        (StartTLS, (PEER, None), {}, "StartTLS: host must be str, not NoneType"),
        (Send, (PEER, "text"), {}, "Send: octets must be bytes, not str"),
        (Send, (PEER, (b"one", "two")), {}, "Send: octets must be bytes, not str"),
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


def test_a_number_that_makes_no_sense_is_refused() -> None:
    for to, start in (("read", -1), ("append", 1)):
        with pytest.raises(ValueError, match=f"start must be an octet of a file to read, not {start}"):
            OpenFile("/a", to=to, start=start)  # type: ignore[arg-type]


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
