"""Telnet over real sockets: the server of urlschemes-servers, and services that misbehave."""

from __future__ import annotations

import gc
import select
import socket
import threading
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

import urlschemes_access
from urlschemes.errors import UnsafeURL, UnsupportedOperation
from urlschemes_access import Limits, Policy
from urlschemes_access.errors import AccessError, DeadlineExceeded, InputRequired, LimitExceeded, PolicyDenied
from urlschemes_servers.telnet import TelnetAddress, telnet_server
from urlschemes_telnet import TelnetURL, open_session
from urlschemes_telnet.session import TelnetSession
from urlschemes_testing.rogue import (
    Visitor,
    closes,
    drips,
    ends_output,
    floods,
    hears_exactly,
    loops,
    rogue,
    says,
    stays_silent,
)

HERE = Policy.interactive()
PATIENCE = 60
SB, SE, WILL, DO = b"\xff\xfa", b"\xff\xf0", b"\xff\xfb", b"\xff\xfd"


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


def test_a_wrong_password_is_refused_by_the_service(server: TelnetAddress) -> None:
    with session(f"telnet://guest:wrong@{server}/") as opened:
        opened.login()
        assert read_until(opened, b"login: ") == b"\r\nLogin incorrect\r\nlogin: "
        opened.login("guest", "wel come:/\u00ff")
        assert read_until(opened, b"> ").endswith(b"Welcome, guest.\r\n> ")


def test_every_octet_is_sent_and_received_unchanged() -> None:
    octets = bytes(octet for octet in range(1, 256) if octet not in b"\x03\x04\b\r\n\x7f")
    with telnet_server() as server, session(f"telnet://{server}/") as opened:
        read_until(opened, b"> ")
        opened.write(octets + b"\r\n")
        assert read_until(opened, b"> ") == octets + b"\r\nYou said: " + octets + b"\r\n> "
        opened.binary()
        assert opened.read(1) is None  # DO and WILL, and no data
        while opened.line_end == b"\r\n":
            opened.read(1)
        opened.write(octets + b"\r")
        assert read_until(opened, b"> ") == octets + b"\r\nYou said: " + octets + b"\r\n> "


def test_window_size_interrupt_and_echo(server: TelnetAddress) -> None:
    with session(f"telnet://{server}/", columns=80, rows=24) as opened:
        before = opened.echoes
        read_until(opened, b"login: ")
        assert (before, opened.echoes) == (False, True)
        opened.interrupt()
        assert read_until(opened, b"login: ") == b"^C\r\nlogin: "
        assert server.visits[-1].size == (80, 24)
        opened.resize(255, 65535)
        opened.interrupt()
        read_until(opened, b"login: ")
        assert server.visits[-1].size == (255, 65535)


def test_a_service_without_negotiation_receives_only_what_is_written() -> None:
    heard: list[bytes] = []
    with rogue(says(b"hello\r\n> "), hears_exactly(6), says(b"bye\r\n")) as server:
        with session(f"telnet://{server}/", columns=80, rows=24) as opened:
            read_until(opened, b"> ")
            opened.resize(100, 50)
            opened.write(b"quit\r\n")
            assert read_until(opened, b"bye\r\n")
            assert opened.read() == b""
        heard += server.heard
    assert heard == [b"quit\r\n"]


def test_a_session_survives_a_refused_login(server: TelnetAddress) -> None:
    with session(f"telnet://{server}/") as opened:
        read_until(opened, b"login: ")
        with pytest.raises(UnsafeURL):
            opened.login("-f", "x")
        opened.write(b"\x04")
        assert opened.read() is not None


def test_select_waits_for_a_session(server: TelnetAddress) -> None:
    with session(f"telnet://{server}/") as opened:
        read_until(opened, b"login: ")
        assert select.select([opened], [opened], [], 0) == ([], [opened], [])
        opened.write(b"x")
        assert select.select([opened], [], [], PATIENCE)[0] == [opened]
        assert opened.read(0) == b"x"


def test_traces_and_representations_hide_the_password(server: TelnetAddress) -> None:
    events: list[object] = []
    with session(f"telnet://guest:wel%20come%3A%2F%C3%BF@{server}/", trace=events.append) as opened:
        opened.login()
        read_until(opened, b"> ")
    shown = repr(events) + repr(opened)
    assert "come" not in shown.replace("Welcome", "")
    assert "***" in shown


