"""Errors of operations on URLs.

URLError
├── PolicyDenied                the policy forbids the access
└── AccessError                 the network, the server, or the file system
    ├── ResolveError
    ├── ConnectError
    ├── TLSError
    ├── DeadlineExceeded
    ├── ProtocolError           the server broke its protocol
    ├── LimitExceeded           more than a limit of the policy allows
    ├── Truncated               the content or the dialogue ended early
    ├── RemoteError             the server or the file system refused
    │   └── IsDirectory         the URL of a document names a directory
    ├── AuthRequired            the server requires a login
    ├── InputRequired           the operation needs answers or content that were not given
    ├── RedirectRefused         a redirect that is not followed
    └── Indeterminate           the operation may or may not have been carried out
"""

from __future__ import annotations

from typing import Any

from urlschemes.errors import UnsafeURL, URLError
from urlschemes.redaction import in_line, one_line
from urlschemes.url.value import URL

__all__ = [
    "AccessError",
    "AuthRequired",
    "ConnectError",
    "DeadlineExceeded",
    "Indeterminate",
    "InputRequired",
    "IsDirectory",
    "LimitExceeded",
    "PolicyDenied",
    "ProtocolError",
    "RedirectRefused",
    "RemoteError",
    "ResolveError",
    "TLSError",
    "Truncated",
    "add_section",
]


class PolicyDenied(URLError):
    """The policy forbids the access. `rule` names the rule of the policy; the hint says how to allow the access.

    `address` is the address that is denied, None if it is something else.
    """

    code = "policy-denied"

    def __init__(self, message: str = "", *, address: str | None = None, **details: Any) -> None:
        super().__init__(message, **details)
        self.address = address


class AccessError(URLError):
    """The access began and failed: the network, the server or the file system is the cause.

    `sent` is the number of octets of the caller's content that had been sent before and may be stored in part; None if
    the operation sends none. `accepted` is for algorithms: the octets of a Send that the system took before it failed.
    """

    code = "access-error"

    def __init__(self, message: str = "", *, sent: int | None = None, **details: Any) -> None:
        super().__init__(message, **details)
        self.sent = sent
        self.accepted = 0


class ResolveError(AccessError):
    """The host name has no address."""

    code = "resolve-error"


class ConnectError(AccessError):
    """The connection to host and port failed, or broke before the first octet of a response."""

    code = "connect-error"


class TLSError(AccessError):
    """The TLS handshake failed, the certificate is not valid for the host, or TLS found a damaged record later."""

    code = "tls-error"


class DeadlineExceeded(AccessError):
    """The access took too long. `phase` names what it was waiting for."""

    code = "deadline-exceeded"

    def __init__(self, message: str, *, phase: str, **details: Any) -> None:
        super().__init__(message, **details)
        self.phase = phase


class ProtocolError(AccessError):
    """The server violated its protocol. `where` names the point of the dialogue."""

    code = "protocol-error"

    def __init__(self, message: str, *, where: str = "", **details: Any) -> None:
        super().__init__(message, **details)
        self.where = where


class LimitExceeded(AccessError):
    """The server sent more than the policy allows. `limit` names the limit, `value` is its value."""

    code = "limit-exceeded"

    def __init__(self, message: str, *, limit: str, value: int, **details: Any) -> None:
        super().__init__(message, **details)
        self.limit = limit
        self.value = value


class Truncated(AccessError):
    """The content ended early. `received` and `expected` are numbers of octets, None if unknown.

    `partial` holds the octets received, if the caller asked for the whole content at once.
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
    """The server refused, in the way of its protocol, or the file system did.

    `status` is its code and `text` its text, both safe to print. `temporary` is True if trying again later may help.
    `step` names the refused step of a protocol with several steps.
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


class IsDirectory(RemoteError):
    """The server refused a document because its name is that of a directory. `listing` is the URL that lists it.

    In a pickle, `listing` is None: the URL may hold a password.
    """

    code = "is-directory"

    def __init__(self, message: str, *, listing: URL, **details: Any) -> None:
        super().__init__(message, **details)
        self.listing: URL | None = listing

    def __reduce__(self) -> tuple[Any, ...]:
        make, arguments, state = super().__reduce__()
        return make, arguments, {**state, "listing": None}


class AuthRequired(AccessError):
    """The server requires a login that was not given, or refused the one that was given."""

    code = "auth-required"


class InputRequired(AccessError):
    """The operation needs answers or content, and the caller passed no way to get them."""

    code = "input-required"


class RedirectRefused(AccessError):
    """The server redirects to a location that is not followed.

    `reason` is one word: scheme, hops, invalid, gateway or policy; `location` is the target, safe to print.
    """

    code = "redirect-refused"

    def __init__(self, message: str, *, reason: str, location: str = "", **details: Any) -> None:
        super().__init__(message, **details)
        self.reason = reason
        self.location = one_line(location)


class Indeterminate(AccessError):
    """The connection was lost when the operation may or may not have been carried out."""

    code = "indeterminate"


def add_section(error: URLError, url: URL) -> None:
    """Add to an error about `url` where its profile defines the part or warns of it, unless the error has a section."""
    if error.section is not None or not isinstance(error, UnsafeURL | PolicyDenied):
        return
    syntax = url.syntax
    part = syntax.parts.get(error.part) if error.part else None
    error.section = syntax.profile.section("security") if part is None else syntax.section_of(part.rule)
