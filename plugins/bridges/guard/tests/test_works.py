"""What works through a guarded client as without one."""

from __future__ import annotations

import importlib
import pickle
import re
import sys
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from guarded import Guarded, clients
from local_web import Network, Start, contexts, respond

from urlschemes.registry.names import how_to_install
from urlschemes_access import Policy

HERE = Policy(networks=("127.0.0.1", "::1"))


@clients()
def test_methods_content_and_fields_arrive(client: Guarded, serve: Start) -> None:
    server = serve({"/created": respond(201, b"made"), "/gone": respond(404), "/empty": respond(204, b"")})
    base = f"http://127.0.0.1:{server.port}"
    assert [each.status for each in client.fetch(HERE, f"{base}/created", f"{base}/gone", f"{base}/empty")] == [
        201,
        404,
        204,
    ]
    (answer,) = client.fetch(HERE, f"{base}/x", method="POST", content=b"x" * 3_000_000, headers={"X-Mine": "yes"})
    assert (answer.status, answer.body) == (200, b"ok")
    method, _, headers, body = server.heard[-1]
    assert (method, len(body), headers["X-Mine"], headers["Host"]) == (
        "POST",
        3_000_000,
        "yes",
        f"127.0.0.1:{server.port}",
    )
    (answer,) = client.fetch(HERE, f"{base}/x", method="HEAD")
    assert answer.body == b""


@clients()
@pytest.mark.parametrize(
    "target", ["/?x[]=1&y=a|b", "/{a}/[b]", "/%C3%A4?q=%20", "/a//b/;c", "/\u00e4?\u00f6=\u00fc", "/~^`"]
)
def test_what_the_client_writes_in_a_target_is_its_own_affair(client: Guarded, serve: Start, target: str) -> None:
    server = serve()
    (answer,) = client.fetch(HERE, f"http://127.0.0.1:{server.port}{target}")
    assert answer.status == 200


@clients()
def test_connections_are_kept(client: Guarded, serve: Start) -> None:
    server = serve()
    client.fetch(HERE, *[f"http://127.0.0.1:{server.port}/"] * 3)
    assert (server.connections, len(server.heard)) == (1, 3)


@clients()
def test_names_and_ipv6_addresses(client: Guarded, network: Network, serve: Start) -> None:
    server = serve(at="::1")
    network.names = {"six.test": [["::1"]], "xn--bcher-kva.test": [["::1"]]}
    urls = [f"http://{host}:{server.port}/" for host in ("[::1]", "six.test", "SIX.test", "b\u00fccher.test")]
    assert [each.status for each in client.fetch(HERE, *urls)] == [200] * 4
    assert server.heard[-1][2]["Host"] == f"xn--bcher-kva.test:{server.port}"


@clients()
def test_the_next_address_is_tried(client: Guarded, network: Network, serve: Start) -> None:
    server = serve()
    network.names = {"two.test": [["127.0.0.9", "127.0.0.1"]]}
    (answer,) = client.fetch(Policy(networks=("127.0.0.0/8",)), f"http://two.test:{server.port}/")
    assert answer.status == 200
    assert set(network.dialled) == {"127.0.0.9", "127.0.0.1"}


@clients()
def test_redirects_and_cookies(client: Guarded, serve: Start) -> None:
    server = serve({"/": respond(302, Location="/end?a=1", Set_Cookie="seen=1; Path=/")})
    answers = client.fetch(HERE, f"http://127.0.0.1:{server.port}/", f"http://127.0.0.1:{server.port}/next")
    assert [answer.url.partition(str(server.port))[2] for answer in answers] == ["/end?a=1", "/next"]
    assert [headers["Cookie"] for *_, headers, _ in server.heard] == [None, "seen=1", "seen=1"]


@clients()
def test_logins(client: Guarded, serve: Start) -> None:
    server = serve()
    client.fetch(HERE, f"http://127.0.0.1:{server.port}/", auth=("me", "secret"))
    assert server.heard[0][2]["Authorization"] == "Basic bWU6c2VjcmV0"
    allowing = Policy(networks=("127.0.0.1",), user_information=True)
    client.fetch(allowing, f"http://me:secret@127.0.0.1:{server.port}/")
    assert server.heard[1][2]["Authorization"] == "Basic bWU6c2VjcmV0"


