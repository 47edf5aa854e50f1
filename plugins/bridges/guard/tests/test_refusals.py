"""What no guarded client reaches: addresses in every spelling, names, redirects, and URLs that parsers read apart."""

from __future__ import annotations

import importlib
import socket
from typing import Any

import pytest
from guarded import Guarded, clients
from local_web import Network, Start, respond

from urlschemes_access import Limits, Policy
from urlschemes_access.protocol.networks import METADATA

HERE = Policy(networks=("127.0.0.1/32",))
WIDE = Policy(networks=("127.0.0.0/8",))

LITERAL = [
    "127.0.0.1", "127.0.0.2", "127.255.255.254", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.1.1",
    "100.64.0.1", "192.0.0.9", "192.0.2.1", "198.18.0.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
    "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[::ffff:0:7f00:1]",
    "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2001:0:a00:1:8000:63bf:807f:fffe]",
    "[2a00:1450::5efe:7f00:1]", "[fe80::1]", "[fc00::1]", "[fd12::1]", "[fec0::1]", "[ff02::1]", "[2001:db8::1]",
    "[100::1]", "[3fff::1]", "[4000::1]", "[5f00::1]", *(f"[{each}]" if ":" in each else each for each in METADATA),
]  # fmt: skip
EXOTIC = [
    "0", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0x7f.0.0.1", "0177.0.0.1", "017700000001",
    "127.0.0.01", "127.0.0.1.", "%31%32%37.0.0.1", "127%2e0%2e0%2e1", "\u2460\u2461\u2466.\u24ea.\u24ea.\u2460",
    "127\u30020\u30020\u30021", "\uff11\uff12\uff17.0.0.1", "[fe80::1%25lo]", "[::1%lo]", "[::1", "127.0.0.1:80:80",
    "localhost", "LOCALHOST", "localhost.",
]  # fmt: skip
PUBLIC = ["93.184.216.34", "2606:4700::1111"]
ANSWERS = [
    ["127.0.0.1"], ["::1"], ["10.0.0.1"], [PUBLIC[0], "127.0.0.1"], ["127.0.0.1", PUBLIC[0]], [PUBLIC[1], "fe80::1%1"],
    ["::ffff:10.0.0.1"], ["169.254.169.254"], ["168.63.129.16"], ["0.0.0.0"],
]  # fmt: skip
NAMED = ["http://name.test/", "https://NAME.test./"]
PORTS = [1, 21, 22, 23, 25, 53, 110, 143, 465, 587, 993, 2049, 6000, 6667]


def fails(client: Guarded, policy: Policy, *urls: str, **options: Any) -> Exception:
    """Return the error of a request, which is one of the client's own family, or of its parser of URLs."""
    library: Any = importlib.import_module(client.library)
    own = (client.family, getattr(library, "InvalidURL", ValueError), UnicodeError)
    with pytest.raises(own) as refusal:
        client.fetch(policy, *urls, **options)
    return refusal.value


def refused(client: Guarded, policy: Policy, *urls: str, **options: Any) -> Any:
    """Return the error of a request that the guard refuses."""
    error = fails(client, policy, *urls, **options)
    assert isinstance(error, client.module.RequestRefused), repr(error)
    return error


@clients()
def test_no_address_that_is_not_public_is_dialled(client: Guarded, network: Network) -> None:
    for host in LITERAL:
        error = refused(client, Policy(), f"http://{host}/")
        assert (error.rule, error.error.rule) == ("networks", "networks"), host
        assert "networks=" in error.hint
    assert (network.dialled, network.asked) == ([], [])


@clients()
def test_no_spelling_of_this_machine_is_dialled(client: Guarded, network: Network, serve: Start) -> None:
    network.names = {"localhost": [["127.0.0.1", "::1"]]}
    server = serve()
    for host in EXOTIC:
        for url in (f"http://{host}/", f"http://{host}:{server.port}/"):
            fails(client, Policy(), url)
    assert (network.dialled, server.heard) == ([], [])


@clients()
@pytest.mark.parametrize("answers", ANSWERS, ids="+".join)
def test_one_address_of_a_name_that_is_not_public_denies_the_name(
    client: Guarded, network: Network, answers: list[str]
) -> None:
    network.names = {"name.test": [answers]}
    for url in NAMED:
        assert refused(client, Policy(), url).rule == "networks"
    assert network.dialled == []


