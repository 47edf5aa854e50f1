"""Guard and Visit: what another client may reach, how long it may take, and what plugins learn of it."""

from __future__ import annotations

import copy
import pickle
import socket
from collections.abc import Callable
from typing import Any

import pytest
from fake_servers import resolver_of

from urlschemes import Registry
from urlschemes.errors import PluginError, UnsafeURL, URLError
from urlschemes.registry.hooks import hookimpl
from urlschemes_access.backends.backend import drive
from urlschemes_access.backends.blocking import BlockingBackend
from urlschemes_access.errors import DeadlineExceeded, LimitExceeded, PolicyDenied, RedirectRefused
from urlschemes_access.guard import Guard, RequestedURL, Visit
from urlschemes_access.hooks import Observation
from urlschemes_access.policy import Limits, Policy

WEB = frozenset({80, 443})
HERE = Policy(networks=("127.0.0.0/8",))


def check(visit: Visit, host: str = "host.example", port: int = 80, scheme: str = "http", **details: Any) -> None:
    visit.check_url(scheme, host, port, own=WEB, **details)


def addresses(visit: Visit, host: str, port: int = 80) -> list[str]:
    visit.own = WEB
    return drive(visit.addresses(BlockingBackend(), host, port))


@pytest.mark.parametrize(
    ("policy", "details", "error", "rule"),
    [
        (Policy(schemes=frozenset({"https"})), {}, PolicyDenied, "schemes"),
        (Policy(denied_hosts=frozenset({"host.example"})), {"host": "HOST.example."}, PolicyDenied, "denied_hosts"),
        (Policy(), {"port": 25}, PolicyDenied, "ports"),
        (Policy(), {"user_information": True}, PolicyDenied, "user_information"),
        (Policy(), {"host": "0x7f.1"}, UnsafeURL, None),
        (Policy(), {"host": "fe80::1%eth0"}, UnsafeURL, None),
        (Policy(), {"port": 0}, UnsafeURL, None),
        *((Policy(), {"target": f"/a{octet}b"}, UnsafeURL, None) for octet in "\r\n\0 \x7fé"),
    ],
)
def test_a_url_is_checked_before_anything_is_resolved(
    policy: Policy, details: dict[str, Any], error: type[URLError], rule: str | None
) -> None:
    with pytest.raises(error) as refusal:
        check(Guard(policy).visit(), **details)
    assert refusal.value.rule == rule


def test_what_the_request_line_may_hold_is_the_clients_affair() -> None:
    check(Guard().visit(), target="/a[]|{}?x[]=1&y=\\^`", scheme="HTTP", host="2606:4700::1111")


