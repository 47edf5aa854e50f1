"""The command `urlschemes session`, at a pseudo-terminal and between pipes."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from urlschemes_cli.app import command
from urlschemes_servers.telnet import TelnetAddress, telnet_server
from urlschemes_testing.rogue import Visitor, floods, hears_exactly, hears_until, resets, rogue, says, stays_silent

PATIENCE = 60
COMMAND = "from urlschemes_cli import main; main()"
# The terminal becomes the controlling one, as for a program started by a shell.
AT_A_TERMINAL = f"import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); {COMMAND}"
USERS = {"guest": "open sesame"}


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments), prog_name="urlschemes")


def test_where_there_is_no_posix_terminal_the_command_says_what_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlschemes_telnet.command.os", type("NT", (), {"name": "nt"}))
    result = invoke("session", "telnet://127.0.0.1/")
    assert (result.exit_code, "run it in the Windows Subsystem for Linux" in result.stderr) == (4, True)


def environment() -> dict[str, str]:
    names = ("PATH", "HOME", "VIRTUAL_ENV", "SYSTEMROOT", "PYTHONPYCACHEPREFIX", "URLSCHEMES_CACHE")
    return {name: os.environ[name] for name in names if name in os.environ} | {"TERM": "xterm", "LC_ALL": "C.UTF-8"}


class TerminalUser:
    """The command at a pseudo-terminal, and a user who types and reads there."""

    def __init__(self, *arguments: str) -> None:
        self._master, self._slave = pty.openpty()
        termios.tcsetwinsize(self._slave, (24, 80))
        self.before = self.modes
        self.screen = b""
        self._seen = 0
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", AT_A_TERMINAL, "session", *arguments],
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            env=environment(),
            start_new_session=True,
        )

    @property
    def modes(self) -> list[Any]:
        return termios.tcgetattr(self._slave)

    @property
    def echoes(self) -> bool:
        return bool(self.modes[3] & termios.ECHO)

    def _read(self, within: float) -> bool:
        if not select.select([self._master], [], [], within)[0]:
            return False
        self.screen += os.read(self._master, 65536)
        return True

    def sees(self, text: str | bytes) -> None:
        """Wait until the terminal shows this after what was seen before."""
        expected = text.encode() if isinstance(text, str) else text
        ends = time.monotonic() + PATIENCE
        while (at := self.screen.find(expected, self._seen)) < 0:
            self._read(0.2)
            assert time.monotonic() < ends, self.screen[self._seen :]
        self._seen = at + len(expected)

    def types(self, keys: str | bytes) -> None:
        os.write(self._master, keys.encode() if isinstance(keys, str) else keys)

    def resizes(self, columns: int, rows: int) -> None:
        termios.tcsetwinsize(self._master, (rows, columns))

    def exit_code(self) -> int:
        """Wait for the command, check that it restored the terminal, and return its exit code."""
        ends = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            self._read(0.05)
            assert time.monotonic() < ends, self.screen
        while self._read(0):
            pass
        assert self.modes == self.before, "the terminal was not restored"
        return self.process.returncode

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)
        os.close(self._slave)


@contextmanager
def terminal_user(*arguments: str) -> Iterator[TerminalUser]:
    user = TerminalUser(*arguments)
    try:
        yield user
    finally:
        user.close()


def eventually(condition: Callable[[], bool]) -> bool:
    ends = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.01)
    return True


@pytest.fixture
def server() -> Iterator[TelnetAddress]:
    with telnet_server(USERS) as address:
        yield address


@pytest.fixture
def shell() -> Iterator[TelnetAddress]:
    with telnet_server() as address:
        yield address


# At a terminal --------------------------------------------------------------------------------------------------------


def test_a_user_logs_in_and_talks(server: TelnetAddress) -> None:
    with terminal_user(f"telnet://{server}/") as user:
        user.sees("Welcome.\r\nlogin: ")
        user.types("guexx\x7f\x7fst\r")
        user.sees("guexx\b \b\b \bst\r\nPassword: ")
        assert not user.echoes
        user.types("open sesame\r")
        user.sees("\r\nWelcome, guest.\r\n> ")
        user.types("naïve\r")
        user.sees("naïve\r\nYou said: naïve\r\n> ")
        user.types("quit\r")
        user.sees("Goodbye.\r\n")
        user.sees("the session is closed")
        assert user.exit_code() == 0
        assert b"sesame" not in user.screen
    assert server.visits[0].user == "guest"
    assert server.visits[0].terminal == "dumb"  # its output is filtered


@pytest.mark.parametrize(
    ("arguments", "terminal"), [(["--raw"], "xterm"), (["--terminal", "vt100"], "vt100"), (["--terminal", ""], None)]
)
def test_the_service_gets_the_name_of_the_terminal_its_size_and_the_changes(
    server: TelnetAddress, arguments: list[str], terminal: str | None
) -> None:
    with terminal_user(*arguments, f"telnet://{server}/") as user:
        user.sees("login: ")
        assert eventually(lambda: server.visits[0].terminal == terminal and server.visits[0].size == (80, 24))
        user.resizes(132, 43)
        assert eventually(lambda: server.visits[0].size == (132, 43))
        user.resizes(255, 50)
        assert eventually(lambda: server.visits[0].size == (255, 50))
        user.types("\x1dq")
        assert user.exit_code() == 0


def test_ctrl_c_is_sent_to_the_service(shell: TelnetAddress) -> None:
    with terminal_user(f"telnet://{shell}/") as user:
        user.sees("> ")
        user.types("half\x03")
        user.sees("half^C\r\n> ")
        user.types("\x1di")
        user.sees("^C\r\n> ")
        user.process.send_signal(signal.SIGINT)
        user.sees("^C\r\n> ")
        user.types("\x04")
        assert user.exit_code() == 0
    assert shell.visits[0].interrupts == 3


def test_the_escape_key_begins_commands(shell: TelnetAddress) -> None:
    with terminal_user(f"telnet://{shell}/") as user:
        user.sees("> ")
        user.types("a\x1d?")
        user.sees("[q ends the session, ")
        user.types("\x1d\x1db\r")
        user.sees("You said: a\\x1db\r\n> ")
        user.types("\x1d")
        user.types(".")
        assert user.exit_code() == 0


@pytest.mark.parametrize(("option", "key"), [("^_", b"\x1f"), ("~", b"~")])
def test_the_escape_key_can_be_chosen(shell: TelnetAddress, option: str, key: bytes) -> None:
    with terminal_user("--escape", option, f"telnet://{shell}/") as user:
        user.sees("> ")
        user.types(b"\x1dq\r")
        user.sees("You said: \\x1dq\r\n> ")
        user.types(key + b"q")
        assert user.exit_code() == 0


def test_there_may_be_no_escape_key(shell: TelnetAddress) -> None:
    with terminal_user("--escape", "none", f"telnet://{shell}/") as user:
        user.sees("> ")
        user.types("\x00\x1dq\r")
        user.sees("\\x1dq\r\n> ")
        user.types("quit\r")
        assert user.exit_code() == 0


@pytest.mark.parametrize("key", ["", "^1", "ab", "é", "^\x1d"])
def test_an_invalid_escape_key_is_a_usage_error(key: str) -> None:
    done = invoke("session", "--escape", key, "telnet://127.0.0.1/")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "expected one character" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_session_and_the_terminal_is_restored(shell: TelnetAddress, number: signal.Signals) -> None:
    with terminal_user(f"telnet://{shell}/") as user:
        user.sees("> ")
        assert user.modes != user.before
        user.process.send_signal(number)
        assert user.exit_code() == 128 + number


def test_an_error_ends_the_session_and_the_terminal_is_restored() -> None:
    with (
        rogue(says(b"\xff\xfb\x01> "), hears_exactly(4), resets()) as service,
        terminal_user(f"telnet://{service}/") as user,
    ):
        user.sees("> ")
        assert user.modes != user.before
        user.types("x")
        user.sees("broke")
        assert user.exit_code() == 3


def test_endless_negotiation_ends_the_session_and_the_terminal_is_restored() -> None:
    with rogue(says(b"> "), floods(b"\xff\xfd\x06")) as service, terminal_user(f"telnet://{service}/") as user:
        user.sees("negotiates endlessly")
        assert user.exit_code() == 3


def test_a_service_that_does_not_echo_gets_whole_lines() -> None:
    with telnet_server(negotiates=False) as service, terminal_user(f"telnet://{service}/") as user:
        user.sees("> ")
        assert user.echoes
        user.types("hexx\x7f\x7fllo\r")
        user.sees("llo\r\n")
        user.sees("You said: hello\r\n> ")
        user.types("gone\x03")  # a signal in line mode
        user.sees("^C\r\n> ")
        user.types("half\x1d")  # completes the line at once
        user.types("?")
        user.sees("[q ends")
        assert eventually(lambda: user.echoes)
        user.types(" whole\r")
        user.sees("You said: half whole\r\n> ")
        user.types("\x1dq")
        assert user.exit_code() == 0
        assert service.visits[0].interrupts == 1


def test_a_service_may_switch_its_echo_on_and_off() -> None:
    acts = (says(b"name: "), hears_until(b"\r\n"), says(b"\xff\xfb\x01word: "), hears_until(b"\r\n"))
    with (
        rogue(*acts, says(b"\xff\xfc\x01more: "), stays_silent()) as service,
        terminal_user(f"telnet://{service}/") as user,
    ):
        user.sees("name: ")
        assert user.echoes
        user.types("joe\r")
        user.sees("word: ")
        assert eventually(lambda: not user.echoes)
        user.types("secret\r")
        user.sees("more: ")
        assert eventually(lambda: user.echoes)
        user.types("\x1dq")
        assert user.exit_code() == 0
        assert b"secret" not in user.screen


HOSTILE = "\x1b]0;title\x07\x1b[6n\x9b2J\x90q\x1b\\\u202e\u200b\x7f\x0e\x08"


def test_no_escape_sequence_reaches_the_terminal() -> None:
    words = (HOSTILE + "end>").encode() + b"\x9b5n\x85>>"
    with rogue(says(words), stays_silent()) as service, terminal_user(f"telnet://{service}/") as user:
        user.sees(">>")
        user.types("\x1dq")
        assert user.exit_code() == 0
        screen = user.screen.decode()
    assert "\\x1b]0;title\\x07\\x1b[6n\\x9b2J\\x90q\\x1b\\\\u202e\\u200b\\x7f\\x0e\bend>\\x9b5n\\x85>>" in screen
    assert set(re.findall(r"[^\x20-\x7e]", screen)) <= {"\r", "\n", "\b"}


def test_raw_passes_escape_sequences_to_the_terminal() -> None:
    words = (HOSTILE + "\n>>").encode()
    acts = (says(b"\xff\xfb\x01> "), hears_until(b"x"), says(words), stays_silent())
    with rogue(*acts) as service, terminal_user("--raw", f"telnet://{service}/") as user:
        user.sees("> ")
        assert eventually(lambda: not user.echoes)
        assert not user.modes[1] & termios.OPOST
        user.types("x")
        user.sees(words)
        user.types("\x1dq")
        assert user.exit_code() == 0
    assert "WARNING" in invoke("session", "--help").stdout


# Logins ---------------------------------------------------------------------------------------------------------------


def test_the_login_of_the_url_is_suggested_without_its_password(server: TelnetAddress) -> None:
    with terminal_user(f"telnet://guest:open%20sesame@{server}/") as user:
        user.sees("the URL suggests the user name 'guest' and a password (--show-password shows it); --login types it")
        user.sees("login: ")
        user.types("\x1dl")
        user.sees("guest\r\nPassword: ")
        user.sees("Welcome, guest.\r\n> ")
        user.types("quit\r")
        assert user.exit_code() == 0
        assert b"sesame" not in user.screen


def test_login_types_the_login(server: TelnetAddress) -> None:
    with terminal_user("--login", "--show-password", f"telnet://guest:open%20sesame@{server}/") as user:
        user.sees("and the password 'open sesame'")
        user.sees("Welcome, guest.\r\n> ")
        user.types("\x1dq")
        assert user.exit_code() == 0


def test_an_incomplete_login_is_reported_and_the_session_continues(server: TelnetAddress) -> None:
    with terminal_user("--login", f"telnet://guest@{server}/") as user:
        user.sees("login: guest\r\nPassword: ")
        user.sees("[the service asks for a password, but neither the URL nor the call has one]")
        user.types("open sesame\r")
        user.sees("Welcome, guest.\r\n> ")
        user.types("quit\r")
        assert user.exit_code() == 0


@pytest.mark.parametrize("login", ["%1B%5B2J", "a%0Als", "-froot", "a:%9B%07"])
def test_an_unsafe_login_is_refused_without_printing_its_octets(shell: TelnetAddress, login: str) -> None:
    done = invoke("session", f"telnet://{login}@{shell}/")
    assert (done.exit_code, done.stdout) == (4, "")
    assert "\x1b" not in done.stderr
    assert shell.visits == []


# Between pipes --------------------------------------------------------------------------------------------------------


def piped(data: bytes, *arguments: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", COMMAND, "session", *arguments],
        input=data if "stdin" not in more else None,
        capture_output=True,
        env=environment(),
        timeout=PATIENCE,
        check=False,
        **more,
    )


def test_lines_of_input_are_sent_and_the_output_is_written_until_the_service_closes(server: TelnetAddress) -> None:
    done = piped(b"one\ntwo\r\nsize\nquit\n", "-vv", "--login", f"telnet://guest:open%20sesame@{server}/")
    assert done.returncode == 0
    assert b"> ***" in done.stderr
    assert b"sesame" not in done.stderr + done.stdout
    assert b"the URL suggests the user name 'guest' and a password" in done.stderr
    assert done.stdout.startswith(b"Welcome.\r\nlogin: guest\r\nPassword: \r\nWelcome, guest.\r\n> ")
    for line in (b"You said: one\r\n", b"You said: two\r\n", b"unknown\r\n", b"Goodbye.\r\n"):
        assert line in done.stdout


@pytest.mark.parametrize(
    ("arguments", "data", "heard"),
    [
        ((), b"a\nb\r\nc\rd\xff\x00\x1d\n", b"a\r\nb\r\nc\r\0d\xff\xff\x00\x1d\r\n"),
        ((), b"end\r", b"end\r\0"),
        (("--binary",), b"a\nb\r\nc\rd\xff\n", b"\xff\xfb\0\xff\xfd\0a\nb\r\nc\r\0d\xff\xff\n"),
    ],
)
def test_input_is_sent_by_the_rules_of_the_nvt_and_the_output_is_unchanged(
    arguments: tuple[str, ...], data: bytes, heard: bytes
) -> None:
    octets = bytes(range(256))
    with rogue(hears_exactly(len(heard)), says(octets.replace(b"\xff", b"\xff\xff"))) as service:
        done = piped(data, *arguments, f"telnet://{service}/")
        assert (done.returncode, done.stdout) == (0, octets)
        assert service.heard == [heard]


def test_cr_lf_in_two_pieces_is_one_line_end() -> None:
    with rogue(says(b"> "), hears_exactly(5), says(b"bye")) as service:
        reading, writing = os.pipe()
        process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, "session", f"telnet://{service}/"],
            stdin=reading,
            stdout=subprocess.PIPE,
            env=environment(),
        )
        os.close(reading)
        os.write(writing, b"ab\r")
        assert eventually(lambda: service.heard == [b"ab"])
        os.write(writing, b"\nc")
        assert process.communicate(timeout=PATIENCE)[0] == b"> bye"
        os.close(writing)
        assert service.heard == [b"ab\r\nc"]


def test_input_and_output_do_not_block_each_other(tmp_path: Path) -> None:
    """The service echoes, and stops reading while its output is not read."""
    lines = b"".join(b"%07d %s\n" % (number, b"x" * 40) for number in range(40_000))
    (tmp_path / "input").write_bytes(lines)

    def echo(visitor: Visitor) -> None:
        left = len(lines) + 40_000
        while left:
            octets = visitor.hear()
            left -= len(octets)
            visitor.say(octets)

    with rogue(echo) as service, (tmp_path / "input").open("rb") as data:
        done = piped(b"", f"telnet://{service}/", stdin=data)
    assert done.returncode == 0
    assert done.stdout == lines.replace(b"\n", b"\r\n")


def test_after_the_input_silence_is_limited(server: TelnetAddress) -> None:
    done = piped(b"", "--timeout", "0.5", f"telnet://{server}/")
    assert done.returncode == 3
    assert done.stdout == b"Welcome.\r\nlogin: "
    assert b"the deadline passed" in done.stderr


def test_a_failed_login_between_pipes_is_an_error(server: TelnetAddress) -> None:
    done = piped(b"", "--login", f"telnet://{server}/")
    assert done.returncode == 3
    assert b"asks for a user" in done.stderr


def test_the_terminal_is_unchanged_if_the_output_is_a_pipe(shell: TelnetAddress) -> None:
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND, "session", f"telnet://{shell}/"],
        stdin=slave,
        stdout=subprocess.PIPE,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        written = process.stdout.read(2)
        assert termios.tcgetattr(slave) == before
        os.write(master, b"quit\r")
        written += process.stdout.read()
        assert written.endswith(b"Goodbye.\r\n")
        assert process.wait(PATIENCE) == 0
    os.close(master)
    os.close(slave)


def test_a_url_of_another_scheme_is_refused() -> None:
    done = invoke("session", "file:///etc/motd")
    assert done.exit_code == 4
    assert "does not offer the operation 'open session'" in done.stderr


def test_the_help_lists_the_command() -> None:
    assert re.search(r"Commands of plugins:(?s:.*)\n  session +from urlschemes-telnet", invoke("--help").stdout)
