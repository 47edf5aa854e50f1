"""The hooks of operations: gateway, veto, credentials, observe. The core has `urlschemes_ledger`.

An implementation that has nothing to do must return None at once, and must be light to import: its module is imported
when one of its hooks is first called. If it cannot be imported, or breaks its specification, a veto or a gateway fails
every operation, credentials fail the operations that need them, and an observer is logged. docs/how-to/hooks.md shows
the order of the calls.
"""

from __future__ import annotations

import sys
from types import NoneType
from typing import Any, NamedTuple

from urlschemes.errors import URLError
from urlschemes.redaction import one_line
from urlschemes.registry.hooks import Hooks, hookspec, log_failure
from urlschemes.registry.registry import Registry
from urlschemes.url.value import URL
from urlschemes_access.credentials import Credentials
from urlschemes_access.errors import PolicyDenied
from urlschemes_access.guard.requested_url import RequestedURL
from urlschemes_access.protocol.requests import Authenticate
from urlschemes_access.trace_event import Outcome

__all__ = [
    "AccessHooks",
    "Observation",
    "urlschemes_credentials",
    "urlschemes_gateway",
    "urlschemes_observe",
    "urlschemes_veto",
]


class Observation(NamedTuple):
    """One outcome of an operation, for observers.

    `url` is the text of the URL, safe to print, without its password. `outcome` is `"opened"` when the resource can be
    read, and once more at its end: `"completed"` if all of it arrived, `"abandoned"` if the program closed it before,
    `"failed"` if an error ended it. An operation that cannot begin is `"failed"` at once. One that returns attributes
    is only `"opened"`. `error` is the error of a failed operation, `seconds` the time since the operation began.

    `rule` is the rule of the policy that refuses, `host` the host of the URL, `address` the address that is refused;
    each is None if there is none. The operation of a guard is `"request"`: each answer to it is only `"opened"`, and
    what the guard refuses is `"failed"`.
    """

    operation: str
    scheme: str
    url: str
    outcome: Outcome
    error: URLError | None
    seconds: float
    rule: str | None = None
    host: str | None = None
    address: str | None = None


@hookspec(firstresult=True)
def urlschemes_gateway(url: URL, operation: str, trust_env: bool) -> str | None:
    """Name the URL through which another URL is to be reached (section 4).

    `url`: the URL to access; a generic one if no plugin provides its scheme.
    `operation`: `"access"` or `"find attributes"`.
    `trust_env`: True if environment variables may decide the answer.
    Returns: the text of the URL to access instead, of another scheme; None to leave it alone.
    Called: before each access of a scheme for which no gateway is configured, before a plugin is imported for it; also
    for the URL returned and for the target of each redirect, which must need no gateway. Policy and vetoes apply to
    the URL returned.
    Several: the first answer counts.
    Failure: it fails the access.
    """


@hookspec(firstresult=True)
def urlschemes_veto(url: URL | RequestedURL, operation: str) -> str | None:
    """Forbid an operation.

    `url`: the URL of the operation; of another client's request, a `RequestedURL` with scheme, host, port and text.
    `operation`: its name: `"access"`, `"delete"`, one of the scheme's own, or `"request"` of a guarded client.
    Returns: the reason, as a text; None to permit the operation.
    Called: before each operation, for the URL itself and for the one that a gateway puts in its place; and for the
    target of each redirect. Nothing has been resolved or opened for that URL then.
    Several: every veto counts.
    Failure: it fails the access.
    """


@hookspec(firstresult=True)
def urlschemes_credentials(request: Authenticate) -> Credentials | None:
    """Return a user name and password for one host and port.

    `request`: the host, the port, the user name if it is known, the realm, the scheme, and True as `protected` if TLS
    protects the connection.
    Returns: the credentials, or None if there are none.
    Called: when the server requires a login, in operations with `credentials=client.credentials_from_hooks`; again for
    another host or port, also after a redirect.
    Several: the first answer counts.
    Failure: it fails the access.
    """


@hookspec
def urlschemes_observe(observation: Observation) -> None:
    """Observe an operation.

    `observation`: the URL and the outcome.
    Returns: nothing.
    Called: when the resource was opened, or the operation failed before; and once more when the resource was read to
    its end, closed before it, or failed.
    Several: every observer is called.
    Failure: it is logged, once for the same message, and changes nothing.
    """


class AccessHooks:
    """The implementations of these hooks that a registry has."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._hooks = Hooks(sys.modules[__name__], registry.hook_sources)
        self._last_failures: dict[str, str] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._registry,)

    def gateway(self, url: URL, operation: str, *, trust_env: bool) -> tuple[str, str] | None:
        """Return the text of a gateway's URL, and the plugin that names it; None for none. Raises PluginError."""
        for answer in self._hooks.call("gateway", str, url=url, operation=operation, trust_env=trust_env):
            return answer.value, answer.provider
        return None

    def check_vetoes(self, url: URL | RequestedURL, operation: str) -> None:
        """Raise PolicyDenied if a plugin forbids the access, PluginError if one fails."""
        for answer in self._hooks.call("veto", str, url=url, operation=operation):
            raise PolicyDenied(
                f"access denied by {answer.provider!r} (hook urlschemes_veto): {answer.value}",
                scheme=url.scheme,
                rule="veto",
            )

    def credentials(self, request: Authenticate) -> Credentials | None:
        """Return the first credentials that a plugin knows. Raises PluginError."""
        return next((answer.value for answer in self._hooks.call("credentials", Credentials, request=request)), None)

    def observe(
        self, operation: str, url: URL | RequestedURL, outcome: Outcome, error: URLError | None, seconds: float
    ) -> None:
        """Call every observer with the outcome of an operation."""
        rule, address = (error.rule, error.address) if isinstance(error, PolicyDenied) else (None, None)
        host = url.host if isinstance(url, RequestedURL) else url.raw.get("host")
        host = host if isinstance(host, str) else None  # it may be a tuple, in a scheme with several
        text = one_line(str(url), 2000)
        observation = Observation(operation, url.scheme, text, outcome, error, seconds, rule, host, address)
        answers = self._hooks.answers("observe", NoneType, observation=observation)
        failures = {each.provider: each.error for each in answers if each.error is not None}
        for provider, failure in failures.items():
            if self._last_failures.get(provider) != str(failure):  # a full disk is the same failure for every access
                log_failure(failure)
        self._last_failures = {provider: str(failure) for provider, failure in failures.items()}
