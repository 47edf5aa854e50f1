"""URLs, hosts, ports and addresses that the policy refuses, before anything is opened."""

from __future__ import annotations

import socket
from dataclasses import replace

import pytest
from fake_servers import (
    Serve,
    resolver_of,
    until_gone,
)
from talk_scheme import LOOPBACK, RECORD, TalkURL, fetch, run

from urlschemes.errors import UnsafeURL, URLError
from urlschemes.record.registration import Registration
from urlschemes_access.dialogue.destinations import Destinations
from urlschemes_access.errors import (
    PolicyDenied,
)
from urlschemes_access.policy import Policy
from urlschemes_access.protocol import (
    Algorithm,
    Connect,
    Follow,
    Open,
)

pytestmark = pytest.mark.usefixtures("backend")


@pytest.mark.parametrize(
    ("text", "error", "rule"),
    [
        ("x-talk://127.0.0.1:22/", PolicyDenied, "ports"),
        ("x-talk://127.0.0.1:6667/", PolicyDenied, "ports"),
        ("x-talk://127.0.0.1:6379/", PolicyDenied, "ports"),
        ("x-talk://127.0.0.1:0/", UnsafeURL, None),
        ("x-talk://127.0.0.1:65536/", UnsafeURL, None),
        ("x-talk://0177.0.0.1/", UnsafeURL, None),
        ("x-talk://256.0.0.1/", UnsafeURL, None),
        (f"x-talk://{'a' * 64}.example/", UnsafeURL, None),
        ("x-talk://host.example/a%0d%0aDELE%20b", UnsafeURL, None),
        ("x-talk://user:p%00w@host.example/", UnsafeURL, None),
    ],
)
def test_an_unsafe_url_is_refused_before_the_algorithm_begins(
    text: str, error: type[URLError], rule: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = []

    def algorithm() -> Algorithm[None]:
        begun.append(True)
        yield from Open("document")

    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: begun.append(True))
    with pytest.raises(error) as refusal:
        run(algorithm(), url=TalkURL.parse(text))
    assert refusal.value.rule == rule
    assert not begun


def test_a_denied_scheme_is_refused_before_the_algorithm_begins() -> None:
    with pytest.raises(PolicyDenied) as refusal:
        run(fetch(7), policy=replace(LOOPBACK, denied_schemes=frozenset({"x-talk"})))
    assert refusal.value.rule == "denied_schemes"


def test_user_information_can_be_denied() -> None:
    destinations = Destinations(Policy(user_information=False), Registration.from_text(RECORD, source="test"))
    destinations.check_url(TalkURL.parse("x-talk://host.example/"))
    for login in ("me", "me:secret"):
        with pytest.raises(PolicyDenied) as refusal:
            destinations.check_url(TalkURL.parse(f"x-talk://{login}@host.example/"))
        assert refusal.value.rule == "user_information"


def test_loopback_is_refused_by_default(serve: Serve) -> None:
    port = serve(until_gone)
    with pytest.raises(PolicyDenied, match=r"127\.0\.0\.1 is not on the public Internet") as refusal:
        run(fetch(port), port=port, policy=Policy.untrusted())
    assert refusal.value.rule == "networks"


@pytest.mark.fault(4)
def test_one_forbidden_address_forbids_the_host(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    port = serve(lambda connection: connection.sendall(b"x"))
    monkeypatch.setattr(socket, "getaddrinfo", resolver_of("127.0.0.1", "169.254.169.254"))
    with pytest.raises(PolicyDenied, match=r"169\.254\.169\.254"):
        run(fetch(port, host="two.example"), port=port)


@pytest.mark.fault(5)
def test_the_address_that_the_system_connected_to_is_checked(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    port = serve(until_gone)
    monkeypatch.setattr(socket.socket, "getpeername", lambda _: ("127.0.0.9", port))
    with pytest.raises(PolicyDenied, match=r"connected to 127\.0\.0\.9"):
        run(fetch(port), port=port)


def test_a_host_that_an_algorithm_chooses_is_checked() -> None:
    with pytest.raises(UnsafeURL):
        run(fetch(8000, host="0x7f.1"))
    with pytest.raises(PolicyDenied):
        run(fetch(25))


def test_a_service_that_obeys_lines_is_denied_after_a_redirect_to_a_scheme_that_sends_lines() -> None:
    record = RECORD
    for part in ("user", "password", "what"):
        record = record.replace(f'{{ at = "{part}" }}', f'{{ at = "{part}", travels = "as-written" }}')
    destinations = Destinations(Policy(), Registration.from_text(record, source="test"))
    destinations.check_port(4222)
    destinations.check_redirect(TalkURL.parse("x-talk://host.example/"))
    with pytest.raises(PolicyDenied, match="obeys lines of text"):
        destinations.check_port(4222)


def test_a_redirect_may_not_lead_to_another_private_address(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    port = serve(until_gone)
    dialled = []

    def dial(self: socket.socket, address: tuple[str, int]) -> None:
        dialled.append(address[0])
        if address[0] != "127.0.0.1":
            raise ConnectionRefusedError  # no test leaves this machine
        connect(self, address)

    connect = socket.socket.connect
    monkeypatch.setattr(socket.socket, "connect", dial)

    def algorithm(then: str) -> Algorithm[None]:
        yield from Connect("127.0.0.1", port)
        url = yield from Follow("/again")
        assert str(url) == "x-talk://first.example/again"
        yield from Connect(then, port)
        yield from Open("attributes")

    def led(then: str) -> object:
        return run(
            algorithm(then),
            policy=Policy.interactive(),
            url=TalkURL.parse("x-talk://first.example/"),
            redirect=lambda *_: TalkURL.parse("x-talk://first.example/again"),
        )

    assert led("127.0.0.1")
    with pytest.raises(PolicyDenied, match="a redirect led there"):
        led("10.0.0.1")
    assert set(dialled) == {"127.0.0.1"}
