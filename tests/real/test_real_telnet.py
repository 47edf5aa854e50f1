"""telnet with the servers of busybox and GNU inetutils, where they are installed, compared with other clients."""

from __future__ import annotations

import os
import pty
import re
import select
import socket
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import pytest
from opening import HERE
from real_servers import PATIENCE, account, free_port, greets, inetd, program, run_as, stop, wait

from urlschemes import Registry
from urlschemes_telnet import open_session
from urlschemes_telnet.session import TelnetSession

pytestmark = pytest.mark.real_server


# What the servers run in place of login: it asks for both, and says back what it hears. Before it ends it waits, since
# one of them may lose the last words of a program that is gone.
SHELL = r"""#!/bin/sh
interrupted=
trap 'interrupted=1; printf "interrupted\n> "' INT
printf 'Welcome\nlogin: '; read -r user
stty -echo; printf 'Password: '; read -r password; stty echo
printf '\nhello %s, %s octets\n> ' "$user" "$(printf %s "$password" | wc -c)"
while :; do
  if ! read -r line; then
    [ "$interrupted" ] || exit 1
    interrupted=
    continue
  fi
  case "$line" in
    quit) echo bye; sleep 0.5; exit 0;;
    size) stty size;;
    octets) printf '\377\000\r\001 end\n';;
    *) printf 'said %s\n' "$line";;
  esac
  printf '> '
done
"""


class Server(NamedTuple):
    name: str
    port: int

    @property
    def url(self) -> str:
        return f"telnet://guest:w%C3%BFx@127.0.0.1:{self.port}/"


@contextmanager
def _shell() -> Iterator[Path]:
    """Make the program that the servers run, for any account."""
    with tempfile.TemporaryDirectory(prefix="urlschemes-telnet-") as name:
        Path(name).chmod(0o755)
        shell = Path(name) / "shell"
        shell.write_text(SHELL)
        shell.chmod(0o755)
        yield shell


@contextmanager
def _busybox() -> Iterator[Server]:
    busybox = program("busybox", "busybox-static", says="telnetd\n", asked="--list")
    with _shell() as shell:
        port = free_port()
        command = [busybox, "telnetd", "-F", "-p", str(port), "-b", "127.0.0.1", "-f", "/dev/null", "-l", str(shell)]
        process = subprocess.Popen(command, **run_as(account()))
        try:
            wait("busybox", lambda: greets(port, b""), process)
            yield Server("busybox", port)
        finally:
            stop(process)


@contextmanager
def _inetutils(host: str = "127.0.0.1") -> Iterator[Server]:
    """Run inetutils telnetd for each connection, on its standard input and output, and never as root."""
    telnetd = program("telnetd", "in.telnetd", package="inetutils-telnetd", says="inetutils")
    environment = {"PATH": "/usr/bin:/bin", "TERM": "dumb"}
    listener = socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    with _shell() as shell, inetd([telnetd, "-h", "-E", str(shell)], listener, env=environment, **run_as(account())):
        yield Server("inetutils", listener.getsockname()[1])


