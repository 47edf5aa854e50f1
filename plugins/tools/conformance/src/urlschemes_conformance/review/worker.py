"""A worker process: makes checks, one after the other, and writes their verdicts to the file of its results.

For each record, the first line has its number, its scheme and its title, each other line its number and a verdict, or
why the review itself failed. A check that takes too long ends the process, and so may the plugin: it is the first one
without a verdict.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from urlschemes.redaction import described
from urlschemes_conformance.review.checks import all_checks
from urlschemes_conformance.review.reviewed_scheme import ReviewedScheme, frames
from urlschemes_conformance.review.verdicts import CannotCheck

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn, TypeAlias

    from urlschemes_conformance.review.target import Target

    Job: TypeAlias = tuple[int, Target, Sequence[str]]
    """The number of a record, the target with it, and the checks to make."""

__all__ = ["main"]


def main(results: str, jobs: Sequence[Job], examples: int, seed: int, seconds: float) -> NoReturn:
    """Do these jobs, each check within so many seconds, and end the process."""

    def write(*result: object) -> None:
        with Path(results).open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(result)}\n")

    known = {each.name: each for each in all_checks()}
    for number, target, checks in jobs:
        sys.path[:0] = target.path
        scheme = ReviewedScheme(target, examples, seed)
        with suppress(CannotCheck):
            write(number, [scheme.record.scheme, scheme.record.title])
        for check in map(known.__getitem__, checks):
            faulthandler.dump_traceback_later(seconds, exit=True)
            began = perf_counter()
            try:
                verdict = check.verdict(scheme)
            except BaseException as error:  # noqa: BLE001  the plugin may raise anything, SystemExit too
                write(number, {"check": check.name, "bug": f"{described(error)} ({frames(error)[-1]})"})
                os._exit(1)
            faulthandler.cancel_dump_traceback_later()
            write(number, asdict(verdict.of_check(check.name, perf_counter() - began)))
    os._exit(0)  # the plugin may have left threads
