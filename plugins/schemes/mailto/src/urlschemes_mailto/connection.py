"""The connection to a relay: replies, greeting, extensions, TLS and login (RFC 5321, RFC 3207, RFC 4954)."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from urlschemes.errors import Hint, Remedy
from urlschemes.grammar.octets import octets_of, text_of
from urlschemes.redaction import one_line
from urlschemes_access.errors import AuthRequired, PolicyDenied, RemoteError, TLSError
from urlschemes_access.protocol import Algorithm, Authenticate, replies

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Extensions", "Reply", "greet", "log_in"]

CLIENT_NAME = b"[127.0.0.1]"
"""The argument of EHLO, the same for every user: a name or an address would identify this machine."""
IMPLICIT_TLS_PORT = 465
"""The port where TLS begins at once (RFC 8314 section 3.3)."""

_CLEARTEXT = Remedy("sends the login unencrypted", "allow_cleartext", value=True)
_NO_LOGIN = Remedy("sends the message without a login", "login", value=False)
_EHLO_UNKNOWN = (500, 501, 502, 504)
_NUMBER = re.compile("[0-9]{1,20}")


class Reply(replies.Reply):
    """A reply of a relay (RFC 5321 section 4.2). With code 530 the relay requires a login (RFC 4954 section 6)."""

    __slots__ = ()

    def refusal(self, what: str, *, hint: str | None = None, sent: int | None = None) -> RemoteError | AuthRequired:
        """Return the error for a refusal of the step `what`."""
        if self.code == 530:
            return AuthRequired(
                f"the relay requires a login before {what}: {self}",
                hint=Hint(Remedy("logs in", "credentials"), _CLEARTEXT),
            )
        return super().refusal(what, hint=hint, sent=sent)


@dataclass(frozen=True, slots=True)
class Extensions:
    """The extensions that a relay offers in its reply to EHLO (RFC 5321 section 4.1.1.1).

    `offered` maps each name, in capitals, to its parameters; `server_name` is the relay's name for itself.
    """

    server_name: str = ""
    offered: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, reply: replies.Reply) -> Extensions:
        """Return the extensions in a reply to EHLO."""
        name, *others = (text_of(line).split() or [""] for line in reply.lines)
        offered = {words[0].upper(): tuple(map(str.upper, words[1:])) for words in others}
        return cls(one_line(name[0], 80), offered)

    def __contains__(self, name: str) -> bool:
        return name in self.offered

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """The mechanisms for a login."""
        return self.offered.get("AUTH", ())

    @property
    def max_size(self) -> int | None:
        """Octets in the largest message that the relay accepts (RFC 1870); None if unknown."""
        size = self.offered.get("SIZE") or ("",)
        return int(size[0]) or None if _NUMBER.fullmatch(size[0]) else None


def greet(control: replies.Control, host: str, port: int, starttls: str) -> Algorithm[Extensions]:
    """Read the banner, start TLS as `starttls` says, and return the extensions that the relay offers over it."""
    if port == IMPLICIT_TLS_PORT:
        yield from control.protect(host)
    yield from control.banner(220)
    extensions = yield from _hello(control)
    if control.peer.secure or starttls == "never":
        return extensions
    if "STARTTLS" in extensions:
        yield from control.carry_out(b"STARTTLS")
        yield from control.protect(host)
        return (yield from _hello(control))
    if starttls == "required":
        raise TLSError(f"{host} does not offer STARTTLS, and TLS is required; nothing was sent")
    return extensions


def _hello(control: replies.Control) -> Algorithm[Extensions]:
    """Send EHLO and return the extensions; send HELO, and return none, if the relay does not know EHLO."""
    reply = yield from control.command(b"EHLO " + CLIENT_NAME, what="EHLO")
    if reply.code in _EHLO_UNKNOWN:
        yield from control.carry_out(b"HELO " + CLIENT_NAME, what="HELO")
        return Extensions()
    return Extensions.of(reply.checked("EHLO", 2))


def log_in(
    control: replies.Control, host: str, port: int, extensions: Extensions, *, allow_cleartext: bool
) -> Algorithm[None]:
    """Log in by PLAIN or LOGIN if the relay has logins and the caller has credentials (RFC 4954, RFC 4616).

    The response to the challenge is sent separately, which every server understands. Raise PolicyDenied for credentials
    that would be sent without TLS, unless `allow_cleartext` is true: even if the relay offers no login, since the offer
    may have been removed on the way. Raise AuthRequired if the relay has no mechanism of the two or refuses the login,
    RemoteError if it cannot be done now.
    """
    secure = control.peer.secure
    if not extensions.mechanisms and (secure or allow_cleartext):
        return
    login = yield from Authenticate(host, port, realm=extensions.server_name, protected=secure)
    if login is None:
        return
    if not (secure or allow_cleartext):
        raise PolicyDenied(
            "TLS does not protect the connection to the relay: neither the login nor the message was sent",
            rule="allow_cleartext",
            hint=Hint(Remedy("or port 465 protects it", "starttls", "required"), _CLEARTEXT, _NO_LOGIN),
        )
    mechanism = next((name for name in ("PLAIN", "LOGIN") if name in extensions.mechanisms), None)
    if mechanism is None:
        offered = one_line(", ".join(extensions.mechanisms), 60)
        raise AuthRequired(
            f"the relay offers no login by PLAIN or LOGIN, only by {offered}; the message was not sent",
            hint=Hint(_NO_LOGIN),
        )
    user, password = octets_of(login.user), octets_of(login.password)
    reply = yield from control.command(f"AUTH {mechanism}".encode("ascii"), what="AUTH")
    for response in (b"\0".join((b"", user, password)),) if mechanism == "PLAIN" else (user, password):
        if reply.code == 334:
            reply = yield from control.command(b"", what="AUTH", secret=b64encode(response))
    reply = reply.without(password)
    if reply.kind == 5:
        raise AuthRequired(f"the relay refused the login: {reply}")
    reply.checked("AUTH", 2)
