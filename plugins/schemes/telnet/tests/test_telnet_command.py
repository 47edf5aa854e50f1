"""`urlschemes session`: at a terminal, which is a real one with a person's keys, and between pipes."""

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
from hypothesis import given
from hypothesis import strategies as st

from urlschemes_servers.telnet import TelnetAddress, telnet_server
from urlschemes_telnet.printer import Printer
from urlschemes_testing.rogue import Visitor, floods, hears_exactly, hears_until, resets, rogue, says, stays_silent

PATIENCE = 20
COMMAND = "from urlschemes_cli import main; main()"
# The terminal becomes the one that signals come from, as for a program that a shell starts.
AT_A_TERMINAL = f"import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); {COMMAND}"
USERS = {"guest": "open sesame"}


def environment() -> dict[str, str]:
    names = ("PATH", "HOME", "VIRTUAL_ENV", "SYSTEMROOT")
    return {name: os.environ[name] for name in names if name in os.environ} | {"TERM": "xterm", "LC_ALL": "C.UTF-8"}


class Person:
    """Somebody at a terminal, in front of the command."""

    def __init__(self, *arguments: str) -> None:
        self._outside, self._inside = pty.openpty()
        termios.tcsetwinsize(self._inside, (24, 80))
        self.before = self.modes
        self.screen = b""
        self._seen = 0
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", AT_A_TERMINAL, "session", *arguments],
            stdin=self._inside,
            stdout=self._inside,
            stderr=self._inside,
            env=environment(),
            start_new_session=True,
        )

    @property
    def modes(self) -> list[Any]:
        return termios.tcgetattr(self._inside)

    @property
    def shows_what_is_typed(self) -> bool:
        return bool(self.modes[3] & termios.ECHO)

    def _look(self, within: float) -> bool:
        if not select.select([self._outside], [], [], within)[0]:
            return False
        self.screen += os.read(self._outside, 65536)
        return True

    def sees(self, text: str | bytes) -> None:
        """Wait until the terminal shows this, behind what was seen before."""
        wanted = text.encode() if isinstance(text, str) else text
        ends = time.monotonic() + PATIENCE
        while (at := self.screen.find(wanted, self._seen)) < 0:
            self._look(0.2)
            assert time.monotonic() < ends, self.screen[self._seen :]
        self._seen = at + len(wanted)

    def types(self, keys: str | bytes) -> None:
        os.write(self._outside, keys.encode() if isinstance(keys, str) else keys)

    def resizes(self, columns: int, rows: int) -> None:
        termios.tcsetwinsize(self._outside, (rows, columns))

    def is_done(self) -> int:
        """Wait until the command is over: its exit code, with the terminal as it was."""
        ends = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            self._look(0.05)
            assert time.monotonic() < ends, self.screen
        while self._look(0):
            pass
        assert self.modes == self.before, "the terminal is not as it was"
        return self.process.returncode

    def leave(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._outside)
        os.close(self._inside)


@contextmanager
def person(*arguments: str) -> Iterator[Person]:
    somebody = Person(*arguments)
    try:
        yield somebody
    finally:
        somebody.leave()


def eventually(what: Callable[[], bool]) -> bool:
    ends = time.monotonic() + PATIENCE
    while not what():
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


def test_a_person_logs_in_and_talks(server: TelnetAddress) -> None:
    with person(f"telnet://{server}/") as joe:
        joe.sees("Welcome.\r\nlogin: ")
        joe.types("guexx\x7f\x7fst\r")
        joe.sees("guexx\b \b\b \bst\r\nPassword: ")
        assert not joe.shows_what_is_typed
        joe.types("open sesame\r")
        joe.sees("\r\nWelcome, guest.\r\n> ")
        joe.types("naïve\r")
        joe.sees("naïve\r\nYou said: naïve\r\n> ")
        joe.types("quit\r")
        joe.sees("Goodbye.\r\n")
        joe.sees("the session is closed")
        assert joe.is_done() == 0
        assert b"sesame" not in joe.screen
    assert server.visits[0].user == "guest"
    assert server.visits[0].terminal is None


