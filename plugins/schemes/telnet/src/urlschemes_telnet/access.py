"""Opening a telnet URL: one connection, and a session on it (RFC 1738 section 3.8, RFC 854).

Nothing is sent before the service sends something: a port other than 23 may belong to a service without negotiation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import UnsupportedOperation
from urlschemes.redaction import one_line
from urlschemes_access.protocol import Close, Connect, Open
from urlschemes_telnet.codec import TERMINAL_NAME
from urlschemes_telnet.session import TelnetAttributes, TelnetSession, login_octets

if TYPE_CHECKING:
    from urlschemes_access.protocol import Algorithm
    from urlschemes_telnet import TelnetURL

__all__ = ["open_session"]


def open_session(url: TelnetURL, *, columns: int = 0, rows: int = 0, terminal: str = "") -> Algorithm[None]:
    """Connect, and give the caller the session. Its method `login` types user name and password.

    `columns` and `rows` are the window size, 0 if unknown, and `terminal` is the name of the terminal, such as `xterm`,
    empty if unknown. They are sent to a service that asks. Raise UnsafeURL before connecting if user name or password
    cannot be typed safely, UnsupportedOperation if `terminal` is not the name of a terminal.
    """
    if terminal and not TERMINAL_NAME.fullmatch(terminal):
        raise UnsupportedOperation(
            f"invalid terminal '{one_line(terminal, 40)}': expected at most 40 letters, digits and - _ + . /",
            part="terminal",
            section="RFC 1091",
        )
    for part in ("user", "password"):
        if (text := getattr(url, part)) is not None:
            login_octets(url, part, text)
    peer = yield from Connect(url.host, url.port)
    yield from Open(
        "session", TelnetAttributes(columns=columns, rows=rows, terminal=terminal), session=TelnetSession, peer=peer
    )
    yield from Close(peer)
