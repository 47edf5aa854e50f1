"""The telnet scheme (RFC 1738 section 3.8): interactive services reached by the Telnet protocol.

    telnet://<user>:<password>@<host>:<port>/

The syntax is in `registration.toml`. `access.py` opens a session, `session.py` is the session; `codec.py` and
`option_negotiation.py` decode and encode the octets of the connection. The command `urlschemes session` is in
`command.py`, `conversation.py`, `terminal.py` and `output_filter.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import LoginURL, Registration, Scheme, number_part

if TYPE_CHECKING:
    from urlschemes import URL, Registry
    from urlschemes_access import Policy
    from urlschemes_access.trace_event import Tracer
    from urlschemes_telnet.session import TelnetSession

__all__ = ["TelnetURL", "open_session", "registration", "scheme"]

registration = Registration.of(__name__)


class TelnetURL(LoginURL, registration=registration):
    """A URL that designates an interactive service; user name and password are only suggestions for the login."""

    port: int = number_part(default=None, doc="The port to connect to: the one in the URL, or 23.")


scheme = Scheme(registration, TelnetURL, access="urlschemes_telnet.access")


def open_session(
    url: URL | str,
    *,
    columns: int = 0,
    rows: int = 0,
    terminal: str = "",
    policy: Policy | None = None,
    deadline: float | None = None,
    trace: Tracer | None = None,
    registry: Registry | None = None,
) -> TelnetSession:
    """Connect to the service of `url` and return a session, to be used in a `with` block.

    `columns` and `rows` are the window size, and `terminal` is the name of the terminal, such as `xterm`: full-screen
    programs need both. They are sent to a service that asks. The other arguments, and the errors, are those of
    `urlschemes_access.open_session`.
    """
    # Late: parsing a URL does not need them.
    import urlschemes_access
    from urlschemes.errors import UnsupportedOperation
    from urlschemes_telnet.session import TelnetSession

    options = {"columns": columns, "rows": rows, "terminal": terminal}
    session = urlschemes_access.open_session(
        url, options=options, policy=policy, deadline=deadline, trace=trace, registry=registry
    )
    if isinstance(session, TelnetSession):
        return session
    session.close()
    raise UnsupportedOperation(
        "the URL opens a session of another protocol", hint="use `urlschemes_access.open_session`"
    )