def test_the_window_is_told_and_followed(server: TelnetAddress) -> None:
    with person(f"telnet://{server}/") as joe:
        joe.sees("login: ")
        assert eventually(lambda: server.visits[0].size == (80, 24))
        joe.resizes(132, 43)
        assert eventually(lambda: server.visits[0].size == (132, 43))
        joe.resizes(255, 50)
        assert eventually(lambda: server.visits[0].size == (255, 50))
        joe.types("\x1dq")
        assert joe.is_done() == 0


def test_ctrl_c_goes_to_the_service(shell: TelnetAddress) -> None:
    with person(f"telnet://{shell}/") as joe:
        joe.sees("> ")
        joe.types("half\x03")
        joe.sees("half^C\r\n> ")
        joe.types("\x1di")
        joe.sees("^C\r\n> ")
        joe.process.send_signal(signal.SIGINT)
        joe.sees("^C\r\n> ")
        joe.types("\x04")
        assert joe.is_done() == 0
    assert shell.visits[0].interrupts == 3


def test_the_escape_key(shell: TelnetAddress) -> None:
    with person(f"telnet://{shell}/") as joe:
        joe.sees("> ")
        joe.types("a\x1d?")
        joe.sees("[q ends the session, ")
        joe.types("\x1d\x1db\r")
        joe.sees("You said: a\\x1db\r\n> ")
        joe.types("\x1d")
        joe.types(".")
        assert joe.is_done() == 0


@pytest.mark.parametrize(("given", "key"), [("^a", b"\x01"), ("^_", b"\x1f"), ("~", b"~")])
def test_another_escape_key(shell: TelnetAddress, given: str, key: bytes) -> None:
    with person("--escape", given, f"telnet://{shell}/") as joe:
        joe.sees("> ")
        joe.types(b"\x1dq\r")
        joe.sees("You said: \\x1dq\r\n> ")
        joe.types(key + b"q")
        assert joe.is_done() == 0


def test_no_escape_key(shell: TelnetAddress) -> None:
    with person("--escape", "none", f"telnet://{shell}/") as joe:
        joe.sees("> ")
        joe.types("\x00\x1dq\r")
        joe.sees("\\x1dq\r\n> ")
        joe.types("quit\r")
        assert joe.is_done() == 0


@pytest.mark.parametrize("key", ["", "^1", "ab", "é", "^\x1d"])
def test_what_is_no_key(key: str) -> None:
    done = piped(b"", "--escape", key, "telnet://127.0.0.1/")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"a key is one character" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_and_the_terminal_is_as_before(shell: TelnetAddress, number: signal.Signals) -> None:
    with person(f"telnet://{shell}/") as joe:
        joe.sees("> ")
        assert joe.modes != joe.before
        joe.process.send_signal(number)
        assert joe.is_done() == 128 + number


def test_an_error_ends_it_and_the_terminal_is_as_before() -> None:
    with rogue(says(b"\xff\xfb\x01> "), hears_exactly(4), resets()) as service, person(f"telnet://{service}/") as joe:
        joe.sees("> ")
        assert joe.modes != joe.before
        joe.types("x")
        joe.sees("broke")
        assert joe.is_done() == 3


def test_b41_a_storm_ends_it_and_the_terminal_is_as_before() -> None:
    with rogue(says(b"> "), floods(b"\xff\xfd\x18")) as service, person(f"telnet://{service}/") as joe:
        joe.sees("negotiates without end")
        assert joe.is_done() == 3


