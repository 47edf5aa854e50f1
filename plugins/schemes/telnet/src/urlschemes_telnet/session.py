r"""The session that a telnet URL opens: what the service writes, what is written to it, and the login.

    with urlschemes_telnet.open_session("telnet://guest@host.dom/") as session:
        session.login()
        session.write(b"help" + session.line_end)
        while octets := session.read():
            ...

Octets go and come as they are. Nothing is sent but what the caller says and the answers that negotiation demands.
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
from urlschemes_telnet.stream import Stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_access.protocol import Algorithm, Peer
    from urlschemes_access.resources import Source
    from urlschemes_telnet import TelnetURL

__all__ = ["Advice", "TelnetAttributes", "TelnetSession", "check_login"]

PATIENCE = 5.0
"""Seconds of silence after which a service is taken not to ask for a login."""
SETTLED = 0.2
"""Seconds of silence after which what looks like a prompt is one, and no part of a longer text."""
PROMPT = 256
"""Octets of what was written last that are looked at."""
TRANSCRIPT = 64 * 1024
"""Octets in which a service must have asked for a user name or a password."""

_ASKS_USER = re.compile(rb"(?i)(?:login|user(?:[ -]?(?:name|id))?|account)[^\r\n]{0,40}[:?>]\s*\Z")
_ASKS_PASSWORD = re.compile(rb"(?i)pass(?:word|phrase|code)[^\r\n]{0,40}[:?>]\s*\Z")


class Advice(NamedTuple):
    """The user name and password that a URL suggests to whoever logs in; None where it suggests none."""

    user: str | None
    password: str | None

    def __repr__(self) -> str:
        password = None if self.password is None else "***"
        return f"Advice(user={self.user!r}, password={password!r})"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TelnetAttributes(Attributes):
    """What a session was opened with: the columns and rows of the window, 0 where nobody knows them."""

    columns: int = 0
    rows: int = 0


def check_login(part: str, text: str) -> bytes:
    """The octets to be typed for a user name or a password, on one line. Raises UnsafeURL for what would be more."""
    octets = octets_of(text)
    if CONTROL_OCTET.search(octets):
        raise UnsafeURL(
            f"the {part} holds a control octet, which would be typed as a key of its own",
            scheme="telnet",
            part=part,
            section="RFC 1738 section 6",
        )
    if part == "user" and octets.startswith(b"-"):
        raise UnsafeURL(
            "a user name that begins with '-' is an option to programs that it is handed to",
            scheme="telnet",
            part=part,
            section="RFC 1738 section 6",
            hint="leave it out of the URL, and type it if you mean it",
        )
    return octets


def _check_seconds(within: object) -> None:
    """A slip of the caller's is said before anything is done, and leaves the session as it is."""
    if within is not None and not isinstance(within, int | float):
        raise TypeError(f"within is a number of seconds, not {type(within).__name__}")


