"""Operations on http and https URLs in the profile of RFC 3986, with servers on both loopback addresses."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import urlschemes
from urlschemes import URL, Registry
from urlschemes.errors import InvalidURL, UnsafeURL, URLError
from urlschemes.registry.hooks import hookimpl
from urlschemes_access import AsyncClient, Client, Document, Policy, TraceEvent
from urlschemes_access.errors import AuthRequired, PolicyDenied, RedirectRefused, TLSError
from urlschemes_access.protocol.ranges import Range
from urlschemes_http.rfc3986 import HttpURI
from urlschemes_servers import make_certificates
from urlschemes_servers.http import HttpRequest, HttpResponse, echo, http_server, redirect

MODERN = Registry(profile="rfc3986")
HERE = Policy(public=False, networks=("127.0.0.0/8", "::1/128"))
NOWHERE = Policy(public=False)
"""Nothing is ever dialled: a host that passes the check of its form is denied."""


@pytest.fixture(scope="module")
def client() -> Client:
    return Client(registry=MODERN, policy=HERE)


def opened(client: Client, url: str) -> Document:
    return client.open_document(url)


@pytest.mark.parametrize(
    ("rest", "target"),
    [
        ("", "/"),
        ("#c", "/"),
        ("?q", "/?q"),
        ("?/x#c?d/e", "/?/x"),
        ("/a?b#c", "/a?b"),
        ("/a%2fb/%7E/../~;x?y=%26&z#", "/a%2fb/%7E/../~;x?y=%26&z"),
        ("//x//", "//x//"),
        ("/%0d%0aX:%20y#%0d%0aX:%20y", "/%0d%0aX:%20y"),
    ],
)
def test_the_target_is_sent_octet_for_octet_and_the_fragment_never(client: Client, rest: str, target: str) -> None:
    with http_server(handler=echo, host="::1") as server, opened(client, f"http://{server}{rest}") as document:
        assert document.read_text() == target
        assert document.url == MODERN.parse(f"http://{server}{rest}")
        (request,) = server.requests
        assert request.headers["Host"] == f"[::1]:{server.port}"


def test_every_operation_reaches_an_ipv6_address(client: Client, tmp_path: Path) -> None:
    (tmp_path / "served").mkdir()
    with http_server(tmp_path / "served", writable=True, host="::1") as server:
        url = MODERN.parse(f"http://{server}/a.txt#part")
        client.replace(url, b"hello")
        assert client.find_attributes(url).size == 5
        with client.access(url, options={"range": Range(1, 4)}) as document:
            assert document.read() == b"ell"  # type: ignore[union-attr]
        with opened(client, str(url)) as document:
            document.save(tmp_path / "saved.txt")
        assert (tmp_path / "saved.txt").read_bytes() == b"hello"

        async def read() -> bytes:
            async with AsyncClient(registry=MODERN, policy=HERE) as other:
                content: bytes = await (await other.access(url)).read()  # type: ignore[union-attr]
                return content

        assert asyncio.run(read()) == b"hello"
        client.delete(url)
        assert not any((tmp_path / "served").iterdir())


def test_the_certificate_names_the_address(client: Client) -> None:
    certificates = make_certificates()
    names: list[str | None] = []
    certificates.server.sni_callback = lambda _, name, __: names.append(name)
    with http_server(handler=echo, tls=certificates.server, host="::1") as server:
        for host in ("[::1]", "[0:0::1]"):
            with client.access(f"https://{host}:{server.port}/a#b", ssl_context=certificates.client()) as document:
                assert document.read() == b"/a"  # type: ignore[union-attr]
        assert names == [None, None]  # RFC 6066 section 3: an address is not sent
        elsewhere = make_certificates("127.0.0.1")
    with (
        http_server(handler=echo, tls=elsewhere.server, host="::1") as server,
        pytest.raises(TLSError, match="another host"),
    ):
        client.access(f"https://{server}/", ssl_context=elsewhere.client())


# Redirects


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("b", "/a/b#top"),
        ("b#", "/a/b#"),
        ("../b?c#here", "/b?c#here"),
        ("/~joe", "/~joe#top"),
        ("/b?next=/x", "/b?next=/x#top"),
        ("/b[1]|#a#b[", "/b%5B1%5D%7C#a%23b%5B"),
        ("/100%", "/100%25#top"),
        ("/a b?c d", "/a%20b?c%20d#top"),
        ("/\xc3\xbc", "/%C3%BC#top"),  # UTF-8, an octet each
        ("?q", "/a/start?q#top"),
    ],
)
def test_the_fragment_is_that_of_the_first_url_unless_the_location_has_one(
    client: Client, location: str, target: str
) -> None:
    """RFC 9110 section 10.2.2. The location may be as real servers write it."""

    def answer(request: HttpRequest) -> HttpResponse:
        return redirect(location) if request.target == "/a/start" else echo(request)

    with http_server(handler=answer, host="::1") as server, opened(client, f"http://{server}/a/start#top") as document:
        assert str(document.url) == f"http://{server}{target}"
        assert type(document.url) is HttpURI
        assert document.read_text() == target.partition("#")[0]


def test_the_trace_shows_what_a_server_wrote_where_it_was_repaired(client: Client) -> None:
    events: list[TraceEvent] = []
    sites = {"/a": redirect("/b"), "/b": redirect("/c d"), "/c%20d": echo}
    with http_server(handler=sites, host="::1") as server, client.access(f"http://{server}/a", trace=events.append):
        shown = [each.text.replace(str(server), "h") for each in events if each.kind == "follow"]
    assert shown == ["to http://h/b", "to http://h/c%20d, written /c d"]


@pytest.mark.parametrize("host", ["127.0.0.1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"])
def test_a_redirect_from_one_loopback_address_leads_to_no_other(client: Client, host: str) -> None:
    with http_server(handler=echo) as inner, http_server(
        handler=redirect(f"http://{host}:{inner.port}/"), host="::1"
    ) as server:  # fmt: skip
        with pytest.raises(PolicyDenied, match="a redirect led there") as refusal:
            client.access(f"http://{server}/")
        assert refusal.value.rule == "redirect"
        assert not inner.requests


@pytest.mark.parametrize(
    "location",
    [
        "http://good.example@[::1]/",
        "http://[::1]@evil.example/",
        "http://evil.example\\@[::1]/",
        "//[::1%25lo]/",
        "http://[fe80::1%lo]/",
        "http://[::1/",
        "http://::1/",
        "//a b/",
        "//",
        "///evil.example/",
        "http:///evil.example/",
        "http://?evil.example",
        "http://#evil.example",
        "http:evil.example",
        "http:/\\evil.example/",
    ],
)
def test_a_location_that_is_no_url_is_refused(client: Client, location: str) -> None:
    with http_server(handler=redirect(location), host="::1") as server, pytest.raises(RedirectRefused) as refusal:
        client.access(f"http://{server}/")
    assert refusal.value.reason == "invalid"


@pytest.mark.parametrize("location", ["gopher://h/", "HTTP+X://h/", "ftp://[::1]/", "file:/etc/passwd", "javascript:1"])
def test_other_schemes_are_refused(client: Client, location: str) -> None:
    with http_server(handler=redirect(location), host="::1") as server, pytest.raises(RedirectRefused) as refusal:
        client.access(f"http://{server}/")
    assert refusal.value.reason == "scheme"


# Hosts and ports that the syntax allows and an access does not

UNSAFE = [
    "127%2e0%2e0%2e1", "%5b1%5d", "loc%61lhost", "host.example..", "0x7f.1", "0177.0.0.1", "1.2.3",
    "2130706433", "[v1.a]", "[vF.::1]", "a~b.example", "a!b", "(a)", "a,b", "b%C3%BCcher.example", "-a.example",
]  # fmt: skip
INVALID = [
    "[::1%25lo]", "[fe80::1%25eth0]", "[fe80::1%eth0]", "[::1", "::1", "[127.0.0.1]", "[::ffff:1.2.3.04]",
    "good.example@evil.example", "good.example:80@evil.example", "evil.example\\good.example", "b\u00fccher.example",
    "a b", "[]", "%5b::1%5d", "",
]  # fmt: skip
DENIED = [
    "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[2002:7f00:1::]", "[64:ff9b::127.0.0.1]",
    "[2001:0:a00:1:8000:63bf:807f:fffe]", "[::]", "[fe80::1]", "[fd00::1]", "[ff02::1]", "127.0.0.1", "127.0.0.1.",
]  # fmt: skip


@pytest.mark.parametrize(
    ("host", "error"),
    [
        (host, kind)
        for kind, hosts in ((UnsafeURL, UNSAFE), (InvalidURL, INVALID), (PolicyDenied, DENIED))
        for host in hosts
    ],
)
def test_a_hostile_host_is_refused(host: str, error: type[URLError]) -> None:
    client = Client(registry=MODERN, policy=NOWHERE)
    for scheme in ("http", "https"):
        with pytest.raises(error) as refusal:
            client.access(f"{scheme}://{host}/")
        document = "RFC 9110 section 4.2.4" if "@" in host else "RFC 3986 section "  # the scheme has no user name
        assert (refusal.value.section or "").startswith(document)
        assert "RFC 1738" not in str(refusal.value)


@pytest.mark.parametrize(("port", "error"), [("0", UnsafeURL), ("65536", UnsafeURL), ("25", PolicyDenied)])
def test_a_hostile_port_is_refused(port: str, error: type[URLError]) -> None:
    with pytest.raises(error) as refusal:
        Client(registry=MODERN, policy=NOWHERE).access(f"http://[::1]:{port}/")
    assert (refusal.value.section or "").startswith("RFC 3986 section ")


def test_a_url_of_another_profile_is_read_again_before_a_plugin_sees_it() -> None:
    """What is a query of RFC 3986 may be a user name of RFC 1738."""
    seen: list[object] = []
    registry = Registry()

    class House:
        @hookimpl
        def urlschemes_veto(self, url: URL) -> str:
            seen.append(url.raw["host"])
            return "never"

    registry.add_hooks(House(), "house")
    with pytest.raises(PolicyDenied, match="denied by 'house'"):
        Client(registry=registry).access(MODERN.parse_generic("ftp://good.example?@evil.example/"))
    assert seen == ["evil.example"]
    with pytest.raises(InvalidURL) as refusal:
        Client(registry=registry).access(MODERN.parse("http://[::1]/"))
    assert refusal.value.code == "invalid-character"


def test_a_login_is_for_one_origin(client: Client) -> None:
    locked = HttpResponse(401, b"", [("WWW-Authenticate", 'Basic realm="x"')])
    with http_server(handler=locked, host="::1") as server, pytest.raises(AuthRequired, match=r"\[::1\] requires"):
        client.access(f"http://{server}/")


@pytest.mark.parametrize(
    ("registry", "url", "problem"),
    [
        (None, MODERN.parse("http://127.0.0.1/~joe"), "rfc3986, and the client reads rfc1738: invalid character '~'"),
        (MODERN, urlschemes.parse("ftp://127.0.0.1/a?b"), "rfc1738, and the client reads rfc3986: invalid character"),
        (None, MODERN.parse("mailto:a@b?subject=c"), "rfc3986, and the client reads rfc1738: .* part of the address"),
    ],
    ids=["today's", "of 1994", "ambiguous"],
)
def test_a_url_that_the_profile_of_the_client_lacks_names_both_profiles(
    registry: Registry | None, url: URL, problem: str
) -> None:
    with pytest.raises(InvalidURL, match=rf"^the URL is of the profile {problem}") as refused:
        Client(registry=registry, policy=NOWHERE).access(url)
    other = "rfc1738" if registry else "rfc3986"
    assert str(refused.value.hint).startswith(f'Registry(profile="{other}") reads it; ')
