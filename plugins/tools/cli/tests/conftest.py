"""Runs of the command: in this process, in another one, and on a terminal; with two made-up schemes."""

from __future__ import annotations

import os
import re
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner, Result
from workspace import metadata, write

from urlschemes_cli.app import command

PLUGINS = Path(__file__).parent / "plugins"
SHELF = {"x-shelf": "shelf_schemes:scheme", "x-drawer": "shelf_schemes.drawer:scheme"}
KEPT = {"URLSCHEMES_CACHE", "PYTHONPYCACHEPREFIX"}
"""Variables of the tests: bytecode beside the sources would change their folders, and make the cache old."""
STYLE = re.compile(r"\x1b\[[0-9;?]*[mhlKJ]")

Run = Callable[..., Result]
Shell = Callable[..., subprocess.CompletedProcess[bytes]]


def files_of(package: str) -> dict[str, str]:
    """The files of a made-up plugin, by their paths."""
    paths = sorted(path for path in (PLUGINS / package).rglob("*") if path.suffix in {".py", ".toml"})
    return {path.relative_to(PLUGINS).as_posix(): path.read_text("utf-8") for path in paths}


@pytest.fixture
def shelf_files() -> dict[str, str]:
    """The files of the distribution shelf-schemes."""
    return files_of("shelf_schemes")


@pytest.fixture(scope="session")
def shelf_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the distribution shelf-schemes, the same for all tests: its claims are cached."""
    files = files_of("shelf_schemes") | metadata("shelf-schemes", {"urlschemes.schemes": SHELF})
    return write(tmp_path_factory.mktemp("shelf"), files)


@pytest.fixture
def site(shelf_site: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on `sys.path` with the distribution shelf-schemes: the schemes x-shelf and x-drawer."""
    monkeypatch.syspath_prepend(str(shelf_site))
    return shelf_site


