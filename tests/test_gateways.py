"""Gateways on loopback: URLs of RFC 1738's schemes, and of one that nobody knows, through http, gopher and ftp."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import pytest
from click.testing import CliRunner

from urlschemes import InvalidURL
from urlschemes.errors import ConfigurationError, UnsafeURL, URLError
from urlschemes_access import Client, Policy
from urlschemes_access.errors import AuthRequired, PolicyDenied
from urlschemes_access.protocol import Authenticate
from urlschemes_cli.app import command
from urlschemes_rfc3986 import registry
from urlschemes_servers import FtpUser, ftp_server, gopher_server, http_server
from urlschemes_servers.gopher import menu, text
from urlschemes_servers.http import HttpRequest, HttpResponse, redirect

HERE = Policy.interactive()
URLS = [
    "wais://host.dom/db?a%20b",
    "news:1.2@host.dom",
    "prospero://host.dom/a;b=c",
    "gopher://host.dom/00/a%09b",
    "ftp://host.dom/%2Fetc/motd;type=a",
    "x-nobody:anything?at=all&+",
]


def through(scheme: str, template: str) -> Client:
    """Return a client that reaches the URLs of a scheme through a gateway."""
    return Client(policy=HERE, gateways={scheme: template})


def fetched(request: HttpRequest) -> HttpResponse:
    """Decode the URL once and return it, as if the gateway had fetched it."""
    return HttpResponse(200, b"got " + unquote(request.target.partition("?")[2]).encode())


@pytest.mark.rfc1738(150)
@pytest.mark.parametrize("url", URLS)
def test_a_gateway_of_http_gets_the_whole_url(url: str) -> None:
    with http_server(handler=fetched) as server:
        client = through(url.partition(":")[0], f"http://{server}/fetch?{{url}}")
        with client.access(url) as document:
            assert document.read() == f"got {url}".encode()  # type: ignore[union-attr]
            assert document.gateway is not None
            assert (str(document.gateway.asked), document.gateway.url) == (url, document.url)
        assert client.find_attributes(url).gateway == document.gateway
        assert [each.method for each in server.requests] == ["GET", "HEAD"]


def test_a_gateway_gets_a_url_of_today_without_its_fragment() -> None:
    with http_server(handler=fetched, host="::1") as server:
        client = Client(registry=registry, policy=HERE, gateways={"x-nobody": f"http://{server}/~fetch?{{url}}"})
        for url in (
            "x-nobody://[2a00::1]:8080/a?b/~",
            "x-nobody:~",
            "x-nobody://a.example?b:80@c",
            "x-nobody://a.example:8080?b=@c",
        ):
            with client.access(f"{url}#c") as document:
                assert document.read() == f"got {url}".encode()  # type: ignore[union-attr]
    for wrong in ("http://h/{url}#", "http://{url}?"):
        with pytest.raises(ConfigurationError, match=r"gateways.x-nobody is not a gateway"):
            Client(registry=registry, gateways={"x-nobody": wrong})


def test_the_url_of_a_gateway_is_one_of_today_in_every_profile() -> None:
    def moved(request: HttpRequest) -> HttpResponse:
        if request.target.startswith("/~fetch"):
            return redirect("/~moved" + request.target.removeprefix("/~fetch"))
        return fetched(request)

    with http_server(handler=moved, host="::1") as server, Client(policy=HERE) as client:
        by_1738 = Client(policy=HERE, gateways={"wais": f"http://{server}/~fetch?{{url}}"})
        with by_1738.access(URLS[0]) as document:
            assert document.read() == f"got {URLS[0]}".encode()  # type: ignore[union-attr]
            assert document.gateway is not None
            assert [type(url).__name__ for url in (document.gateway.asked, document.url)] == ["WaisURL", "HttpURI"]
        with pytest.raises(InvalidURL):
            client.access(f"http://{server}/~fetch")


@pytest.mark.parametrize("wrong", ["http://h/[{url}", "http://h/ {url}", "http://[::1/{url}"])
def test_the_url_of_a_gateway_is_checked_when_it_is_used(wrong: str) -> None:
    client = Client(gateways={"x-nobody": wrong})
    [found] = client.check_configuration()
    with pytest.raises(
        ConfigurationError, match=r"gateways\.x-nobody .* leads to a URL that cannot be accessed"
    ) as error:
        client.access("x-nobody:a")
    assert str(error.value) == str(found)


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("x-nobody://joe:secret@a.example", UnsafeURL),
        ("x-nobody://joe@a.example?b", UnsafeURL),
        ("x-nobody://a.example?ftp://joe:secret@b.example/", UnsafeURL),
        ("x-nobody:ftp://joe:secret@b.example/", UnsafeURL),
        ("x-nobody://a%2eexample/", UnsafeURL),
        ("x-nobody://0x7f.1#", UnsafeURL),
        ("x-nobody://[v1.a]", UnsafeURL),
        ("x-nobody://a.example:99999?b", UnsafeURL),
        ("x-nobody://[::1]?b", PolicyDenied),
        ("x-nobody://[::ffff:127.0.0.1]#b", PolicyDenied),
        ("x-nobody://127.0.0.1?b", PolicyDenied),
        ("x-nobody://a.example:22?b", PolicyDenied),
    ],
)
def test_a_gateway_gets_no_url_of_today_that_access_refuses(url: str, error: type[URLError]) -> None:
    client = Client(registry=registry, gateways={"x-nobody": "http://127.0.0.1:1/{url}"})
    with pytest.raises(error) as refusal:
        client.access(url)
    assert (refusal.value.section or "").startswith("RFC 3986 section ")


@pytest.mark.parametrize("plus", ["+x%09y", "+%091%0D%0A+-1%0D%0A.%0D%0A"])
def test_no_gateway_gets_control_octets_that_the_algorithm_of_the_scheme_would_check(plus: str) -> None:
    with http_server(handler=fetched) as server:
        client = through("gopher", f"http://{server}/fetch?{{url}}")
        with pytest.raises(UnsafeURL) as caught:
            client.access(f"gopher://host.dom/0a%09%09{plus}", options={"gopher": {"submit_form": True}})
        assert (caught.value.part, server.requests) == ("gopher_plus", [])


def test_a_gateway_need_not_be_one_of_http(tmp_path: Path) -> None:
    (tmp_path / "x-w:a").write_bytes(b"from ftp")
    items = menu({"get x-w:a": text(b"from gopher")})
    with gopher_server(items) as gopher, ftp_server(tmp_path) as ftp:
        ways = {f"gopher://{gopher}/0/get%20{{url}}": b"from gopher", f"ftp://{ftp}/{{url}}": b"from ftp"}
        for template, content in ways.items():
            with through("x-w", template).access("x-w:a") as document:
                assert document.read().rstrip() == content  # type: ignore[union-attr]


def test_a_login_that_the_gateway_wants_is_asked_for_its_host(tmp_path: Path) -> None:
    asked: list[tuple[str, int]] = []

    def nobody(request: Authenticate) -> None:
        asked.append((request.host, request.port))

    with ftp_server(tmp_path, {"joe": FtpUser("opensesame")}) as server, pytest.raises(AuthRequired):
        through("x-w", f"ftp://joe@{server}/{{url}}").access("x-w://host.dom/", credentials=nobody)
    assert asked == [tuple(server)]


def test_the_command_goes_through_the_gateways_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with http_server(handler=fetched) as server:
        monkeypatch.setenv("URLSCHEMES_GATEWAYS", f"wais=http://{server}/fetch?{{url}} x-w=http://{server}/{{url}}")
        done = CliRunner().invoke(command, ["access", "-v", URLS[0]])
        assert done.stdout == f"got {URLS[0]}"
        assert "* gateway wais://host.dom/db?a%20b is reached through http://" in done.stderr
        assert "gateways.wais of the environment variable URLSCHEMES_GATEWAYS" in done.stderr
        assert CliRunner().invoke(command, ["--no-config", "access", "x-w:a"]).exit_code == 5
