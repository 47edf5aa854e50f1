"""The dialogue of one operation, from its URL to the end of its resource."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar, cast

from urlschemes.errors import PluginContractError, UnsafeURL, UnsupportedOperation, URLError
from urlschemes.grammar.part import number_of
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.dialogue.algorithm_runner import AlgorithmRunner, Finished
from urlschemes_access.dialogue.caller_requests import CallerRequests
from urlschemes_access.dialogue.connecting import Connecting
from urlschemes_access.dialogue.context import Context
from urlschemes_access.dialogue.deadline import Deadline
from urlschemes_access.dialogue.destinations import Destinations
from urlschemes_access.dialogue.file_requests import FileRequests
from urlschemes_access.dialogue.redirects import Redirects
from urlschemes_access.dialogue.trace import Trace
from urlschemes_access.dialogue.transfers import Transfers
from urlschemes_access.errors import AccessError, AuthRequired, InputRequired, PolicyDenied, RemoteError, add_section
from urlschemes_access.policy import Policy
from urlschemes_access.protocol import requests
from urlschemes_access.resources.synchronous import Session, Source

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterable, Awaitable, Callable, Coroutine, Iterable

    from urlschemes.scheme.registration import Registration
    from urlschemes.url.value import URL
    from urlschemes_access.attributes import Gateway
    from urlschemes_access.backends.backend import Backend
    from urlschemes_access.backends.connection_pool import ConnectionPool
    from urlschemes_access.backends.tls_files import TLSFiles
    from urlschemes_access.backends.worker_threads import Work
    from urlschemes_access.credentials import Asker, Credentials
    from urlschemes_access.policy import Limits
    from urlschemes_access.protocol.requests import Algorithm, Authenticator, Peer
    from urlschemes_access.trace_event import Outcome, Tracer

__all__ = ["Dialogue"]

T = TypeVar("T")

_KINDS = ("document", "listing", "session", "attributes")

# After these errors client and server still agree on the state of the connection: a session continues.
_SESSION_CONTINUES = (RemoteError, AuthRequired, InputRequired, UnsafeURL, UnsupportedOperation, PolicyDenied)


class Dialogue:
    """One operation on a URL. Call `open` first; then `pull` until None, or `call` and `finish`; `close` at any time.

    `url` is the current URL, after redirects. `terminated` is None until the resource has ended, then False if the
    content lacks the end mark of its protocol. `attributes` are those of the resource.

    `policy`, `credentials`, `ask`, `trace`, `ssl_context` and `content` are the caller's. `redirect` returns the URL
    that a location means relative to another URL, `parse` the URL of a listing's entry. `observe` is called with the
    outcome: "opened", and at the end another, with the error if it failed. `kinds` are the kinds of resources that the
    algorithm may open. `gateway` is the gateway that led to `url`. `provider` names the algorithm's plugin in errors.
    `pool` holds the connections that earlier operations on the same backend kept; without it, none is kept. `clock`
    returns the time in seconds.
    """

    def __init__(
        self,
        algorithm: Algorithm[None],
        *,
        url: URL,
        registration: Registration,
        policy: Policy | None = None,
        credentials: Credentials | Authenticator | None = None,
        ask: Asker | None = None,
        trace: Tracer | None = None,
        ssl_context: ssl.SSLContext | TLSFiles | None = None,
        content: bytes | Iterable[bytes] | AsyncIterable[bytes] | None = None,
        redirect: Callable[[URL, str], URL] | None = None,
        parse: Callable[[str], URL] | None = None,
        observe: Callable[[Outcome, URLError | None], None] | None = None,
        kinds: tuple[str, ...] = _KINDS,
        gateway: Gateway | None = None,
        provider: str = "",
        pool: ConnectionPool | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        policy = policy or Policy.untrusted()
        scheme = registration.scheme
        limits = policy.limits
        self.limits: Limits = limits
        self.terminated: bool | None = None
        self.attributes = Attributes()
        self._algorithm = algorithm
        self._scheme = scheme
        self._parse = parse
        self._observe = observe
        self._kinds = kinds
        self._gateway = gateway
        self._kind = ""
        self._opened = False
        self._closed = False
        self._running = False
        self._failure: BaseException | None = None
        self._entries = 0
        self._clock = clock
        self._delivered = 0  # octets of a document
        self._deadline = deadline = Deadline(limits, clock)
        self._trace = trace_ = Trace(trace, deadline)
        self._destinations = destinations = Destinations(policy, registration)
        self._context = context = Context(scheme, policy, deadline, trace_)
        self._transfers = transfers = Transfers(context)
        self._connecting = connecting = Connecting(
            context,
            destinations=destinations,
            transfers=transfers,
            ssl_context=ssl_context,
            pool=pool,
            settings=(credentials,),
        )
        self._redirects = redirects = Redirects(
            context, url, registration, destinations=destinations, target_of=redirect
        )
        files = FileRequests(context, transfers)
        # A gateway is another server, for which no credentials were given.
        origin = None if gateway is not None else (scheme, _text_of(url, "host"), _port_of(url, registration))
        caller = CallerRequests(context, credentials=credentials, origin=origin, ask=ask, content=content)
        connecting.known_login = lambda host, port: caller.known_login(redirects.url.scheme, host, port)
        handlers: dict[type[Any], Callable[[Any], Awaitable[Any]]] = {
            requests.Ask: caller.ask,
            requests.Authenticate: caller.authenticate,
            requests.Connect: connecting.connect,
            requests.ConnectBack: connecting.connect_back,
            requests.Examine: files.examine,
            requests.Follow: redirects.follow,
            requests.Keep: files.keep,
            requests.ListFolder: files.list_folder,
            requests.OpenFile: files.open,
            requests.Pull: caller.pull,
            requests.PullPieces: caller.pull_pieces,
            requests.Ready: transfers.ready,
            requests.Receive: transfers.receive,
            requests.Release: connecting.release,
            requests.Remove: files.remove,
            requests.Send: transfers.send,
            requests.StartTLS: connecting.start_tls,
        }
        self._runner = AlgorithmRunner(context, provider, handlers, transfers)
        if not isinstance(cast("object", algorithm), Generator):
            raise self._breach("an algorithm made by a generator function", algorithm)

    @property
    def url(self) -> URL:
        """The current URL."""
        return self._redirects.url

    # What the caller does

    async def open(self, backend: Backend) -> requests.Open:
        """Check the URL, then run the algorithm until it opens the resource.

        `backend` carries out what the dialogue needs, until its end. UnsafeURL and PolicyDenied are raised before the
        algorithm begins and before anything is resolved or opened.
        """
        self._enter()
        self._context.backend = backend
        try:
            self._destinations.check_url(self.url)
            if self.url.raw.get("password"):
                self._trace.add_secret(self.url.line("password"))
            opened = await self._runner.advance(self._algorithm)
            if not isinstance(opened, requests.Open):
                raise self._breach("Open before anything is delivered", opened)
            self._check_opened(opened)
            self._kind = opened.kind
            self.attributes = self._checked_attributes(opened.attributes or Attributes())
            self._trace.emit("open", opened.peer, opened.kind)
            if opened.kind == "attributes":
                after = await self._runner.advance(self._algorithm)
                if not isinstance(after, Finished):
                    raise self._breach("nothing after Open of attributes", after)
                self.terminated = True
                self.close()
            self._opened = True
            self._report("opened")
            return opened
        except BaseException as failure:
            self._give_up(failure)
            raise
        finally:
            self._leave()

    async def pull(self) -> bytes | Entry | None:
        """Return the next piece of a document or entry of a listing; None at the end."""
        if self._closed:
            return None
        self._enter()
        try:
            await self._context.backend.take_turn()
            while True:
                delivered = await self._runner.advance(self._algorithm)
                if isinstance(delivered, Finished):
                    self.terminated = self._runner.terminated
                    self.close()
                    return None
                if not isinstance(delivered, requests.Deliver):
                    raise self._breach("Open only once", delivered)
                if piece := self._checked_item(delivered.item):
                    self._deadline.add_delivered(len(piece) if isinstance(piece, bytes) else piece.octets)
                    return piece
                self._deadline.time_for("content")
        except BaseException as failure:
            self._give_up(failure)
            raise
        finally:
            self._leave()

    def session(self, opened: requests.Open, run: Callable[[Coroutine[Any, Any, Any]], Any]) -> Session:
        """Return the session that the algorithm opened, an object of its type; `run` runs its coroutines."""
        try:
            return (opened.session or Session)(Source(self, run), self.attributes, opened.peer)
        except BaseException as failure:
            self.close()
            if isinstance(failure, Exception) and not isinstance(failure, URLError | MemoryError):
                raise self._runner.plugin_error(failure)  # noqa: B904  its cause is set, unless it holds a secret
            raise

    async def call(self, algorithm: Algorithm[T]) -> T:
        """Carry out one call of a session, with a deadline of its own.

        After a refusal the session stays open, after any other error it is closed.
        """
        if self._closed:
            raise AccessError("the session is closed", scheme=self._scheme)
        self._enter_call()
        try:
            result = await self._runner.advance(algorithm)
            if not isinstance(result, Finished):
                raise self._breach("no Open and no Deliver in a call of a session", result)
            return cast("T", result.value)
        except _SESSION_CONTINUES as refusal:
            self._sign(refusal)
            raise
        except BaseException as failure:
            self._give_up(failure, algorithm)
            raise
        finally:
            self._leave()

    async def act(self, action: Callable[[], T], work: Work) -> T:
        """Carry out an action of the caller's on a local file; the deadline counts while it runs.

        Raises DeadlineExceeded.
        """
        timeout = self._deadline.time_for_files()
        if timeout is not None:
            timeout = max(timeout, 0.0)
        began = self._clock()
        try:
            try:
                return await self._context.backend.in_thread(action, timeout, work)
            finally:
                self._deadline.add_file_time(self._clock() - began)
        except TimeoutError as fault:
            if fault.errno is not None:
                raise
            failure = self._deadline.error("file", 0)
            self._give_up(failure)
            raise failure from None

    def fileno(self, peer: Peer) -> int:
        """Return the file descriptor of a session's connection, to wait for it between two calls."""
        if self._closed:
            raise AccessError("the session is closed", scheme=self._scheme)
        return self._transfers.find(peer).channel.fileno()

    async def finish(self) -> None:
        """End a session: run what the algorithm does after Open, such as QUIT, then close everything."""
        if self._closed:
            return
        self._enter_call()
        try:
            end = await self._runner.advance(self._algorithm)
            if not isinstance(end, Finished):
                raise self._breach("no Open and no Deliver after Open of a session", end)
            self.terminated = True
            self.close()
        except BaseException as failure:
            self._give_up(failure)
            raise
        finally:
            self._leave()

    def close(self) -> None:
        """Close every connection and file now, and run the `finally` blocks of the algorithm."""
        if self._closed:
            return
        self._closed = self._runner.stopped = True
        try:
            self._runner.abandon(self._algorithm)
        finally:
            self._transfers.close_all()
            if isinstance(self._failure, URLError):
                self._report("failed", self._failure)
            elif self._opened:
                self._report("abandoned" if self.terminated is None else "completed")

    # Running

    def _enter(self) -> None:
        """Begin to run the algorithm. Raises AccessError if it is running already: the answers would be mixed up."""
        if self._running:
            raise AccessError(
                "the operation is busy: it is already running, perhaps in another thread", scheme=self._scheme
            )
        self._running = True
        self._deadline.resume()

    def _enter_call(self) -> None:
        """Like `_enter`, for a call of a session: deadline and counts start again."""
        self._enter()
        self._deadline.restart()
        self._deadline.resume()
        self._destinations.connections = 0
        self._transfers.undelivered = 0

    def _leave(self) -> None:
        self._running = False
        self._deadline.pause()

    def _give_up(self, failure: BaseException, algorithm: Algorithm[Any] | None = None) -> None:
        """Close everything because of `failure`, which is raised whatever happens here."""
        self._failure = failure
        self._sign(failure)
        if algorithm is not None:
            with suppress(URLError):
                self._runner.abandon(algorithm)
        with suppress(URLError):
            self.close()

    def _sign(self, failure: BaseException) -> None:
        """Complete an error: hide secrets, add the scheme and the section."""
        if isinstance(failure, URLError):
            self._trace.hide_in_error(failure)
            if failure.scheme is None:
                failure.scheme = self._scheme
            add_section(failure, self.url)

    def _report(self, outcome: Outcome, error: URLError | None = None) -> None:
        if self._observe is not None:
            self._observe(outcome, error)

    # Checking

    def _check_opened(self, opened: requests.Open) -> None:
        attributes: object = opened.attributes
        session: object = opened.session
        if opened.kind not in self._kinds:
            raise self._breach(f"Open of {' or '.join(self._kinds)}", repr(opened.kind))
        if attributes is not None and not isinstance(attributes, Attributes):
            raise self._breach("Attributes in Open", attributes)
        if opened.kind == "session" and not (isinstance(session, type) and issubclass(session, Session)):
            raise self._breach("a subclass of Session in Open of a session", repr(session))

    def _checked_attributes(self, attributes: Attributes) -> Attributes:
        self._context.check_fields(attributes)
        attributes = self._trace.hide_in_attributes(attributes)
        return attributes if self._gateway is None else replace(attributes, gateway=self._gateway)

    def _checked_item(self, item: object) -> bytes | Entry:
        if self._kind == "document" and isinstance(item, bytes):
            self._transfers.undelivered = 0
            self._delivered += len(item)
            if self._delivered - self._transfers.received > self.limits.decoded:
                raise self.limits.exceeded("decoded", "decoding added more octets to those received than")
            return item
        if self._kind == "listing" and isinstance(item, Entry):
            self._entries += 1
            if self._entries > self.limits.entries:
                raise self.limits.exceeded("entries", "the listing has more entries than")
            self._context.check_fields(item)
            item.read_by(self._parse)
            return item
        raise self._breach("octets of a document" if self._kind == "document" else "entries of a listing", item)

    def _breach(self, expected: str, got: object) -> PluginContractError:
        return self._context.breach(expected, "its end" if isinstance(got, Finished) else got)


def _text_of(url: URL, part: str) -> str | None:
    text = url.raw.get(part)
    return text if isinstance(text, str) else None


def _port_of(url: URL, registration: Registration) -> int | None:
    text = _text_of(url, "port")
    return number_of(text) if text and text.isdecimal() else registration.default_port
