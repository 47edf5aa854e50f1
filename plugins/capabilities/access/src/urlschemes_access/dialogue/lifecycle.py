"""The dialogue of one operation, from its URL to the end of its resource."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar, cast

from urlschemes.errors import PluginContractError, UnsafeURL, UnsupportedOperation, URLError
from urlschemes.url.value import URL
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.backends.backend import Backend
from urlschemes_access.backends.connection_pool import ConnectionPool
from urlschemes_access.backends.worker_threads import Work
from urlschemes_access.dialogue.algorithm_runner import AlgorithmRunner, Finished
from urlschemes_access.dialogue.caller_requests import CallerRequests
from urlschemes_access.dialogue.connecting import Connecting
from urlschemes_access.dialogue.context import Context, Operation
from urlschemes_access.dialogue.deadline import Deadline
from urlschemes_access.dialogue.destinations import Destinations, Redirects
from urlschemes_access.dialogue.file_requests import FileRequests
from urlschemes_access.dialogue.trace import Trace
from urlschemes_access.dialogue.transfers import Transfers
from urlschemes_access.errors import AccessError, AuthRequired, InputRequired, PolicyDenied, RemoteError, add_section
from urlschemes_access.policy import Limits
from urlschemes_access.protocol import requests
from urlschemes_access.protocol.requests import Algorithm, Peer
from urlschemes_access.trace_event import Outcome

T = TypeVar("T")

# After these errors client and server still agree on the state of the connection: a session continues.
_SESSION_CONTINUES = (RemoteError, AuthRequired, InputRequired, UnsafeURL, UnsupportedOperation, PolicyDenied)


class Dialogue:
    """The dialogue of one operation.

    Call `open` first; then `pull` until None, or `call` and `finish`; `close` at any time.

    `url` is the current URL, after redirects. `terminated` is None until the resource has ended, then False if the
    content lacks the end mark of its protocol. `attributes` are those of the resource.
    """

    def __init__(self, algorithm: Algorithm[None], operation: Operation) -> None:
        url, settings = operation.url, operation.settings
        registration = url.registration
        assert registration is not None
        self.limits: Limits = settings.policy.limits
        self.terminated: bool | None = None
        self.attributes = Attributes()
        self._algorithm = algorithm
        self._operation = operation
        self._scheme = scheme = registration.scheme
        self._kind = ""
        self._opened = False
        self._closed = False
        self._running = False
        self._failure: BaseException | None = None
        self._entries = 0
        self._clock = operation.clock
        self._delivered = 0  # octets of a document
        self._deadline = deadline = Deadline(self.limits, self._clock)
        self._trace = Trace(settings.trace, deadline)
        self._destinations = destinations = Destinations(settings.policy, registration)
        self._context = context = Context(operation, url, scheme, deadline, self._trace)
        self._transfers = transfers = Transfers(context)
        caller = CallerRequests(context)
        connecting = Connecting(context, destinations, transfers, caller)
        redirects = Redirects(context, destinations)
        files = FileRequests(context, transfers)
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
            requests.Ready: transfers.ready,
            requests.Receive: transfers.receive,
            requests.Release: connecting.release,
            requests.Remove: files.remove,
            requests.Send: transfers.send,
            requests.StartTLS: connecting.start_tls,
        }
        self._runner = AlgorithmRunner(context, handlers, transfers)
        if not isinstance(cast("object", algorithm), Generator):
            raise self.breach("an algorithm made by a generator function", algorithm)

    @property
    def url(self) -> URL:
        return self._context.url

    # What the caller does

    async def open(self, backend: Backend, pool: ConnectionPool | None = None) -> requests.Open:
        """Check the URL, then run the algorithm until it opens the resource.

        `backend` carries out what the dialogue needs, until its end; `pool` keeps its connections. UnsafeURL and
        PolicyDenied are raised before the algorithm begins and before anything is resolved or opened.
        """
        self._enter()
        self._context.backend, self._context.pool = backend, pool
        try:
            self._destinations.check_url(self.url)
            if "password" in self.url.syntax.parts and self.url.raw["password"]:
                self._trace.add_secret(self.url.line("password"))
            opened = await self._runner.advance(self._algorithm)
            if not isinstance(opened, requests.Open):
                raise self.breach("Open before anything is delivered", opened)
            self.attributes = self._checked_attributes(opened)
            self._kind = opened.kind
            self._trace.emit("open", opened.peer, opened.kind)
            if opened.kind == "attributes":
                after = await self._runner.advance(self._algorithm)
                if not isinstance(after, Finished):
                    raise self.breach("nothing after Open of attributes", after)
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
            while True:
                delivered = await self._runner.advance(self._algorithm)
                if isinstance(delivered, Finished):
                    self.terminated = self._runner.terminated
                    self.close()
                    return None
                if not isinstance(delivered, requests.Deliver):
                    raise self.breach("Open only once", delivered)
                if piece := self._checked_item(delivered.item):
                    self._deadline.add_delivered(len(piece) if isinstance(piece, bytes) else piece.octets)
                    return piece
                self._deadline.time_for("content")
        except BaseException as failure:
            self._give_up(failure)
            raise
        finally:
            self._leave()

    def make(self, session: Callable[[], T]) -> T:
        """Return what `session` returns, which makes the session of the plugin. A failure closes everything.

        Raises PluginError for an exception that is not a URLError.
        """
        try:
            return session()
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
                raise self.breach("no Open and no Deliver in a call of a session", result)
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
            failure = self._deadline.error("local file" if timeout else "content", 0)
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
                raise self.breach("no Open and no Deliver after Open of a session", end)
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
        if self._operation.observe is not None:
            self._operation.observe(outcome, error)

    # Checking

    def _checked_attributes(self, opened: requests.Open) -> Attributes:
        if opened.kind not in (kinds := self._operation.kinds):
            raise self.breach(f"Open of {' or '.join(kinds)}", repr(opened.kind))
        attributes: object = Attributes() if opened.attributes is None else opened.attributes
        if not isinstance(attributes, Attributes):
            raise self.breach("Attributes in Open", attributes)
        self._context.check_fields(attributes)
        attributes = self._trace.hide_in_attributes(attributes)
        gateway = self._operation.gateway
        return attributes if gateway is None else replace(attributes, gateway=gateway)

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
            item.read_by(self._operation.parse)
            return item
        raise self.breach("octets of a document" if self._kind == "document" else "entries of a listing", item)

    def breach(self, expected: str, got: object) -> PluginContractError:
        return self._context.breach(expected, "its end" if isinstance(got, Finished) else got)