class TelnetSession(Session):
    """A conversation with an interactive service. Every call has a deadline of its own."""

    def __init__(self, source: Source, attributes: Attributes, peer: Peer | None) -> None:
        super().__init__(source, attributes, peer)
        known = attributes if isinstance(attributes, TelnetAttributes) else TelnetAttributes()
        self._stream = Stream(known.columns, known.rows)
        self._kept = b""  # read, and not yet given to the caller
        self._line = b""  # what was read last, since something was said
        self._ended = False

    @property
    def advice(self) -> Advice:
        """What the URL suggests to whoever logs in. It is typed by `login` alone."""
        url = cast("TelnetURL", self.url)
        return Advice(url.user, url.password)

    @property
    def echoes(self) -> bool:
        """Whether the service shows what it is sent; where it does not, whoever types sees nothing unless told here."""
        return self._stream.echoes

    @property
    def line_end(self) -> bytes:
        """What ends a line that is written now: CR LF; once BINARY is agreed, the CR that the key of a terminal sends.

        A service may ask for BINARY at any time, so look each time.
        """
        return self._stream.line_end

    def read(self, within: float | None = None) -> bytes | None:
        """The next octets that the service writes, as soon as there are any; `b""` once it has closed.

        None when none came: in `within` seconds, or sooner where there was something else to answer. Without `within`,
        silence is DeadlineExceeded after `Limits.idle` seconds (`first_octet` after something was sent).
        """
        _check_seconds(within)
        return self._run(self._reading(within))

    def write(self, octets: bytes) -> None:
        """Send `octets`: every one of them arrives as it is, FF and CR too. A line ends with `line_end`, whole."""
        if not isinstance(octets, bytes):
            raise TypeError(f"what is written is bytes, not {type(octets).__name__}")
        return self._run(self._saying(lambda: self._stream.send(octets)))

    def login(self, user: str | None = None, password: str | None = None, *, within: float = PATIENCE) -> bytes:
        """Type a user name and a password where the service asks for them; what it wrote meanwhile.

        Either is what the URL suggests where it is left out. A prompt ends with a colon and says login, user,
        password or the like. Whether the service lets anybody in, it says itself: read on. Raises UnsafeURL for what
        is no line; InputRequired where it asks for what nobody gave; RemoteError where it asks for nothing within that
        many seconds. After these the session goes on, and `read` gives what was written.
        """
        _check_seconds(within)
        advice = self.advice
        given = (
            ("user", advice.user if user is None else user),
            ("password", advice.password if password is None else password),
        )
        login = {part: check_login(part, text) for part, text in given if text is not None}
        return self._run(self._logging_in(login, within))

    def resize(self, columns: int, rows: int) -> None:
        """Tell the service how large the window is, if it has asked or asks later (NAWS). 0 is not known."""
        return self._run(self._saying(lambda: self._stream.resize(columns, rows)))

    def binary(self, *, on: bool = True) -> None:
        """Ask for BINARY in both directions, or for its end. Until the service agrees, octets go by the NVT's rules."""
        return self._run(self._saying(lambda: self._stream.binary(on=on)))

    def interrupt(self) -> None:
        r"""Interrupt what the service is doing, by the command Interrupt Process of RFC 854.

        Some services know it only as the key that a terminal sends: Ctrl-C, `write(b"\x03")`.
        """
        return self._run(self._saying(self._stream.interrupt))

    # The algorithms

    def _saying(self, words: Callable[[], bytes]) -> Algorithm[None]:
        octets = words()
        if octets:
            self._line = b""
            yield from Send(self.peer, octets)

    def _reading(self, within: float | None) -> Algorithm[bytes | None]:
        kept, self._kept = self._kept, b""
        if kept:
            return kept
        while not self._ended:
            data = yield from self._receiving(within)
            if data or data is None:
                return data
            if within is not None and not self._ended:
                return None
        return b""

    def _receiving(self, within: float | None) -> Algorithm[bytes | None]:
        """The data received at once, `b""` where there is none in it; None when nothing at all came."""
        octets = yield from Receive(self.peer, within=within)
        if octets is None:
            return None
        if not octets:
            self._ended = True
            if self._stream.unfinished:
                raise Truncated("the connection ended within a Telnet command")
        data, answers = self._stream.receive(octets)
        if answers:
            yield from Send(self.peer, answers)
        self._line = (self._line + data)[-PROMPT:]
        return data

    def _logging_in(self, login: dict[str, bytes], within: float) -> Algorithm[bytes]:
        yield from self._awaiting(within, "user name or password", _ASKS_USER, _ASKS_PASSWORD)
        if not _ASKS_PASSWORD.search(self._line):
            yield from self._typing("user", login)
            yield from self._awaiting(within, "password", _ASKS_PASSWORD)
        yield from self._typing("password", login)
        written, self._kept = self._kept, b""
        return written

    def _awaiting(self, within: float, what: str, *prompts: re.Pattern[bytes]) -> Algorithm[None]:
        """Read until the service has asked, and then says nothing. Raises RemoteError where it does not ask."""
        begun = len(self._kept)
        while not self._ended and len(self._kept) - begun <= TRANSCRIPT:
            asked = any(prompt.search(self._line) for prompt in prompts)
            data = yield from self._receiving(min(SETTLED, within) if asked else within)
            if data is None:
                if asked:
                    return
                break
            self._kept += data
        last = text_of(self._line.rstrip().rpartition(b"\n")[2])
        raise RemoteError(f"the service did not ask for a {what}; its last line is '{one_line(last, 120)}'", text=last)

    def _typing(self, part: str, login: dict[str, bytes]) -> Algorithm[None]:
        if part not in login:
            raise InputRequired(f"the service asks for a {part}, and neither the URL nor the call has one", part=part)
        octets = self._stream.send(login[part])
        self._line = b""
        yield from Send(self.peer, octets + self.line_end, secret=octets if part == "password" else None)