@clients()
def test_a_name_is_resolved_once_for_a_connection(client: Guarded, network: Network, serve: Start) -> None:
    server = serve()
    network.names = {"twice.test": [["127.0.0.1"], ["127.0.0.2"]]}
    (answer,) = client.fetch(HERE, f"http://twice.test:{server.port}/")
    assert (answer.body, network.asked, network.dialled) == (b"ok", ["twice.test"], ["127.0.0.1"])
    assert refused(client, HERE, f"http://twice.test:{server.port}/").rule == "networks"
    assert network.dialled == ["127.0.0.1"]


@clients()
@pytest.mark.parametrize(
    ("policy", "url", "rule"),
    [
        *((HERE, f"http://127.0.0.1:{port}/", "ports") for port in PORTS),
        (Policy(networks=("127.0.0.1",), only_ports=frozenset({443})), "http://127.0.0.1/", "only_ports"),
        (HERE, "http://me:secret@127.0.0.1:8000/", "user_information"),
        (HERE, "http://me@127.0.0.1:8000/", "user_information"),
        (Policy(networks=("127.0.0.1",), hosts=frozenset({"a.test"})), "http://127.0.0.1/", "hosts"),
        (Policy(denied_hosts=frozenset({"a.test"})), "http://A.test./", "denied_hosts"),
        (Policy(networks=("127.0.0.1",), schemes=frozenset({"https"})), "http://127.0.0.1/", "schemes"),
        (Policy(networks=("127.0.0.0/8",), denied_networks=("127.0.0.1",)), "http://127.0.0.1/", "denied_networks"),
    ],
)  # fmt: skip
def test_each_rule_of_the_policy_holds(client: Guarded, network: Network, policy: Policy, url: str, rule: str) -> None:
    error = refused(client, policy, url)
    assert (error.rule, network.dialled, network.asked) == (rule, [], [])
    assert "secret" not in str(error)


