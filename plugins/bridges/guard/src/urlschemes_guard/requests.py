"""A policy for requests: a session, and an adapter for a session of the program's own.

    session = Session(Policy.untrusted())
    session.mount("https://", PolicyAdapter(Policy.untrusted()))     # each redirect is then a request of its own

An adapter is requests' own, with connection classes of urllib3 that resolve, check, dial and count.
"""

from __future__ import annotations

import socket
import ssl
import sys
from contextvars import ContextVar
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from urlschemes_access.backends.backend import drive
from urlschemes_access.backends.blocking import BlockingBackend
from urlschemes_access.guard import Guard, Visit
from urlschemes_guard.request import CURRENT, PIECE, Progress, Refusal, check_url, current, hidden_from, needs_extra

with needs_extra(__name__):
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
    from urllib3.connection import HTTPConnection, HTTPSConnection
    from urllib3.exceptions import ConnectTimeoutError, NewConnectionError
    from urllib3.util import parse_url
    from urllib3.util.ssl_ import create_urllib3_context, resolve_cert_reqs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes import Registry
    from urlschemes_access import Policy

__all__ = ["PolicyAdapter", "RequestRefused", "RequestTimeout", "Session"]

_BACKEND = BlockingBackend()
_VISIT: ContextVar[Visit | None] = ContextVar("urlschemes_guard_visit", default=None)
"""The visit of the session's request in this thread, with its redirects."""


class RequestRefused(Refusal, requests.exceptions.RequestException):
    """The policy refuses a request, or one of its limits is exceeded. `error` is the error of urlschemes."""


class RequestTimeout(RequestRefused, requests.exceptions.Timeout):
    """One of the policy's limits of time has passed."""


class PolicyAdapter(HTTPAdapter):
    """An adapter that obeys `policy`. The other arguments are those of `requests.adapters.HTTPAdapter`."""

    def __init__(self, policy: Policy | None = None, *, registry: Registry | None = None, **options: Any) -> None:
        self.guard = Guard(policy, registry)
        super().__init__(**options)

    __attrs__ = [*HTTPAdapter.__attrs__, "guard"]  # noqa: RUF012  as the base has it: what is pickled

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        """Make the pools of connections, whose classes obey the guard."""
        super().init_poolmanager(*arguments, **options)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _TLSPool}

    def proxy_manager_for(self, *_: Any, **__: Any) -> Any:
        """Raise PolicyDenied: requests asks for a proxy."""
        raise hidden_from("a proxy", "set session.trust_env = False, and pass no proxies=")

    def send(self, request: requests.PreparedRequest, *arguments: Any, **options: Any) -> requests.Response:
        """Send a request and return its response. Raises RequestRefused, and what requests raises."""
        with _Progress(_VISIT.get() or self.guard.visit(), request=request) as progress:
            url = str(request.url)
            scheme, authority, *_ = urlsplit(url)
            try:
                host, port = _host_and_port(authority)
            except ValueError as error:
                raise requests.exceptions.InvalidURL(error, request=request) from None
            user_information = "@" in authority
            target = request.path_url
            check_url(progress.visit, scheme, host, port, target=target, text=url, user_information=user_information)
            response = super().send(request, *arguments, **options)
            progress.visit.opened()
        vars(response.raw)["stream"] = _counted(response.raw, progress)
        return response


class Session(requests.Session):
    """A session whose every request obeys `policy`, with http and https, and without proxies and netrc.

    A visit lasts from a request to the end of its last redirect: the deadline and the limits count over all of them.
    """

    def __init__(self, policy: Policy | None = None, *, registry: Registry | None = None) -> None:
        super().__init__()
        self.trust_env = False
        self._guard = Guard(policy, registry)
        self.adapters.clear()
        for prefix in ("http://", "https://"):
            self.mount(prefix, PolicyAdapter(policy, registry=registry))

    __attrs__ = [*requests.Session.__attrs__, "_guard"]  # noqa: RUF012  as the base has it

    def prepare_request(self, request: requests.Request) -> requests.PreparedRequest:
        """Return a request that can be sent. Raises RequestRefused for port 0, which requests would leave out."""
        prepared = super().prepare_request(request)
        url = request.url.decode() if isinstance(request.url, bytes) else str(request.url)
        if ":0" in url and parse_url(url.lstrip()).port == 0:
            with _Progress(self._guard.visit(), request=prepared):
                self._guard.policy.check_port(0)
        return prepared

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:
        """Send a request and its redirects. Raises RequestRefused, and what requests raises."""
        if _VISIT.get() is not None:  # a redirect: the method of requests calls itself
            return super().send(request, **options)
        token = _VISIT.set(self._guard.visit())
        try:
            return super().send(request, **options)
        finally:
            _VISIT.reset(token)