@pytest.mark.filterwarnings("ignore:Unverified HTTPS request")
@clients()
def test_tls_is_the_clients_own(client: Guarded, network: Network, serve: Start, authority: Any) -> None:
    of_server, trusting, file = contexts(authority)
    server = serve(context=of_server)
    network.names = {"host.test": [["127.0.0.1"]], "other.test": [["127.0.0.1"]]}
    verify = str(file) if client.library == "requests" else trusting
    urls = [f"https://host.test:{server.port}/"] * 2 + [f"https://127.0.0.1:{server.port}/"]
    assert [each.body for each in client.fetch(HERE, *urls, verify=verify)] == [b"ok"] * 3
    assert server.connections == 2
    for url, trust in ((f"https://other.test:{server.port}/", verify), (urls[0], True)):
        with pytest.raises(client.family) as failure:
            client.fetch(HERE, url, verify=trust)
        assert "CERTIFICATE_VERIFY_FAILED" in str(failure.value)
    (answer,) = client.fetch(HERE, urls[0], verify=False)
    assert answer.status == 200


@clients()
def test_without_its_client_a_module_says_what_to_install(client: Guarded, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [client.library, *sys.modules]:
        if f"{name}.".startswith(f"{client.library}."):
            monkeypatch.setitem(sys.modules, name, None)  # as if it were not installed
    monkeypatch.delitem(sys.modules, f"urlschemes_guard.{client.library}", raising=False)
    advice = re.escape(how_to_install("urlschemes-guard", client.library))
    with pytest.raises(ModuleNotFoundError, match=rf"^urlschemes_guard\.{client.library}: .*; {advice}$"):
        importlib.import_module(f"urlschemes_guard.{client.library}")


def test_a_session_of_requests_can_be_pickled(serve: Start) -> None:
    pytest.importorskip("requests", reason="needs requests: python3 dev --group bridges pytest")
    from urlschemes_guard.requests import RequestRefused, Session

    server = serve()
    with Session(HERE) as session:
        session.headers["X-Mine"] = "yes"
        session.get(f"http://127.0.0.1:{server.port}/")  # what was used knows hooks, which are not pickled
        copy = pickle.loads(pickle.dumps(session))
    with copy:
        assert copy.get(f"http://127.0.0.1:{server.port}/").content == b"ok"
        assert server.heard[1][2]["X-Mine"] == "yes"
        with pytest.raises(RequestRefused):
            copy.get("http://127.0.0.2/")


@pytest.mark.parametrize("library", ["httpx", "httpx2"])
def test_an_upgraded_connection_is_the_programs_own(library: str, serve: Start) -> None:
    core = pytest.importorskip(
        library.replace("httpx", "httpcore"), reason="needs httpx: python3 dev --group bridges pytest"
    )
    module: Any = importlib.import_module(f"urlschemes_guard.{library}")
    anyio = importlib.import_module("anyio")

    def echo(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
        while octets := handler.connection.recv(4):
            handler.wfile.write(octets)

    request = ("GET", f"http://127.0.0.1:{serve({'/': echo}).port}/")
    fields = {"Connection": "Upgrade", "Upgrade": "echo"}
    with module.Client(policy=HERE) as client, client.stream(*request, headers=fields) as response:
        stream = response.extensions["network_stream"]
        stream.write(b"ping", 20)
        assert stream.read(4, 20) == b"ping"
        with pytest.raises(core.ReadTimeout):
            stream.read(4, 0.05)

    async def run() -> None:
        async with module.AsyncClient(policy=HERE) as client, client.stream(*request, headers=fields) as response:
            stream = response.extensions["network_stream"]
            await stream.write(b"ping", 20)
            assert await stream.read(4, 20) == b"ping"
            with pytest.raises(core.ReadTimeout):
                await stream.read(4, 0.05)

    anyio.run(run)
