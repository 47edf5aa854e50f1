"""The conversation of `urlschemes session`: a terminal, or two pipes, connected to a service."""

from __future__ import annotations

import os
import select
import signal
import sys
from typing import TYPE_CHECKING, Any

from urlschemes_access.errors import InputRequired, RemoteError

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_telnet.session import TelnetSession
    from urlschemes_telnet.terminal import Terminal

__all__ = ["TerminalConversation", "relay_pipes"]

CHUNK = 4096
"""Octets that are read from the input, or sent to the service, at once."""


class _SendQueue:
    """Input that has not been sent yet. It is sent in pieces small enough not to block.

    With `lines`, a line feed is sent as the line end of the session at that time.
    """

    def __init__(self, session: TelnetSession, *, lines: bool = True) -> None:
        self._session = session
        self._lines = lines
        self.octets = b""

    @property
    def full(self) -> bool:
        return len(self.octets) >= CHUNK

    def send_chunk(self) -> None:
        chunk, self.octets = self.octets[:CHUNK], self.octets[CHUNK:]
        self._session.write(chunk.replace(b"\n", self._session.line_end) if self._lines else chunk)


def relay_pipes(session: TelnetSession, show: Callable[[bytes], None], *, binary: bool) -> None:
    """Send standard input to the service and show its output, until it closes.

    Without `binary`, LF and CR LF are line ends. `show(b"")` marks the end of the output.
    """
    stdin, queue, carriage_return, ended = sys.stdin.fileno(), _SendQueue(session, lines=not binary), b"", False
    output: bytes | None = None
    while output != b"":
        if output:
            show(output)
        if ended and not queue.octets:
            output = session.read()  # raises DeadlineExceeded if the service stays silent
            continue
        sources: list[Any] = [session] if ended or queue.full else [session, stdin]
        readable, writable, _ = select.select(sources, [session] if queue.octets else [], [])
        if stdin in readable:
            octets = os.read(stdin, CHUNK)
            ended = not octets
            octets = carriage_return + octets
            # An LF may follow in the next chunk.
            carriage_return = b"\r" if octets.endswith(b"\r") and not (ended or binary) else b""
            octets = octets.removesuffix(carriage_return)
            queue.octets += octets if binary else octets.replace(b"\r\n", b"\n")
        if writable:
            queue.send_chunk()
        output = session.read(0) if session in readable else None
    show(b"")


class TerminalConversation:
    """A conversation between a user at a terminal and a service.

    `show` writes the output of the service; `note` writes a message to the user.
    """

    def __init__(
        self,
        session: TelnetSession,
        terminal: Terminal,
        *,
        show: Callable[[bytes], None],
        note: Callable[[str], None],
        escape_key: bytes,
    ) -> None:
        self._session = session
        self._terminal = terminal
        self._show = show
        self._note = note
        self._escape_key = escape_key
        self._escaped = False
        self._queue = _SendQueue(session)

    def run(self, *, login: bool) -> None:
        """Run until the service closes or the user ends the session."""
        stdin, session, wakeup, queue = sys.stdin.fileno(), self._session, self._terminal.wakeup, self._queue
        self._set_mode()
        if login:
            self._log_in()
        while True:
            sources: list[Any] = [session, wakeup] if queue.full else [session, wakeup, stdin]
            readable, writable, _ = select.select(sources, [session] if queue.octets else [], [])
            if wakeup in readable:
                self._handle_signals()
            if session in readable:
                octets = session.read(0)
                if octets == b"":
                    break
                self._set_mode()  # before the output is shown, which the user may answer at once
                if octets:
                    self._show(octets)
            if stdin in readable and not self._handle_keys(os.read(stdin, CHUNK)):
                break
            if writable:
                queue.send_chunk()
        self._show(b"")

    def _set_mode(self) -> None:
        """Let the terminal echo if the service does not; the key after the escape key is never echoed."""
        if self._session.echoes or self._escaped:
            self._terminal.character_mode()
        else:
            self._terminal.line_mode(self._escape_key)

    def _handle_signals(self) -> None:
        signals = self._terminal.signals()
        if signal.SIGWINCH in signals:
            self._session.resize(*self._terminal.size())
        if signal.SIGINT in signals:
            self._session.interrupt()

    def _handle_keys(self, octets: bytes) -> bool:
        """Queue what was typed. Return False if the user ends the session, or the terminal is gone."""
        for each in octets:
            key = bytes((each,))
            if self._escaped:
                self._escaped = False
                if not self._handle_escaped_key(key):
                    return False
            elif key == self._escape_key:
                self._escaped = True
            else:
                self._queue.octets += b"\n" if key == b"\r" else key
        self._set_mode()
        return bool(octets)

    def _handle_escaped_key(self, key: bytes) -> bool:
        """Execute the key after the escape key. Return False if it ends the session."""
        match key:
            case b"q" | b".":
                return False
            case b"i":
                self._queue.octets = b""
                self._session.interrupt()
            case b"l":
                self._log_in()
            case self._escape_key:
                self._queue.octets += key
            case _:
                self._note(
                    "q ends the session, i interrupts the service, l types the login of the URL, "
                    "the escape key again sends itself"
                )
        return True

    def _log_in(self) -> None:
        try:
            self._show(self._session.login())
        except (InputRequired, RemoteError) as error:
            self._show(self._session.read(0) or b"")
            self._note(str(error))