def test_a_service_that_does_not_echo_gets_lines() -> None:
    with telnet_server(negotiates=False) as service, person(f"telnet://{service}/") as joe:
        joe.sees("> ")
        assert joe.shows_what_is_typed
        joe.types("hexx\x7f\x7fllo\r")
        joe.sees("llo\r\n")
        joe.sees("You said: hello\r\n> ")
        joe.types("gone\x03")  # which is a signal here
        joe.sees("^C\r\n> ")
        joe.types("half\x1d")  # ends the line at once
        joe.types("?")
        joe.sees("[q ends")
        assert eventually(lambda: joe.shows_what_is_typed)
        joe.types(" whole\r")
        joe.sees("You said: half whole\r\n> ")
        joe.types("\x1dq")
        assert joe.is_done() == 0
        assert service.visits[0].interrupts == 1


def test_the_service_may_change_its_mind_about_the_echo() -> None:
    acts = (says(b"name: "), hears_until(b"\r\n"), says(b"\xff\xfb\x01word: "), hears_until(b"\r\n"))
    with rogue(*acts, says(b"\xff\xfc\x01more: "), stays_silent()) as service, person(f"telnet://{service}/") as joe:
        joe.sees("name: ")
        assert joe.shows_what_is_typed
        joe.types("joe\r")
        joe.sees("word: ")
        assert eventually(lambda: not joe.shows_what_is_typed)
        joe.types("secret\r")
        joe.sees("more: ")
        assert eventually(lambda: joe.shows_what_is_typed)
        joe.types("\x1dq")
        assert joe.is_done() == 0
        assert b"secret" not in joe.screen


HOSTILE = "\x1b]0;title\x07\x1b[6n\x9b2J\x90q\x1b\\\u202e\u200b\x7f\x0e\x08"


def test_no_escape_sequence_reaches_the_terminal() -> None:
    words = (HOSTILE + "end>").encode() + b"\x9b5n\x85>>"
    with rogue(says(words), stays_silent()) as service, person(f"telnet://{service}/") as joe:
        joe.sees(">>")
        joe.types("\x1dq")
        assert joe.is_done() == 0
        screen = joe.screen.decode()
    assert "\\x1b]0;title\\x07\\x1b[6n\\x9b2J\\x90q\\x1b\\\\u202e\\u200b\\x7f\\x0e\bend>\\x9b5n\\x85>>" in screen
    assert set(re.findall(r"[^\x20-\x7e]", screen)) <= {"\r", "\n", "\b"}


def test_raw_lets_the_terminal_have_them() -> None:
    words = (HOSTILE + "\n>>").encode()
    acts = (says(b"\xff\xfb\x01> "), hears_until(b"x"), says(words), stays_silent())
    with rogue(*acts) as service, person("--raw", f"telnet://{service}/") as joe:
        joe.sees("> ")
        assert eventually(lambda: not joe.shows_what_is_typed)
        assert not joe.modes[1] & termios.OPOST
        joe.types("x")
        joe.sees(words)
        joe.types("\x1dq")
        assert joe.is_done() == 0
    assert b"WARNING" in piped(b"", "--help").stdout


# The login ------------------------------------------------------------------------------------------------------------


def test_b43_the_url_is_advice_and_the_password_is_not_shown(server: TelnetAddress) -> None:
    with person(f"telnet://guest:open%20sesame@{server}/") as joe:
        joe.sees("the URL suggests to log in as 'guest' with a password, which --show-password shows; --login types it")
        joe.sees("login: ")
        joe.types("\x1dl")
        joe.sees("guest\r\nPassword: ")
        joe.sees("Welcome, guest.\r\n> ")
        joe.types("quit\r")
        assert joe.is_done() == 0
        assert b"sesame" not in joe.screen


def test_the_login_is_typed_when_told_to(server: TelnetAddress) -> None:
    with person("--login", "--show-password", f"telnet://guest:open%20sesame@{server}/") as joe:
        joe.sees("with the password 'open sesame'")
        joe.sees("Welcome, guest.\r\n> ")
        joe.types("\x1dq")
        assert joe.is_done() == 0


