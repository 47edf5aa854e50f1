"""The processes that judge, and what becomes of a check in which one dies."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from urlschemes_testing.review.catalogue import checks as all_checks
from urlschemes_testing.review.targets import found
from urlschemes_testing.review.verdicts import Judgement, Review, ReviewError, Verdict, failed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from urlschemes.registry import Registry

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

    Raises UnknownScheme, PluginConflict, PluginError where there is nothing to review, ValueError for a check that does
    not exist, ReviewError where the review itself is at fault.
    """
    if registry is None:
        from urlschemes import default

        registry = default.registry
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
            with TemporaryDirectory(prefix="urlschemes-review-") as folder:
                how, said = _ended(self.job, left, Path(folder))
                answers = _answers(Path(folder, "answers"))
            for each in answers:
                if "check" in each:
                    outcome, reason, advice, details = each["judgement"]
                    judgement = Judgement(outcome, reason, advice, tuple(details))
                    self.verdicts[each["check"]] = Verdict.of(each["check"], judgement, each["seconds"])
                elif "title" in each:
                    self.facts = each
                elif "fault" in each:
                    raise ReviewError(f"the review itself failed, in the check {each['at']}: {each['fault']}")
            began = [each["began"] for each in answers if "began" in each]
            if not began:
                raise ReviewError(f"the process of the review {how}, and no check was begun{_last(said)}")
            left = left[len(began) :]
            if began[-1] not in self.verdicts:
                self.verdicts[began[-1]] = Verdict.of(began[-1], _death(how, said))


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


def _last(said: list[str]) -> str:
    return f": {said[-1]}" if said else ""


def _ended(job: Mapping[str, Any], names: list[str], folder: Path) -> tuple[str, list[str]]:
    """What is said of how the process that makes these checks ended, and the last that it wrote to standard error."""
    from urlschemes.children import run  # not above: a worker imports this package, and watches what is imported

    (folder / "here").mkdir()
    ended = run(
        "urlschemes_testing.review.worker:main",
        {**job, "checks": names, "answers": str(folder / "answers")},
        seconds=PATIENCE * len(names) + 60,
        path=[entry for entry in sys.path if os.path.isabs(entry)],  # noqa: PTH117  they are strings
        options=["-B", "-W", "ignore"],
        cwd=folder / "here",
    )
    return ended.how, ended.err.decode("utf-8", "replace").splitlines()


def _answers(path: Path) -> list[dict[str, Any]]:
    """What the process wrote; a line that is not whole was not finished."""
    answers = []
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        with suppress(ValueError):
            answers.append(json.loads(line))
    return answers
