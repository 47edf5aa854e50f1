"""Measuring side by side: in one process, in turns, in CPU time."""

from __future__ import annotations

import gc
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from common.corpus import fresh

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from common.peers import Parser

__all__ = ["quiet", "seconds_per_call", "side_by_side"]


def side_by_side(cases: Mapping[str, Parser], texts: Sequence[str], rounds: int) -> dict[str, float]:
    """CPU seconds per text for each case: the least of all rounds.

    In every round every case reads all the texts once, each as a new string, and the case that begins is another one.
    The garbage collector is off. What a case raises to refuse a text is caught.
    """
    best = dict.fromkeys(cases, float("inf"))
    order = list(cases)
    with quiet():
        for _ in range(rounds):
            for name in order:
                case = cases[name]
                case.forget()
                strings = fresh(texts)
                best[name] = min(best[name], _pass(case.parse, case.refusals, strings) / len(strings))
            order.append(order.pop(0))
    return best


def _pass(parse: Callable[[str], object], refusals: tuple[type[Exception], ...], texts: list[str]) -> float:
    begun = time.process_time()
    for text in texts:
        try:  # noqa: SIM105  suppress() would be timed too
            parse(text)
        except refusals:
            pass
    return time.process_time() - begun


def seconds_per_call(call: Callable[[], object], rounds: int) -> float:
    """CPU seconds that one call takes: the least of `rounds`."""
    best = float("inf")
    with quiet():
        for _ in range(rounds):
            begun = time.process_time()
            call()
            best = min(best, time.process_time() - begun)
    return best


@contextmanager
def quiet() -> Iterator[None]:
    """No garbage collection within the block, and none owed at its beginning."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
