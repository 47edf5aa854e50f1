"""Gopher with Gophernicus and PyGopherd, where they are installed, compared with other clients."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from opening import HERE, content_of, entries_of
from real_servers import PATIENCE, account, inetd, program, run_as, wait

import urlschemes_access
import urlschemes_access.credentials
from urlschemes import Registry
from urlschemes_access.errors import InputRequired, RemoteError
from urlschemes_gopher import GopherURL

pytestmark = pytest.mark.real_server


FILES = {
    "hello.txt": b"Hello from Gopher\r\nline two\r\n",
    "dots.txt": b".leading dot\r\n..two dots\r\n... three\r\nend\r\n",
    "empty.txt": b"",
    "naïve.txt": "naïve\r\n".encode(),
    "pic.gif": b"GIF89a" + bytes(range(256)) * 40 + b"\r\n.\r\nmore",
    "data.bin": bytes(range(256)) * 1000,
    "page.html": b"<html><title>A page</title>.\n.\nhi</html>\n",
    "dir with space/f 1.txt": b"spaced\r\n",
    "docs/a.txt": b"in docs\r\n",
    "hello.txt.abstract": b"An abstract for hello.txt\nsecond line\n",
    "form.txt.ask": b"Ask: Your name\nSelect: Send it:1\nChoose: Colour\tred\tblue\n",
    "form.txt": b"form body\r\n",
    "mapped/gophermap": (
        b"Welcome\n0A text file\t/hello.txt\n1Docs\t/docs\n7Search\t/find\n9Binary\t/data.bin\n"
        b"hWeb\tURL:http://127.0.0.1/\n8Telnet\tguest\t127.0.0.1\t29230\n"
    ),
}
GTYPES = {".txt": "0", ".gif": "g", ".bin": "9", ".html": "h"}


@dataclass(frozen=True)
class Server:
    name: str
    port: int
    root: Path

    def url(self, path: str, gtype: str = "1", **parts: str) -> str:
        return str(GopherURL(host="127.0.0.1", port=self.port, gtype=gtype, selector=path, **parts))

    def answer(self, request: bytes) -> bytes:
        """Return the response to a request line, by a plain socket."""
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as connection:
            connection.sendall(request)
            received = bytearray()
            while octets := connection.recv(65536):
                received += octets
            return bytes(received)


@contextmanager
def _tree() -> Iterator[Path]:
    """Make a folder of the sample files that any account can read."""
    with tempfile.TemporaryDirectory(prefix="urlschemes-gopher-") as name:
        root = Path(name)
        for path, content in FILES.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        for each in (root, *root.rglob("*")):
            each.chmod(0o755 if each.is_dir() else 0o644)
            os.utime(each, (1_000_000_000, 1_000_000_000))
        yield root


@contextmanager
def _gophernicus(host: str = "127.0.0.1") -> Iterator[Server]:
    gophernicus = program("gophernicus")
    with _tree() as root:
        listener = socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        port = listener.getsockname()[1]
        with inetd(
            [gophernicus, "-h", host, "-p", str(port), "-r", str(root), "-nf", "-nu", "-nv"],
            listener,
            **run_as(account()),
        ):
            yield Server("gophernicus", port, root)


PYGOPHERD = """
import configparser, sys
from pygopherd import initialization, logger

config = configparser.ConfigParser()
config.read(sys.argv[1])
logger.init(config)
initialization.init_exceptions(config)
initialization.init_mimetypes(config)
server = initialization.get_server(config)
server.daemon_threads = True
print(server.server_address[1], flush=True)
server.serve_forever()
"""

CONFIG = r"""
[pygopherd]
detach = no
interface = 127.0.0.1
servername = 127.0.0.1
port = 0
servertype = ThreadingTCPServer
timeout = 30
abstract_headers = off
abstract_entries = never
tracebacks = no
usechroot = no
enable_tls = no
root = {root}
mimetypes = /etc/mime.types
encoding = list(mimetypes.encodings_map.items())
[logger]
logmethod = none
priority = LOG_INFO
facility = LOG_LOCAL3
[GopherEntry]
defaultmimetype = text/plain
mapping = [['text/html','h'], ['text/.+','0'], ['image/gif','g'], ['application/gopher.*-menu','1'],
  ['application/.+','9'], ['.*','0']]
