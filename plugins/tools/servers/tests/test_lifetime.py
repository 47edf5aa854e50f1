"""Every server listens on 127.0.0.1 only, and is bounded in time."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from urlschemes_servers import (
    ftp_server,
    gopher_server,
    http_server,
    nntp_server,
    prospero_server,
    smtp_server,
    telnet_server,
    wais_server,
)
from urlschemes_servers.gopher import menu
from urlschemes_servers.http import echo
from urlschemes_servers.prospero import directory
from urlschemes_testing.loopback import Loopback

SERVERS: dict[str, Callable[..., AbstractContextManager[Any]]] = {
    "ftp": lambda **bounds: ftp_server(".", **bounds),
    "gopher": lambda **bounds: gopher_server(menu({}), **bounds),
    "http": lambda **bounds: http_server(handler=echo, **bounds),
    "nntp": lambda **bounds: nntp_server({}, **bounds),
    "smtp": smtp_server,
    "telnet": telnet_server,
    "wais": lambda **bounds: wais_server({}, **bounds),
}
"""The servers of TCP."""


def is_closed(connection: socket.socket) -> bool:
    """Read until the server closes the connection. Raises TimeoutError."""
    with contextlib.suppress(ConnectionResetError):
        while connection.recv(4096):
            pass
    return True


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_listens_on_the_loopback_address_and_closes_after_its_lifetime(name: str) -> None:
    with SERVERS[name](lifetime=0.05) as address:
        assert address.host == "127.0.0.1"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                socket.create_connection(address, 0.2).close()
            except ConnectionRefusedError:
                return
            except OSError:  # it is closing at this moment
                continue
        pytest.fail("it still listens")


def test_the_prospero_server_listens_on_the_loopback_address_and_closes_after_its_lifetime() -> None:
    threads = threading.active_count()
    with prospero_server(directory({}), lifetime=0.05) as address:
        assert address.host == "127.0.0.1"
        deadline = time.monotonic() + 60
        while threading.active_count() > threads and time.monotonic() < deadline:
            time.sleep(0.01)
        assert threading.active_count() <= threads


@pytest.mark.parametrize("name", SERVERS)
def test_a_silent_client_is_disconnected(name: str) -> None:
    with SERVERS[name](patience=0.05) as address, socket.create_connection(address, 60) as client:
        assert is_closed(client)


@pytest.mark.parametrize("name", SERVERS)
def test_leaving_the_block_closes_all_connections(name: str) -> None:
    threads = threading.active_count()
    with socket.socket() as client:
        client.settimeout(60)
        with SERVERS[name]() as address:
            client.connect(address)
        assert is_closed(client)
    assert threading.active_count() <= threads


def test_an_error_in_a_server_is_raised_when_the_block_is_left() -> None:
    def serve(connection: socket.socket) -> None:
        raise ValueError("a mistake in the test")

    def run() -> None:
        with Loopback(serve) as server, socket.create_connection(server.address, 60) as client:
            assert is_closed(client)

    with pytest.raises(ValueError, match="a mistake in the test"):
        run()


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_reads_from_the_servers(tmp_path: Path) -> None:
    content = bytes(range(256)) * 400
    (tmp_path / "all.bin").write_bytes(content)
    with ftp_server(tmp_path) as ftp, http_server(tmp_path) as http, gopher_server(tmp_path) as gopher:
        for url in (f"ftp://{ftp}/all.bin", f"http://{http}/all.bin", f"gopher://{gopher}/9/all.bin"):
            command = ["curl", "-sS", "--noproxy", "*", "--max-time", "20", url]
            assert subprocess.run(command, capture_output=True, check=True).stdout == content, url


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ftp_server(".", users={"joe": 5}), "users must be a collection of FtpUser, not "),
        (lambda: http_server(handler=5), "handler must be a HttpResponse or a Mapping or None, not int"),
        (lambda: http_server(tls=5), "tls must be a SSLContext, not int"),
        (lambda: nntp_server({"a": 5}), "groups must be a collection of Newsgroup, not "),
        (lambda: prospero_server(None), "tree must be a Node, not NoneType"),
        (lambda: smtp_server(replies=5), "replies must be a Mapping or None, not int"),
        (lambda: telnet_server(greeting=5), "greeting must be a str, not int"),
        (lambda: wais_server({"a": {"b": 5}}), "a document must be a str or a bytes, not int"),
    ],
)
def test_content_of_another_type_is_named_before_the_server_listens(
    make: Callable[[], AbstractContextManager[Any]], message: str
) -> None:
    with pytest.raises(TypeError, match=message), make():
        pass
