"""Errors of operations on URLs, split by whose fault they are.

URLError
├── PolicyDenied                the policy forbids the access
└── AccessError                 the network, the server, or the file system
    ├── ResolveError
    ├── ConnectError
    ├── TLSError
    ├── DeadlineExceeded
    ├── ProtocolError           the server broke its protocol
    ├── LimitExceeded           more than the policy accepts
    ├── Truncated               less than was announced
    ├── RemoteError             the server refused, by its protocol
    ├── AuthRequired            the server wants credentials that were not given
    ├── InputRequired           the server wants answers that were not given
    ├── RedirectRefused
    └── Indeterminate           it cannot be known whether the operation was done
"""

from __future__ import annotations

from typing import Any

from urlschemes.errors import URLError
from urlschemes.redaction import in_line

__all__ = [
    "AccessError",
    "AuthRequired",
    "ConnectError",
    "DeadlineExceeded",
    "Indeterminate",
    "InputRequired",
    "LimitExceeded",
    "PolicyDenied",
    "ProtocolError",
    "RedirectRefused",
    "RemoteError",
    "ResolveError",
    "TLSError",
    "Truncated",
]


class PolicyDenied(URLError):
    """The policy forbids the access. `rule` names the policy's rule; the hint says how to allow it."""

    code = "policy-denied"


class AccessError(URLError):
    """The access began and failed: the network, the server or the file system is the cause.

    `sent` counts the octets of the caller's content that had been sent before: so many may be there, or a part of them.
    It is None where none were.
    """

    code = "access-error"

    def __init__(self, message: str = "", *, sent: int | None = None, **details: Any) -> None:
        super().__init__(message, **details)
        self.sent = sent


class ResolveError(AccessError):
    """The host name has no address."""

    code = "resolve-error"


class ConnectError(AccessError):
    """No connection to the host and port, or it broke before the first octet of an answer."""

    code = "connect-error"


class TLSError(AccessError):
    """The TLS handshake failed, or the certificate is not the host's. Nothing was sent."""

    code = "tls-error"


class DeadlineExceeded(AccessError):
    """The access took longer than it may. `phase` says what it was waiting for."""

    code = "deadline-exceeded"

    def __init__(self, message: str, *, phase: str, **details: Any) -> None:
        super().__init__(message, **details)
        self.phase = phase


class ProtocolError(AccessError):
    """The other side does not speak its protocol. `where` says at which point of the dialogue."""

    code = "protocol-error"

    def __init__(self, message: str, *, where: str = "", **details: Any) -> None:
        super().__init__(message, **details)
        self.where = where


class LimitExceeded(AccessError):
    """The other side sent more than the policy accepts. `limit` names the bound, `value` is the bound."""

    code = "limit-exceeded"

    def __init__(self, message: str, *, limit: str, value: int, **details: Any) -> None:
        super().__init__(message, **details)
        self.limit = limit
        self.value = value


class Truncated(AccessError):
    """The content ended before its end. `received` and `expected` (None where unknown) count octets.

    `partial` holds what came, where the caller asked for the whole at once.
    """

    code = "truncated"

    def __init__(
        self,
        message: str,
        *,
        received: int | None = None,
        expected: int | None = None,
        partial: bytes | None = None,
        **details: Any,
    ) -> None:
        super().__init__(message, **details)
        self.received = received
        self.expected = expected
        self.partial = partial


class RemoteError(AccessError):
    """The other side refused by its protocol.

    `status` is its code, `text` its words, both as safe to show as the message; `temporary` says whether trying later
    may help. `step` is what it refused, where the protocol has several steps and it matters which.
    """

    code = "remote-error"

    def __init__(
        self,
        message: str,
        *,
        status: int | str | None = None,
        text: str = "",
        temporary: bool = False,
        step: str = "",
        **details: Any,
    ) -> None:
        super().__init__(message, **details)
        self.status = in_line(status) if isinstance(status, str) else status
        self.text = in_line(text)
        self.temporary = temporary
        self.step = step


class AuthRequired(AccessError):
    """The other side wants a login that was not given, or refused the one that was."""

    code = "auth-required"


class InputRequired(AccessError):
    """The other side asks questions, and the caller gave no way to answer them."""

    code = "input-required"


class RedirectRefused(AccessError):
    """The other side points elsewhere, and the policy does not follow.

    `reason` is one word: scheme, hops, invalid, policy ...; `location` is where it points.
    """

    code = "redirect-refused"

    def __init__(self, message: str, *, reason: str, location: str = "", **details: Any) -> None:
        super().__init__(message, **details)
        self.reason = reason
        self.location = location


class Indeterminate(AccessError):
    """The connection was lost at a point where the operation may or may not have been carried out."""

    code = "indeterminate"
