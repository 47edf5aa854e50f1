"""session: a telnet URL's service, at a terminal or between two pipes. The command of this plugin."""

from __future__ import annotations

import os
import select
import signal
import sys
from typing import TYPE_CHECKING, Any

import click

from urlschemes_cli.access_options import AccessOptions, with_access_options
from urlschemes_cli.output.text import safe_line, write_line, write_note

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_cli.settings import Settings
    from urlschemes_telnet.session import TelnetSession
    from urlschemes_telnet.terminal import Terminal

__all__ = ["session"]

AT_ONCE = 4096
"""Octets that are read from the keyboard, or written to the service, at once."""


def _key(_: click.Context, __: click.Parameter, value: str) -> bytes:
    """The octet of a key: `^X` is Ctrl and X; `none` is no key at all."""
    if value == "none":
        return b""
    if len(value) == 2 and value[0] == "^" and "@" < value[1].upper() <= "_":
        return bytes((ord(value[1].upper()) & 0x1F,))
    if len(value) == 1 and value.isascii() and value.isprintable():
        return value.encode()
    raise click.BadParameter("a key is one character, or ^ and a letter for Ctrl with it, or none")


@click.command(short_help="Talk to the service that a telnet URL locates.")
@click.argument("url")
@click.option("--escape", default="^]", show_default=True, callback=_key, metavar="KEY", help="The key that is ours.")
@click.option("--login", is_flag=True, help="Type the user name and password of URL where the service asks for them.")
@click.option("--show-password", is_flag=True, help="Show the password that URL suggests.")
@click.option("--binary", is_flag=True, help="Ask for eight bits both ways; a line end is sent as it is.")
@click.option(
    "--raw",
    is_flag=True,
    help="Let the terminal have what the service writes as it comes. Programs that fill the screen need it. "
    "WARNING: the service can then do to your terminal all that escape sequences can.",
)
@with_access_options
@click.pass_obj
def session(
    settings: Settings,
    url: str,
    escape: bytes,
    *,
    login: bool,
    show_password: bool,
    binary: bool,
    raw: bool,
    access_options: AccessOptions,
) -> None:
    """Talk to the service that URL, a telnet URL, locates.

    At a terminal every key goes to the service, Ctrl-C too, but the escape key: it waits for one more key, and ? lists
    those. A service that does not echo gets whole lines, which you can edit. Control characters that the service writes
    are shown and not obeyed, unless --raw.

    Between pipes, octets go and come until the service closes. A line feed is sent as Telnet's line end, CR LF, unless
    --binary. Once the input has ended, the service may be silent as long as an access may, and no longer. --timeout
    bounds the opening and each such wait, and not the session.

    User name and password of URL are a suggestion to you. They are typed with --login, or with the escape key and l.
    """
    from urlschemes.errors import UnsupportedOperation
    from urlschemes_telnet.session import TelnetSession

    if os.name != "posix":
        raise UnsupportedOperation(
            "this command waits for keys as POSIX systems can", hint="urlschemes_telnet.open_session works everywhere"
        )
    from urlschemes_telnet.terminal import Terminal

    client = settings.client
    interactive = sys.stdin.isatty() and sys.stdout.isatty()
    arguments = access_options.arguments(client, url, "open session")
    if interactive:
        columns, rows = Terminal(sys.stdin.fileno()).size()
        arguments["options"] = {"columns": columns, "rows": rows, **arguments["options"]}
    opened = client.operate("open session", url, **arguments)
    if not isinstance(opened, TelnetSession):
        raise UnsupportedOperation(f"{safe_line(url)} opens no Telnet session")
    with opened:
        _advise(opened, show_password=show_password)
        if binary:
            opened.binary()
        show = _to_terminal() if sys.stdout.isatty() and not raw else _to_pipe
        if interactive:
            with Terminal(sys.stdin.fileno(), raw=raw) as terminal:
                _Conversation(opened, terminal, show, escape).hold(login=login)
            write_line(stream=sys.stderr)
            write_note("the session is closed")
        else:
            if login:
                show(opened.login())
            _exchange(opened, show, binary=binary)


def _advise(opened: TelnetSession, *, show_password: bool) -> None:
    """Say on standard error what the URL suggests."""
    user, password = opened.advice
    if user is None:
        return
    said = f"the URL suggests to log in as '{user}'"
    if password is not None:
        said += f" with the password '{password}'" if show_password else " with a password, which --show-password shows"
    write_note(f"{said}; --login types it")


# What the service writes ----------------------------------------------------------------------------------------------


def _to_pipe(octets: bytes) -> None:
    """Octet by octet: to a pipe, a file, or a terminal that is to obey."""
    sys.stdout.buffer.write(octets)
    sys.stdout.buffer.flush()