@lru_cache(maxsize=256)
def _host_and_port(authority: str) -> tuple[str, int | None]:
    """Return the host and port of the authority of a URL. Raises ValueError."""
    parts = SplitResult("", authority, "", "", "")
    return parts.hostname or "", parts.port


class _Bounded:
    """The methods of a socket that wait: each no longer than the request in progress may."""

    wanted: float | None = None

    def settimeout(self, value: float | None) -> None:
        self.wanted = value
        super().settimeout(value)  # type: ignore[misc]

    def recv_into(self, *arguments: Any) -> int:
        progress = CURRENT.get()
        if progress is None:
            return super().recv_into(*arguments)  # type: ignore[misc,no-any-return]
        most = progress.wait("content", self.wanted)
        super().settimeout(most)  # type: ignore[misc]
        try:
            count: int = super().recv_into(*arguments)  # type: ignore[misc]
        except TimeoutError:
            if most == self.wanted:
                raise
            raise progress.visit.deadline.error("the answer", most) from None
        progress.answered = True
        progress.visit.add_received(count)
        if progress.reads_content:  # here, and not by piece: `stream` waits until a piece is full
            progress.visit.deadline.add_delivered(count)
        return count

    def sendall(self, octets: Any, *flags: int) -> None:
        progress = CURRENT.get()
        if progress is None:
            return super().sendall(octets, *flags)  # type: ignore[misc,no-any-return]
        try:
            progress.send(octets, self.wanted, super().settimeout, super().send)  # type: ignore[misc]
        except TimeoutError:
            progress.visit.wait("send")
            raise


class _Socket(_Bounded, socket.socket):
    pass


class _TLSSocket(_Bounded, ssl.SSLSocket):
    pass


class _Connecting:
    """The making and the reuse of a connection of urllib3."""

    def _new_conn(self: Any) -> socket.socket:
        visit = current().visit
        host, port = self._dns_host.strip("[]"), self.port
        timeout = self.timeout if isinstance(self.timeout, int | float) else None
        fault: OSError | None = None
        addresses = drive(visit.addresses(_BACKEND, host, port))
        for address, seconds in visit.attempts(addresses, timeout):
            made = _Socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
            try:
                made.settimeout(seconds)
                for option in self.socket_options or ():
                    made.setsockopt(*option)
                if self.source_address:
                    made.bind(self.source_address)
                made.connect((address, port))
                visit.check_peer(made.getpeername()[:2], address, port, host)
            except OSError as error:
                made.close()
                fault = error
                continue
            except BaseException:
                made.close()
                raise
            made.settimeout(visit.wait("tls", timeout))
            self.checked = address
            sys.audit("http.client.connect", self, host, port)
            return made
        visit.wait("connect")
        if fault is None or isinstance(fault, TimeoutError):
            raise ConnectTimeoutError(self, f"Connection to {host} timed out")
        raise NewConnectionError(self, f"Failed to establish a new connection: {fault}") from fault

    def request(self: Any, *arguments: Any, **options: Any) -> None:
        if self.sock is None:
            self.connect()
        current().visit.check_kept(self.checked)
        super().request(*arguments, **options)  # type: ignore[misc]


class _Connection(_Connecting, HTTPConnection):
    pass


class _TLSConnection(_Connecting, HTTPSConnection):
    def connect(self) -> None:
        """Connect by a context whose sockets are bounded; of the program's own context, they are made so."""
        if self.ssl_context is None:
            self.ssl_context = create_urllib3_context(cert_reqs=resolve_cert_reqs(self.cert_reqs))
            if not (self.ca_certs or self.ca_cert_dir or self.ca_cert_data):
                self.ssl_context.load_default_certs()
        self.ssl_context.sslsocket_class = _TLSSocket
        super().connect()


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _TLSPool(HTTPSConnectionPool):
    ConnectionCls = _TLSConnection


def _counted(answer: Any, progress: Progress) -> Any:
    """Return the method `stream` of a response of urllib3, in bounded pieces that are counted."""
    stream = answer.stream

    def counted(amount: int | None = PIECE, decode_content: bool | None = None) -> Iterator[bytes]:
        pieces = stream(min(amount or PIECE, PIECE), decode_content)
        progress.reads_content = True
        while True:
            try:
                with progress:
                    piece = next(pieces, None)
                    if piece is None:
                        return
                    progress.visit.add_decoded(len(piece))
            except RequestRefused:
                answer.close()
                raise
            yield piece

    return counted


class _Progress(Progress):
    """A request in progress: errors of urlschemes are raised as those of requests."""

    __slots__ = ()
    refused, late = RequestRefused, RequestTimeout
    timeouts = (requests.exceptions.Timeout, requests.exceptions.ConnectionError)
