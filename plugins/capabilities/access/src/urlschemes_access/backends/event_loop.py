"""LoopBackend: the backend for event loops of asyncio. Each operation has one of its own."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from time import monotonic
from typing import TypeVar, cast

from urlschemes_access.backends.backend import Channel
from urlschemes_access.backends.loop_sockets import LoopDatagramSocket, LoopSocket, LoopTLS, wait_until_ready
from urlschemes_access.backends.sockets import new_stream_socket
from urlschemes_access.backends.system import SystemBackend
from urlschemes_access.backends.tls import TLSFiles, strict_context
from urlschemes_access.backends.worker_threads import Work, undo_later
from urlschemes_access.protocol.requests import Transport

__all__ = ["LoopBackend"]

T = TypeVar("T")

TURN = 0.01
"""Seconds after which an operation that never has to wait lets other tasks run."""


class LoopBackend(SystemBackend):
    """A backend whose calls wait on the running event loop. If the task is cancelled, they close what they opened."""

    def __init__(self) -> None:
        self._turn_began = monotonic()

    async def take_turn(self) -> None:
        """Let other tasks run, once the turn is over: before each step, function of the caller and system call."""
        if monotonic() - self._turn_began > TURN:
            await asyncio.sleep(0)
            self._turn_began = monotonic()

    async def in_thread(
        self, action: Callable[[], T], timeout: float | None, work: Work, undo: Callable[[T], object] | None = None
    ) -> T:
        future = work.begin(action)
        try:
            async with asyncio.timeout(timeout):
                return await asyncio.wrap_future(future)
        except BaseException:
            if undo is not None:
                undo_later(future, undo)
            raise

    async def call(self, function: Callable[[], object]) -> object:
        await self.take_turn()
        result = function()
        return await result if isinstance(result, Awaitable) else result

    async def dial(self, address: str, port: int, transport: Transport, timeout: float) -> Channel:
        if transport == "udp":
            return LoopDatagramSocket((address, port), self.take_turn)
        channel = LoopSocket(new_stream_socket(address), self.take_turn)
        try:
            await channel.connect((address, port), timeout)
        except BaseException:
            channel.close()
            raise
        return channel

    async def handshake(
        self, channel: Channel, context: ssl.SSLContext | TLSFiles | None, host: str, timeout: float
    ) -> Channel:
        until = monotonic() + timeout
        # It reads files, the first time.
        used = await self.in_thread(partial(strict_context, context), timeout, Work("urlschemes tls"))
        secured = LoopTLS(cast("LoopSocket", channel), used, host)
        try:
            await secured.handshake(until - monotonic())
        except BaseException:
            secured.close()
            raise
        return secured

    async def poll(self, channels: Sequence[Channel], timeout: float) -> int | None:
        sockets = [cast("LoopSocket | LoopTLS", channel) for channel in channels]
        for index, each in enumerate(sockets):
            if each.has_buffered():
                return index
        return await wait_until_ready([each.watched for each in sockets], asyncio.get_running_loop().time() + timeout)
