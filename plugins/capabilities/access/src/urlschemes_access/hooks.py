"""The hooks that take part in an access, beside the core's `urlschemes_ledger`.

An implementation that has nothing to do must return None at once, and must be light to import: its module is imported
when one of its hooks is first called. An implementation that cannot be imported, or breaks its specification, fails
what its hook decides: a veto or a gateway every access, credentials the accesses that ask for them. A failing observer
is logged. docs/how-to/hooks.md draws which hook is called when.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from urlschemes.errors import PluginError
from urlschemes.redaction import one_line
from urlschemes.registry.hooks import Hooks, hookspec, log_failure
from urlschemes_access.credentials import Credentials
from urlschemes_access.errors import PolicyDenied

if TYPE_CHECKING:
    from urlschemes.errors import URLError
    from urlschemes.registry.registry import Registry
    from urlschemes.url.value import URL
    from urlschemes_access.protocol.requests import Authenticate
    from urlschemes_access.resources.source import Outcome

__all__ = [
    "AccessHooks",
    "Observation",
    "urlschemes_credentials",
    "urlschemes_gateway",
    "urlschemes_observe",
    "urlschemes_veto",
]


class Observation(NamedTuple):
    """What an observer is told of one access.

    `url` is the URL's text, safe to print, without its password. `outcome` is `"opened"` when the resource can be read,
    and later, once, one of the others: `"completed"` when all of it arrived, `"abandoned"` when the program closed it
    before that, `"failed"` when an error ended it. An access that cannot be opened is `"failed"` at once, and one that
    returns attributes, as everything that writes does, only `"opened"`. `error` is the error of a failed access.
    `seconds` is the time since the access began.
    """

    operation: str
    scheme: str
    url: str
    outcome: Outcome
    error: URLError | None
    seconds: float


@hookspec
def urlschemes_gateway(url: URL, operation: str, trust_env: bool) -> str | None:
    """Name the URL through which another URL is to be reached (section 4).

    `url`: the URL that is to be accessed; a generic one if no plugin provides its scheme.
    `operation`: `"access"` or `"find attributes"`.
    `trust_env`: True if environment variables may decide what is returned.
    Returns: the text of the URL to access instead, of another scheme; None to leave it alone.
    Called: before each access of a scheme for which no gateway is configured, before anything is imported for it; and
    for what was returned, and for the target of each redirect, which must need no gateway. What is returned goes
    through the policy and the vetoes like any other URL.
    Several: the first answer counts.
    Failure: it fails the access.
    """


@hookspec
def urlschemes_veto(url: URL, operation: str) -> str | None:
    """Forbid an operation.

    `url`: the URL that is to be operated on.
    `operation`: its name: `"access"`, `"delete"`, or one of the scheme's own.
    Returns: the reason, in words; None to permit it.
    Called: before each operation, for the URL itself and for the one that a gateway puts in its place; and for the
    target of each redirect. Nothing has been resolved or opened for that URL then.
    Several: every veto counts.
    Failure: it fails the access.
    """


@hookspec
def urlschemes_credentials(request: Authenticate) -> Credentials | None:
    """Return a user name and password for one host and port.

    `request`: the host, the port, the user name as far as it is known, what the server calls the place, the scheme, and
    whether the connection is protected by TLS.
    Returns: the credentials, or None if there are none.
    Called: when the server wants a login, in accesses whose caller passed `credentials=client.credentials_from_hooks`;
    again for another host or port, after a redirect too.
    Several: the first answer counts.
    Failure: it fails the access.
    """


@hookspec
def urlschemes_observe(observation: Observation) -> None:
    """Take note of an access.

    `observation`: what was accessed, and the outcome.
    Returns: nothing.
    Called: after each access was opened, or failed before that; and once more when what was opened has ended: read to
    its end, closed before it, or failed.
    Several: every observer is called.
    Failure: it is logged, once for the same message, and changes nothing.
    """


class AccessHooks:
    """The implementations of these hooks that a registry has."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._hooks = Hooks(sys.modules[__name__], registry.hook_sources)
        self._last_failure: dict[str, str] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._registry,)

    def gateway(self, url: URL, operation: str, *, trust_env: bool) -> tuple[str, str] | None:
        """Return the text of a gateway's URL, and the plugin that names it; None for none. Raises PluginError."""
        for hook in self._hooks.implementations("gateway"):
            answer = hook(str, url=url, operation=operation, trust_env=trust_env)
            if answer is not None:
                return answer, hook.provider
        return None

    def check_vetoes(self, url: URL, operation: str) -> None:
        """Raise PolicyDenied if a plugin forbids the access, PluginError if one fails."""
        for hook in self._hooks.implementations("veto"):
            reason = hook(str, url=url, operation=operation)
            if reason is not None:
                raise PolicyDenied(
                    f"{hook.provider} forbids the access: {reason}",
                    scheme=url.scheme,
                    rule="veto",
                    hint=f"the hook urlschemes_veto of {hook.provider} decides",
                )

    def credentials(self, request: Authenticate) -> Credentials | None:
        """Return the first credentials that a plugin knows. Raises PluginError."""
        for hook in self._hooks.implementations("credentials"):
            answer = hook(Credentials, request=request)
            if answer is not None:
                return answer
        return None

    def observe(self, operation: str, url: URL, outcome: Outcome, error: URLError | None, seconds: float) -> None:
        """Tell every observer the outcome of an access."""
        observation = Observation(operation, url.scheme, one_line(str(url), 2000), outcome, error, seconds)
        for hook in self._hooks.loadable("observe"):
            try:
                hook(type(None), observation=observation)
            except PluginError as failure:
                # A full disk is the same failure for every access.
                if self._last_failure.get(hook.provider) != str(failure):
                    self._last_failure[hook.provider] = str(failure)
                    log_failure(failure)
            else:
                self._last_failure.pop(hook.provider, None)
