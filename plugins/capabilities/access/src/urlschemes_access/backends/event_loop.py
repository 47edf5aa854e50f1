"""The backend for event loops of asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar, cast

from urlschemes.errors import URLError
from urlschemes_access.backends.local_files import File, OutputFile, ThreadedFile, close_file, use_file
from urlschemes_access.backends.loop_sockets import LoopDatagramSocket, LoopSocket, LoopTLS, wait_until_ready
from urlschemes_access.backends.primitives import (
    Act,
    Call,
    Commit,
    Dial,
    Handshake,
    Poll,
    Read,
    Resolve,
    UseFile,
    Write,
)
from urlschemes_access.backends.sockets import addresses_of, new_stream_socket, strict_context
from urlschemes_access.backends.worker_threads import begin, undo_later

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from urlschemes.url.value import URL
    from urlschemes_access.attributes import Entry
    from urlschemes_access.backends.primitives import Channel, Primitive, Primitives
    from urlschemes_access.backends.worker_threads import FileWork
    from urlschemes_access.dialogue import Dialogue
    from urlschemes_access.policy import Limits
    from urlschemes_access.protocol.algorithm import Algorithm
    from urlschemes_access.protocol.requests import Open

__all__ = ["AsyncSource", "perform", "wait_for"]

T = TypeVar("T")

TURN = 0.01
"""Seconds after which an operation that never has to wait lets other tasks run."""


class AsyncSource:
    """A dialogue as the source of a resource; each method waits on the event loop until the dialogue pauses.

    If a task is cancelled, every connection and file is closed when CancelledError is raised.
    """

    def __init__(self, dialogue: Dialogue) -> None:
        self.dialogue = dialogue
        self._turn_began = monotonic()

    @property
    def url(self) -> URL:
        """The current URL."""
        return self.dialogue.url

    @property
    def limits(self) -> Limits:
        """The limits of the policy."""
        return self.dialogue.limits

    @property
    def terminated(self) -> bool | None:
        """None until the end; then False if the content lacks the end mark of its protocol."""
        return self.dialogue.terminated

    async def open(self) -> Open:
        """Run the dialogue until it has opened the resource."""
        return await self._carry_out(self.dialogue.open())

    async def pull(self) -> bytes | Entry | None:
        """Return the next piece or entry; None at the end."""
        return await self._carry_out(self.dialogue.pull())

    async def call(self, algorithm: Algorithm[T]) -> T:
        """Carry out one call of a session."""
        return await self._carry_out(self.dialogue.call(algorithm))

    async def act(self, action: Callable[[], T], work: FileWork, *, cleans_up: bool) -> T:
        """Carry out an action on a local file, in a thread."""
        return await self._carry_out(self.dialogue.act(action, work, cleans_up=cleans_up))

    async def finish(self) -> None:
        """End a session."""
        await self._carry_out(self.dialogue.finish())

    def close(self) -> None:
        """Close everything now."""
        self.dialogue.close()

    async def _carry_out(self, primitives: Primitives[T]) -> T:
        """Perform primitives one after another, and return the result."""
        result: Any = None
        try:
            primitive = next(primitives)
            while True:
                try:
                    if self._turn_is_over():
                        await self._yield_turn()
                    result = await perform(primitive)
                except Exception as failure:  # noqa: BLE001  the dialogue decides what it means
                    primitive = primitives.throw(failure)
                else:
                    primitive = primitives.send(result)
        except StopIteration as end:
            result = end.value
        finally:
            primitives.close()
        if self._turn_is_over():
            try:
                await self._yield_turn()
            except BaseException:
                with suppress(URLError):  # the result is lost with the task
                    self.dialogue.close()
                raise
        return cast("T", result)

    def _turn_is_over(self) -> bool:
        return monotonic() - self._turn_began > TURN

    async def _yield_turn(self) -> None:
        await asyncio.sleep(0)
        self._turn_began = monotonic()


async def perform(primitive: Primitive) -> Any:
    """Perform one primitive."""
    match primitive:
        case Read(ThreadedFile() as channel, most, timeout):
            return await wait_for(channel.begin(partial(channel.file.read, most)), timeout)
        case Read(channel, most, timeout):
            return await _socket(channel).receive(most, _until(timeout))
        case Write(ThreadedFile(file=OutputFile() as file) as channel, pieces, timeout):
            return await wait_for(channel.begin(partial(file.write, pieces[0])), timeout)
        case Write(channel, pieces, timeout):
            return await _socket(channel).send(pieces, _until(timeout))
        case Poll():
            return await _poll(primitive)
        case Resolve(timeout=timeout):
            return await wait_for(begin(partial(addresses_of, primitive), "urlschemes resolver"), timeout)
        case Dial():
            return await _dial(primitive)
        case Handshake():
            return await _handshake(primitive)
        case UseFile(timeout=timeout):
            used = await wait_for(begin(partial(use_file, primitive), "urlschemes file"), timeout, undo=close_file)
            return ThreadedFile(used) if isinstance(used, File) else used
        case Commit(channel, timeout):
            threaded = cast("ThreadedFile", channel)
            return await wait_for(threaded.begin(cast("OutputFile", threaded.file).commit), timeout)
        case Act(action, work, timeout):
            return await wait_for(work.begin(action), timeout)
        case Call(function):
            result = function()
            return await result if isinstance(result, Awaitable) else result


def _until(timeout: float) -> float:
    return asyncio.get_running_loop().time() + timeout


def _socket(channel: Channel) -> LoopSocket | LoopTLS:
    return cast("LoopSocket | LoopTLS", channel)


async def _poll(primitive: Poll) -> int | None:
    until = _until(primitive.timeout)
    channels = [_socket(channel) for channel in primitive.channels]
    for index, channel in enumerate(channels):
        if channel.has_buffered():
            return index
    return await wait_until_ready([channel.watched for channel in channels], until)


async def _dial(primitive: Dial) -> Channel:
    place = primitive.address, primitive.port
    if primitive.transport == "udp":
        return LoopDatagramSocket(place)
    channel = LoopSocket(new_stream_socket(primitive.address))
    try:
        await channel.connect(place, _until(primitive.timeout))
    except BaseException:
        channel.close()
        raise
    return channel


async def _handshake(primitive: Handshake) -> Channel:
    until = _until(primitive.timeout)
    # It reads files, the first time.
    context = await wait_for(begin(partial(strict_context, primitive.context), "urlschemes tls"), primitive.timeout)
    secured = LoopTLS(cast("LoopSocket", primitive.channel), context, primitive.host)
    try:
        await secured.handshake(until)
    except BaseException:
        secured.close()
        raise
    return secured


async def wait_for(future: Future[T], timeout: float | None, *, undo: Callable[[T], object] | None = None) -> T:  # noqa: ASYNC109  as every primitive has one
    """Wait on the event loop for the result of `future`, as `result_of` does in a thread; the task may be cancelled."""
    try:
        async with asyncio.timeout(timeout):
            return await asyncio.wrap_future(future)
    except BaseException:
        undo_later(future, undo)
        raise
