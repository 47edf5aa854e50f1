"""An SMTP server: aiosmtpd, embedded. It stores the messages that it receives, and delivers none of them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import NoneType
from typing import TYPE_CHECKING, Any

from urlschemes.errors import require_type
from urlschemes_testing.loopback import HOST, LIFETIME, PATIENCE, Address, Loopback

if TYPE_CHECKING:
    import socket
    import ssl
    from collections.abc import Iterator

__all__ = ["Received", "SmtpAddress", "smtp_server"]

SIZE = 16 * 1024 * 1024
"""Octets of the largest message that is accepted by default."""


@dataclass(frozen=True, slots=True)
class Received:
    """A received message: its envelope, the user who was logged in, and its octets without dot-stuffing."""

    sender: str
    recipients: tuple[str, ...]
    content: bytes
    user: str | None = None


class SmtpAddress(Address):
    """The address of an SMTP server; `messages` are those that it received."""

    messages: list[Received]


@contextmanager
def smtp_server(
    users: Mapping[str, str] | None = None,
    *,
    replies: Mapping[str, str] | None = None,
    tls: ssl.SSLContext | None = None,
    size: int = SIZE,
    utf8: bool = False,
    host: str = HOST,
    lifetime: float = LIFETIME,
    patience: float = PATIENCE,
) -> Iterator[SmtpAddress]:
    """Accept messages until the block is left, or for `lifetime` seconds.

    With `users` (passwords by name), only they may send. With `tls`, STARTTLS is offered, and a login is possible only
    over TLS. With `utf8`, SMTPUTF8 is offered. `replies` are the replies to RCPT for an address (`"550 5.1.1 No such
    user"`), or to the message if the address is `""`. A client that sends nothing for `patience` seconds is
    disconnected.
    """
    require_type("users", users, Mapping, NoneType)
    require_type("replies", replies, Mapping, NoneType)
    import logging  # late, as asyncio and aiosmtpd

    logging.getLogger("mail.log").addHandler(logging.NullHandler())  # without a handler, logging writes to stderr
    messages: list[Received] = []
    handler = _Handler(messages, users or {}, replies or {})
    options = {
        "authenticator": handler.authenticate,
        "auth_require_tls": tls is not None,
        "auth_exclude_mechanism": () if users else ("PLAIN", "LOGIN"),
        "data_size_limit": size,
        "enable_SMTPUTF8": utf8,
        "hostname": "localhost",
        "ident": "ESMTP",
        "timeout": patience,
        "tls_context": tls,
    }
    with Loopback(lambda connection: _serve(connection, handler, options), host=host, lifetime=lifetime) as server:
        address = SmtpAddress(*server.address)
        address.messages = messages
        yield address


def _serve(connection: socket.socket, handler: _Handler, options: dict[str, Any]) -> None:
    """Serve one connection on an event loop of its own."""
    import asyncio

    from aiosmtpd.smtp import SMTP

    class Protocol(SMTP):
        def eof_received(self) -> bool:
            super().eof_received()
            return False

        def connection_lost(self, error: Exception | None) -> None:
            super().connection_lost(error)
            ended.set()

    async def serve() -> None:
        loop = asyncio.get_running_loop()
        # A duplicate, because the transport closes the socket that it is given.
        await loop.connect_accepted_socket(lambda: Protocol(handler, loop=loop, **options), connection.dup())
        await ended.wait()

    ended = asyncio.Event()
    asyncio.run(serve())


class _Handler:
    """The hooks of aiosmtpd, which it finds by their names."""

    def __init__(self, messages: list[Received], users: Mapping[str, str], replies: Mapping[str, str]) -> None:
        self._messages = messages
        self._users = users
        self._replies = replies

    def authenticate(self, _server: Any, _session: Any, _envelope: Any, _mechanism: str, given: Any) -> Any:
        from aiosmtpd.smtp import AuthResult

        user, password = given.login.decode("utf-8", "replace"), given.password.decode("utf-8", "replace")
        return AuthResult(success=self._users.get(user) == password, handled=False, auth_data=user)

    async def handle_EHLO(  # noqa: N802  the name that aiosmtpd calls
        self, _server: Any, session: Any, _envelope: Any, name: str, responses: list[str]
    ) -> list[str]:
        session.host_name = name
        return [each for each in responses if each != "250-AUTH "]

    async def handle_MAIL(self, _server: Any, session: Any, envelope: Any, address: str, options: list[str]) -> str:  # noqa: N802  the name that aiosmtpd calls
        if self._users and not session.authenticated:
            return "530 5.7.0 Authentication required"
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 2.1.0 OK"

    async def handle_RCPT(self, _server: Any, _session: Any, envelope: Any, address: str, options: list[str]) -> str:  # noqa: N802  the name that aiosmtpd calls
        if address in self._replies:
            return self._replies[address]
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 2.1.5 OK"

    async def handle_DATA(self, _server: Any, session: Any, envelope: Any) -> str:  # noqa: N802  the name that aiosmtpd calls
        if "" in self._replies:
            return self._replies[""]
        user = session.auth_data if session.authenticated else None
        sender = envelope.mail_from.removeprefix("<>")  # the empty reverse-path
        self._messages.append(Received(sender, tuple(envelope.rcpt_tos), envelope.content, user))
        return f"250 2.0.0 queued as {len(self._messages)}"