@clients(complete=True)
def test_the_address_that_the_system_connected_to_is_checked(
    client: Guarded, serve: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()
    monkeypatch.setattr(socket.socket, "getpeername", lambda _: ("127.0.0.9", server.port))
    error = refused(client, WIDE, f"http://127.0.0.1:{server.port}/")
    assert "the system connected to 127.0.0.9" in str(error)
    assert server.heard == []


@clients()
@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://127.0.0.1/", "http://%5B::1%5D/", "http://127.0.0.1:x/"])
def test_what_is_no_url_of_http_is_refused_as_the_client_does_or_as_such(
    client: Guarded, network: Network, url: str
) -> None:
    library: Any = importlib.import_module(client.library)
    with pytest.raises((client.family, getattr(library, "InvalidURL", client.family))) as error:
        client.fetch(HERE, url)
    assert not any(each in str(error.value) for each in ("port 0", "''"))
    assert network.dialled == []


@clients()
def test_what_fails_without_a_guard_fails_alike(client: Guarded, network: Network, serve: Start) -> None:
    network.names = {}
    port = serve().port
    with pytest.raises(client.family) as failure:
        client.fetch(HERE, "http://127.0.0.1:1023/" if port == 1023 else "http://127.0.0.1:1026/")
    assert not isinstance(failure.value, client.module.RequestRefused)
    with pytest.raises(client.module.RequestRefused, match="has no address"):
        client.fetch(HERE, "http://unknown.test/")


@clients()
@pytest.mark.parametrize("host", ["xn--a.test", "xn--a", "a.xn--a.test"])
def test_a_host_that_is_no_domain_name_is_refused(client: Guarded, network: Network, serve: Start, host: str) -> None:
    network.names = {}
    server = serve({"/": respond(302, Location=f"http://{host}/")})
    for url in (f"http://{host}/", f"http://127.0.0.1:{server.port}/"):
        assert refused(client, HERE, url).rule is None
    assert set(network.dialled) == {"127.0.0.1"}


@clients()
@pytest.mark.parametrize("url", ["http://127.0.0.1:0/", "http://127.0.0.1:00/", "https://127.0.0.1:0"])
def test_port_0_is_not_the_port_of_the_scheme(client: Guarded, network: Network, url: str) -> None:
    library: Any = importlib.import_module(client.library)
    with pytest.raises((client.module.RequestRefused, getattr(library, "InvalidURL", client.family)), match="0"):
        client.fetch(Policy(networks=("127.0.0.1",)), url)
    assert network.dialled == []


# Redirects

STATUSES = [301, 302, 303, 307, 308]
TARGETS = [
    "http://127.0.0.2:{port}/", "//127.0.0.2:{port}/", "http://[::1]:{port}/", "http://169.254.169.254/", "http://10.0.0.1/",
    "http://2130706434:{port}/", "http://0x7f.2:{port}/", "http://[::ffff:127.0.0.2]:{port}/", "http://other.test:{port}/",
    "http://127.0.0.1:22/", "http://127.0.0.1:6379@127.0.0.2:{port}/", "https://127.0.0.2:{port}/", "http://me:x@127.0.0.1:{port}/",
    "file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1:{port}/0x", "http://127.0.0.2:{port}\\@127.0.0.1:{port}/",
    "data:,x", "http://127.0.0.1:{port}@127.0.0.2:{port}/", "http:\\\\127.0.0.2:{port}/", "http://%5B::1%5D:{port}/",
]  # fmt: skip


@clients()
@pytest.mark.parametrize("status", STATUSES)
def test_no_redirect_leads_around_the_policy(client: Guarded, network: Network, serve: Start, status: int) -> None:
    other, inner = serve(at="127.0.0.2"), serve(at="::1")
    network.names = {"other.test": [["127.0.0.2"]]}
    library: Any = importlib.import_module(client.library)
    for target in TARGETS:
        place = target.format(port=other.port)
        server = serve({"/": respond(status, Location=place), "*": respond(404)})
        try:
            answers = client.fetch(HERE, f"http://127.0.0.1:{server.port}/")
        except (
            client.family,
            getattr(library, "InvalidURL", client.family),
            getattr(library, "HTTPError", client.family),
        ):
            continue
        assert answers[0].status in {404, status}, target  # it was read as a path, or not followed
    assert set(network.dialled) == {"127.0.0.1"}
    assert other.heard == inner.heard == []


@clients()
def test_a_redirect_leads_into_networks_only_to_go_back(client: Guarded, network: Network, serve: Start) -> None:
    other = serve(at="127.0.0.2")
    server = serve(
        {
            "/": respond(302, Location="/again"),
            "/again": respond(302, Location="/end"),
            "/out": respond(302, Location=f"http://127.0.0.2:{other.port}/"),
        }
    )
    (answer,) = client.fetch(WIDE, f"http://127.0.0.1:{server.port}/")
    assert (answer.body, answer.url) == (b"ok", f"http://127.0.0.1:{server.port}/end")
    assert refused(client, WIDE, f"http://127.0.0.1:{server.port}/out").rule == "redirect"
    assert (
        refused(client, WIDE, f"http://127.0.0.1:{server.port}/end", f"http://127.0.0.1:{server.port}/out").rule
        == "redirect"
    )
    assert set(network.dialled) == {"127.0.0.1"}


@clients()
def test_a_redirect_does_not_reach_a_kept_connection_into_networks(client: Guarded, serve: Start) -> None:
    other = serve(at="127.0.0.2")
    there = f"http://127.0.0.2:{other.port}/"
    server = serve({"/out": respond(302, Location=there)})
    assert refused(client, WIDE, there, f"http://127.0.0.1:{server.port}/out").rule == "redirect"
    assert len(other.heard) == 1


@clients()
def test_redirects_are_counted(client: Guarded, serve: Start) -> None:
    server = serve({"*": respond(302, Location="/")})
    policy = Policy(networks=("127.0.0.1",), limits=Limits(hops=3))
    error = refused(client, policy, f"http://127.0.0.1:{server.port}/")
    assert (error.error.code, error.error.reason) == ("redirect-refused", "hops")
    assert len(server.heard) == 4


# Parsers

TRICKS = [
    "http://127.0.0.1:{a}\\@127.0.0.2:{b}/", "http://127.0.0.2:{b}\\@127.0.0.1:{a}/",
    "http://127.0.0.1:{a}#@127.0.0.2:{b}/", "http://127.0.0.1:{a}?@127.0.0.2:{b}/",
    "http://127.0.0.1:{a}%2f@127.0.0.2:{b}/", "http://127.0.0.1%00.127.0.0.2:{b}/",
    "http://127.0.0.1:{a}%40127.0.0.2:{b}/", "http://127.0.0.2%2f127.0.0.1:{b}/", "http://a@b@127.0.0.2:{b}/",
    "http://127.0.0.2%09:{b}/", "http://127.0.0.2\t:{b}/", "http://127.0.0.2\n:{b}/", "http:///127.0.0.2:{b}/",
    "http:127.0.0.2:{b}/", "http:/127.0.0.2:{b}/", "http://127.0.0.2:{b}%23@127.0.0.1:{a}/",
    "http://[127.0.0.2]:{b}/", "http://127.0.0.1,127.0.0.2:{b}/", "\thttp://127.0.0.2:{b}/",
    "http://127.0.0.1 @127.0.0.2:{b}/", "http://127.0.0.2:{b};@127.0.0.1:{a}/", "http://[::ffff:127.0.0.2]:{b}/",
    "http://127.0.0.2:0{b}/", "http://[::1]@127.0.0.2:{b}/", "http://\u2024127.0.0.2:{b}/",
    "http://127.0.0.2\u3002:{b}/", "http://127\u3002000\u30020\u30022:{b}/",
]  # fmt: skip


@clients()
def test_what_is_dialled_is_what_was_checked(client: Guarded, network: Network, serve: Start) -> None:
    good, bad = serve(), serve(at="127.0.0.2")
    library: Any = importlib.import_module(client.library)
    for trick in TRICKS:
        try:
            client.fetch(HERE, trick.format(a=good.port, b=bad.port))
        except (client.family, getattr(library, "InvalidURL", ValueError), UnicodeError, ValueError):
            continue
    assert set(network.dialled) <= {"127.0.0.1"}
    assert bad.heard == []


# The environment


@clients()
def test_no_proxy_and_no_login_of_the_environment_is_used(
    client: Guarded, network: Network, serve: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    proxy, server = serve(at="127.0.0.2"), serve()
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.2:{proxy.port}")
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    client.fetch(HERE, f"http://127.0.0.1:{server.port}/")
    assert (proxy.heard, set(network.dialled)) == ([], {"127.0.0.1"})
    ((_, _, headers, _),) = server.heard
    assert "Authorization" not in headers


@clients(only="httpx")
def test_what_leads_around_the_policy_is_refused(client: Guarded) -> None:
    for name in ("Client", "AsyncClient"):
        for option in ({"proxy": "http://127.0.0.1:1"}, {"mounts": {"all://": object()}}, {"transport": object()}):
            with pytest.raises(TypeError, match="leads around the policy"):
                getattr(client.module, name)(policy=Policy(), **option)
    for name in ("PolicyTransport", "AsyncPolicyTransport"):
        for option in ({"proxy": "http://127.0.0.1:1"}, {"uds": "/x"}):
            with pytest.raises(TypeError, match="leads around the policy"):
                getattr(client.module, name)(Policy(), **option)


@clients(only="requests")
def test_requests_refuses_proxies(client: Guarded, monkeypatch: pytest.MonkeyPatch) -> None:
    import requests

    from urlschemes_guard.requests import PolicyAdapter

    error = refused(client, HERE, "http://127.0.0.1:8000/", proxies={"http": "http://127.0.0.2:1"})
    assert "proxy" in str(error)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.2:1")
    with requests.Session() as session:
        session.mount("http://", PolicyAdapter(HERE))
        with pytest.raises(client.module.RequestRefused, match="a proxy"):
            session.get("http://127.0.0.1:8000/")


@clients(only="aiohttp")
def test_aiohttp_refuses_proxies(client: Guarded) -> None:
    from urlschemes_guard.aiohttp import PolicyConnector

    assert "a proxy" in str(refused(client, HERE, "http://127.0.0.1:8000/", proxy="http://127.0.0.2:1"))
    for option in ("resolver", "socket_factory", "use_dns_cache"):
        with pytest.raises(TypeError, match="leads around the policy"):
            PolicyConnector(HERE, **{option: None})
