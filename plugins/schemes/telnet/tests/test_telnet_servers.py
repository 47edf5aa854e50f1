"""Telnet over real sockets: the server of urlschemes-servers, and services that misbehave."""

from __future__ import annotations

import gc
import threading
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from urlschemes_access import Limits, Policy
from urlschemes_access.errors import AccessError, DeadlineExceeded, InputRequired
from urlschemes_servers.telnet import TelnetAddress, telnet_server
from urlschemes_telnet import open_session
from urlschemes_telnet.session import TelnetSession
from urlschemes_testing.rogue import drips, ends_output, floods, hears_exactly, loops, rogue, says, stays_silent

HERE = Policy.interactive()
PATIENCE = 60
SB, SE = b"\xff\xfa", b"\xff\xf0"


def session(url: object, **arguments: Any) -> TelnetSession:
    return open_session(str(url), **{"policy": HERE, **arguments})


def read_until(opened: TelnetSession, end: bytes) -> bytes:
    """Read until the output ends with `end`."""
    written = b""
    while not written.endswith(end):
        octets = opened.read()
        assert octets, written
        written += octets
    return written


# The server -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server() -> Iterator[TelnetAddress]:
    with telnet_server({"guest": "wel come:/\u00ff", "": "empty"}) as address:
        yield address


LOGINS = [
    ("guest:wel%20come%3A%2F%C3%BF@", ("guest", "wel come:/\u00ff")),
    ("guest@", ("guest", None)),
    (":empty@", ("", "empty")),
    ("", (None, None)),
]


@pytest.mark.rfc1738(113)
@pytest.mark.parametrize(("login", "advice"), LOGINS)
@pytest.mark.parametrize("slash", ["", "/"])
def test_every_form_of_url_opens_a_session(
    server: TelnetAddress, login: str, advice: tuple[str | None, str | None], slash: str
) -> None:
    with session(f"telnet://{login}{server}{slash}") as opened:
        assert opened.advice == advice
        assert read_until(opened, b"login: ") == b"Welcome.\r\nlogin: "
        if advice[1] is None:
            with pytest.raises(InputRequired):
                opened.login(within=1)
            opened.write(b"\x04")
        else:
            opened.login()
            assert read_until(opened, b"> ") == b"\r\nWelcome, %b.\r\n> " % (advice[0] or "").encode()
            opened.write(b"quit\r\n")
            assert read_until(opened, b"Goodbye.\r\n")
    visit = server.visits[-1]
    assert visit.user == (None if advice[1] is None else advice[0])
    assert visit.terminal is None
    assert ("DO", 24) in visit.refused


# Services that misbehave ----------------------------------------------------------------------------------------------


def limited(**limits: float) -> Policy:
    few: dict[str, Any] = limits
    return Policy(networks=HERE.networks, limits=Limits(**few))


@pytest.mark.fault(10)
def test_a_service_that_stops_writing_can_still_be_written_to() -> None:
    heard = threading.Event()
    with (
        rogue(says(b"bye"), ends_output(), hears_exactly(6), lambda _: heard.set()) as server,
        session(f"telnet://{server}/") as opened,
    ):
        assert (opened.read(), opened.read()) == (b"bye", b"")
        opened.write(b"thanks")
        assert opened.read() == b""
        assert heard.wait(PATIENCE)


@pytest.mark.fault(11)
def test_endless_output_takes_no_memory() -> None:
    with rogue(floods(b"all work and no play\r\n")) as server, session(f"telnet://{server}/") as opened:
        opened.read()
        tracemalloc.start()
        try:
            received = 0
            while received < 5_000_000:
                received += len(opened.read() or b"")
            assert tracemalloc.get_traced_memory()[1] < 2_000_000
        finally:
            tracemalloc.stop()


@pytest.mark.fault(12)
@pytest.mark.parametrize("words", [b"\xff\xf1", SB + b"\x18" + SE, b"\xff\xfc\x01"])
def test_commands_without_data_do_not_extend_the_deadline(words: bytes) -> None:
    with (
        rogue(loops(drips(words))) as server,
        session(f"telnet://{server}/", policy=limited(deadline=0.5)) as opened,
        pytest.raises(DeadlineExceeded) as late,
    ):
        opened.read()
    assert late.value.phase == "response"


# Closing --------------------------------------------------------------------------------------------------------------


@pytest.mark.fault(50)
def test_the_connection_is_closed_however_a_session_ends() -> None:
    gone = [threading.Event() for _ in range(4)]
    with rogue(says(b"login: "), stays_silent(), lambda visitor: gone[visitor.number].set()) as server:
        with session(f"telnet://{server}/") as opened:
            opened.read()
        assert gone[0].wait(PATIENCE)
        with pytest.raises(AccessError, match="closed"):
            opened.read()
        with pytest.raises(KeyboardInterrupt), session(f"telnet://{server}/") as opened:
            raise KeyboardInterrupt(opened.read())
        assert gone[1].wait(PATIENCE)
        left = session(f"telnet://{server}/", policy=limited(first_octet=1, idle=1))
        left.read()
        with pytest.raises(DeadlineExceeded):
            left.read()
        assert gone[2].wait(PATIENCE)
        dropped = session(f"telnet://{server}/")
        dropped.read()
        del dropped
        gc.collect()
        assert gone[3].wait(PATIENCE)


def test_a_type_error_leaves_the_session_usable() -> None:
    wrong: Any = "1"
    with telnet_server({"guest": "open sesame"}) as server, session(f"telnet://{server}/") as opened:
        for call in (
            lambda: opened.write(wrong),
            lambda: opened.read(within=wrong),
            lambda: opened.login("guest", within=wrong),
        ):
            with pytest.raises(TypeError, match=r"bytes, not str|seconds, not str"):
                call()
        assert (opened.read() or b"").startswith(b"Welcome.")
