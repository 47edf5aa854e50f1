"""Helpers for tests on event loops."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

from talk_scheme import TalkURL, dialogue

from urlschemes_access.protocol import Algorithm
from urlschemes_access.resources.asynchronous import run as opened

T = TypeVar("T")

URL = TalkURL.parse("x-talk://127.0.0.1/")


def run(what: Awaitable[T]) -> T:
    """Await `what` on a loop of its own. The loop may log nothing, and no task may be left on it."""
    faults: list[dict[str, Any]] = []

    async def watched() -> T:
        asyncio.get_running_loop().set_exception_handler(lambda _, fault: faults.append(fault))
        try:
            return await what
        finally:
            assert asyncio.all_tasks() == {asyncio.current_task()}

    try:
        return asyncio.run(watched(), debug=True)
    finally:
        assert not faults


async def begun(algorithm: Algorithm[None], **given: Any) -> Any:
    """Return the resource that `algorithm` opens, without a registry."""
    return await opened(dialogue(algorithm, URL, **given))
