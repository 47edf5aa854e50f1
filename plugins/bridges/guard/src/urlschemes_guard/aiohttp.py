"""A policy for aiohttp: a connector, and a session that has one.

    async with session(PolicyConnector(policy)) as client: ...

`connect` sees each request and redirect, the resolver each name, and the socket factory each address before it is
dialled. The tracing of a session tells which requests are redirects of one. aiohttp has no place where content is
counted: bound it in the program, or use httpx.
"""

from __future__ import annotations

import socket
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from urlschemes.errors import require_type
from urlschemes_access import Policy
from urlschemes_access.backends.event_loop import LoopBackend
from urlschemes_access.guard import Guard, Visit
from urlschemes_guard.request import Progress, Refusal, check_url, current, hidden_from, needs_extra

with needs_extra(__name__):
    import aiohttp
    from aiohttp.abc import AbstractResolver, ResolveResult

if TYPE_CHECKING:
    from urlschemes import Registry

__all__ = ["PolicyConnector", "RequestRefused", "RequestTimeout", "session", "timeout_of"]

_VISIT: ContextVar[Visit | None] = ContextVar("urlschemes_guard_visit", default=None)
"""The visit of a session's request in this task, with its redirects."""


class RequestRefused(Refusal, aiohttp.ClientConnectionError):
    """The policy refuses a request, or one of its limits is exceeded. `error` is the error of urlschemes."""


class RequestTimeout(RequestRefused, aiohttp.ServerTimeoutError):
    """One of the policy's limits of time has passed."""


def timeout_of(policy: Policy) -> aiohttp.ClientTimeout:
    """Return the limits of a policy as those of aiohttp: `total` is a wall over redirects and content."""
    require_type("policy", policy, Policy)
    limits = policy.limits
    return aiohttp.ClientTimeout(total=limits.deadline, sock_connect=limits.connect, sock_read=limits.idle)


def session(connector: PolicyConnector, **options: Any) -> aiohttp.ClientSession:
    """Return a session that obeys the policy of `connector`. The other arguments are those of `aiohttp.ClientSession`.

    A visit lasts from a request to the end of its last redirect: the rules for redirects hold.
    """
    require_type("connector", connector, PolicyConnector)
    tracing = aiohttp.TraceConfig()
    tracing.on_request_start.append(connector.begin)
    tracing.on_request_end.append(_end)
    tracing.on_request_exception.append(_end)
    options["trace_configs"] = [tracing, *(options.get("trace_configs") or ())]
    options.setdefault("timeout", timeout_of(connector.guard.policy))
    return aiohttp.ClientSession(connector=connector, **options)


class PolicyConnector(aiohttp.TCPConnector):
    """A connector that obeys `policy`. The other arguments are those of `aiohttp.TCPConnector`.

    In a session that is not made by `session`, each redirect is a request of its own.
    """

    def __init__(self, policy: Policy | None = None, *, registry: Registry | None = None, **options: Any) -> None:
        for name in ("resolver", "socket_factory", "use_dns_cache"):
            if name in options:
                raise TypeError(f"{name}= leads around the policy: leave it out")
        self.guard = Guard(policy, registry)
        super().__init__(use_dns_cache=False, resolver=_Resolver(), socket_factory=self._new_socket, **options)

    async def connect(self, req: aiohttp.ClientRequest, *arguments: Any, **options: Any) -> Any:
        """Return a connection for a request. Raises RequestRefused, and what aiohttp raises."""
        visit, url = _VISIT.get() or self.guard.visit(), req.url
        with _Progress(visit):
            if req.proxy is not None:
                raise hidden_from("a proxy", "leave out proxy= and trust_env=")
            check_url(visit, url.scheme, url.raw_host or "", url.port, target=url.raw_path_qs, text=url)
            connection = await super().connect(req, *arguments, **options)
            try:
                visit.check_kept(connection.transport.get_extra_info("peername")[0])  # type: ignore[union-attr]
            except BaseException:
                connection.close()
                raise
            visit.opened()
            return connection

    def _new_socket(self, address: Any) -> socket.socket:
        family, kind, protocol, _, (dialled, *_) = address
        current().visit.allowed_addresses([dialled], dialled)
        return socket.socket(family, kind, protocol)

    async def begin(self, _: object, __: object, started: aiohttp.TraceRequestStartParams) -> None:
        """Begin the visit of a request of a session. Raises RequestRefused for a user name or password in its URL."""
        with _Progress(self.guard.visit()) as progress:
            if started.url.raw_user or started.url.raw_password:
                self.guard.policy.check_user_information(defined=False)
        _VISIT.set(progress.visit)


class _Resolver(AbstractResolver):
    """Resolves a name, and checks all its addresses. aiohttp does not ask it for addresses."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        found = await current().visit.addresses(LoopBackend(), host, port)
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in found
            if family in {socket.AF_UNSPEC, socket.AF_INET6 if ":" in address else socket.AF_INET}
        ]

    async def close(self) -> None:
        """Do nothing: each look-up has a thread of its own."""


async def _end(*_: object) -> None:
    _VISIT.set(None)


class _Progress(Progress):
    """A request in progress: errors of urlschemes are raised as those of aiohttp."""

    __slots__ = ()
    refused, late = RequestRefused, RequestTimeout
