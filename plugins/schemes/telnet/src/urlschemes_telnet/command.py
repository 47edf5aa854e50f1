"""The command `urlschemes session`: a telnet session at a terminal or between two pipes."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from urlschemes.errors import UnsupportedOperation
from urlschemes_cli.access_options import AccessOptions, with_access_options
from urlschemes_cli.options import url_argument
from urlschemes_cli.output.text import safe_line, write_line, write_note
from urlschemes_telnet import registration

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_cli.settings import Settings
    from urlschemes_telnet.session import TelnetSession

__all__ = ["session"]


def _key(_: click.Context, __: click.Parameter, value: str) -> bytes:
    """Return the octet of a key: `^X` is Ctrl-X; `none` is not a key."""
    if value == "none":
        return b""
    if len(value) == 2 and value[0] == "^" and "@" < value[1].upper() <= "_":
        return bytes((ord(value[1].upper()) & 0x1F,))
    if len(value) == 1 and value.isascii() and value.isprintable():
        return value.encode()
    raise click.BadParameter("expected one character, ^ and a letter for a Ctrl key, or none")


@click.command(short_help="Open an interactive session with the service of a telnet URL.")
@url_argument
@click.option(
    "--escape",
    default="^]",
    show_default=True,
    callback=_key,
    metavar="KEY",
    help="Escape key: a character, ^ and a letter, or none.",
)
@click.option("--login", is_flag=True, help="Type user name and password of URL when the service asks for them.")
@click.option("--show-password", is_flag=True, help="Show the password that URL suggests.")
@click.option("--binary", is_flag=True, help="Request 8-bit data in both directions, and do not convert line ends.")
@click.option(
    "--terminal",
    metavar="NAME",
    help="Name of the terminal, unless configured. Default: TERM with --raw, otherwise dumb; '' sends none.",
)
@click.option(
    "--raw",
    is_flag=True,
    help="Do not filter the output of the service. Full-screen programs need this. "
    "WARNING: the service can then send escape sequences that your terminal executes.",
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
    terminal: str | None,
    raw: bool,
    access_options: AccessOptions,
) -> None:
    """Open an interactive session with the service of URL, a telnet URL.

    At a terminal, every key is sent to the service, Ctrl-C too, except the escape key: the key after it is a command,
    and ? lists the commands. A service that does not echo gets whole lines, which you can edit. Control characters in
    the output are shown and not executed, unless --raw is given.

    Between pipes, data is sent and received until the service closes. A line feed is sent as Telnet's line end, CR LF,
    unless --binary is given. After the end of the input, the service may stay silent only as long as an access may.
    --deadline limits the opening and each such wait, not the whole session.

    User name and password of URL are suggestions. They are typed with --login, or with the escape key and l.
    """
    if os.name != "posix":
        raise UnsupportedOperation(
            "this command needs a POSIX terminal", hint="on Windows, run it in the Windows Subsystem for Linux"
        )
    # Late: they need a POSIX system and urlschemes_access.
    from urlschemes_telnet.conversation import TerminalConversation, relay_pipes
    from urlschemes_telnet.session import TelnetSession
    from urlschemes_telnet.terminal import Terminal

    client = settings.client_for(url)
    interactive = sys.stdin.isatty() and sys.stdout.isatty()
    arguments = access_options.arguments(client, url, "open session")
    if interactive:
        columns, rows = Terminal(sys.stdin.fileno()).size()
        arguments["options"] = {"columns": columns, "rows": rows, **arguments["options"]}
    if terminal is None and interactive and "terminal" not in client.configuration.options(registration):
        terminal = _terminal_name(raw=raw)
    if terminal is not None:
        arguments["options"] = {"terminal": terminal, **arguments["options"]}
    opened = client.operate("open session", url, **arguments)
    if not isinstance(opened, TelnetSession):
        raise UnsupportedOperation(f"{safe_line(url)} opens no Telnet session")
    with opened:
        _show_advice(opened, show_password=show_password)
        if binary:
            opened.binary()
        show = _filtered_output() if sys.stdout.isatty() and not raw else _unfiltered_output
        if interactive:
            with Terminal(sys.stdin.fileno(), raw=raw) as device:
                TerminalConversation(opened, device, show=show, note=_note, escape_key=escape).run(login=login)
            write_line(stream=sys.stderr)
            write_note("the session is closed")
        else:
            if login:
                show(opened.login())
            relay_pipes(opened, show, binary=binary)


def _terminal_name(*, raw: bool) -> str:
    """Return the name of the user's terminal. Without `raw` its output is filtered, so it acts as a dumb one."""
    from urlschemes_telnet.codec import TERMINAL_NAME  # late: it needs urlschemes_access

    name = os.environ.get("TERM", "") if raw else "dumb"
    return name if TERMINAL_NAME.fullmatch(name) else ""


def _show_advice(opened: TelnetSession, *, show_password: bool) -> None:
    """Write the login that the URL suggests to standard error."""
    user, password = opened.advice
    if user is None:
        return
    text = f"the URL suggests the user name '{user}'"
    if password is not None:
        text += f" and the password '{password}'" if show_password else " and a password (--show-password shows it)"
    write_note(f"{text}; --login types it")


def _note(text: str) -> None:
    """Write a message to a user whose cursor may be within a line."""
    write_line(f"\n[{safe_line(text)}]", stream=sys.stderr)


def _unfiltered_output(octets: bytes) -> None:
    """Write octets unchanged: to a pipe, a file, or a terminal with --raw."""
    sys.stdout.buffer.write(octets)
    sys.stdout.buffer.flush()


def _filtered_output() -> Callable[[bytes], None]:
    """Return a function that writes octets as safe text; `b""` is their end."""
    from urlschemes_telnet.output_filter import OutputFilter  # late: only a terminal needs it

    output_filter = OutputFilter()

    def show(octets: bytes) -> None:
        sys.stdout.write(output_filter.feed(octets, final=not octets))
        sys.stdout.flush()

    return show
