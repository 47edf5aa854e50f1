"""Each server is asked by clients that nobody here wrote: ftplib, http.client, urllib, curl, or a bare socket."""

from __future__ import annotations

import contextlib
import ftplib
import gc
import http.client
import io
import shutil
import socket
import ssl
import subprocess
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from urlschemes_servers import FtpUser, ftp_server, gopher_server, http_server, make_certificates
from urlschemes_servers.gopher import binary, failing, form, link, menu, search, text
from urlschemes_servers.http import HttpRequest, HttpResponse, chunked, echo, redirect
from urlschemes_testing.loopback import Loopback


@pytest.fixture(autouse=True)
def nothing_left_open() -> Iterator[None]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResourceWarning)
        yield
        gc.collect()
    assert [str(warning.message) for warning in caught] == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/motd").write_bytes(b"of the machine\n")
    (tmp_path / "home/joe/etc").mkdir(parents=True)
    (tmp_path / "home/joe/etc/motd").write_bytes(b"of joe\n")
    (tmp_path / "pub").mkdir()
    (tmp_path / "pub/all.bin").write_bytes(bytes(range(256)) * 400)
    (tmp_path / "pub/read me.txt").write_bytes(b"Hello,\n.world\n")
    (tmp_path / "pub/page.html").write_bytes(b"<p>Hello</p>\n")
    (tmp_path / "pub/dot.gif").write_bytes(b"GIF89a")
    return tmp_path


def retrieve(ftp: ftplib.FTP, path: str) -> bytes:
    content = io.BytesIO()
    ftp.retrbinary(f"RETR {path}", content.write)
    return content.getvalue()


def ask(address: tuple[str, int], octets: bytes) -> bytes:
    with socket.create_connection(address, 10) as client, client.makefile("rb") as answer:
        client.sendall(octets)
        return answer.read()


def test_ftp_is_read_by_ftplib(folder: Path) -> None:
    with ftp_server(folder) as (host, port), ftplib.FTP() as ftp:
        assert host == "127.0.0.1"
        ftp.connect(host, port, 10)
        ftp.login()
        assert retrieve(ftp, "pub/all.bin") == bytes(range(256)) * 400
        assert sorted(ftp.nlst("pub")) == ["all.bin", "dot.gif", "page.html", "read me.txt"]
        assert dict(ftp.mlsd("pub"))["all.bin"]["size"] == "102400"
        with pytest.raises(ftplib.error_perm, match="550"):
            ftp.storbinary("STOR new", io.BytesIO(b"x"))
        ftp.quit()


def test_ftp_users_have_a_password_and_a_home(folder: Path) -> None:
    users = {"joe": FtpUser("s3cret", home="/home/joe"), "ann": FtpUser("pw", writable=True)}
    assert "s3cret" not in repr(users)
    with ftp_server(folder, users, anonymous=False) as (host, port):
        with ftplib.FTP() as ftp:
            ftp.connect(host, port, 10)
            ftp.login("joe", "s3cret")
            assert ftp.pwd() == "/home/joe"
            assert retrieve(ftp, "etc/motd") == b"of joe\n"
            assert retrieve(ftp, "/etc/motd") == b"of the machine\n"
        with ftplib.FTP() as ftp:
            ftp.connect(host, port, 10)
            with pytest.raises(ftplib.error_perm, match="530"):
                ftp.login("joe", "wrong")
        with ftplib.FTP() as ftp:
            ftp.connect(host, port, 10)
            with pytest.raises(ftplib.error_perm, match="530"):
                ftp.login()
        with ftplib.FTP() as ftp:
            ftp.connect(host, port, 10)
            ftp.login("ann", "pw")
            ftp.storbinary("STOR new", io.BytesIO(b"written"))
    assert (folder / "new").read_bytes() == b"written"


def test_two_ftp_servers_share_nothing(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "which").write_text(name)
    with ftp_server(tmp_path / "a") as one, ftp_server(tmp_path / "b", {"joe": FtpUser("x")}) as two:
        for address, content in ((one, b"a"), (two, b"b")):
            with ftplib.FTP() as ftp:
                ftp.connect(*address, 10)
                ftp.login()
                assert retrieve(ftp, "which") == content
        with ftplib.FTP() as ftp:
            ftp.connect(*one, 10)
            with pytest.raises(ftplib.error_perm):
                ftp.login("joe", "x")


def test_an_ftp_server_closes_with_a_client_still_there(folder: Path) -> None:
    with ftplib.FTP() as ftp:
        with ftp_server(folder) as address:
            ftp.connect(*address, 10)
        with pytest.raises((EOFError, OSError, ftplib.Error)):
            ftp.login()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(address, 1)


