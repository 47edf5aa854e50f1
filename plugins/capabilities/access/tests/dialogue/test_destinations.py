"""URLs, hosts, ports and addresses that the policy refuses, before anything is opened; redirects."""

from __future__ import annotations

import socket
from dataclasses import replace
from typing import Any, cast

import pytest
from fake_servers import Serve, resolver_of, until_gone
from talk_scheme import LOOPBACK, RECORD, LocalURL, TalksURL, TalkURL, fetch, run

from urlschemes.errors import InvalidURL, PluginError, UnknownScheme, UnsafeURL, URLError
from urlschemes.record.registration import Registration
from urlschemes.scheme.scheme import Scheme
from urlschemes.url.value import URL
from urlschemes_access.dialogue.destinations import Destinations, read_location
from urlschemes_access.errors import PolicyDenied, RedirectRefused
from urlschemes_access.policy import Policy
from urlschemes_access.protocol import Algorithm, Connect, Follow, Open
from urlschemes_access.resources.synchronous import Document

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


@pytest.mark.plugin_fault(20)
def test_a_host_that_an_algorithm_chooses_is_checked() -> None:
    with pytest.raises(UnsafeURL):
        run(fetch(8000, host="0x7f.1"))
    with pytest.raises(PolicyDenied):
        run(fetch(25))


def test_a_service_that_obeys_lines_is_denied_after_a_redirect_to_a_scheme_that_sends_lines() -> None:
    record = RECORD
    for part in ("user", "password", "what"):
        record = record.replace(f'{part} = "{part}"', f'{part} = {{ at = "{part}", travels = "as-written" }}')
    scheme = Scheme(Registration.from_text(record, source="test"))
    destinations = Destinations(Policy(), scheme.registration)
    destinations.check_port(4222)
    for kind in (TalkURL, scheme.url_type):  # and it stays denied
        destinations.check_redirect(kind.parse("x-talk://host.example/"))
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


def led_to(location: str, url: str = "x-talk://first.example/", *, hops: int = 1, **more: Any) -> Document:
    def algorithm() -> Algorithm[None]:
        for _ in range(hops):
            yield from Follow(location)
        yield from Open("document")

    def follow(_: URL, text: str) -> URL:
        if text.startswith("x-talks:"):
            return TalksURL.parse(text)
        return TalkURL.parse(text if text.startswith("x-talk:") else f"x-talk://first.example{text}")

    return cast("Document", run(algorithm(), url=TalkURL.parse(url), redirect=more.pop("redirect", follow), **more))


@pytest.mark.parametrize(
    ("location", "to"),
    [
        ("x-talk://second.example/", "x-talk://second.example/"),
        ("/other", "x-talk://first.example/other"),
        ("x-talks://second.example:8/", "x-talks://second.example:8/"),
    ],
)
def test_redirects_to_the_schemes_of_the_record_are_followed(location: str, to: str) -> None:
    document = led_to(location)
    assert str(document.url) == to
    document.close()


@pytest.mark.plugin_fault(23)
@pytest.mark.fault(21)
@pytest.mark.parametrize("location", ["x-other://h/", "FTP://h/", "file:///etc/passwd", "mailto:a@b", "javascript:1"])
def test_other_schemes_are_refused_before_the_location_is_parsed(location: str) -> None:
    read: list[str] = []

    def follow(_: URL, text: str) -> URL:
        read.append(text)
        raise UnknownScheme(text)

    with pytest.raises(RedirectRefused) as refusal:
        led_to(location, redirect=follow)
    assert refusal.value.reason == "scheme"
    assert refusal.value.location == location
    assert not read


@pytest.mark.parametrize(
    "location", ["x-talk://bad host/", "x-talk://h/a\r\nb", "x-talk://h/%0d%0a", "x-talk:nonsense"]
)
def test_an_invalid_or_unsafe_location_is_refused(location: str) -> None:
    with pytest.raises(RedirectRefused) as refusal:
        led_to(location)
    assert refusal.value.reason == "invalid"
    assert "\n" not in refusal.value.location


def test_control_octets_that_an_algorithm_checks_are_refused_in_a_location() -> None:
    record = RECORD.replace('what = "what"', 'what = { at = "what", travels = "checked" }')
    kind = Scheme(Registration.from_text(record, source="test")).url_type
    with pytest.raises(RedirectRefused, match="control"):
        led_to("x-talk://h/%0d%0a", redirect=lambda _, text: kind.parse(text))


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("x-talk://h/\ud800", "ud800"),
        ("x-talk:///a", "host"),
        ("x-talk://?a", "host"),
        ("x-talk:a//b", "'a' at position 7"),
    ],
)
def test_a_location_is_not_repaired_at_its_host_or_where_it_holds_no_octets(location: str, message: str) -> None:
    with pytest.raises(InvalidURL, match=message):
        read_location(TalkURL.parse("x-talk://first.example/"), location, lambda _: TalkURL)


def test_a_redirect_leads_only_to_what_the_first_scheme_may_redirect_to() -> None:
    def algorithm() -> Algorithm[None]:
        yield from Follow("x-talks://second.example/")
        yield from Follow("x-talkss://third.example/")  # allowed by the record of x-talks
        yield from Open("document")

    second = TalksURL.parse("x-talks://second.example/")
    with pytest.raises(RedirectRefused, match="x-talks may redirect only to x-talks") as refusal:
        run(algorithm(), url=TalkURL.parse("x-talk://first.example/"), redirect=lambda *_: second)
    assert refusal.value.reason == "scheme"


def test_a_target_of_another_scheme_than_the_location_is_refused() -> None:
    with pytest.raises(RedirectRefused) as refusal:
        led_to("x-talk://h/", redirect=lambda *_: LocalURL.parse("x-local://h/"))
    assert refusal.value.reason == "scheme"


def test_an_allowed_scheme_that_is_not_installed() -> None:
    def follow(_: URL, text: str) -> URL:
        raise UnknownScheme(text)

    with pytest.raises(RedirectRefused, match="'x-talks' is not installed") as refusal:
        led_to("x-talks://h/", redirect=follow)
    assert refusal.value.reason == "scheme"


@pytest.mark.parametrize("error", [PolicyDenied, PluginError])
def test_a_veto_on_a_redirect_is_raised_unchanged(error: type[URLError]) -> None:
    def follow(*_: object) -> URL:
        raise error("not on a Sunday")

    with pytest.raises(error, match="not on a Sunday"):
        led_to("/other", redirect=follow)


def test_the_number_of_redirects_is_limited() -> None:
    led_to("/again", hops=5).close()
    with pytest.raises(RedirectRefused, match="5 redirects were followed already") as refusal:
        led_to("/again", hops=6)
    assert refusal.value.reason == "hops"


@pytest.mark.parametrize("location", ["x-talk://h:22/", "x-talk://0177.0.0.1/"])
def test_the_policy_applies_to_redirects(location: str) -> None:
    with pytest.raises((PolicyDenied, UnsafeURL)):
        led_to(location)
