"""A policy for httpx: a client, and transports for a client of the program's own.

    with Client(policy=Policy.untrusted()) as client: ...
    with httpx.Client(transport=PolicyTransport(Policy.untrusted())) as client: ...

Each class obeys its policy, and all else is httpx's own.
"""

from urlschemes_guard.request import Refusal, needs_extra

with needs_extra(__name__):
    import httpcore
    import httpx

    from urlschemes_guard import transports

__all__ = ["AsyncClient", "AsyncPolicyTransport", "Client", "PolicyTransport", "RequestRefused", "RequestTimeout"]


class RequestRefused(Refusal, httpx.TransportError):
    """The policy refuses a request, or one of its limits is exceeded. `error` is the error of urlschemes."""


class RequestTimeout(RequestRefused, httpx.TimeoutException):
    """One of the policy's limits of time has passed."""


class _Content(transports.Content, httpx.SyncByteStream): ...


class _AsyncContent(transports.AsyncContent, httpx.AsyncByteStream): ...


class _Progress(transports.ClientProgress):
    __slots__ = ()
    refused, late, timeouts = RequestRefused, RequestTimeout, (httpcore.TimeoutException,)
    library, core, content, async_content = httpx, httpcore, _Content, _AsyncContent


class PolicyTransport(transports.Transport[httpx.Request, httpx.Response], httpx.BaseTransport):
    """A transport that obeys `policy`. The other arguments are those of `httpx.HTTPTransport`."""

    _progress = _Progress


class AsyncPolicyTransport(transports.AsyncTransport[httpx.Request, httpx.Response], httpx.AsyncBaseTransport):
    """The same for `httpx.AsyncClient`, on asyncio and trio."""

    _progress = _Progress


class Client(transports.GuardedClient[httpx.Request, httpx.Response], httpx.Client):
    """A client whose every request obeys `policy`. The other arguments are those of `httpx.Client`.

    It has no proxies and reads none from the environment: no guard can check what is reached through one.
    """

    _transport_class, _refused = PolicyTransport, RequestRefused


class AsyncClient(transports.AsyncGuardedClient[httpx.Request, httpx.Response], httpx.AsyncClient):
    """The same for asyncio and trio."""

    _transport_class, _refused = AsyncPolicyTransport, RequestRefused