def test_http_is_read_by_http_client(folder: Path) -> None:
    with http_server(folder) as address:
        client = http.client.HTTPConnection(*address, timeout=10)
        client.request("GET", "/pub/all.bin")
        response = client.getresponse()
        assert (response.status, response.read()) == (200, bytes(range(256)) * 400)
        client.request("HEAD", "/pub/read%20me.txt")
        response = client.getresponse()
        assert (response.status, response.getheader("Content-Length"), response.read()) == (200, "14", b"")
        assert response.getheader("Content-Type") == "text/plain"
        client.request("GET", "/pub/")
        assert b"read%20me.txt" in client.getresponse().read()
        client.request("GET", "/missing")
        assert client.getresponse().status == 404
        client.close()
        assert [request.method for request in address.requests] == ["GET", "HEAD", "GET", "GET"]


def test_http_answers_as_told() -> None:
    def posted(request: HttpRequest) -> HttpResponse:
        return HttpResponse(201, request.body[::-1], [("X-Seen", request.headers["X-Mine"])])

    answers: dict[str, HttpResponse | Callable[[HttpRequest], HttpResponse | None]] = {
        "/old": redirect("/new?x#y"),
        "/echo": echo,
        "/stream": chunked(b"a" * 10, b"", b"b"),
        "/post": posted,
    }
    with http_server(handler=answers) as address:
        client = http.client.HTTPConnection(*address, timeout=10)
        client.request("GET", "/old")
        response = client.getresponse()
        assert (response.status, response.getheader("Location")) == (302, "/new?x#y")
        response.read()
        client.request("GET", "/echo?a%2fb%7E//;p=1/../x?")
        assert client.getresponse().read() == b"/echo?a%2fb%7E//;p=1/../x?"
        client.request("GET", "/stream")
        response = client.getresponse()
        assert (response.getheader("Transfer-Encoding"), response.read()) == ("chunked", b"a" * 10 + b"b")
        client.request("HEAD", "/stream")
        assert client.getresponse().read() == b""
        client.request("POST", "/post", b"abc", {"X-Mine": "yes"})
        response = client.getresponse()
        assert (response.status, response.getheader("X-Seen"), response.read()) == (201, "yes", b"cba")
        client.request("GET", "/nothing")
        assert client.getresponse().status == 404
        client.close()


