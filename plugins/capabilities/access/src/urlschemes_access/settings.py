"""The settings of an operation: those of its client, and the arguments of one operation in their place."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict

from urlschemes.errors import require_type
from urlschemes_access.backends.tls_files import TLSFiles
from urlschemes_access.credentials import Answers, Asker, Credentials, Form
from urlschemes_access.policy import Policy

if TYPE_CHECKING:
    import os
    import ssl
    from collections.abc import Awaitable, Callable, Mapping

    from urlschemes.registry.registry import Registry
    from urlschemes_access.protocol.requests import Authenticate, Authenticator
    from urlschemes_access.trace_event import Tracer

__all__ = ["Arguments", "AsyncArguments", "Settings", "SharedArguments", "check_function"]


class SharedArguments(TypedDict, total=False):
    """Arguments of every client and of every operation, which override those of its client.

    None is the value of a client that was made without the argument.
    """

    registry: Registry | None
    """The registry that reads the URL; None: the client's, which is by default the process's."""
    policy: Policy | None
    """The policy; None: the client's. Its deadline, if it has one, overrides the client's."""
    deadline: float | None
    """The most seconds that the operation may take; it overrides the deadline of the policy."""
    trace: Tracer | None
    """Called with each TraceEvent of the operation."""
    ssl_context: ssl.SSLContext | None
    """Used instead of the system's trusted certificates, and instead of the files that follow."""
    cacert: str | os.PathLike[str] | None
    """A file in PEM form with the certificates to trust, instead of the system's."""
    cert: str | os.PathLike[str] | None
    """A file in PEM form with the client's certificate."""
    key: str | os.PathLike[str] | None
    """A file in PEM form with the private key of `cert`, unless that file holds it."""


class Arguments(SharedArguments, total=False):
    """The arguments of every operation besides the URL and the content. `credentials=None` switches credentials off."""

    credentials: Credentials | Authenticator | None
    """A function, called if a server requires a login; or, for one operation, credentials for the scheme, host and port
    of its URL."""
    ask: Asker | None
    """Called for the answers to a form if the server asks questions."""
    options: Mapping[str, Any]
    """Options of the scheme; its record describes them."""


class AsyncArguments(SharedArguments, total=False):
    """Like Arguments; `credentials` and `ask` may be coroutine functions."""

    credentials: Credentials | Callable[[Authenticate], Credentials | Awaitable[Credentials | None] | None] | None
    ask: Callable[[Form], Answers | Awaitable[Answers | None] | None] | None
    options: Mapping[str, Any]


_NAMES = Arguments.__annotations__.keys() - {"registry", "options"}
_FILES = ("cacert", "cert", "key")


class Settings:
    """What the arguments `given` to a client or an operation mean, checked.

    `policy` has the deadline that counts. `tls` is the TLS context, or the files to make it of: those `configured`
    unless others were given; None for the system's trusted certificates.

    Raises TypeError, ValueError; ConfigurationError for a key without a certificate.
    """

    __slots__ = ("_configured", "_given", "ask", "credentials", "policy", "tls", "trace")

    def __init__(self, configured: TLSFiles | None = None, **given: Any) -> None:
        if unknown := given.keys() - _NAMES:
            raise TypeError(f"unknown argument {min(unknown)!r}: pass the options of a scheme as options={{...}}")
        self._configured = configured or TLSFiles()
        self._given = given
        self.policy = self._policy()
        self.tls = self._tls()
        self.credentials, self.ask, self.trace = map(given.get, ("credentials", "ask", "trace"))
        for name in ("credentials", "ask", "trace"):
            value = getattr(self, name)
            if name != "credentials" or not isinstance(value, Credentials):
                check_function(name, value)

    def overridden(self, given: Mapping[str, Any]) -> Settings:
        """Return the settings with the arguments `given` to an operation in place of their own. Raises as the class."""
        given = {name: value for name, value in given.items() if name != "policy" or value is not None}
        if not given:
            return self
        own = dict(self._given)
        policy = given.get("policy")
        if isinstance(policy, Policy) and policy.limits.deadline is not None:
            own.pop("deadline", None)  # which would count instead
        if "cert" in given:
            own.pop("key", None)  # which belongs to the other certificate
        if any(given.get(name) is not None for name in _FILES):
            own.pop("ssl_context", None)  # which would count instead
        return Settings(self._configured, **(own | given))

    def _policy(self) -> Policy:
        policy, deadline = self._given.get("policy"), self._given.get("deadline")
        policy = Policy.untrusted() if policy is None else policy
        if not isinstance(policy, Policy):
            raise TypeError(f"policy must be a Policy, such as Policy.interactive(), not {type(policy).__name__}")
        return policy if deadline is None else replace(policy, limits=replace(policy.limits, deadline=deadline))

    def _tls(self) -> ssl.SSLContext | TLSFiles | None:
        paths = {name: self._given.get(name) for name in _FILES}
        fallback = self._configured if paths["cert"] is None else TLSFiles(self._configured.cacert)
        files = TLSFiles.of(**{name: getattr(fallback, name) if path is None else path for name, path in paths.items()})
        context: ssl.SSLContext | None = self._given.get("ssl_context")
        if context is None:
            return files or None
        from ssl import SSLContext  # heavy; a caller who has a context has imported it

        require_type("ssl_context", context, SSLContext)
        return context


def check_function(name: str, value: object) -> None:
    """Raise TypeError for the value of an argument that is not a function."""
    if value is not None and not callable(value):
        hint = "; pass it to one operation" if isinstance(value, Credentials) else ""
        raise TypeError(f"{name} must be a function, not {type(value).__name__}{hint}")
