"""A policy for httpx2, as `urlschemes_guard.httpx` has it for httpx."""

from urlschemes_guard.request import Refusal, needs_extra

with needs_extra(__name__):
    import httpcore2
    import httpx2

    from urlschemes_guard import transports

__all__ = ["AsyncClient", "AsyncPolicyTransport", "Client", "PolicyTransport", "RequestRefused", "RequestTimeout"]


class RequestRefused(Refusal, httpx2.TransportError):
    """The policy refuses a request, or one of its limits is exceeded. `error` is the error of urlschemes."""


class RequestTimeout(RequestRefused, httpx2.TimeoutException):
    """One of the policy's limits of time has passed."""


class _Content(transports.Content, httpx2.SyncByteStream): ...


class _AsyncContent(transports.AsyncContent, httpx2.AsyncByteStream): ...


class _Progress(transports.ClientProgress):
    __slots__ = ()
    refused, late, timeouts = RequestRefused, RequestTimeout, (httpcore2.TimeoutException,)
    library, core, content, async_content = httpx2, httpcore2, _Content, _AsyncContent


class PolicyTransport(transports.Transport[httpx2.Request, httpx2.Response], httpx2.BaseTransport):
    """A transport that obeys `policy`. The other arguments are those of `httpx2.HTTPTransport`."""

    _progress = _Progress


class AsyncPolicyTransport(transports.AsyncTransport[httpx2.Request, httpx2.Response], httpx2.AsyncBaseTransport):
    """The same for `httpx2.AsyncClient`, on asyncio and trio."""

    _progress = _Progress


class Client(transports.GuardedClient[httpx2.Request, httpx2.Response], httpx2.Client):
    """A client whose every request obeys `policy`. The other arguments are those of `httpx2.Client`.

    It has no proxies and reads none from the environment: no guard can check what is reached through one.
    """

    _transport_class, _refused = PolicyTransport, RequestRefused


class AsyncClient(transports.AsyncGuardedClient[httpx2.Request, httpx2.Response], httpx2.AsyncClient):
    """The same for asyncio and trio."""

    _transport_class, _refused = AsyncPolicyTransport, RequestRefused
