"""Who submits: AUTH with PLAIN or LOGIN (RFC 4954, RFC 4616), in the two steps that every server understands."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

from urlschemes.grammar.octets import octets_of
from urlschemes_access.errors import AuthRequired
from urlschemes_access.protocol import Algorithm, Authenticate

if TYPE_CHECKING:
    from urlschemes_access.protocol.replies import Control
    from urlschemes_mailto.extensions import Extensions

__all__ = ["log_in"]


def log_in(control: Control, host: str, port: int, extensions: Extensions, *, allow_cleartext: bool) -> Algorithm[None]:
    """Log in, if the relay has logins and the caller knows one. Never without TLS, unless `allow_cleartext`.

    Raises AuthRequired where it is refused, RemoteError where it cannot be done now.
    """
    mechanism = next((name for name in ("PLAIN", "LOGIN") if name in extensions.mechanisms), None)
    if mechanism is None or not (control.peer.secure or allow_cleartext):
        return
    known = yield from Authenticate(host, port, realm=extensions.greeting, protected=control.peer.secure)
    if known is None:
        return
    user, password = octets_of(known.user), octets_of(known.password)
    reply = yield from control.command(f"AUTH {mechanism}".encode("ascii"), what="AUTH")
    for response in (b"\0".join((b"", user, password)),) if mechanism == "PLAIN" else (user, password):
        if reply.code == 334:
            reply = yield from control.command(b"", what="AUTH", secret=b64encode(response))
    reply = reply.without(password)
    if reply.kind == 5:
        raise AuthRequired(f"the relay refused the login: {reply}")
    reply.checked("AUTH", 2)
