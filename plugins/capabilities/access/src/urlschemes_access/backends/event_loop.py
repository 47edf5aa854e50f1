"""Performs the steps of a dialogue on an event loop of asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar, cast

from urlschemes.errors import URLError
from urlschemes_access.backends import primitives
from urlschemes_access.backends.local_files import File, perform_on_files
from urlschemes_access.backends.loop_sockets import LoopDatagrams, LoopSocket, Secured, first_ready
from urlschemes_access.backends.loop_threads import LoopFile, beside
from urlschemes_access.backends.sockets import addresses, stream_socket, strict

if TYPE_CHECKING:
    from urlschemes.url.value import URL
    from urlschemes_access.attributes import Entry
    from urlschemes_access.dialogue import Dialogue
    from urlschemes_access.policy import Limits
    from urlschemes_access.protocol.requests import Algorithm, Open

__all__ = ["AsyncSource"]

T = TypeVar("T")

TURN = 0.01
"""Seconds after which an access that never had to wait lets the others on the loop have their turn."""


class AsyncSource:
    """A dialogue as the source of a resource: each call waits on the event loop until the dialogue pauses.

    Cancelled at whatever step, it has closed every connection and file when CancelledError comes out.
    """

    def __init__(self, dialogue: Dialogue) -> None:
        self.dialogue = dialogue
        self._turn = monotonic()

    @property
    def url(self) -> URL:
        """The URL accessed, after redirects."""
        return self.dialogue.url

    @property
    def limits(self) -> Limits:
        """The limits that hold."""
        return self.dialogue.limits

    @property
    def terminated(self) -> bool | None:
        """Whether the content ended as its protocol says."""
        return self.dialogue.terminated

    async def open(self) -> Open:
        """Go on until the algorithm says what the resource is."""
        return await self._perform(self.dialogue.open())

    async def pull(self) -> bytes | Entry | None:
        """The next piece, None at the end."""
        return await self._perform(self.dialogue.pull())

    async def call(self, algorithm: Algorithm[T]) -> T:
        """Carry out one small dialogue on the connections of a session."""
        return await self._perform(self.dialogue.call(algorithm))

    async def finish(self) -> None:
        """Say the closing words, then close."""
        await self._perform(self.dialogue.finish())

    def close(self) -> None:
        """Close everything now."""
        self.dialogue.close()

    async def _perform(self, what: primitives.Steps[T]) -> T:
        """Do the steps one after another."""
        answer: Any = None
        try:
            step = next(what)
            while True:
                try:
                    if monotonic() - self._turn > TURN:
                        await self._yield()
                    answer = await perform(step)
                except Exception as fault:  # noqa: BLE001  the dialogue decides what it means
                    step = what.throw(fault)
                else:
                    step = what.send(answer)
        except StopIteration as end:
            answer = end.value
        finally:
            what.close()
        if monotonic() - self._turn > TURN:
            try:
                await self._yield()
            except BaseException:
                # What came is lost with the task.
                with suppress(URLError):
                    self.dialogue.close()
                raise
        return cast("T", answer)

    async def _yield(self) -> None:
        await asyncio.sleep(0)
        self._turn = monotonic()


async def perform(step: primitives.Step) -> Any:
    """Perform one step."""
    match step:
        case primitives.Read(LoopFile() as file) | primitives.Write(LoopFile() as file):
            return await beside(partial(file.perform, step))
        case primitives.Keep(channel):
            return await beside(partial(cast("LoopFile", channel).perform, step))
        case primitives.Read(channel, most, timeout):
            return await _connection(channel).receive(most, _until(timeout))
        case primitives.Write(channel, octets, timeout):
            return await _connection(channel).send(octets, _until(timeout))
        case primitives.Wait():
            return await _wait(step)
        case primitives.Consult(question):
            answer = question()
            return await answer if isinstance(answer, Awaitable) else answer
        case primitives.Resolve():
            return await beside(partial(addresses, step), timeout=step.timeout, name="urlschemes resolver")
        case primitives.Dial():
            return await _dial(step)
        case primitives.Secure():
            return await _secure(step)
        case primitives.OpenFile():
            return LoopFile(await beside(partial(perform_on_files, step), undo=_close))
        case primitives.Examine() | primitives.ListFolder() | primitives.Remove():
            return await beside(partial(perform_on_files, step))


def _close(file: File) -> None:
    file.close()


def _until(timeout: float) -> float:
    return asyncio.get_running_loop().time() + timeout


def _connection(channel: primitives.Channel) -> LoopSocket | Secured:
    return cast("LoopSocket | Secured", channel)


async def _dial(step: primitives.Dial) -> primitives.Channel:
    place = (step.address, step.port)
    if step.transport == "udp":
        return LoopDatagrams(place)
    made = LoopSocket(stream_socket(step.address))
    try:
        await made.connect(place, _until(step.timeout))
    except BaseException:
        made.close()
        raise
    return made


async def _secure(step: primitives.Secure) -> primitives.Channel:
    until = _until(step.timeout)
    context = await beside(partial(strict, step.context))  # which reads files, the first time
    secured = Secured(cast("LoopSocket", step.channel), context, step.host)
    try:
        await secured.handshake(until)
    except BaseException:
        secured.close()
        raise
    return secured


async def _wait(step: primitives.Wait) -> int | None:
    until = _until(step.timeout)
    channels = [_connection(channel) for channel in step.channels]
    for index, channel in enumerate(channels):
        if channel.is_ahead():
            return index
    return await first_ready([channel.watched for channel in channels], until)
