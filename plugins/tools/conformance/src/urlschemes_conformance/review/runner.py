"""The processes that judge, and what becomes of a check in which one dies."""

from __future__ import annotations

import os
import sys
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from urlschemes import default_registry
from urlschemes_conformance.review.answers import Answers
from urlschemes_conformance.review.catalogue import checks as all_checks
from urlschemes_conformance.review.targets import found
from urlschemes_conformance.review.verdicts import Judgement, Review, ReviewError, Verdict, failed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from urlschemes.registry.registry import Registry
    from urlschemes_conformance.subprocesses import Ended

__all__ = ["EXAMPLES", "SEED", "review"]

EXAMPLES = 2000
"""URLs that the laws are tried on."""
SEED = 1738
"""What they are made with."""
PATIENCE = 120.0
"""Seconds that one check may take."""

PLACES = 8
"""Lines that show where a process was that died."""


def review(
    target: str | os.PathLike[str],
    *,
    registry: Registry | None = None,
    scheme: str | None = None,
    checks: Collection[str] | None = None,
    examples: int = EXAMPLES,
    seed: int = SEED,
) -> Review:
    """What becomes of the checks (all, or those named) of `target`.

    It is the name of a scheme in `registry` (the default one), or the path of a distribution's folder or of a record;
    of a folder with several schemes, `scheme` says which. The laws are tried on `examples` URLs, made with `seed`.

    Raises UnknownScheme, PluginError where there is nothing to review, ValueError for a check that does
    not exist, ReviewError where the review itself is at fault.
    """
    if registry is None:
        registry = default_registry
    known = {each.name: each for each in all_checks()}
    unknown = sorted({*(checks or ())} - known.keys())
    if unknown:
        raise ValueError(f"there is no check {unknown[0]!r}; the checks are: {', '.join(known)}")
    subject = found(target, registry, scheme)
    wanted = [each for each in known.values() if checks is None or each.name in checks]
    job = {"target": subject.as_dict(), "examples": examples, "seed": seed, "patience": PATIENCE}
    run = _Run(job)
    for group in ([each.name for each in wanted if not each.alone], *([e.name] for e in wanted if e.alone)):
        run.make(group)
    return Review(
        target=subject.given,
        kind=subject.kind,
        scheme=run.facts.get("scheme", subject.scheme),
        title=run.facts.get("title", ""),
        distribution=subject.distribution,
        version=subject.version,
        origin=subject.origin,
        examples=examples,
        seed=seed,
        verdicts=tuple(run.verdicts[each.name] for each in wanted),
    )


class _Run:
    """One review under way: the verdicts so far, and what the processes said of the record."""

    def __init__(self, job: Mapping[str, Any]) -> None:
        self.job = job
        self.verdicts: dict[str, Verdict] = {}
        self.facts: dict[str, str] = {}

    def make(self, names: Sequence[str]) -> None:
        """Make these checks in one process; and those that are left in another, where one brings it to its end."""
        left = list(names)
        while left:
            ended = _ended(self.job, left)
            answers = Answers.read(ended.out, left)
            said = ended.err.decode("utf-8", "replace").splitlines()
            self.verdicts |= answers.verdicts
            self.facts = answers.facts or self.facts
            began = answers.began
            if answers.fault and not answers.strange:
                raise ReviewError(f"the review itself failed, in the check {began[-1]}: {answers.fault}")
            if ended.how.startswith("cannot be started"):
                raise ReviewError(f"the process of the review {ended.how}")
            if not began and len(left) > 1:
                for name in left:  # whose doing it is that nothing was said is found out one by one
                    self.make([name])
                return
            begun = began or left
            if begun[-1] not in self.verdicts:
                judgement = _forged(answers.strange) if answers.strange else _death(ended.how, said)
                self.verdicts[begun[-1]] = Verdict.of(begun[-1], judgement)
            left = left[len(begun) :]


def _forged(strange: str) -> Judgement:
    return failed(
        f"what its process said of the check is not what the review says: {strange}",
        "write nothing to files that the plugin has not opened",
    )


def _death(how: str, said: list[str]) -> Judgement:
    if any(each.startswith("Timeout (") for each in said):
        # Where each thread is, the innermost call first; the main thread comes last.
        main = said[max((number for number, each in enumerate(said) if each.startswith("Thread ")), default=-1) + 1 :]
        return failed(
            f"it took more than {PATIENCE:.0f} s",
            "see where it was, and whether it waits for something that never comes",
            *map(str.strip, main[:PLACES]),
        )
    advice = "raise an error of urlschemes.errors"
    return failed(f"the plugin brought the process to its end: it {how}", advice, *said[-PLACES:])


def _ended(job: Mapping[str, Any], names: list[str]) -> Ended:
    """The process that makes these checks, which has ended."""
    from urlschemes_conformance.subprocesses import (
        run,  # not above: a worker imports this package, and watches what is imported
    )

    with TemporaryDirectory(prefix="urlschemes-review-") as here:
        return run(
            "urlschemes_conformance.review.worker:main",
            {**job, "checks": names},
            seconds=PATIENCE * len(names) + 60,
            path=[entry for entry in sys.path if os.path.isabs(entry)],  # noqa: PTH117  they are strings
            options=["-B", "-W", "ignore"],
            cwd=here,
        )