@pytest.fixture(scope="module", params=["busybox", "inetutils"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with {"busybox": _busybox, "inetutils": _inetutils}[request.param]() as running:
        yield running


# A session ------------------------------------------------------------------------------------------------------------


def read_until(session: TelnetSession, end: bytes) -> bytes:
    written = b""
    while not written.endswith(end):
        octets = session.read()
        assert octets, written
        written += octets
    return written


def say(session: TelnetSession, words: str, end: bytes = b"> ") -> bytes:
    session.write(words.encode() + session.line_end)
    return read_until(session, end)


@contextmanager
def logged_in(server: Server) -> Iterator[TelnetSession]:
    with open_session(server.url, policy=HERE, columns=81, rows=25) as session:
        assert session.login().endswith(b"Welcome\r\nlogin: guest\r\nPassword: ")
        assert read_until(session, b"> ") == b"\r\nhello guest, 4 octets\r\n> "
        yield session


def test_a_login_a_question_and_the_way_out(server: Server) -> None:
    with logged_in(server) as session:
        assert session.echoes
        assert say(session, "grüße") == "grüße\r\nsaid grüße\r\n> ".encode()
        assert say(session, "quit", b"bye\r\n") == b"quit\r\nbye\r\n"
        while session.read():
            pass
        assert session.read() == b""


def test_a_login_by_a_url_of_today_over_ipv6() -> None:
    arguments: dict[str, Any] = {"policy": HERE, "registry": Registry(profile="rfc3986")}
    with _inetutils("::1") as server:
        url = f"telnet://guest:~:x@[::1]:{server.port}#top"
        with open_session(url, **arguments) as session:
            session.login()
            assert read_until(session, b"> ") == b"\r\nhello guest, 3 octets\r\n> "


def test_the_window_size_is_sent_when_it_changes(server: Server) -> None:
    with logged_in(server) as session:
        assert say(session, "size") == b"size\r\n25 81\r\n> "
        session.resize(200, 254)
        assert say(session, "size") == b"size\r\n254 200\r\n> "
        if server.name == "inetutils":  # busybox knows no doubled FF
            session.resize(511, 255)
            assert say(session, "size") == b"size\r\n255 511\r\n> "


def test_the_service_is_interrupted(server: Server) -> None:
    with logged_in(server) as session:
        session.write(b"half")
        assert read_until(session, b"half")
        session.write(b"\x03")
        assert read_until(session, b"> ").endswith(b"interrupted\r\n> ")
        if server.name == "inetutils":  # busybox takes no notice of the command
            session.interrupt()
            assert read_until(session, b"> ").endswith(b"interrupted\r\n> ")
        assert say(session, "on") == b"on\r\nsaid on\r\n> "


def test_every_octet_comes_as_it_was_written(server: Server) -> None:
    with logged_in(server) as session:
        assert say(session, "octets") == b"octets\r\n\xff\x00\r\x01 end\r\n> "


def test_binary_is_agreed_to_or_not_and_lines_go_on(server: Server) -> None:
    with logged_in(server) as session:
        session.binary()
        for words in ("one", "two"):
            assert re.search(f"said {words}\r*\n> \\Z".encode(), say(session, words))
        session.binary(on=False)
        assert re.search(rb"said three\r*\n> \Z", say(session, "three"))


# Other clients -----------------------------------------------------------------------------------------------

DIALOGUE = (
    *((b"login: ", b"guest\n"), (b"Password: ", b"welcome\n"), (b"> ", b"size\n"), (b"> ", b"fish & chips\n")),
    *((b"> ", b"octets\n"), (b"> ", b"quit\n"), (b"bye", b"")),
)
"""The prompts of the service, each with the line that is typed in answer."""


def _typed(command: list[str]) -> bytes:
    """Return the output of a client that gets each line when the service asks for it."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as client:
        assert client.stdin is not None
        assert client.stdout is not None
        output = b""
        try:
            for asked, line in DIALOGUE:
                output += _until(asked, client.stdout)
                client.stdin.write(line)
                client.stdin.flush()
            client.stdin.close()
            return output + client.stdout.read()
        finally:
            client.kill()


def _until(asked: bytes, stream: IO[bytes]) -> bytes:
    """Return the next octets of a pipe, until they hold the text."""
    octets = b""
    while asked not in octets:
        assert select.select([stream], [], [], PATIENCE)[0], octets
        piece = os.read(stream.fileno(), 65536)
        assert piece, octets
        octets += piece
    return octets


def _session(*arguments: str) -> list[str]:
    return [sys.executable, "-W", "error", "-m", "urlschemes_cli", "session", *arguments]


def test_the_telnet_of_inetutils_gets_the_same_text(server: Server) -> None:
    telnet = program("inetutils-telnet", "telnet", says="inetutils")
    ours = _typed(_session(f"telnet://127.0.0.1:{server.port}/"))
    theirs = _typed([telnet, "127.0.0.1", str(server.port)])
    # Before the service's own words it says whom it is connected to; it writes a line end as this system's.
    said = theirs.partition(b"Escape character is '^]'.\n")[2]
    assert _lines(said) == _lines(ours)


def _lines(octets: bytes) -> list[bytes]:
    return [line for line in re.split(rb"[\r\n\0]", octets) if line]


# On a terminal --------------------------------------------------------------------------------------------------------


def test_a_person_at_a_terminal(server: Server) -> None:
    outside, inside = pty.openpty()
    termios.tcsetwinsize(inside, (24, 80))
    before = termios.tcgetattr(inside)
    start = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); from urlschemes_cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", start, "session", "--login", server.url],
        stdin=inside,
        stdout=inside,
        stderr=inside,
        start_new_session=True,
    )
    screen, seen = b"", 0

    def sees(text: bytes) -> None:
        nonlocal screen, seen
        while (at := screen.find(text, seen)) < 0:
            assert select.select([outside], [], [], PATIENCE)[0], screen[seen:]
            screen += os.read(outside, 65536)
        seen = at + len(text)

    try:
        sees(b"hello guest, 4 octets\r\n> ")
        for keys, answer in (
            (b"size\r", b"24 80\r\n> "),
            (b"wroxx\x7f\x7fng\x7f\x7f\x7fight\r", b"said wright\r\n> "),
            (b"sleep\x03", b"interrupted\r\n> "),
        ):
            os.write(outside, keys)
            sees(answer)
        termios.tcsetwinsize(outside, (43, 132))
        time.sleep(0.5)
        os.write(outside, b"size\r")
        sees(b"43 132\r\n> ")
        os.write(outside, b"\x1dq")
        sees(b"the session is closed")
        assert process.wait(PATIENCE) == 0
        assert termios.tcgetattr(inside) == before
        assert b"\x1b" not in screen
    finally:
        process.kill()
        process.wait()
        os.close(outside)
        os.close(inside)
