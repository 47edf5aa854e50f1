"""urllib.request with URLHandler: documents, listings, refusals; the README has pandas, which reads by urllib."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import OpenerDirector, Request, build_opener

import pytest

from urlschemes import Registry
from urlschemes.errors import UnknownScheme
from urlschemes_access import Limits, Policy
from urlschemes_bridges.urllib import URLHandler
from urlschemes_servers import ftp_server, gopher_server, http_server, nntp_server
from urlschemes_servers.gopher import binary, menu, search
from urlschemes_servers.http import redirect
from urlschemes_servers.nntp import Newsgroup, article
from urlschemes_testing.loopback import Loopback
from urlschemes_x_example.demo import server as document_server

LOOPBACK = Policy(networks=("127.0.0.0/8",))
REFUSED = r"127\.0\.0\.1 is not on the public Internet; policy rule 'networks'"
PRICES = b"name,price\ntea,3\ncoffee,4\n"


@pytest.fixture(scope="module")
def gopher() -> Iterator[str]:
    """The URL of a Gopher server, without the path."""
    with gopher_server(
        menu({"prices.csv": binary(PRICES, plus=False), "find": search(title="Find  it", plus=False)})
    ) as address:
        yield f"gopher://{address}"


@pytest.fixture
def opener() -> OpenerDirector:
    return build_opener(URLHandler(policy=LOOPBACK))


def test_a_document_is_read_as_a_file_with_a_header(opener: OpenerDirector, gopher: str) -> None:
    with opener.open(f"{gopher}/9/prices.csv") as response:
        assert response.headers["Content-Type"] == "text/csv"
        assert response.url == f"{gopher}/9/prices.csv"
        assert response.read(4) == b"name"
        assert response.readline() == b",price\n"
        assert response.read() == PRICES[11:]


def test_the_header_has_size_and_time_where_the_server_tells_them(tmp_path: Path) -> None:
    (tmp_path / "prices.csv").write_bytes(PRICES)
    opener = build_opener(URLHandler("http", policy=LOOPBACK))
    with http_server(tmp_path) as address, opener.open(f"http://{address}/prices.csv") as response:
        assert response.headers["Content-Length"] == str(len(PRICES))
        assert response.headers["Last-Modified"].endswith(" GMT")
        assert response.read() == PRICES


def test_a_url_of_another_profile_is_opened(tmp_path: Path) -> None:
    (tmp_path / "~prices.csv").write_bytes(PRICES)
    opener = build_opener(URLHandler("http", policy=LOOPBACK, registry=Registry(profile="rfc3986")))
    with http_server(tmp_path) as address, opener.open(f"http://{address}/~prices.csv?a/b#top") as response:
        assert response.read() == PRICES


def test_a_listing_is_a_table(opener: OpenerDirector, gopher: str) -> None:
    with opener.open(f"{gopher}/1/") as response:
        assert response.headers.get_content_type() == "text/tab-separated-values"
        header, first, second = response.read().decode().splitlines()
    assert header == "kind\tname\turl\tsize"
    assert first == f"binary\tprices.csv\t{gopher}/9/prices.csv\t"
    assert second.startswith("search\tFind it\t")


def test_urls_without_an_authority_are_opened() -> None:
    group = Newsgroup([article("One", "first\n", message_id="1@host.dom")])
    with nntp_server({"misc.test": group}) as address:
        opener = build_opener(URLHandler(policy=LOOPBACK, options={"news": {"server": str(address)}}))
        with opener.open("news:1@host.dom") as response:
            assert response.read().endswith(b"first\r\n")


# Policies


def test_by_default_no_private_address_is_accessed(gopher: str) -> None:
    with pytest.raises(URLError, match=REFUSED):
        build_opener(URLHandler()).open(f"{gopher}/9/prices.csv")


def test_a_redirect_obeys_the_policy(tmp_path: Path) -> None:
    opener = build_opener(URLHandler("http", policy=LOOPBACK))
    with http_server(handler=redirect("http://10.0.0.1/secret")) as address:
        url = f"http://{address}/"
        with pytest.raises(URLError, match=r"10\.0\.0\.1 is not on the public Internet"):
            opener.open(url)


def test_only_the_chosen_schemes_are_taken(tmp_path: Path, gopher: str) -> None:
    (tmp_path / "a.txt").write_bytes(b"text")
    opener = build_opener(URLHandler("ftp", policy=LOOPBACK))
    with ftp_server(tmp_path) as address, opener.open(f"ftp://{address}/a.txt") as response:
        assert response.read() == b"text"
    with pytest.raises(URLError, match="unknown url type: gopher"):
        opener.open(f"{gopher}/1/")
    with build_opener(URLHandler()).open((tmp_path / "a.txt").as_uri()) as response:  # urllib itself
        assert response.read() == b"text"


def test_by_default_the_installed_schemes_that_urllib_does_not_have_are_taken(opener: OpenerDirector) -> None:
    with document_server({"a": ["text"]}) as address, opener.open(f"x-example://{address}/a") as response:
        assert response.read() == b"text"
    for url, message in (
        ("htpp://host.dom/", "htpp"),
        ("mailto:joe@host.dom", "access"),
        ("x-example:a", "position 10"),
    ):
        with pytest.raises(URLError, match=message):
            opener.open(url)


def test_a_scheme_that_is_not_installed_is_an_error() -> None:
    with pytest.raises(UnknownScheme, match="no installed plugin provides scheme 'htpp'"):
        URLHandler("ftp", "htpp")


@pytest.mark.parametrize(
    "arguments", [{"data": b"content", "method": "GET"}, {"method": "HEAD"}, {"headers": {"A": "b"}}]
)
def test_a_request_that_does_more_than_read_is_refused(
    opener: OpenerDirector, gopher: str, arguments: dict[str, Any]
) -> None:
    with pytest.raises(URLError, match="only GET, without content and header fields"):
        opener.open(Request(f"{gopher}/9/prices.csv", **arguments))


def test_an_invalid_url_and_an_error_of_the_server_are_url_errors(opener: OpenerDirector, gopher: str) -> None:
    with pytest.raises(URLError, match="at position 10"):
        opener.open("gopher://a_b/")
    with pytest.raises(URLError):
        opener.open(f"{gopher}/9/none")


def test_the_timeout_of_a_request_bounds_each_wait(opener: OpenerDirector) -> None:
    def keep_silent(connection: socket.socket) -> None:
        while connection.recv(1000):
            pass

    with Loopback(keep_silent) as silent, pytest.raises(URLError, match=r"0\.2"):
        opener.open(f"gopher://{silent.address}/0/a", timeout=0.2)


def test_an_error_while_reading_is_a_url_error() -> None:
    def cut_short(connection: socket.socket) -> None:
        connection.recv(10_000)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfirst")

    opener = build_opener(URLHandler("http", policy=LOOPBACK))
    with Loopback(cut_short) as server, opener.open(f"http://{server.address}/") as response:
        assert response.status == 200
        with pytest.raises(URLError, match="of 100"):
            response.read(100)


def test_closing_a_response_closes_the_connection() -> None:
    closed = threading.Event()

    def wait(connection: socket.socket) -> None:
        connection.recv(10_000)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfirst")
        if connection.recv(1) == b"":
            closed.set()

    with Loopback(wait) as server:
        response = build_opener(URLHandler("http", policy=LOOPBACK)).open(f"http://{server.address}/")
        response.close()
        assert closed.wait(30)


def test_what_is_read_whole_is_limited(tmp_path: Path, gopher: str) -> None:
    (tmp_path / "long").write_bytes(bytes(1_500_000))
    policy = Policy(networks=("127.0.0.0/8",), limits=Limits(content=1_000_000, entries=1))
    opener = build_opener(URLHandler("http", "gopher", policy=policy))
    with http_server(tmp_path) as address, opener.open(f"http://{address}/long") as response:
        assert response.read(1) == b"\0"
        with pytest.raises(URLError, match="the content is longer than 1000000 octets"):
            response.read()
    with pytest.raises(URLError, match="the listing has more entries than 1"):
        opener.open(f"{gopher}/1/")
