"""A worker process: makes checks, one after the other, and writes their verdicts to the file of its results.

The first line has the scheme and the title of the record, each other line a verdict, or why the review itself failed.
A check that takes too long ends the process, and so may the plugin: it is the first one without a verdict.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from urlschemes.redaction import described
from urlschemes_conformance.review.checks import all_checks
from urlschemes_conformance.review.reviewed_scheme import ReviewedScheme, frames, places
from urlschemes_conformance.review.verdicts import CannotCheck, failed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from urlschemes_conformance.review.catalogue import Check
    from urlschemes_conformance.review.target import Target
    from urlschemes_conformance.review.verdicts import Verdict

__all__ = ["main"]


def main(results: str, target: Target, examples: int, seed: int, checks: Sequence[str], seconds: float) -> NoReturn:
    """Make these checks, each within so many seconds, and end the process."""

    def write(result: object) -> None:
        with Path(results).open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(result)}\n")

    sys.path[:0] = target.path
    scheme = ReviewedScheme(target, examples, seed)
    try:
        write([scheme.record.scheme, scheme.record.title])
    except CannotCheck:
        write(["", ""])
    known = {each.name: each for each in all_checks()}
    for check in map(known.__getitem__, checks):
        faulthandler.dump_traceback_later(seconds, exit=True)
        began = perf_counter()
        try:
            verdict = _verdict(check, scheme)
        except BaseException as error:  # noqa: BLE001  the plugin may raise anything, SystemExit too
            write({"check": check.name, "bug": f"{described(error)} ({frames(error)[-1]})"})
            os._exit(1)
        faulthandler.cancel_dump_traceback_later()
        write(asdict(verdict.of_check(check.name, perf_counter() - began)))
    os._exit(0)  # the plugin may have left threads


def _verdict(check: Check, scheme: ReviewedScheme) -> Verdict:
    """Make the check. Raises what the review's own code raises by mistake."""
    try:
        return check.verdict(scheme)
    except BaseException as error:
        foreign = places(error)
        if not foreign:
            raise
        return failed(
            f"the plugin raised {described(error)}, which is not an error of urlschemes",
            "raise only errors that urlschemes.errors or urlschemes_access.errors defines",
            *foreign,
        )
