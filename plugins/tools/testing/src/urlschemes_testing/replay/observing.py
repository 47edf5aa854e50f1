"""observed: an algorithm whose requests and results are reported while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_access.protocol import Algorithm, Request

__all__ = ["observed"]


def _ignore(*_: object) -> None: ...


def observed(
    algorithm: Algorithm[None],
    *,
    before: Callable[[Request[Any]], None] = _ignore,
    after: Callable[[Request[Any], Any, BaseException | None], None] = _ignore,
    at_end: Callable[[], None] = _ignore,
) -> Algorithm[None]:
    """Return the algorithm; `before` gets each request, `after` also its result and the exception it raised."""
    answer: Any = None
    error: BaseException | None = None
    try:
        while True:
            try:
                request = algorithm.throw(error) if error else algorithm.send(answer)
            except StopIteration:
                return
            before(request)
            answer, error = None, None
            try:
                answer = yield request
            except BaseException as raised:  # noqa: BLE001  everything thrown here is for the algorithm
                error = raised
            after(request, answer, error)
    finally:
        at_end()
