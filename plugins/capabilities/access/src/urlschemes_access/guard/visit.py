"""Guard and Visit: the route of another client's request, with its time, its octets and the hooks of plugins."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from urlschemes.errors import UnsafeURL, require_type
from urlschemes.registry.registry import registry_or_default
from urlschemes_access.dialogue.deadline import Deadline
from urlschemes_access.guard.requested_url import RequestedURL
from urlschemes_access.guard.route import Route, attempts, resolve
from urlschemes_access.policy import Policy
from urlschemes_access.protocol.hosts import read_host, url_host

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from urlschemes.errors import URLError
    from urlschemes.registry.hooks import HookSource
    from urlschemes.registry.registry import Registry
    from urlschemes_access.guard.route import Resolver
    from urlschemes_access.hooks import AccessHooks
    from urlschemes_access.trace_event import Outcome

__all__ = ["Guard", "Visit"]

_HOOKS = frozenset({"veto", "observe"})
"""The hooks that a guard calls: it needs no gateway and no credentials."""
_REMEMBERED = 1024
"""Hosts with ports, and addresses, that a guard remembers as allowed by its policy."""


class Guard:
    """A policy that the requests of another client obey. `registry` is asked for the hooks of plugins alone."""

    def __init__(self, policy: Policy | None = None, registry: Registry | None = None) -> None:
        """Make a guard; the default is `Policy.untrusted()`, and the registry that functions use."""
        require_type("policy", policy, Policy, type(None))
        self._policy = Policy.untrusted() if policy is None else policy
        self._registry = registry_or_default(registry)
        self._allowed: set[object] = set()
        limits = self._policy.limits
        self._longest = {
            "answer": limits.first_octet,
            "connect": limits.connect,
            "tls": limits.connect,
            "send": limits.rate_window,
        }
        self._sources: tuple[HookSource, ...] = ()
        self._hooks: AccessHooks | None = None

    def __reduce__(self) -> tuple[type[Guard], tuple[Policy, Registry]]:
        return type(self), (self._policy, self._registry)

    @property
    def policy(self) -> Policy:
        """The policy, which cannot be changed: what it allowed is remembered."""
        return self._policy

    def visit(self) -> Visit:
        """Return the visit of one request of the program, with its redirects."""
        return Visit(self._policy, self._hooks_in_use(), self._allowed, self._longest)

    def _hooks_in_use(self) -> AccessHooks | None:
        sources = self._registry.hook_sources()
        if sources != self._sources:  # a program may add some at any time
            self._sources, self._hooks = sources, None
            ours = self._registry.hook_sources("urlschemes_access.hooks")
            if any(source.names is None or source.names & _HOOKS for source in ours):
                from urlschemes_access.hooks import AccessHooks  # imports pluggy, which is heavy

                self._hooks = AccessHooks(self._registry)
        return self._hooks


class Visit(Route):
    """One request of the program with its redirects and connections: what it has reached, its time and its octets.

    The time of the program does not count: resume the deadline while the client works, and pause it then.

    `allowed` are the hosts with ports, and the addresses, that the policy has allowed to earlier visits: it is a value.
    `longest` are the longest waits, by phase.
    """

    __slots__ = ("_allowed", "_began", "_decoded", "_hooks", "_longest", "_received", "_url", "deadline")

    def __init__(
        self, policy: Policy, hooks: AccessHooks | None, allowed: set[object], longest: Mapping[str, float]
    ) -> None:
        super().__init__(policy)
        self.deadline = Deadline(policy.limits)
        self._began = 0.0 if hooks is None else perf_counter()
        self._hooks = hooks
        self._allowed, self._longest = allowed, longest
        self._url: tuple[str, str, int, object] | None = None
        self._received = self._decoded = 0

    # Before a request

    def check_url(
        self,
        scheme: str,
        host: str,
        port: int,
        *,
        own: frozenset[int],
        target: str = "/",
        text: object = "",
        user_information: bool = False,
    ) -> None:
        """Check the URL of a request; each after the first is that of a redirect.

        `own` are the ports of the client's schemes, `target` is the path and query as they are sent, `text` the URL for
        the hooks, whose `str` counts. `user_information` is True if the URL has a user name or a password, which http
        does not define. Raises UnsafeURL, PolicyDenied, RedirectRefused, PluginError.
        """
        require_type("target", target, str)
        require_type("own", own, frozenset)
        previous, self._url = self._url, (scheme, host, port, text)
        if previous is not None:
            self.redirected = True
            self.add_hop(str(text))
        self.own = own
        authority = (scheme, host, port, own, user_information)
        if authority not in self._allowed:
            require_type("scheme", scheme, str)
            require_type("host", host, str)
            self.policy.check_scheme(scheme.lower())
            if user_information:
                self.policy.check_user_information(defined=False)
            self.check_host_and_port(url_host(host), port)
            self._remember(authority)
        if not (target.isascii() and target.isprintable()) or " " in target:
            raise UnsafeURL("the path or the query has a character that a request line may not hold", part="path")
        if self._hooks is not None:
            self._hooks.check_vetoes(self._requested(), "request")

    # Before and after a connection

    async def addresses(self, backend: Resolver, host: str, port: int) -> list[str]:
        """Return the addresses of a host to connect to, resolved by `backend` and checked.

        Raises UnsafeURL, PolicyDenied, LimitExceeded, ResolveError, DeadlineExceeded.
        """
        host = url_host(host)
        self.check_host_and_port(host, port)
        self.add_connection()
        name, literal = read_host(host)
        most = self.policy.limits.resolve
        found = [name] if literal else await resolve(backend, self.deadline, name, port, "tcp", most)
        return self.allowed_addresses(found, host)

    def attempts(self, addresses: list[str], timeout: float | None) -> Iterator[tuple[str, float]]:
        """Iterate over addresses to try one after another, each with the seconds that it may take."""
        return attempts(addresses, self.deadline, self.wait("connect", timeout))

    def check_kept(self, address: str) -> None:
        """Check the address of a connection that an earlier visit may have made. Raises PolicyDenied."""
        if address not in self._reached:
            self.check_address(address, address, redirected=self.redirected)
            self._reached.add(address)

    # What the policy has allowed before

    def check_host_and_port(self, host: str, port: int) -> None:
        """Check a host and port before the host is resolved. Raises UnsafeURL, PolicyDenied."""
        asked = (host, port, self.own)
        if asked not in self._allowed:
            super().check_host_and_port(host, port)
            self._remember(asked)

    def check_address(self, address: str, host: str, *, redirected: bool) -> None:
        """Check an address of `host`. Raises PolicyDenied."""
        if redirected or address not in self._allowed:
            super().check_address(address, host, redirected=redirected)
            if not redirected:
                self._remember(address)

    def _remember(self, asked: object) -> None:
        if len(self._allowed) >= _REMEMBERED:
            self._allowed.clear()
        self._allowed.add(asked)

    # Time and octets

    def wait(self, phase: str, timeout: float | None = None) -> float:
        """Return how long one wait for `phase` may last. Raises DeadlineExceeded.

        `phase` is "answer" before the first octet of a response; `timeout` is the client's own bound.
        """
        left = self.deadline.time_for(phase)
        most = self._longest.get(phase, left)
        if timeout is not None and timeout < most:
            most = timeout
        return min(left, most)

    def add_received(self, octets: int) -> None:
        """Count octets of content as the server sent them, before they are decoded."""
        self._received += octets

    def add_content(self, octets: int) -> None:
        """Count octets of content that the program gets, also for their rate. Raises as `add_decoded`."""
        self.add_decoded(octets)
        self.deadline.add_delivered(octets)

    def add_decoded(self, octets: int) -> None:
        """Count octets of content that the program gets. Raises LimitExceeded."""
        limits = self.policy.limits
        self._decoded += octets
        if self._decoded > limits.content:
            raise limits.exceeded("content", "the content is longer than")
        if self._decoded > self._received + limits.decoded:
            raise limits.exceeded("decoded", "decompression adds more octets than")

    # What plugins learn

    def opened(self) -> None:
        """Tell the observers that a response has begun."""
        self._observe("opened", None)

    def failed(self, error: URLError) -> None:
        """Tell the observers of the error that ends the visit."""
        self._observe("failed", error)

    def _observe(self, outcome: Outcome, error: URLError | None) -> None:
        if self._hooks is not None and self._url is not None:
            self._hooks.observe("request", self._requested(), outcome, error, perf_counter() - self._began)

    def _requested(self) -> RequestedURL:
        assert self._url is not None, "there is a request"
        scheme, host, port, text = self._url
        return RequestedURL(scheme.lower(), url_host(host), port, str(text))