def test_http_keeps_leading_slashes_of_the_target() -> None:
    with http_server(handler=echo) as address:
        answer = ask(address, b"GET //a//b?c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert answer.endswith(b"\r\n\r\n//a//b?c")


def test_https_is_read_by_http_client(folder: Path) -> None:
    pytest.importorskip("trustme")
    certificates = make_certificates()
    with http_server(folder, tls=certificates.server) as (_, port):
        for host in ("127.0.0.1", "localhost"):
            client = http.client.HTTPSConnection(host, port, timeout=10, context=certificates.client())
            client.request("GET", "/etc/motd")
            assert client.getresponse().read() == b"of the machine\n"
            client.close()
        for context in (ssl.create_default_context(), make_certificates().client()):
            client = http.client.HTTPSConnection("127.0.0.1", port, timeout=10, context=context)
            with pytest.raises(ssl.SSLCertVerificationError):
                client.request("GET", "/etc/motd")
            client.close()


@pytest.mark.parametrize(("names", "expired"), [(("other.example",), False), ((), True)])
def test_certificates_that_must_be_refused(names: tuple[str, ...], expired: bool) -> None:
    pytest.importorskip("trustme")
    certificates = make_certificates(*names, expired=expired)
    with http_server(handler=echo, tls=certificates.server) as address:
        client = http.client.HTTPSConnection(*address, timeout=10, context=certificates.client())
        with pytest.raises(ssl.SSLCertVerificationError):
            client.request("GET", "/")
        client.close()
        assert address.requests == []


TREE = menu(
    {
        "about": text("Hello,\n.world\n", title="About", abstract="What this is.\nTwo lines."),
        "bare": text(b"no dot", terminated=False),
        "dotted": text(".\nend", block="dot"),
        "logo": binary(b"GIF89a\n.\n", gtype="g", media_type="image/gif", block="close"),
        "both": text("in English\n", views={"text/plain De_DE": b"auf Deutsch\r\n", "application/postscript": b"%!PS"}),
        "deep": menu({"er": text("deeper\n")}, title="A menu"),
        "find": search(title="Find"),
        "order": form(
            ["Ask: How many?", "Choose: Sure?\tYes\tNo"], lambda given: f"{'/'.join(given)}\r\n".encode(), title="Order"
        ),
        "busy": failing(2, "Try again later.", title="Busy"),
        "away": link("1", "/x", "other.dom", 7070, title="Away"),
        "old": text("old\n", plus=False),
    }
)


def test_gopher_items_in_the_way_of_rfc_1436() -> None:
    with gopher_server(TREE) as address:
        port = b"%d" % address.port
        menu_lines = ask(address, b"\r\n").split(b"\r\n")
        assert menu_lines[0] == b"0About\t/about\t127.0.0.1\t" + port + b"\t+"
        assert menu_lines[7] == b"0Order\t/order\t127.0.0.1\t" + port + b"\t?"
        assert menu_lines[9:] == [b"1Away\t/x\tother.dom\t7070", b"0old\t/old\t127.0.0.1\t" + port, b".", b""]
        assert ask(address, b"/\r\n") == ask(address, b"\n")
        assert ask(address, b"/about\r\n") == b"Hello,\r\n..world\r\n.\r\n"
        assert ask(address, b"/bare\r\n") == b"no dot\r\n"
        assert ask(address, b"/dotted\r\n") == b"..\r\nend\r\n.\r\n"
        assert ask(address, b"/logo\r\n") == b"GIF89a\n.\n"
        assert ask(address, b"/deep/er\r\n") == b"deeper\r\n.\r\n"
        assert ask(address, b"/nowhere\r\n") == b"3no such item\t\terror.host\t1\r\n.\r\n"
        assert ask(address, b"/order\r\n").startswith(b"3this item asks questions")


def test_gopher_searches() -> None:
    with gopher_server(TREE) as address:
        found = b"0About\t/about\t127.0.0.1\t%d\t+\r\n" % address.port
        assert ask(address, b"/find\tHELLO world\r\n") == found + b".\r\n"
        assert ask(address, b"/find\thello nobody\r\n") == b".\r\n"
        assert ask(address, b"/find\thello world\t+\r\n") == b"+%d\r\n" % len(found) + found
        assert ask(address, b"/find\t\t!\r\n").startswith(b"+")
    with gopher_server(menu({"a": text("x"), "s": search(lambda words: ["/a"] if words == "+" else [])})) as address:
        assert ask(address, b"/s\t+\r\n").startswith(b"0a\t/a\t")


def test_gopher_plus_data_blocks_and_views() -> None:
    with gopher_server(TREE) as address:
        assert ask(address, b"/about\t+\r\n") == b"+16\r\nHello,\r\n.world\r\n"
        assert ask(address, b"/dotted\t+\r\n") == b"+-1\r\n..\r\nend\r\n.\r\n"
        assert ask(address, b"/logo\t+\r\n") == b"+-2\r\nGIF89a\n.\n"
        assert ask(address, b"/both\t+text/plain\r\n") == b"+12\r\nin English\r\n"
        assert ask(address, b"/both\t+Text/Plain de_de\r\n") == b"+13\r\nauf Deutsch\r\n"
        assert ask(address, b"/both\t+application/postscript\t0\r\n") == b"+4\r\n%!PS"
        items = b"0er\t/deep/er\t127.0.0.1\t%d\t+\r\n" % address.port
        assert ask(address, b"/deep\t+\r\n") == b"+%d\r\n" % len(items) + items
        assert ask(address, b"/old\t+\r\n") == b"old\r\n.\r\n"


def test_gopher_plus_errors() -> None:
    admin = b"Test Administrator <admin@localhost>\r\n"
    with gopher_server(TREE) as address:
        assert ask(address, b"/busy\t+\r\n") == b"--1\r\n2 " + admin + b"Try again later.\r\n.\r\n"
        assert ask(address, b"/nowhere\t+\r\n") == b"--1\r\n1 " + admin + b"no such item\r\n.\r\n"
        assert ask(address, b"/both\t+image/gif\r\n") == b"--1\r\n1 " + admin + b"there is no view image/gif\r\n.\r\n"
        assert ask(address, b"/order\t+\r\n").startswith(b"--1\r\n1 ")


def test_gopher_plus_attributes() -> None:
    with gopher_server(TREE) as address:
        port = address.port
        about = ask(address, b"/about\t!\r\n").decode()
        head, _, block = about.partition("\r\n")
        assert head == f"+{len(block)}"
        assert block.split("\r\n") == [
            f"+INFO: 0About\t/about\t127.0.0.1\t{port}\t+",
            "+ADMIN:",
            " Admin: Test Administrator <admin@localhost>",
            " Mod-Date: Thu Dec  1 00:00:00 1994 <19941201000000>",
            "+VIEWS:",
            " text/plain: <1k>",
            "+ABSTRACT:",
            " What this is.",
            " Two lines.",
            "",
        ]
        only = ask(address, b"/about\t!+ABSTRACT\r\n").decode().split("\r\n")[1:]
        assert only == [
            f"+INFO: 0About\t/about\t127.0.0.1\t{port}\t+",
            "+ABSTRACT:",
            " What this is.",
            " Two lines.",
            "",
        ]
        all_views = ask(address, b"\t$+VIEWS\r\n").decode()
        assert all_views.count("+INFO: ") == 11
        assert " text/plain De_DE: <1k>\r\n application/postscript: <1k>\r\n" in all_views
        assert "+ADMIN" not in all_views
        questions = ask(address, b"/order\t!+ASK\r\n").decode()
        assert questions.endswith("+ASK:\r\n Ask: How many?\r\n Choose: Sure?\tYes\tNo\r\n")


@pytest.mark.parametrize(
    "block", [b"+-1\r\ntwo\r\n..Yes\r\n.\r\n", b"+11\r\ntwo\r\n.Yes\r\n", b"+11\r\ntwo\r\n.Yes\r\nand what follows"]
)
def test_gopher_plus_forms(block: bytes) -> None:
    with gopher_server(TREE) as address:
        assert ask(address, b"/order\t+\t1\r\n" + block) == b"+10\r\ntwo/.Yes\r\n"


def test_gopher_serves_a_folder(folder: Path) -> None:
    with gopher_server(folder) as address:
        port = address.port
        assert ask(address, b"/pub\r\n").decode().split("\r\n") == [
            f"9all.bin\t/pub/all.bin\t127.0.0.1\t{port}\t+",
            f"gdot.gif\t/pub/dot.gif\t127.0.0.1\t{port}\t+",
            f"hpage.html\t/pub/page.html\t127.0.0.1\t{port}\t+",
            f"0read me.txt\t/pub/read me.txt\t127.0.0.1\t{port}\t+",
            ".",
            "",
        ]
        assert ask(address, b"/pub/read me.txt\r\n") == b"Hello,\r\n..world\r\n.\r\n"
        assert ask(address, b"/pub/all.bin\r\n") == bytes(range(256)) * 400


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_reads_them_all(folder: Path) -> None:
    content = bytes(range(256)) * 400
    with ftp_server(folder) as ftp, http_server(folder) as web, gopher_server(folder) as gopher:
        for url in (f"ftp://{ftp}/pub/all.bin", f"http://{web}/pub/all.bin", f"gopher://{gopher}/9/pub/all.bin"):
            got = subprocess.run(
                ["curl", "-sS", "--noproxy", "*", "--max-time", "20", url], capture_output=True, check=True
            )
            assert got.stdout == content, url


def test_a_server_closes_by_itself() -> None:
    with gopher_server(TREE, lifetime=0.05) as address:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            try:
                socket.create_connection(address, 0.2).close()
            except ConnectionRefusedError:
                break
            except OSError:  # it closed at that very moment
                continue
        else:
            pytest.fail("it still listens")


def test_a_client_that_says_nothing_is_sent_away() -> None:
    with gopher_server(TREE, patience=0.05) as address, socket.create_connection(address, 10) as client:
        assert client.recv(1) == b""


def test_closing_breaks_off_who_is_still_there() -> None:
    before = threading.active_count()
    with socket.socket() as client:
        client.settimeout(10)
        with http_server(handler=echo) as address:
            client.connect(address)
            client.sendall(b"GET / HT")
        with contextlib.suppress(ConnectionResetError):
            assert client.recv(1) == b""
    assert threading.active_count() == before


def test_an_error_in_a_server_reaches_the_test() -> None:
    def serve(connection: socket.socket) -> None:
        raise ValueError("a mistake in the test")

    def run() -> None:
        with Loopback(serve) as server:
            ask(server.address, b"")

    with pytest.raises(ValueError, match="a mistake in the test"):
        run()


def test_content_that_was_cut_replaces_nothing(tmp_path: Path) -> None:
    kept = tmp_path / "notes.txt"
    kept.write_bytes(b"older")
    with http_server(tmp_path, writable=True) as (host, port):
        for words in (
            b"Transfer-Encoding: chunked\r\n\r\n5\r\nnewer\r\n",
            b"Transfer-Encoding: chunked\r\n\r\n5\r\nnewer\r\n0\r\n",
            b"Content-Length: 10\r\n\r\nnewer",
        ):
            with socket.create_connection((host, port), 5) as connection:
                connection.sendall(b"PUT /notes.txt HTTP/1.1\r\nHost: h\r\n" + words)
                connection.shutdown(socket.SHUT_WR)
                assert connection.recv(100) == b""
            assert kept.read_bytes() == b"older"
