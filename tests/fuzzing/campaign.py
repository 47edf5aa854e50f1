"""A campaign: each target makes inputs from numbers, and judges them; what fails is shortened and kept.

    python3 dev fuzz                                    every target for a minute
    python3 dev fuzz urls dialogues --seconds 3600      these two, an hour each
    python3 dev fuzz urls --seed 7 --first 123456 --seconds 1      from this input on

An input is determined by the seed and its number. What fails is printed and written to tests/tables/finds.jsonl, which
the tests try again; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from fuzzing import arrays, dialogues, grammars, urls

FINDS = Path(__file__).parent.with_name("tables") / "finds.jsonl"
ENOUGH = 20
"""Failures after which a target stops."""
MAX_SECONDS = 60
"""Seconds of CPU after which an input counts as hanging."""


class Target(NamedTuple):
    """What is tried: `make` returns an input, a JSON value, and `judge` says what it is, or raises."""

    make: Callable[[Random], Any]
    judge: Callable[[Any], str]

    def input(self, seed: int, number: int) -> Any:
        """Return input `number` of a seed."""
        return self.make(Random(f"{seed}:{number}"))

    def failure(self, value: Any, outcomes: Counter[str] | None = None) -> str | None:
        """Return what is wrong with an input; None if nothing is. `outcomes` counts what it is."""
        try:
            with _time_limit():
                outcome = self.judge(value)
        except AssertionError as broken:
            return str(broken) or "an assertion"
        except Exception as error:  # noqa: BLE001  no other error at all should be raised
            return f"{type(error).__name__} is raised: {error!s:.200}"
        if outcomes is not None:
            outcomes[outcome] += 1
        return None


TARGETS = {
    "urls": Target(urls.make, urls.judge),
    "readers": Target(urls.make_for_readers, urls.judge_readers),
    "grammars": Target(grammars.make, grammars.judge),
    "dialogues": Target(dialogues.make, dialogues.judge),
    "arrays": Target(arrays.make, arrays.judge),
}


@dataclass
class Figures:
    """The results of a number of inputs."""

    inputs: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    slowest: tuple[float, int] = (0.0, 0)
    """Seconds of CPU of the slowest input, and its number."""
    failures: list[tuple[int, str, Any]] = field(default_factory=list)
    """The number of an input, what is wrong, and a shorter input with which the same is wrong."""

    def add(self, other: Figures) -> None:
        """Add the results of other inputs."""
        self.inputs += other.inputs
        self.outcomes += other.outcomes
        self.slowest = max(self.slowest, other.slowest)
        self.failures += other.failures


def run(target: Target, seed: int, numbers: Iterable[int]) -> Figures:
    """Try the inputs with these numbers."""
    figures = Figures()
    for number in numbers:
        value = target.input(seed, number)
        figures.inputs += 1
        began = time.process_time()
        failure = target.failure(value, figures.outcomes)
        figures.slowest = max(figures.slowest, (time.process_time() - began, number))
        if failure is not None:
            short = shortened(value, partial(_fails_alike, target, failure))
            figures.failures.append((number, failure, short))
    return figures


def _fails_alike(target: Target, failure: str, value: Any) -> bool:
    return (target.failure(value) or "")[:20] == failure[:20]


def shortened(value: Any, fails: Callable[[Any], bool]) -> Any:
    """Return a shorter value for which `fails` is true too, with pieces of its texts and lists left out."""
    if isinstance(value, str | list):
        value = _with_pieces_left_out(value, fails)
    if isinstance(value, str):
        return value
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():

        def fails_with(part: Any, key: Any = key) -> bool:
            return fails({**value, key: part} if isinstance(value, dict) else [*value[:key], part, *value[key + 1 :]])

        value[key] = shortened(value[key], fails_with)
    return value


def _with_pieces_left_out(value: Any, fails: Callable[[Any], bool]) -> Any:
    size = max(len(value) // 2, min(len(value), 1))
    while size:
        at = 0
        while at < len(value):
            candidate = value[:at] + value[at + size :]
            if fails(candidate):
                value = candidate
            else:
                at += size
        size //= 2
    return value


@contextmanager
def _time_limit() -> Iterator[None]:
    """Raise RuntimeError if the block takes too much CPU, on systems that have timers."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def fail(*_: object) -> None:
        raise RuntimeError(f"more than {MAX_SECONDS} s of CPU")

    before = signal.signal(signal.SIGPROF, fail)
    signal.setitimer(signal.ITIMER_PROF, MAX_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def campaign(name: str, seed: int, first: int, seconds: float, processes: int) -> Figures:
    """Try the inputs of a target from number `first` on, until the time is over or enough fails."""
    total, until = Figures(), time.monotonic() + seconds
    TARGETS[name].input(seed, first)  # what all processes share is made here
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        jobs = [pool.apply_async(_run_until, (name, seed, first + nth, processes, until)) for nth in range(processes)]
        for job in jobs:
            total.add(job.get())
    return total


def _run_until(name: str, seed: int, first: int, step: int, until: float) -> Figures:
    total = Figures()
    for number in count(first, step):
        if time.monotonic() >= until or len(total.failures) >= ENOUGH:
            break
        total.add(run(TARGETS[name], seed, [number]))
    return total


def keep(name: str, failures: list[tuple[int, str, Any]]) -> None:
    """Write what failed as cases, each once."""
    known = FINDS.read_text("utf-8").splitlines() if FINDS.exists() else []
    lines = [json.dumps({"target": name, "input": value}) for _, _, value in failures]
    FINDS.write_text("".join(f"{line}\n" for line in dict.fromkeys([*known, *lines])), "utf-8")


def main(arguments: list[str]) -> int:
    """Run campaigns, and print their results."""
    parser = argparse.ArgumentParser(
        prog="dev fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}; default: all")
    parser.add_argument("--seconds", type=float, default=60, help="for each target (default 60)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.targets if name not in TARGETS]:
        parser.error(f"no target {unknown[0]}: expected {', '.join(TARGETS)}")
    failed = False
    for name in options.targets or TARGETS:
        figures = campaign(name, options.seed, options.first, options.seconds, options.processes)
        outcomes = ", ".join(f"{outcome} {number}" for outcome, number in figures.outcomes.most_common())
        slowest, number = figures.slowest
        print(f"{name}: {figures.inputs} inputs from {options.first} on, {outcomes}")  # noqa: T201
        print(f"  slowest: input {number}, {slowest:.2f} s of CPU", flush=True)  # noqa: T201
        for number, failure, value in figures.failures:
            print(f"  input {number}: {failure}: {json.dumps(value)}", flush=True)  # noqa: T201
        keep(name, figures.failures)
        failed = failed or bool(figures.failures)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
