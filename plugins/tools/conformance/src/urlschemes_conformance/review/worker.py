"""A worker process: makes checks, one after the other, and sends their verdicts.

A check that takes too long ends the process, and so may the plugin. The messages sent so far tell the runner which
check that was.
"""

from __future__ import annotations

import faulthandler
import os
import sys
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from urlschemes.redaction import described
from urlschemes_conformance.review.catalogue import all_checks
from urlschemes_conformance.review.messages import Sender
from urlschemes_conformance.review.reviewed_scheme import CannotCheck, ReviewedScheme
from urlschemes_conformance.review.target import Target
from urlschemes_conformance.review.verdicts import failed, skipped
from urlschemes_testing import generation

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

    from urlschemes_conformance.review.catalogue import Check
    from urlschemes_conformance.review.verdicts import Verdict

__all__ = ["main"]

_OWN_FILES = (str(Path(__file__).parent.parent), generation.__file__)


def main(job: Mapping[str, Any]) -> NoReturn:
    """Make the checks that `job` names, and end the process."""
    sender = Sender()
    target = Target.from_dict(job["target"])
    sys.path[:0] = target.path
    scheme = ReviewedScheme(target, job["examples"], job["seed"])
    with suppress(CannotCheck):  # the check of the record fails too, and gives the reason
        sender.record(scheme.record.scheme, scheme.record.title)
    checks = {each.name: each for each in all_checks()}
    for name in job["checks"]:
        sender.started(name)
        faulthandler.dump_traceback_later(job["seconds"], exit=True)
        began = perf_counter()
        try:
            verdict = _verdict(checks[name], scheme)
        except BaseException as error:  # noqa: BLE001  the plugin may raise anything, SystemExit too
            sender.bug(f"{described(error)} ({_frames(error)[-1]})")
            os._exit(1)
        faulthandler.cancel_dump_traceback_later()
        sender.verdict(verdict.of_check(name, perf_counter() - began))
    os._exit(0)  # the plugin may have left threads


def _verdict(check: Check, scheme: ReviewedScheme) -> Verdict:
    """Make the check. Raises what the review's own code raises by mistake."""
    try:
        return check.function(scheme)
    except CannotCheck as reason:
        return skipped(str(reason))
    except BaseException as error:
        foreign = [each for each in _frames(error) if not each.startswith(_OWN_FILES)]
        if not foreign:
            raise
        return failed(
            f"the plugin raised {described(error)}, which is not an error of urlschemes",
            "raise only errors that urlschemes.errors or urlschemes_access.errors defines",
            *foreign[-3:],
        )


def _frames(error: BaseException) -> list[str]:
    """Return the lines of code of the traceback, the innermost last."""
    from traceback import extract_tb  # only for errors

    return [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in extract_tb(error.__traceback__)]
