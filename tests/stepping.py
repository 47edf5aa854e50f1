"""Stepping: a backend that reports each of its operations before it begins, so that a test can break in there."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any


class Stepping:
    """A backend, or one of its channels. `before` is awaited before each operation, and gets its name."""

    def __init__(self, of: Any, before: Callable[[str], Awaitable[None]]) -> None:
        self._of = of
        self._before = before

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._of, name)
        if not inspect.iscoroutinefunction(found):
            return found

        async def stepped(*arguments: Any) -> Any:
            await self._before(name)
            result = await found(*map(_plain, arguments))
            return Stepping(result, self._before) if hasattr(result, "abort") else result

        return stepped


def _plain(argument: Any) -> Any:
    if isinstance(argument, Stepping):
        return argument._of
    return [_plain(each) for each in argument] if isinstance(argument, list | tuple) else argument


class Steps:
    """The operations of a backend, without `omitted`.

    `at` is awaited before operation number `last`, and before each one after it.
    """

    def __init__(self, at: Callable[[str], Awaitable[None]], omitted: str = "") -> None:
        self.omitted = omitted
        self.count = 0
        self.last = 0
        self._at = at

    def of(self, backend: Any) -> Any:
        """Return the backend; its operations are counted from 0 on."""
        self.count = 0
        return Stepping(backend, self._before)

    async def _before(self, name: str) -> None:
        if name == self.omitted:
            return
        self.count += 1
        if self.last and self.count >= self.last:
            await self._at(name)
