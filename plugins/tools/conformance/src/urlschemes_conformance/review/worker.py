"""One process that judges: it says which check it begins, and what it found.

A check that takes too long ends the process, as may whatever the plugin does in it: what was said tells which check
that was.
"""

from __future__ import annotations

import faulthandler
import os
import sys
from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING, Any

from urlschemes.redaction import described
from urlschemes_conformance.review.answers import Teller
from urlschemes_conformance.review.catalogue import checks
from urlschemes_conformance.review.subject import Missing, Subject
from urlschemes_conformance.review.targets import Target
from urlschemes_conformance.review.verdicts import failed, skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import NoReturn

    from urlschemes_conformance.review.verdicts import Judgement

__all__ = ["main"]

_OWN = f"urlschemes_testing{os.sep}review{os.sep}"
"""What stands in the names of the review's own files."""


def main(job: Mapping[str, Any]) -> NoReturn:
    """Make the checks that `job` names, one after another, and end the process."""
    teller = Teller()
    target = Target.from_dict(job["target"])
    sys.path[:0] = target.path
    subject = Subject(target, job["examples"], job["seed"])
    known = {each.name: each for each in checks()}
    with suppress(Missing):  # a check says why
        teller.tell(title=subject.record.title, scheme=subject.record.scheme)
    for name in job["checks"]:
        teller.tell(began=name)
        faulthandler.dump_traceback_later(job["patience"], exit=True)
        begun = perf_counter()
        try:
            judgement = _judged(known[name].judge, subject)
        except BaseException as error:  # noqa: BLE001  whatever it is, it is what there is to report
            teller.tell(at=name, fault=f"{described(error)} ({_where(error)[-1]})")
            os._exit(1)
        faulthandler.cancel_dump_traceback_later()
        teller.tell(check=name, judgement=judgement, seconds=perf_counter() - begun)
    os._exit(0)  # whatever the plugin left behind


def _judged(judge: Callable[[Subject], Judgement], subject: Subject) -> Judgement:
    try:
        return judge(subject)
    except Missing as missing:
        return skipped(str(missing))
    except BaseException as error:
        others = [each for each in _where(error) if _OWN not in each]
        if not others:
            raise
        return failed(
            f"it raised {described(error)}, which is no error of urlschemes",
            "raise an error of urlschemes.errors, or none",
            *others[-3:],
        )


def _where(error: BaseException) -> list[str]:
    """The lines of code that led to it, the innermost last."""
    from traceback import extract_tb

    return [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in extract_tb(error.__traceback__)]