@pytest.fixture
def install(install: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Write a distribution into the folder `site` of `tmp_path`, which is on `sys.path`, and return that folder."""
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    return install


@pytest.fixture
def run(site: Path) -> Run:
    """Run the command in this process, with the distribution shelf-schemes unless `plugins` names others."""

    def invoke(*arguments: str, plugins: str = "shelf-schemes", **more: Any) -> Result:
        return CliRunner().invoke(command, ["--plugins", plugins, *arguments], prog_name="urlschemes", **more)

    return invoke


@pytest.fixture
def desk_run(install: Any, site: Path) -> Run:
    """Run the command in this process, with the distribution desk-schemes: the scheme x-desk, which writes files."""
    install("desk-schemes", "x-desk = desk_schemes:scheme", files_of("desk_schemes"))

    def invoke(*arguments: str, **more: Any) -> Result:
        return CliRunner().invoke(command, ["--plugins", "desk-schemes", *arguments], prog_name="urlschemes", **more)

    return invoke


@pytest.fixture
def environment(site: Path, tmp_path: Path, request: pytest.FixtureRequest) -> dict[str, str]:
    """The environment variables of a process that sees the distribution shelf-schemes, and those of `install`."""
    installed = [tmp_path / "site"] if "install" in request.fixturenames else []
    path = os.pathsep.join(map(str, [*installed, site]))
    removed = ("URLSCHEMES_", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "PYTHON", "TERM")
    inherited = {name: value for name, value in os.environ.items() if name in KEPT or not name.startswith(removed)}
    return {
        **inherited,
        "PYTHONPATH": path,
        "PYTHONWARNINGS": "error",
        "URLSCHEMES_PLUGINS": "shelf-schemes",
    }


@pytest.fixture
def shell(environment: dict[str, str], tmp_path: Path) -> Shell:
    """Run the command in a process without a terminal."""

    def call(*arguments: str, stdout: Any = subprocess.PIPE, **more: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "urlschemes_cli", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            env={**environment, **more},
            cwd=tmp_path,
            timeout=60,
            check=False,
        )

    return call


class Screen(NamedTuple):
    """A terminal on which the command ran: its exit code, and all that was written."""

    code: int
    written: str

    @property
    def text(self) -> str:
        """The text that a person reads. There must be no control sequences except the styles of rich."""
        text = STYLE.sub("", self.written).replace("\r\n", "\n")
        assert re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text) is None, repr(text)
        return text


@pytest.fixture
def terminal(environment: dict[str, str], tmp_path: Path) -> Callable[..., Screen]:
    """Run the command on a terminal of its own.

    `answers` pairs what the screen must show with what is typed then.
    """
    pty = pytest.importorskip("pty")
    termios = pytest.importorskip("termios")

    def call(*arguments: str, answers: tuple[tuple[str, str], ...] = (), width: int = 80, **more: str) -> Screen:
        outside, inside = pty.openpty()
        termios.tcsetwinsize(inside, (40, width))
        process = subprocess.Popen(
            [sys.executable, "-m", "urlschemes_cli", *arguments],
            stdin=inside,
            stdout=inside,
            stderr=inside,
            env={**environment, "TERM": "xterm-256color", **more},
            cwd=tmp_path,
            start_new_session=True,
        )
        os.close(inside)
        try:
            written = read_and_answer(outside, answers)
            code = process.wait(30)
        finally:
            process.kill()
            process.wait()
            os.close(outside)
        return Screen(code, written.decode())

    return call


def read_and_answer(outside: int, answers: tuple[tuple[str, str], ...]) -> bytes:
    """Read the terminal until the process closes it, and type the answers."""
    written, seen = b"", 0
    waiting = [(prompt.encode(), typed.encode()) for prompt, typed in answers]
    while select.select([outside], [], [], 60)[0]:
        try:
            octets = os.read(outside, 65536)
        except OSError:  # Linux: the process closed the terminal
            break
        if not octets:
            break
        written += octets
        if waiting and (at := written.find(waiting[0][0], seen)) >= 0:
            seen = at + len(waiting[0][0])
            os.write(outside, waiting.pop(0)[1])
    assert waiting == [], written
    return written


@pytest.fixture
def server() -> Callable[..., AbstractContextManager[int]]:
    """A server on 127.0.0.1 that reads a line and sends octets, the last of them `pause` seconds later."""

    @contextmanager
    def serving(octets: bytes, pause: float = 0) -> Iterator[int]:
        def serve() -> None:
            with listener, suppress(OSError), listener.accept()[0] as connection:
                connection.settimeout(30)
                with connection.makefile("rb") as lines:
                    lines.readline()
                    connection.sendall(octets[:-1])
                    stopped.wait(pause)
                    connection.sendall(octets[-1:])

        stopped = threading.Event()
        listener = socket.create_server(("127.0.0.1", 0))
        listener.settimeout(30)
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            stopped.set()
            thread.join(30)

    return serving


@pytest.fixture
def configure(configuration_folder: Path) -> Callable[[str], Path]:
    """Write the configuration file of the user, and return its path."""

    def write(text: str) -> Path:
        file = configuration_folder / "urlschemes" / "config.toml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        file.chmod(0o600)
        return file

    return write


LEDGER = """
from urlschemes.registry.hooks import hookimpl
from urlschemes.registry.names import KnownName, Ledger


@hookimpl
def urlschemes_ledger():
    names = (
        KnownName("x-song", "songs, by \\x1btheir words", "the songbook", "sung no more", "", "historical"),
        KnownName("x-dance", distribution="urlschemes-x-dance"),
        KnownName("x-shelf", "what is installed", "elsewhere", "", "", "historical"),
    )
    return Ledger("the list of arts", "https://arts.example/", "2026-03", names)
"""


NOTE = """
scheme = "x-note"
[syntax]
bnf = '''noteurl = "x-note://" hostport "/" note
note = 1*uchar'''
parts = { host = "host", note = "note" }
"""


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """A ledger: the records x-note, x-shelf, which a plugin has, and x-bad, which is of another name; and a name."""
    folder = tmp_path / "records"
    folder.mkdir()
    for name in ("x-note", "x-shelf"):
        (folder / f"{name}.toml").write_text(NOTE.replace("x-note", name))
    (folder / "x-bad.toml").write_text(NOTE)
    (folder / "_names.toml").write_text('[x-part]\nno_syntax = "It is a part of x-note."\n')
    return folder


@pytest.fixture
def art_ledger(install: Any, site: Path) -> None:
    """Install the distribution arts: a ledger of the names x-song, x-dance and x-shelf."""
    install("arts", "[urlschemes]\nledger = arts\n", {"arts.py": LEDGER})