def test_a_login_that_cannot_be_typed_is_said_and_the_session_goes_on(server: TelnetAddress) -> None:
    with person("--login", f"telnet://guest@{server}/") as joe:
        joe.sees("login: guest\r\nPassword: ")
        joe.sees("[the service asks for a password, and neither the URL nor the call has one]")
        joe.types("open sesame\r")
        joe.sees("Welcome, guest.\r\n> ")
        joe.types("quit\r")
        assert joe.is_done() == 0


@pytest.mark.parametrize("login", ["%1B%5B2J", "a%0Als", "-froot", "a:%9B%07"])
def test_an_unsafe_login_is_refused_and_shown_without_its_octets(shell: TelnetAddress, login: str) -> None:
    done = piped(b"", f"telnet://{login}@{shell}/")
    assert done.returncode == 4
    assert done.stdout == b""
    assert b"\x1b" not in done.stderr
    assert shell.visits == []


# Between pipes --------------------------------------------------------------------------------------------------------


def piped(keys: bytes, *arguments: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", COMMAND, "session", *arguments],
        input=keys if "stdin" not in more else None,
        capture_output=True,
        env=environment(),
        timeout=PATIENCE,
        check=False,
        **more,
    )


def test_lines_go_in_and_what_the_service_writes_comes_out_until_it_closes(server: TelnetAddress) -> None:
    done = piped(b"one\ntwo\r\nsize\nquit\n", "--login", f"telnet://guest:open%20sesame@{server}/")
    assert (done.returncode, done.stderr.count(b"\n")) == (0, 1)
    assert done.stdout.startswith(b"Welcome.\r\nlogin: guest\r\nPassword: \r\nWelcome, guest.\r\n> ")
    for line in (b"You said: one\r\n", b"You said: two\r\n", b"You did not say.\r\n", b"Goodbye.\r\n"):
        assert line in done.stdout


def test_the_octets_that_come_out_are_those_that_came() -> None:
    octets = bytes(range(256))
    with rogue(says(octets.replace(b"\xff", b"\xff\xff"))) as service:
        assert piped(b"", f"telnet://{service}/").stdout == octets


@pytest.mark.parametrize(
    ("arguments", "keys", "heard"),
    [
        ((), b"a\nb\r\nc\rd\xff\x00\x1d\n", b"a\r\nb\r\nc\r\0d\xff\xff\x00\x1d\r\n"),
        ((), b"end\r", b"end\r\0"),
        (("--binary",), b"a\nb\r\nc\rd\xff\n", b"\xff\xfb\0\xff\xfd\0a\nb\r\nc\r\0d\xff\xff\n"),
    ],
)
def test_what_goes_in_is_sent_by_the_rules_of_the_nvt(arguments: tuple[str, ...], keys: bytes, heard: bytes) -> None:
    with rogue(hears_exactly(len(heard)), says(b"bye\r\n")) as service:
        done = piped(keys, *arguments, f"telnet://{service}/")
        assert (done.returncode, done.stdout) == (0, b"bye\r\n")
        assert service.heard == [heard]


def test_a_line_end_that_is_cut_is_one_line_end() -> None:
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


def test_much_goes_both_ways_without_waiting_for_the_other(tmp_path: Path) -> None:
    """A service that says back what it hears, and stops hearing while nobody takes that from it."""
    lines = b"".join(b"%07d %s\n" % (number, b"x" * 40) for number in range(40_000))
    (tmp_path / "keys").write_bytes(lines)

    def say_back(visitor: Visitor) -> None:
        left = len(lines) + 40_000
        while left:
            octets = visitor.hear()
            left -= len(octets)
            visitor.say(octets)

    with rogue(say_back) as service, (tmp_path / "keys").open("rb") as keys:
        done = piped(b"", f"telnet://{service}/", stdin=keys)
    assert done.returncode == 0
    assert done.stdout == lines.replace(b"\n", b"\r\n")