def test_an_urgent_dm_is_read_in_line() -> None:
    """In the Synch of RFC 854 the DM is urgent; without it, the IAC would take an octet of data for a command."""

    def synch(visitor: Visitor) -> None:
        visitor.say(b"one\xff")
        visitor._accepted.send(b"\xf2", socket.MSG_OOB)
        visitor.say(b"two")

    with rogue(synch) as server, session(f"telnet://{server}/") as opened:
        assert read_until(opened, b"two") == b"onetwo"


# Before connecting ----------------------------------------------------------------------------------------------------


def test_a_telnet_url_cannot_be_accessed(server: TelnetAddress) -> None:
    for operation in (urlschemes_access.access, urlschemes_access.find_attributes):
        with pytest.raises(UnsupportedOperation, match="it offers open session"):
            operation(f"telnet://{server}/", policy=HERE)
    with pytest.raises(UnsupportedOperation):
        open_session("file://localhost/etc/motd")


@pytest.mark.parametrize("login", ["a%0D%0Als", "a%00", "a:%1B", "u%FF%FA%18", "-froot", ":%7F"])
def test_an_unsafe_login_is_refused_before_the_host_is_resolved(monkeypatch: pytest.MonkeyPatch, login: str) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("resolved")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(UnsafeURL) as refused:
        session(f"telnet://{login}@host.dom/")
    assert refused.value.part in {"user", "password"}


@pytest.mark.parametrize(("url", "rule"), [("telnet://127.0.0.1/", "networks"), ("telnet://192.0.2.1:25/", "ports")])
def test_the_policy_applies_to_sessions(url: str, rule: str) -> None:
    with pytest.raises(PolicyDenied) as denied:
        open_session(url)
    assert denied.value.rule == rule


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


def test_commands_without_data_do_not_extend_a_read_with_a_time_limit() -> None:
    with rogue(loops(drips(b"\xff\xf1"))) as server, session(f"telnet://{server}/") as opened:
        for _ in range(4):
            assert opened.read(0.05) is None


def test_output_without_a_prompt_does_not_extend_the_deadline_of_the_login() -> None:
    with (
        rogue(loops(drips(b"x"))) as server,
        session(f"telnet://{server}/", policy=limited(deadline=0.5)) as opened,
        pytest.raises(DeadlineExceeded),
    ):
        opened.login("joe", "secret")
    assert b"secret" not in server.heard[0]


def test_endless_negotiation_ends_the_session() -> None:
    with (
        rogue(floods(DO + b"\x18"), stays_silent()) as server,
        session(f"telnet://{server}/") as opened,
        pytest.raises(LimitExceeded) as exceeded,
    ):
        opened.read()
    assert exceeded.value.limit == "negotiation"
    assert len(server.heard[0]) <= 64 * 3


@pytest.mark.fault(42)
def test_nothing_about_the_user_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = {name: f"private-{name}" for name in ("USER", "LOGNAME", "TERM", "DISPLAY", "HOME", "LANG")}
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    codes = (24, 32, 35, 36, 39, 23, 5, 31, 37, 38, 34)
    asks = b"".join(DO + bytes((code,)) for code in codes) + b"".join(
        SB + bytes((code,)) + b"\x01" + SE for code in codes
    )
    with rogue(says(asks), says(b"login: "), stays_silent()) as server:
        with session(f"telnet://joe:secret@{server}/") as opened:
            read_until(opened, b"login: ")
        visit = server.visits[0]
    assert bytes(visit.heard) == b"".join(b"\xff\xfc" + bytes((code,)) for code in codes)


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


def test_closing_sends_nothing() -> None:
    with rogue(says(b"login: "), stays_silent(), closes()) as server:
        with session(f"telnet://{server}/") as opened:
            opened.read()
        opened.close()
    assert server.heard == [b""]


def test_a_session_is_opened_from_a_url_object(server: TelnetAddress) -> None:
    url = TelnetURL(host=server.host, port=server.port)
    with open_session(url, policy=HERE) as opened:
        assert opened.url == url
        assert opened.gateway is None


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