@pytest.mark.parametrize("mixed", [("93.184.216.34", "127.0.0.1"), ("10.0.0.1",)])
def test_all_addresses_of_a_name_are_checked(mixed: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", resolver_of(*mixed))
    with pytest.raises(PolicyDenied, match="not on the public Internet"):
        addresses(Guard().visit(), "two.example")
    assert addresses(Guard(Policy(networks=("127.0.0.0/8", "10.0.0.0/8"))).visit(), "two.example.") == [*mixed]


def test_the_host_and_port_that_are_dialled_are_checked_whatever_was_checked_before() -> None:
    visit = Guard(HERE).visit()
    check(visit)
    with pytest.raises(PolicyDenied):
        addresses(visit, "127.0.0.1", 22)
    with pytest.raises(UnsafeURL):
        addresses(visit, "0177.0.0.1")


def test_the_address_that_the_system_connected_to_is_checked() -> None:
    visit = Guard(HERE).visit()
    visit.check_peer(("127.0.0.1", 80), "127.0.0.1", 80, "host.example")
    for peer in (("127.0.0.2", 80), ("127.0.0.1", 81)):
        with pytest.raises(PolicyDenied, match=r"instead of 127\.0\.0\.1 port 80, the address of host\.example"):
            visit.check_peer(peer, "127.0.0.1", 80, "host.example")


def test_a_redirect_may_lead_into_networks_only_to_go_back() -> None:
    visit = Guard(HERE).visit()
    check(visit, "127.0.0.1")
    visit.check_peer(("127.0.0.1", 80), "127.0.0.1", 80, "127.0.0.1")
    check(visit, "127.0.0.2")
    with pytest.raises(PolicyDenied) as refusal:
        addresses(visit, "127.0.0.2")
    assert refusal.value.rule == "redirect"
    with pytest.raises(PolicyDenied):
        visit.check_kept("127.0.0.3")
    assert addresses(visit, "127.0.0.1") == ["127.0.0.1"]
    visit.check_kept("127.0.0.1")


def test_a_kept_connection_counts_as_reached() -> None:
    visit = Guard(HERE).visit()
    check(visit)
    visit.check_kept("127.0.0.1")
    check(visit)
    visit.check_kept("127.0.0.1")
    with pytest.raises(PolicyDenied):
        Guard().visit().check_kept("127.0.0.1")


def test_what_the_policy_allowed_an_earlier_visit_is_all_that_it_allows_this_one() -> None:
    guard = Guard(HERE)
    earlier = guard.visit()
    check(earlier, "127.0.0.1")
    earlier.check_kept("127.0.0.1")
    visit = guard.visit()
    with pytest.raises(PolicyDenied, match="port 25"):
        check(visit, "127.0.0.1", 25)
    visit = guard.visit()
    for _ in range(2):  # the second is a redirect, which must not lead into networks
        check(visit)
    for reach in (visit.check_kept, lambda address: addresses(visit, address)):
        with pytest.raises(PolicyDenied) as refusal:
            reach("127.0.0.1")
        assert refusal.value.rule == "redirect"


def test_a_guard_keeps_its_policy_and_its_copies_have_it() -> None:
    guard = Guard(HERE)
    check(guard.visit(), "127.0.0.1")
    with pytest.raises(AttributeError):
        guard.policy = Policy()  # type: ignore[misc]  # what was allowed is remembered
    for other in (copy.copy(guard), copy.deepcopy(guard), pickle.loads(pickle.dumps(guard))):
        assert other.policy == HERE
        check(other.visit(), "127.0.0.1")


def test_hops_and_connections_are_limited() -> None:
    visit = Guard(Policy(networks=("127.0.0.0/8",), limits=Limits(hops=2, connections=2))).visit()
    for _ in range(3):
        check(visit)
    with pytest.raises(RedirectRefused, match="2 redirects were followed already") as refusal:
        check(visit, text="http://host.example/again")
    assert (refusal.value.reason, refusal.value.location) == ("hops", "http://host.example/again")
    visit = Guard(Policy(networks=("127.0.0.0/8",), limits=Limits(connections=2))).visit()
    for _ in range(2):
        addresses(visit, "127.0.0.1")
    with pytest.raises(LimitExceeded, match="more connections than 2"):
        addresses(visit, "127.0.0.1")


@pytest.mark.parametrize(
    ("limits", "exceed"),
    [
        (Limits(content=10), lambda visit: visit.add_content(11)),
        (Limits(decoded=10), lambda visit: (visit.add_received(5), visit.add_content(16))),
    ],
)
def test_octets_are_limited(limits: Limits, exceed: Callable[[Visit], object]) -> None:
    visit = Guard(Policy(limits=limits)).visit()
    visit.add_received(5)
    visit.add_content(10)
    with pytest.raises(LimitExceeded):
        exceed(Guard(Policy(limits=limits)).visit())


def test_a_wait_is_bounded_by_every_limit_of_its_phase() -> None:
    visit = Guard(Policy(limits=Limits(deadline=30, first_octet=7, connect=8, idle=20))).visit()
    assert visit.wait("answer") == 7
    assert visit.wait("tls") == visit.wait("connect") == 8
    assert 19 < visit.wait("content") <= 20
    assert visit.wait("content", 3) == 3
    shares = list(visit.attempts(["192.0.2.1", "192.0.2.2"], 6))
    assert [address for address, _ in shares] == ["192.0.2.1", "192.0.2.2"]
    assert 2.9 < shares[0][1] <= 3


def test_a_visit_ends_at_its_deadline() -> None:
    visit = Guard(Policy(networks=("127.0.0.0/8",), limits=Limits(deadline=1e-9))).visit()
    visit.deadline.resume()
    for act in (lambda: visit.wait("answer"), lambda: addresses(visit, "host.example"), lambda: visit.add_content(1)):
        with pytest.raises(DeadlineExceeded, match="the deadline"):
            act()


class Plugin:
    def __init__(self) -> None:
        self.seen: list[Observation] = []

    @hookimpl
    def urlschemes_veto(self, url: RequestedURL, operation: str) -> str | None:
        return f"not to {url.host} port {url.port}" if "secret" in str(url) and operation == "request" else None

    @hookimpl
    def urlschemes_observe(self, observation: Observation) -> None:
        self.seen.append(observation)


def test_hooks_judge_each_request_and_learn_its_outcome() -> None:
    registry, plugin = Registry(), Plugin()
    registry.add_hooks(plugin, "the house rules")
    visit = Guard(HERE, registry).visit()
    check(visit, text="http://joe:word@host.example/")
    visit.opened()
    with pytest.raises(PolicyDenied, match=r"access denied by .*: not to b\.example port 443") as refusal:
        check(visit, "b.example", 443, "https", text="https://b.example/secret")
    assert refusal.value.rule == "veto"
    visit.failed(refusal.value)
    with pytest.raises(PolicyDenied) as denied:
        addresses(visit, "10.0.0.1")
    visit.failed(denied.value)
    assert [(each.operation, each.scheme, each.url, *each[6:], each.outcome) for each in plugin.seen] == [
        ("request", "http", "http://joe:***@host.example/", None, "host.example", None, "opened"),
        ("request", "https", "https://b.example/secret", "veto", "b.example", None, "failed"),
        ("request", "https", "https://b.example/secret", "redirect", "b.example", "10.0.0.1", "failed"),
    ]


def test_a_veto_that_cannot_be_asked_refuses() -> None:
    class Broken:
        @hookimpl
        def urlschemes_veto(self, url: Any) -> str | None:
            return str(url.parts)

    registry = Registry()
    registry.add_hooks(Broken(), "broken")
    with pytest.raises(PluginError):
        check(Guard(registry=registry).visit())


def test_a_guard_takes_a_policy() -> None:
    with pytest.raises(TypeError, match="policy must be a Policy or None, not str"):
        Guard("untrusted")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("details", "expected"),
    [
        ({"scheme": b"http"}, "scheme must be a str, not bytes"),
        ({"host": 1}, "host must be a str, not int"),
        ({"port": "80"}, "port must be an int, not str"),
        ({"target": b"/"}, "target must be a str, not bytes"),
        ({"own": [80]}, "own must be a frozenset, not list"),
    ],
)
def test_a_url_is_given_as_texts(details: dict[str, Any], expected: str) -> None:
    given = {"scheme": "http", "host": "host.example", "port": 80, "own": WEB} | details
    with pytest.raises(TypeError, match=expected):
        Guard().visit().check_url(**given)


def test_addresses_are_given_as_a_list() -> None:
    with pytest.raises(TypeError, match="addresses must be a list, not str"):
        Guard().visit().allowed_addresses("192.0.2.1", "host.example")  # type: ignore[arg-type]
