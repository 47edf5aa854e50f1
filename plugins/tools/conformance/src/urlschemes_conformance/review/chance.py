"""The same chance for every run of an algorithm: what it draws at random, it draws again when it is replayed."""

from __future__ import annotations

import os
import random
import threading
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["repeatable"]

P = ParamSpec("P")
T = TypeVar("T")

_drawn = random.Random()  # noqa: S311  for tests
_thread = 0
_system = os.urandom


def _urandom(size: int, /) -> bytes:
    return _drawn.randbytes(size) if threading.get_ident() == _thread else _system(size)


def repeatable(make: Callable[P, T]) -> Callable[P, T]:
    """`make`, with chance beginning anew at each call: `random`, `secrets`, `uuid` and `os.urandom`, in its thread.

    For a process that does nothing else: what they give can be foreseen from then on.
    """

    @wraps(make)
    def made(*arguments: P.args, **more: P.kwargs) -> T:
        global _thread  # noqa: PLW0603  one thread at a time is watched
        _thread = threading.get_ident()
        os.urandom = random._urandom = _urandom  # type: ignore[attr-defined]  # noqa: SLF001  what `secrets` reads
        _drawn.seed(0)
        random.seed(0)
        return make(*arguments, **more)

    return made
