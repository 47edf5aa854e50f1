"""An access from its URL to its closing words: what the caller does, and how the algorithm is run."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar, cast

from urlschemes.errors import PluginContractError, PluginError, UnsafeURL, UnsupportedOperation, URLError
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.backends import primitives
from urlschemes_access.dialogue.caller_requests import Caller
from urlschemes_access.dialogue.connecting import Connecting
from urlschemes_access.dialogue.contract import octets, typed
from urlschemes_access.dialogue.deadline import Deadline
from urlschemes_access.dialogue.destinations import Reach
from urlschemes_access.dialogue.file_requests import Files
from urlschemes_access.dialogue.redirects import Redirects
from urlschemes_access.dialogue.system_errors import breach, exceeded
from urlschemes_access.dialogue.trace import Trace
from urlschemes_access.dialogue.transfers import Peers
from urlschemes_access.errors import AccessError, AuthRequired, InputRequired, PolicyDenied, RemoteError
from urlschemes_access.protocol import requests
from urlschemes_access.resources.synchronous import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes.scheme.registration import Registration
    from urlschemes.url.value import URL
    from urlschemes_access.attributes import Gateway
    from urlschemes_access.operation_arguments import Terms
    from urlschemes_access.policy import Limits
    from urlschemes_access.protocol.requests import Algorithm
    from urlschemes_access.resources.synchronous import Outcome, Source

__all__ = ["Dialogue"]

T = TypeVar("T")


@dataclass(slots=True)
class _Ended:
    value: Any


# After these the two sides still agree where they are: a session goes on.
_SETTLED = (RemoteError, AuthRequired, InputRequired, UnsafeURL, UnsupportedOperation, PolicyDenied)


class Dialogue:
    """One access under way. `open` first; then `pull` until None, or `call` and `finish`; `close` at any time.

    `url` is the URL accessed, after redirects; `follow` resolves a redirect's location against it, to the schemes that
    `registration` names. `parse` is what `Entry.parse` uses. `kinds` are what the algorithm may open. `terminated` is
    None until it has ended well. `watch` is told what becomes of the access: that it was opened, and how that ended; or
    that opening it failed, and why. `gateway` says which way led to `url`, if it is not the one that was asked for.
    `provider` is whoever made the algorithm, for errors.
    """

    def __init__(
        self,
        algorithm: Algorithm[None],
        *,
        url: URL,
        registration: Registration,
        terms: Terms,
        follow: Callable[[URL, str], URL] | None = None,
        parse: Callable[[str], URL] | None = None,
        watch: Callable[[Outcome, URLError | None], None] | None = None,
        kinds: tuple[str, ...] = ("document", "listing", "session", "attributes"),
        gateway: Gateway | None = None,
        provider: str = "",
    ) -> None:
        policy = terms.policy
        if terms.deadline is not None:
            policy = replace(policy, limits=replace(policy.limits, deadline=terms.deadline))
        self.limits: Limits = policy.limits
        self.terminated: bool | None = None
        self.attributes = Attributes()
        self._algorithm = algorithm
        self._scheme = registration.scheme
        self._parse = parse
        self._watch = watch
        self._kinds = kinds
        self._gateway = gateway
        self._provider = provider or f"the algorithm of scheme {registration.scheme!r}"
        self._kind = ""
        self._opened = False
        self._closed = False
        self._under_way = False
        self._fault: BaseException | None = None
        self._unterminated = False
        self._entries = 0
        limits, clock = self.limits, Deadline(self.limits.deadline, self.limits.rate)
        self._clock = clock
        self._trace = Trace(terms.trace, clock)
        self._reach = Reach(policy, registration)
        self._peers = peers = Peers(self._scheme, limits, clock, self._trace)
        self._connecting = connecting = Connecting(
            self._scheme, limits, clock, self._trace, reach=self._reach, peers=peers, ssl_context=terms.ssl_context
        )
        self._redirects = redirects = Redirects(
            url, registration, limits.hops, reach=self._reach, trace=self._trace, follow=follow
        )
        files = Files(self._scheme, policy, clock, self._trace, peers)
        caller = Caller(self._scheme, clock, self._trace, terms)
        self._at_once: dict[type[Any], Callable[[Any], Any]] = {
            requests.Close: lambda request: peers.close(request.peer),
            requests.Follow: redirects.follow,
        }
        self._by_steps: dict[type[Any], Callable[[Any], primitives.Steps[Any]]] = {
            requests.Ask: caller.ask,
            requests.Authenticate: caller.authenticate,
            requests.Connect: connecting.connect,
            requests.ConnectBack: connecting.connect_back,
            requests.Examine: files.examine,
            requests.Keep: files.keep,
            requests.ListFolder: files.list_folder,
            requests.OpenFile: files.open,
            requests.Pull: caller.pull,
            requests.Ready: peers.ready,
            requests.Receive: peers.receive,
            requests.Remove: files.remove,
            requests.Send: peers.send,
            requests.StartTLS: connecting.start_tls,
        }
        made: object = algorithm
        if not isinstance(made, Generator):
            raise self._breach("an algorithm, made by a generator function", made)

    @property
    def url(self) -> URL:
        """The URL accessed now."""
        return self._redirects.url

    def _enter(self) -> None:
        """What follows, until `_leave`, runs the algorithm. Raises AccessError where something runs it already.

        An algorithm that waits for its request's answer would take the other's call for that answer.
        """
        if self._under_way:
            raise AccessError(
                "this access is busy: another thread uses it, or what it called uses it again", scheme=self._scheme
            )
        self._under_way = True
        self._clock.resume()

    def _leave(self) -> None:
        self._under_way = False
        self._clock.pause()

    def _begin(self) -> None:
        """As `_enter`, for a call of a session: what is counted for an access is counted anew for each."""
        self._enter()
        self._clock.restart()
        self._clock.resume()
        self._connecting.made = 0
        self._peers.held = 0

    # What the caller does

    def open(self) -> primitives.Steps[requests.Open]:
        """Check the URL, then run the algorithm until it says what the resource is.

        Nothing is resolved or opened, and the algorithm has not begun, when UnsafeURL or PolicyDenied says that it may
        not.
        """
        self._enter()
        try:
            self._reach.admit(self.url)
            if self.url.raw.get("password"):
                self._trace.hide(self.url.line("password"))
            said = yield from self._advance(self._algorithm)
            if not isinstance(said, requests.Open):
                raise self._breach("Open, before anything is delivered", said)
            self._check_open(said)
            self._kind = said.kind
            self.attributes = self._trace.without_secrets_in(typed(self._scheme, said.attributes or Attributes()))
            if self._gateway is not None:
                self.attributes = self.attributes.reached_through(self._gateway)
            self._trace.tell("open", said.peer, said.kind)
            if said.kind == "attributes":
                after = yield from self._advance(self._algorithm)
                if not isinstance(after, _Ended):
                    raise self._breach("nothing after Open of attributes", after)
                self.terminated = True
                self.close()
            self._opened = True
            self._tell("opened")
            return said
        except BaseException as fault:
            self._give_up(fault)
            raise
        finally:
            self._leave()

    def pull(self) -> primitives.Steps[bytes | Entry | None]:
        """The next piece of a document or listing; None when the algorithm has ended, and so all has come."""
        if self._closed:
            return None
        self._enter()
        try:
            while True:
                said = yield from self._advance(self._algorithm)
                if isinstance(said, _Ended):
                    self.terminated = not self._unterminated
                    self.close()
                    return None
                if not isinstance(said, requests.Deliver):
                    raise self._breach("Open only once", said)
                self._clock.time_for("content")
                item: object = said.item
                if self._kind == "document" and isinstance(item, bytes):
                    self._peers.held = 0
                    if piece := octets(item):
                        return piece
                elif self._kind == "listing" and isinstance(item, Entry):
                    self._entries += 1
                    if self._entries > self.limits.entries:
                        raise exceeded("entries", self.limits.entries, "the listing has more entries than")
                    entry = typed(self._scheme, item)
                    entry.read_by(self._parse)
                    return entry
                else:
                    wanted = "octets of a document" if self._kind == "document" else "entries of a listing"
                    raise self._breach(f"Deliver of {wanted}", item)
        except BaseException as fault:
            self._give_up(fault)
            raise
        finally:
            self._leave()

    def session(self, said: requests.Open, source: Source) -> Session:
        """The session that the algorithm opened, an object of its type."""
        try:
            return (said.session or Session)(source, self.attributes, said.peer)
        except BaseException as fault:
            self.close()
            if isinstance(fault, Exception) and not isinstance(fault, URLError | MemoryError):
                raise self.plugin_error(fault)  # noqa: B904  it has its cause, or none
            raise

    def call(self, algorithm: Algorithm[T]) -> primitives.Steps[T]:
        """One call of a session, with its own deadline. After a refusal it stays open, after any other error not."""
        if self._closed:
            raise AccessError("the session is closed", scheme=self._scheme)
        self._begin()
        try:
            said = yield from self._advance(algorithm)
            if not isinstance(said, _Ended):
                raise self._breach("no Open and no Deliver within a call of a session", said)
            return cast("T", said.value)
        except _SETTLED as refusal:
            self._sign(refusal)
            raise
        except BaseException as fault:
            self._give_up(fault, algorithm)
            raise
        finally:
            self._leave()

    def fileno(self, peer: requests.Peer) -> int:
        """The system's number of an open connection, for whoever waits between two calls of a session."""
        if self._closed:
            raise AccessError("the session is closed", scheme=self._scheme)
        return self._peers.end(peer).channel.fileno()

    def finish(self) -> primitives.Steps[None]:
        """The closing words of a session: what the algorithm does after Open. Then everything is closed."""
        if self._closed:
            return
        self._begin()
        try:
            said = yield from self._advance(self._algorithm)
            if not isinstance(said, _Ended):
                raise self._breach("no Open and no Deliver after Open of a session", said)
            self.terminated = True
            self.close()
        except BaseException as fault:
            self._give_up(fault)
            raise
        finally:
            self._leave()

    def close(self) -> None:
        """Close every connection and file now, and let the algorithm's `finally` blocks run."""
        if self._closed:
            return
        self._closed = True
        try:
            self._drop(self._algorithm)
        finally:
            self._peers.close_all()
            self._ended()

    def _ended(self) -> None:
        if isinstance(self._fault, URLError):
            self._tell("failed", self._fault)
        elif self._opened:
            self._tell("abandoned" if self.terminated is None else "completed")

    def _tell(self, outcome: Outcome, fault: URLError | None = None) -> None:
        if self._watch is not None:
            self._watch(outcome, fault)

    def plugin_error(self, fault: BaseException) -> PluginError:
        """The error to raise for `fault`, an exception of the plugin's own; it is the cause, if it holds no secret."""
        try:
            text = f"{type(fault).__name__}: {fault}"
        except (KeyboardInterrupt, MemoryError):
            raise
        except BaseException:  # noqa: BLE001  the text of a plugin's exception is the plugin's code
            text = type(fault).__name__
        clean = self._trace.clean(text)
        scheme = self._scheme
        error = PluginError(
            f"the algorithm of scheme {scheme!r} failed: {clean}", scheme=scheme, distribution=self._provider
        )
        error.__cause__ = fault if clean == text else None
        return error

    def _give_up(self, fault: BaseException, algorithm: Algorithm[Any] | None = None) -> None:
        """Close everything because of `fault`, which is raised whatever happens here."""
        self._fault = fault
        self._sign(fault)
        if algorithm is not None:
            with suppress(URLError):
                self._drop(algorithm)
        with suppress(URLError):
            self.close()

    def _sign(self, fault: BaseException) -> None:
        if isinstance(fault, URLError):
            self._trace.hide_secrets(fault)
            if fault.scheme is None:
                fault.scheme = self._scheme

    # Running an algorithm

    def _advance(self, algorithm: Algorithm[Any]) -> primitives.Steps[requests.Open | requests.Deliver | _Ended]:
        """Run `algorithm`, carrying out its requests, until it opens, delivers or ends."""
        answer: Any = None
        error: URLError | None = None
        while True:
            if self._closed:  # by what it called: a trace, a thread
                self._peers.close_all()
                raise AccessError("the access was closed while it was under way", scheme=self._scheme) from None
            began = monotonic()
            try:
                request = algorithm.send(answer) if error is None else algorithm.throw(error)
            except StopIteration as end:
                return _Ended(end.value)
            except (KeyboardInterrupt, MemoryError):
                raise
            except URLError as fault:
                if fault is not error:  # it is not what was thrown into it
                    fault.origin = self._provider
                raise
            except BaseException as fault:  # noqa: BLE001  whatever a plugin's mistake may be
                raise self.plugin_error(fault)  # noqa: B904  it has its cause, or none
            finally:
                if monotonic() - began > self.limits.deadline:
                    self._tell_of_delay(monotonic() - began)
            answer = error = None
            kind = type(request)
            try:
                if kind in self._by_steps:
                    answer = yield from self._by_steps[kind](request)
                elif isinstance(request, requests.Deliver | requests.Open):
                    return request
                elif kind in self._at_once:
                    answer = self._at_once[kind](request)
                elif isinstance(request, requests.Unterminated):
                    self._unterminated = True
                else:
                    raise self._breach("requests, by `yield from`", request)
            except PluginContractError:
                raise
            except URLError as refusal:
                error = refusal

    def _tell_of_delay(self, seconds: float) -> None:
        """What computes or sleeps in this thread cannot be stopped by it; but it can be named."""
        from logging import getLogger

        getLogger("urlschemes").warning(
            "%s took %.1f s for one step of %s, and the deadline is %.3g s",
            self._provider,
            seconds,
            self._scheme,
            self.limits.deadline,
        )

    def _drop(self, algorithm: Algorithm[Any]) -> None:
        """End an algorithm early. Its `finally` blocks may ask for Close, and for nothing else."""
        try:
            request: object = algorithm.throw(GeneratorExit)
            while isinstance(request, requests.Close):
                self._peers.close(request.peer)
                request = algorithm.send(None)
            algorithm.close()
        except (StopIteration, GeneratorExit, URLError):
            return
        except (KeyboardInterrupt, MemoryError):
            raise
        except BaseException as fault:  # noqa: BLE001  as above
            raise self.plugin_error(fault)  # noqa: B904  as above
        raise self._breach("Close, and no other request, while an access is given up", "something else")

    def _breach(self, wants: str, has: object) -> PluginContractError:
        return breach(self._scheme, wants, "its end" if isinstance(has, _Ended) else has)

    def _check_open(self, said: requests.Open) -> None:
        attributes: object = said.attributes
        if said.kind not in self._kinds:
            raise self._breach(f"Open of {' or '.join(self._kinds)}", repr(said.kind))
        if attributes is not None and not isinstance(attributes, Attributes):
            raise self._breach("Attributes in Open", attributes)
        session: object = said.session
        if said.kind == "session" and not (isinstance(session, type) and issubclass(session, Session)):
            raise self._breach("a subclass of Session in Open of a session", repr(session))