def _to_terminal() -> Callable[[bytes], None]:
    """For a terminal, which obeys nothing; `b""` is the end."""
    from urlschemes_telnet.printer import Printer

    printer = Printer()

    def show(octets: bytes) -> None:
        sys.stdout.write(printer.feed(octets, final=not octets))
        sys.stdout.flush()

    return show


class _Typed:
    """What was typed and is not sent yet. It is sent in pieces that the connection takes without waiting.

    With `lines`, a line feed stands for the line end that the service wants by then.
    """

    def __init__(self, opened: TelnetSession, *, lines: bool = True) -> None:
        self._opened = opened
        self._lines = lines
        self.waiting = b""

    @property
    def full(self) -> bool:
        return len(self.waiting) >= AT_ONCE

    def send(self) -> None:
        """Send a piece."""
        piece, self.waiting = self.waiting[:AT_ONCE], self.waiting[AT_ONCE:]
        self._opened.write(piece.replace(b"\n", self._opened.line_end) if self._lines else piece)


# Between pipes --------------------------------------------------------------------------------------------------------


def _exchange(opened: TelnetSession, show: Callable[[bytes], None], *, binary: bool) -> None:
    """Bring standard input to the service, and what it writes to standard output, until it closes."""
    keys, typed, held, ended = sys.stdin.fileno(), _Typed(opened, lines=not binary), b"", False
    octets: bytes | None = None
    while octets != b"":
        if octets:
            show(octets)
        if ended and not typed.waiting:
            octets = opened.read()  # which is an error, if the service has nothing more to say
            continue
        reading: list[Any] = [opened] if ended or typed.full else [opened, keys]
        readable, writable, _ = select.select(reading, [opened] if typed.waiting else [], [])
        if keys in readable:
            came = os.read(keys, AT_ONCE)
            ended = not came
            came = held + came
            held = b"\r" if came.endswith(b"\r") and not (ended or binary) else b""
            came = came.removesuffix(held)
            typed.waiting += came if binary else came.replace(b"\r\n", b"\n")
        if writable:
            typed.send()
        octets = opened.read(0) if opened in readable else None
    show(b"")


# At a terminal --------------------------------------------------------------------------------------------------------


class _Conversation:
    """A person at a terminal, and the service."""

    def __init__(self, opened: TelnetSession, terminal: Terminal, show: Callable[[bytes], None], escape: bytes) -> None:
        self._opened = opened
        self._terminal = terminal
        self._show = show
        self._escape = escape
        self._escaped = False
        self._typed = _Typed(opened)

    def hold(self, *, login: bool) -> None:
        """Talk until the service closes, or the person has enough."""
        keys, opened, woken, typed = sys.stdin.fileno(), self._opened, self._terminal.woken, self._typed
        self._set_mode()
        if login:
            self._log_in()
        while True:
            reading: list[Any] = [opened, woken] if typed.full else [opened, woken, keys]
            readable, writable, _ = select.select(reading, [opened] if typed.waiting else [], [])
            if woken in readable:
                self._notice()
            if opened in readable:
                octets = opened.read(0)
                if octets == b"":
                    break
                self._set_mode()  # first: what is shown may be answered at once
                if octets:
                    self._show(octets)
            if keys in readable and not self._type(os.read(keys, AT_ONCE)):
                break
            if writable:
                typed.send()
        self._show(b"")

    def _set_mode(self) -> None:
        """The terminal shows what is typed where the service does not; the key behind the escape key is never shown."""
        if self._opened.echoes or self._escaped:
            self._terminal.character_mode()
        else:
            self._terminal.line_mode(self._escape)

    def _notice(self) -> None:
        signals = self._terminal.signals()
        if signal.SIGWINCH in signals:
            self._opened.resize(*self._terminal.size())
        if signal.SIGINT in signals:
            self._opened.interrupt()

    def _type(self, octets: bytes) -> bool:
        """What the keyboard gave; False when the person has enough, or is gone."""
        for each in octets:
            key = bytes((each,))
            if self._escaped:
                self._escaped = False
                if not self._obey(key):
                    return False
            elif key == self._escape:
                self._escaped = True
            else:
                self._typed.waiting += b"\n" if key == b"\r" else key
        self._set_mode()
        return bool(octets)

    def _obey(self, key: bytes) -> bool:
        """The key behind the escape key."""
        match key:
            case b"q" | b".":
                return False
            case b"i":
                self._typed.waiting = b""
                self._opened.interrupt()
            case b"l":
                self._log_in()
            case self._escape:
                self._typed.waiting += key
            case _:
                self._say("q ends the session, i interrupts the service, l logs in as the URL suggests; twice: the key")
        return True

    def _log_in(self) -> None:
        from urlschemes_access.errors import InputRequired, RemoteError

        try:
            self._show(self._opened.login())
        except (InputRequired, RemoteError) as refusal:
            self._show(self._opened.read(0) or b"")
            self._say(str(refusal))

    def _say(self, text: str) -> None:
        write_line(f"\n[{safe_line(text)}]", stream=sys.stderr)
