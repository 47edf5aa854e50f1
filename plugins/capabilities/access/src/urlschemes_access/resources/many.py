"""Many accesses at once, bounded for each host and in all."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from urlschemes.errors import URLError
from urlschemes.registry.registry import Registry
from urlschemes.url.value import URL
from urlschemes_access.attributes import redacted_repr
from urlschemes_access.configuration import Configuration
from urlschemes_access.protocol.hosts import one_spelling

if TYPE_CHECKING:
    from urlschemes_access.resources.asynchronous import AsyncDocument, AsyncListing, AsyncSession

__all__ = ["Accesses", "AnyAsyncResource", "Result"]

AnyAsyncResource: TypeAlias = "AsyncDocument | AsyncListing | AsyncSession[Any]"

LOOK_AHEAD = 1000
"""URLs that are read in advance, to find those of hosts that are not busy."""


@dataclass(frozen=True, slots=True, repr=False)
class Result:
    """The result of one access among many: that of `url`, number `index` among the URLs given, from 0 on.

    Either `error` is set, or `document`, the resource that was opened: a listing or a session for some URLs. With
    `use`, the resource is closed already, and `value` is what `use` returned.
    """

    index: int
    url: URL | str
    document: AnyAsyncResource | None = None
    error: URLError | None = None
    value: Any = None

    __repr__ = redacted_repr


@dataclass(frozen=True, slots=True)
class _Job:
    index: int
    url: URL | str
    host: str


@dataclass(eq=False)
class Accesses:
    """Accesses of `urls`, each by a call of `access`, at most `per_host` at once to a host and `total` in all.

    A resource counts from before its connection is made until it is closed. `registry` parses the URLs, and
    `configuration` knows gateways.
    """

    registry: Registry
    configuration: Configuration
    access: Callable[[URL | str], Awaitable[AnyAsyncResource]]
    urls: Iterable[URL | str]
    per_host: int
    total: int
    use: Callable[[Result], Awaitable[Any]] | None

    def __post_init__(self) -> None:
        if isinstance(self.urls, str | URL):
            raise TypeError("urls must be an iterable of URLs, not a single one")
        if self.per_host < 1 or self.total < 1:
            raise ValueError(f"per_host and total must be at least 1, not {self.per_host} and {self.total}")
        self._numbered = enumerate(self.urls)
        self._waiting: dict[str, deque[_Job]] = {}  # by host
        self._waiting_count = 0
        self._active: Counter[str] = Counter()  # by host
        self._tasks: set[asyncio.Task[None]] = set()
        self._finished: asyncio.Queue[tuple[_Job, Result | Exception]] = asyncio.Queue()
        self._taken: tuple[_Job, AnyAsyncResource] | None = None

    async def next(self) -> Result | None:
        """Close the resource of the last result, and return the next result; None after the last."""
        await self._close_taken()
        self._begin_more()
        if not self._active.total():
            return None
        job, outcome = await self._finished.get()
        if isinstance(outcome, Result) and outcome.document is not None:
            self._taken = job, outcome.document
            return outcome
        self._end(job)
        if isinstance(outcome, Exception):  # not a failed access but a mistake, such as an unknown option
            raise outcome
        self._begin_more()
        return outcome

    async def close(self) -> None:
        """Cancel every access that runs, and close every resource that was opened."""
        self._waiting.clear()
        for task in self._tasks:
            task.cancel()
        try:
            await self._close_taken()
            await asyncio.gather(*self._tasks, return_exceptions=True)
        finally:
            while not self._finished.empty():
                _, outcome = self._finished.get_nowait()
                if isinstance(outcome, Result) and outcome.document is not None:
                    await outcome.document.aclose()

    async def _close_taken(self) -> None:
        if self._taken is not None:
            (job, resource), self._taken = self._taken, None
            self._end(job)
            with suppress(URLError):
                await resource.aclose()

    def _end(self, job: _Job) -> None:
        self._active[job.host] -= 1
        if not self._active[job.host]:
            del self._active[job.host]

    def _begin_more(self) -> None:
        """Begin accesses, as many as the bounds allow."""
        while self._active.total() < self.total and (job := self._next_job()) is not None:
            self._active[job.host] += 1
            task = asyncio.create_task(self._carry_out(job))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _next_job(self) -> _Job | None:
        while True:
            for host, jobs in self._waiting.items():
                if self._active[host] < self.per_host:
                    self._waiting_count -= 1
                    job = jobs.popleft()
                    if not jobs:
                        del self._waiting[host]
                    return job
            if self._waiting_count >= LOOK_AHEAD or not self._read_one():
                return None

    def _read_one(self) -> bool:
        """Read one more URL; return False if there is none."""
        for index, url in self._numbered:
            job = self._job(index, url)
            self._waiting.setdefault(job.host, deque()).append(job)
            self._waiting_count += 1
            return True
        return False

    def _job(self, index: int, url: URL | str) -> _Job:
        try:
            parsed = url if isinstance(url, URL) else self.registry.parse(url)
        except URLError:  # the access will report it, unless a gateway leads there
            return _Job(index, url, "")
        host = parsed.raw.get("host")
        if not isinstance(host, str) or self.configuration.gateway(parsed.scheme) is not None:
            return _Job(index, url, f"{parsed.scheme}:")  # all URLs of the scheme lead to the same server
        return _Job(index, url, one_spelling(host))

    async def _carry_out(self, job: _Job) -> None:
        outcome: Result | Exception
        try:
            resource = await self.access(job.url)
            outcome = Result(job.index, job.url, resource)
            if self.use is not None:
                async with resource:
                    outcome = Result(job.index, job.url, value=await self.use(outcome))
        except URLError as error:
            outcome = Result(job.index, job.url, error=error)
        except Exception as failure:  # noqa: BLE001  it is raised by `next`
            outcome = failure
        self._finished.put_nowait((job, outcome))
