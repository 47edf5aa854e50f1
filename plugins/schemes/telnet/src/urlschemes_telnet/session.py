r"""The session that a telnet URL opens: reading, writing, and the login.

    with urlschemes_telnet.open_session("telnet://guest@host.dom/") as session:
        session.login()
        session.write(b"help" + session.line_end)
        while octets := session.read():
            ...

Data is sent and received unchanged. Beside it, only the answers of option negotiation are sent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast

from urlschemes.errors import UnsafeURL
from urlschemes.grammar.octets import octets_of, text_of
from urlschemes.redaction import one_line
from urlschemes_access.attributes import Attributes
from urlschemes_access.errors import InputRequired, RemoteError, Truncated
from urlschemes_access.protocol import Receive, Send
from urlschemes_access.protocol.replies import CONTROL_OCTET
from urlschemes_access.resources import Session
from urlschemes_telnet.codec import TelnetCodec

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes import URL, LoginURL
    from urlschemes_access.protocol import Algorithm, Peer
    from urlschemes_access.resources import Source

__all__ = ["Advice", "TelnetAttributes", "TelnetSession", "login_octets"]

LOGIN_TIMEOUT = 5.0
"""Seconds of silence after which `login` gives up waiting for a prompt."""
PROMPT_SILENCE = 0.2
"""Seconds of silence after which a text that looks like a prompt is one, and not part of a longer text."""
MAX_PROMPT = 256
"""Octets at the end of the output that are searched for a prompt."""
MAX_BEFORE_PROMPT = 64 * 1024
"""Octets that a service may write before it asks for a user name or a password."""

_USER_PROMPT = re.compile(rb"(?i)(?:login|user(?:[ -]?(?:name|id))?|account)[^\r\n]{0,40}[:?>]\s*\Z")
_PASSWORD_PROMPT = re.compile(rb"(?i)pass(?:word|phrase|code)[^\r\n]{0,40}[:?>]\s*\Z")


class Advice(NamedTuple):
    """The user name and password that a URL suggests for the login; None for what it does not suggest."""

    user: str | None
    password: str | None

    def __repr__(self) -> str:
        password = None if self.password is None else "***"
        return f"Advice(user={self.user!r}, password={password!r})"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TelnetAttributes(Attributes):
    """The window size with which a session was opened, 0 if unknown, and the name of the terminal, empty if unknown."""

    columns: int = 0
    rows: int = 0
    terminal: str = ""


def login_octets(url: URL, part: str, text: str) -> bytes:
    """Return the octets to type for a user name or a password. Raise UnsafeURL if they are not one line of text."""
    octets, section = octets_of(text), url.syntax.profile.section("security")
    if CONTROL_OCTET.search(octets):
        raise UnsafeURL(
            f"the {part} contains a control octet, which would act as a key of its own",
            scheme="telnet",
            part=part,
            section=section,
        )
    if part == "user" and octets.startswith(b"-"):
        raise UnsafeURL(
            "the user name begins with '-': programs may read it as a command-line option",
            scheme="telnet",
            part=part,
            section=section,
            hint="remove the user name from the URL, and type it yourself",
        )
    return octets


def _check_seconds(within: object) -> None:
    """Raise TypeError before anything is sent, so that the session remains usable."""
    if within is not None and not isinstance(within, int | float):
        raise TypeError(f"within must be a number of seconds, not {type(within).__name__}")


class TelnetSession(Session):
    """A conversation with an interactive service. Each call has its own deadline."""

    def __init__(self, source: Source, attributes: Attributes, peer: Peer | None) -> None:
        super().__init__(source, attributes, peer)
        terminal = attributes if isinstance(attributes, TelnetAttributes) else TelnetAttributes()
        self._codec = TelnetCodec(terminal.columns, terminal.rows, terminal.terminal)
        self._unread = b""  # received, and not yet returned to the caller
        self._last_output = b""  # the end of what was received since something was sent
        self._ended = False

    @property
    def advice(self) -> Advice:
        """The user name and password that the URL suggests. Only `login` sends them."""
        url = cast("LoginURL", self.url)
        return Advice(url.user, url.password)

    @property
    def echoes(self) -> bool:
        """True if the service echoes what it receives; otherwise the user's own terminal must show it."""
        return self._codec.echoes

    @property
    def line_end(self) -> bytes:
        """The end of a line to write: CR LF, or CR once BINARY is agreed.

        The service may request BINARY at any time, so read this property for each line.
        """
        return self._codec.line_end

    def read(self, within: float | None = None) -> bytes | None:
        """Return the next octets that the service writes, as soon as there are any; `b""` once it has closed.

        With `within`, return None after so many seconds without data, or earlier if only a negotiation arrived. Without
        it, raise DeadlineExceeded after `Limits.idle` seconds (`first_octet` after something was sent).
        """
        _check_seconds(within)
        return self.run_algorithm(self._read(within))

    def write(self, octets: bytes) -> None:
        """Send `octets` so that each arrives unchanged, FF and CR too. A line ends with `line_end`, in one piece."""
        if not isinstance(octets, bytes):
            raise TypeError(f"write needs bytes, not {type(octets).__name__}")
        return self.run_algorithm(self._send(lambda: self._codec.encode(octets)))

    def login(self, user: str | None = None, password: str | None = None, *, within: float = LOGIN_TIMEOUT) -> bytes:
        """Type user name and password when the service asks for them, and return what it wrote until then.

        By default they are those of the URL. A prompt ends with a colon, `>` or `?` after a word such as login, user or
        password. Read on to see whether the service accepts the login. Raise UnsafeURL if they cannot be typed;
        InputRequired if the service asks for one that is missing; RemoteError if it asks for nothing within so many
        seconds. After these errors the session remains usable, and `read` returns what the service wrote.
        """
        _check_seconds(within)
        advice = self.advice
        texts = (
            ("user", advice.user if user is None else user),
            ("password", advice.password if password is None else password),
        )
        login = {part: login_octets(self.url, part, text) for part, text in texts if text is not None}
        return self.run_algorithm(self._log_in(login, within))

    def resize(self, columns: int, rows: int) -> None:
        """Send the window size to the service if it has asked for it (NAWS), or when it asks; 0 if unknown."""
        return self.run_algorithm(self._send(lambda: self._codec.resize(columns, rows)))

    def binary(self, *, on: bool = True) -> None:
        """Request BINARY in both directions, or its end. Until the service agrees, the rules of the NVT apply."""
        return self.run_algorithm(self._send(lambda: self._codec.binary(on=on)))

    def interrupt(self) -> None:
        r"""Interrupt what the service is doing, by the command Interrupt Process of RFC 854.

        Some services know only the key of a terminal for this: Ctrl-C, `write(b"\x03")`.
        """
        return self.run_algorithm(self._send(self._codec.interrupt))

    # The algorithms

    def _send(self, encode: Callable[[], bytes]) -> Algorithm[None]:
        octets = encode()
        if octets:
            self._last_output = b""
            yield from Send(self.peer, octets)

    def _read(self, within: float | None) -> Algorithm[bytes | None]:
        unread, self._unread = self._unread, b""
        if unread:
            return unread
        while not self._ended:
            data = yield from self._receive(within)
            if data or data is None:
                return data
            if within is not None and not self._ended:
                return None
        return b""

    def _receive(self, within: float | None) -> Algorithm[bytes | None]:
        """Receive once and answer commands: return the data, which may be empty, or None if nothing arrived."""
        octets = yield from Receive(self.peer, within=within)
        if octets is None:
            return None
        if not octets:
            self._ended = True
            if self._codec.unfinished:
                raise Truncated("the service closed the connection within a Telnet command")
        data, answers = self._codec.decode(octets)
        if answers:
            yield from Send(self.peer, answers)
        self._last_output = (self._last_output + data)[-MAX_PROMPT:]
        return data

    def _log_in(self, login: dict[str, bytes], within: float) -> Algorithm[bytes]:
        yield from self._await_prompt(within, "user name or password", _USER_PROMPT, _PASSWORD_PROMPT)
        if not _PASSWORD_PROMPT.search(self._last_output):
            yield from self._type("user", login)
            yield from self._await_prompt(within, "password", _PASSWORD_PROMPT)
        yield from self._type("password", login)
        written, self._unread = self._unread, b""
        return written

    def _await_prompt(self, within: float, expected: str, *prompts: re.Pattern[bytes]) -> Algorithm[None]:
        """Read until the service writes a prompt, and then nothing. Raise RemoteError if it does not."""
        start = len(self._unread)
        while not self._ended and len(self._unread) - start <= MAX_BEFORE_PROMPT:
            prompted = any(prompt.search(self._last_output) for prompt in prompts)
            data = yield from self._receive(min(PROMPT_SILENCE, within) if prompted else within)
            if data is None:
                if prompted:
                    return
                break
            self._unread += data
        last_line = text_of(self._last_output.rstrip().rpartition(b"\n")[2])
        raise RemoteError(
            f"the service did not ask for a {expected}; its last line is '{one_line(last_line, 120)}'", text=last_line
        )

    def _type(self, part: str, login: dict[str, bytes]) -> Algorithm[None]:
        if part not in login:
            raise InputRequired(f"the service asks for a {part}, but neither the URL nor the call has one", part=part)
        octets = self._codec.encode(login[part])
        self._last_output = b""
        yield from Send(self.peer, octets + self.line_end, secret=octets if part == "password" else None)