def test_after_the_input_the_service_may_not_be_silent_for_ever(server: TelnetAddress) -> None:
    done = piped(b"", "--timeout", "0.5", f"telnet://{server}/")
    assert done.returncode == 3
    assert done.stdout == b"Welcome.\r\nlogin: "
    assert b"the deadline passed" in done.stderr


def test_a_login_that_fails_between_pipes_is_an_error(server: TelnetAddress) -> None:
    done = piped(b"", "--login", f"telnet://{server}/")
    assert done.returncode == 3
    assert b"asks for a user" in done.stderr


def test_the_terminal_stays_as_it_is_where_the_output_goes_elsewhere(shell: TelnetAddress) -> None:
    outside, inside = pty.openpty()
    before = termios.tcgetattr(inside)
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND, "session", f"telnet://{shell}/"],
        stdin=inside,
        stdout=subprocess.PIPE,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        written = process.stdout.read(2)
        assert termios.tcgetattr(inside) == before
        os.write(outside, b"quit\r")
        written += process.stdout.read()
        assert written.endswith(b"Goodbye.\r\n")
        assert process.wait(PATIENCE) == 0
    os.close(outside)
    os.close(inside)


def test_another_scheme_has_no_session() -> None:
    done = piped(b"", "file:///etc/motd")
    assert done.returncode == 4
    assert b"does not offer the operation 'open session'" in done.stderr


def test_verbose_shows_the_dialogue_without_the_password(server: TelnetAddress) -> None:
    done = piped(b"quit\n", "-vv", "--login", f"telnet://guest:open%20sesame@{server}/")
    assert b"> ***" in done.stderr
    assert b"sesame" not in done.stderr + done.stdout


def test_the_help_of_the_command_lists_it() -> None:
    shown = subprocess.run(
        [sys.executable, "-c", COMMAND, "--help"], capture_output=True, env=environment(), timeout=PATIENCE, check=True
    )
    assert re.search(rb"Commands of plugins:(?s:.*)\n  session +of urlschemes-telnet", shown.stdout)


# What a terminal is shown ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("octets", "text"),
    [
        (b"plain\ttext\r\n", "plain\ttext\n"),
        (b"a\r\r\nb\n\r", "a\r\nb\n\r"),
        (b"a\nb\rc", "a\nb\rc"),
        (b"ab\b\b\b\bc", "ab\b\bc"),
        (b"a\n\b\b", "a\n"),
        (b"a\r\b", "a\r"),
        (b"\b", ""),
        (b"a\0b", "ab"),
        (b"\x07\x0b\x0c\x1b[2J\x7f", "\\x07\\x0b\\x0c\\x1b[2J\\x7f"),
        ("né€𝄞".encode(), "né€𝄞"),
        (b"caf\xe9\x9b", "caf\\xe9\\x9b"),
        ("\u202e\u200b\ufeff\x9b".encode(), "\\u202e\\u200b\\ufeff\\x9b"),
        (b"cut\xe2\x82", "cut\\xe2\\x82"),
    ],
)
def test_what_is_shown(octets: bytes, text: str) -> None:
    assert Printer().feed(octets, final=True) == text
    printer = Printer()
    pieces = [printer.feed(octets[index : index + 1]) for index in range(len(octets))]
    assert "".join((*pieces, printer.feed(b"", final=True))) == text


@given(
    octets=st.binary(max_size=60)
    | st.text(st.sampled_from("a\b\r\n\x1b[\x9b\u202e\u2028é\0"), max_size=40).map(str.encode)
)
def test_whatever_comes_a_terminal_obeys_none_of_it(octets: bytes) -> None:
    text = Printer().feed(octets, final=True)
    assert not re.search(
        "[\x00-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]", text
    )
    for line in re.split("[\r\n]", text):
        column = 0
        for character in line:
            column += -1 if character == "\b" else 1
            assert column >= 0
