"""The same random numbers for each run of an algorithm, so that its dialogue can be replayed."""

from __future__ import annotations

import os
import random
import threading
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["with_fixed_randomness"]

P = ParamSpec("P")
T = TypeVar("T")

_generator = random.Random()  # noqa: S311  for tests
_thread = 0
_system_urandom = os.urandom


def _urandom(size: int, /) -> bytes:
    return _generator.randbytes(size) if threading.get_ident() == _thread else _system_urandom(size)


def with_fixed_randomness(function: Callable[P, T]) -> Callable[P, T]:
    """Return `function`, such that each call restarts `random`, `secrets`, `uuid` and `os.urandom` in its thread.

    For a worker process only: from the first call on, its random numbers are predictable.
    """

    @wraps(function)
    def restarted(*arguments: P.args, **more: P.kwargs) -> T:
        global _thread  # noqa: PLW0603  a worker accesses in one thread at a time
        _thread = threading.get_ident()
        os.urandom = random._urandom = _urandom  # type: ignore[attr-defined]  # noqa: SLF001  what `secrets` calls
        _generator.seed(0)
        random.seed(0)
        return function(*arguments, **more)

    return restarted