eaexts = {{'.abstract':'ABSTRACT','.ask':'ASK'}}
[handlers.HandlerMultiplexer]
handlers = [url.HTMLURLHandler, gophermap.BuckGophermapHandler, UMN.UMNDirHandler, file.FileHandler]
[handlers.file.CompressedFileHandler]
decompressors = {{}}
decompresspatt = .*
[handlers.dir.DirHandler]
ignorepatt = /gophermap$|\\.abstract$|\\.ask$|/\\.cache
cachetime = 0
cachefile = .cache.pygopherd.dir
[handlers.UMN.UMNDirHandler]
extstrip = none
[handlers.ZIP.ZIPHandler]
enabled = false
pattern = \\.zip$
[protocols.ProtocolMultiplexer]
protocols = [gopherp.GopherPlusProtocol, rfc1436.GopherProtocol]
[protocols.gopherp.GopherPlusProtocol]
admin = Test Admin <admin@localhost>
"""


@contextmanager
def _pygopherd() -> Iterator[Server]:
    if importlib.util.find_spec("pygopherd") is None:
        pytest.skip("pygopherd is not installed (pip install pygopherd)")
    with _tree() as root, tempfile.NamedTemporaryFile("w", suffix=".conf") as config:
        config.write(CONFIG.format(root=root))
        config.flush()
        command = [sys.executable, "-c", PYGOPHERD, config.name]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            try:
                assert process.stdout is not None
                port = int(process.stdout.readline() or pytest.skip("pygopherd cannot be started here"))
                yield Server("pygopherd", port, root)
            finally:
                process.terminate()


@pytest.fixture(scope="module", params=["gophernicus", "pygopherd"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with {"gophernicus": _gophernicus, "pygopherd": _pygopherd}[request.param]() as running:
        await_answer(running)
        yield running


@pytest.fixture(scope="module")
def plus() -> Iterator[Server]:
    """A Gopher+ server."""
    with _pygopherd() as running:
        await_answer(running)
        yield running


def await_answer(server: Server) -> None:
    wait(server.name, lambda: server.answer(b"/hello.txt\r\n").startswith(b"Hello"))


PATHS = [path for path in FILES if Path(path).suffix in GTYPES and " " not in path]


@pytest.mark.parametrize("path", PATHS)
def test_a_file_is_what_the_disk_and_a_bare_socket_have(server: Server, path: str) -> None:
    octets = content_of(server.url(f"/{path}", GTYPES[Path(path).suffix]))
    assert octets == server.answer(f"/{path}\r\n".encode())
    assert octets == FILES[path]


def test_curl_takes_the_same_urls_for_the_same_octets(server: Server, tmp_path: Path) -> None:
    command = [program("curl"), "--silent", "--show-error", "--globoff", "--noproxy", "*", "--max-time", "20"]
    for number, path in enumerate(PATHS):
        command += ["--output", str(tmp_path / str(number)), server.url(f"/{path}", GTYPES[Path(path).suffix])]
    subprocess.run(command, check=True, timeout=30)
    for number, path in enumerate(PATHS):
        file = tmp_path / str(number)
        fetched = file.read_bytes() if file.exists() else b""
        assert fetched == content_of(server.url(f"/{path}", GTYPES[Path(path).suffix]))


def test_a_text_without_its_dot_says_so(server: Server) -> None:
    with urlschemes_access.open_document(server.url("/hello.txt", "0"), policy=HERE) as document:
        assert document.read() == FILES["hello.txt"]
        assert document.terminated is False  # neither server sends it


@pytest.mark.parametrize("path", ["", "/docs", "/mapped"])
def test_a_menu_has_the_items_that_the_server_sent(server: Server, path: str) -> None:
    lines = server.answer(f"{path}\r\n".encode()).decode().split("\r\n")
    sent = [line.split("\t") for line in lines if line not in ("", ".")]
    entries = entries_of(server.url(path))
    assert [entry.name for entry in entries] == [fields[0][1:] for fields in sent]
    for entry, fields in zip(entries, sent, strict=True):
        assert entry.problem is None
        if fields[0][0] == "i":
            assert (entry.kind, entry.url) == ("info", None)
        elif fields[1].startswith("URL:"):
            assert entry.url == "http://127.0.0.1/"
        elif fields[0][0] == "8":
            assert entry.url is not None
            assert entry.url.endswith("guest@127.0.0.1:29230/")
        else:
            url = entry.parse()
            assert isinstance(url, GopherURL)
            assert (url.gtype, url.selector, url.host, str(url.port)) == (fields[0][0], *fields[1:4])
            assert url.gopher_plus == (fields[4] if len(fields) > 4 else None)


def test_every_item_of_the_top_menu_can_be_followed(server: Server) -> None:
    followed = 0
    for entry in entries_of(f"gopher://127.0.0.1:{server.port}"):
        if entry.url is None:
            continue
        if entry.kind == "menu":
            assert entries_of(entry.url)
        else:
            url = entry.parse()
            assert isinstance(url, GopherURL)
            assert content_of(entry.url) == server.answer(f"{url.selector}\r\n".encode())
        followed += 1
    assert followed >= 10


def test_a_directory_with_a_space(server: Server) -> None:
    (folder,) = [entry for entry in entries_of(server.url("")) if entry.name.startswith("dir with space")]
    assert folder.url is not None
    (file,) = [entry for entry in entries_of(folder.url) if entry.name.startswith("f 1.txt")]
    assert file.url is not None
    assert content_of(file.url) == FILES["dir with space/f 1.txt"]


def test_what_is_not_there(server: Server) -> None:
    with pytest.raises(RemoteError):  # an item of type 3, or plain words
        entries_of(server.url("/nothing"))


def test_gopher_plus_of_a_server_that_does_not_know_it() -> None:
    with _gophernicus() as server:
        await_answer(server)
        with urlschemes_access.open_document(server.url("/hello.txt", "0", gopher_plus="+"), policy=HERE) as document:
            assert "fallback" in document.attributes.fields
            assert document.read() == FILES["hello.txt"]
        assert [entry.name for entry in entries_of(server.url("/docs", gopher_plus="$"))] == [
            entry.name for entry in entries_of(server.url("/docs"))
        ]
        assert urlschemes_access.find_attributes(server.url("/pic.gif", "g"), policy=HERE).media_type == "image/gif"


# Gopher+ --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PATHS)
def test_the_default_view_is_the_file_and_whole(plus: Server, path: str) -> None:
    with urlschemes_access.open_document(
        plus.url(f"/{path}", GTYPES[Path(path).suffix], gopher_plus="+"), policy=HERE
    ) as document:
        assert document.attributes.fields["protocol"] == "Gopher+"
        assert document.size == len(FILES[path])
        assert document.read() == FILES[path]
        assert document.terminated


def test_the_menu_of_gopher_plus_is_that_of_gopher(plus: Server) -> None:
    assert entries_of(plus.url("", gopher_plus="+")) == entries_of(plus.url(""))


def test_attributes_of_an_item_and_of_a_menu(plus: Server) -> None:
    found = urlschemes_access.find_attributes(plus.url("/hello.txt", "0"), policy=HERE)
    assert (found.name, found.media_type) == ("hello.txt", "text/plain")
    assert found.fields["+ABSTRACT"] == "An abstract for hello.txt\nsecond line"
    assert found.fields["+ADMIN"].startswith("Admin: Test Admin <admin@localhost>")
    assert found.modified is not None
    assert found.modified.year == 2001
    with_attributes = {entry.name: entry for entry in entries_of(plus.url("", gopher_plus="$"))}
    assert with_attributes.keys() == {entry.name for entry in entries_of(plus.url(""))}
    assert with_attributes["hello.txt"].fields["+ABSTRACT"] == found.fields["+ABSTRACT"]
    text = content_of(plus.url("/hello.txt", "0", gopher_plus="!"))
    assert b"+INFO: 0hello.txt\t/hello.txt\t" in text
    assert text == plus.answer(b"/hello.txt\t!\r\n").removeprefix(b"+-2\r\n")


def test_an_error_of_gopher_plus(plus: Server) -> None:
    with pytest.raises(RemoteError) as refused:
        content_of(plus.url("/nothing", "0", gopher_plus="+"))
    assert refused.value.status == 1
    assert "/nothing" in refused.value.text


def test_a_form_is_asked_and_answered(plus: Server) -> None:
    url = plus.url("/form.txt", "0", gopher_plus="?")
    with pytest.raises(InputRequired):
        content_of(url)
    prompts: list[str] = []

    def ask(form: urlschemes_access.credentials.Form) -> tuple[str, ...]:
        prompts.extend(question.prompt for question in form.questions)
        return "me", "1", "red"

    assert content_of(url, ask=ask) == FILES["form.txt"]  # it does not look at answers, and gives the file
    assert prompts == ["Your name", "Send it", "Colour"]


def test_the_urls_of_today_over_ipv6() -> None:
    modern = Registry(profile="rfc3986")
    with _gophernicus("::1") as server:
        base = f"gopher://[::1]:{server.port}"
        assert content_of(f"{base}/0/hello.txt#top", registry=modern) == FILES["hello.txt"]
        assert f"{base}/0/docs/a.txt" in [each.url for each in entries_of(f"{base}/1/docs#top", registry=modern)]
