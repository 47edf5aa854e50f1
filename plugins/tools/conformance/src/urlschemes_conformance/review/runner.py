"""Runs the checks in worker processes, and survives those that a plugin ends or holds up."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from urlschemes.registry.registry import registry_or_default
from urlschemes_conformance.review.catalogue import all_checks
from urlschemes_conformance.review.messages import Messages
from urlschemes_conformance.review.target import find_target, targets_of_records
from urlschemes_conformance.review.verdicts import Review, ReviewError, Verdict, failed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from urlschemes.registry.registry import Registry
    from urlschemes_conformance.subprocesses import Ended

__all__ = ["EXAMPLES", "SEED", "review"]

EXAMPLES = 2000
"""Generated URLs with which the laws are tested."""
SEED = 1738
"""The seed from which they are generated."""
CHECK_SECONDS = 120.0
"""Seconds that one check may take."""

_TRACEBACK_LINES = 8


def review(
    target: str | os.PathLike[str],
    *,
    registry: Registry | None = None,
    scheme: str | None = None,
    profile: str | None = None,
    checks: Collection[str] | None = None,
    examples: int = EXAMPLES,
    seed: int = SEED,
) -> Review:
    """Return the review of `target`: all checks of each of its records, or those that `checks` and `profile` name.

    `target` is the name of a scheme in `registry` (by default the default registry), the path of a distribution's
    folder, or the path of a record. If the distribution has several schemes, `scheme` names one. The laws are tested
    with `examples` URLs, generated from `seed`.

    Raises UnknownScheme, PluginError if there is nothing to review, ValueError for an unknown check, ReviewError if the
    review itself fails.
    """
    known = {each.name: each for each in all_checks()}
    unknown = sorted({*(checks or ())} - known.keys())
    if unknown:
        raise ValueError(f"unknown check {unknown[0]!r}: expected one of {', '.join(known)}")
    registry = registry_or_default(registry)
    found = find_target(target, registry, scheme)
    wanted = [each for each in known.values() if checks is None or each.name in checks]
    targets = targets_of_records(found, registry, profile)
    runs = [_Run({"target": each.as_dict(), "examples": examples, "seed": seed}) for each in targets]
    for run in runs:
        run.make([each.name for each in wanted if not each.alone])
        for each in wanted:
            if each.alone:
                run.make([each.name])
    name, title = next((run.record for run in runs if run.record), (found.scheme, ""))
    return Review(
        target=found.given,
        kind=found.kind,
        scheme=name,
        title=title,
        distribution=found.distribution,
        version=found.version,
        origin=found.origin,
        examples=examples,
        seed=seed,
        profiles=tuple(each.profile for each in targets),
        verdicts=tuple(
            replace(run.verdicts[check.name], profile=each.profile)
            for each, run in zip(targets, runs, strict=True)
            for check in wanted
        ),
    )


class _Run:
    """The verdicts so far, and the scheme and title of the record."""

    def __init__(self, job: Mapping[str, Any]) -> None:
        self.job = {**job, "seconds": CHECK_SECONDS}
        self.verdicts: dict[str, Verdict] = {}
        self.record: tuple[str, str] | None = None

    def make(self, checks: Sequence[str]) -> None:
        """Make these checks in one process; if one of them ends it, the remaining ones in another."""
        remaining = list(checks)
        while remaining:
            ended = _run_worker(self.job, remaining)
            messages = Messages.read(ended.out)
            self.verdicts |= messages.verdicts
            self.record = messages.record or self.record
            started = messages.started or remaining[:1]
            if messages.bug:
                raise ReviewError(f"the review itself failed, in the check {started[-1]}: {messages.bug}")
            if ended.how.startswith("cannot be started"):
                raise ReviewError(f"the worker process {ended.how}")
            if started[-1] not in self.verdicts:
                self.verdicts[started[-1]] = _ended_early(ended, garbled=messages.garbled).of_check(started[-1])
            remaining = remaining[len(started) :]


def _ended_early(ended: Ended, *, garbled: bool) -> Verdict:
    """Return the verdict of the check in which the worker ended."""
    if garbled:
        return failed(
            "the plugin wrote to a file descriptor of the worker process",
            "write only to files that the plugin itself opened",
        )
    errors = ended.err.decode("utf-8", "replace").splitlines()
    if any(line.startswith("Timeout (") for line in errors):
        # The innermost frames of each thread; the main thread comes last.
        last = max((number for number, line in enumerate(errors) if line.startswith("Thread ")), default=-1)
        return failed(
            f"the check took more than {CHECK_SECONDS:.0f} s",
            "find out from the traceback whether the plugin waits for something that never happens",
            *map(str.strip, errors[last + 1 :][:_TRACEBACK_LINES]),
        )
    advice = "raise an error of urlschemes.errors instead"
    return failed(f"the plugin ended the worker process: it {ended.how}", advice, *errors[-_TRACEBACK_LINES:])


def _run_worker(job: Mapping[str, Any], checks: list[str]) -> Ended:
    """Run a worker process that makes these checks, until it has ended."""
    # Late: the worker imports this module, and must not import subprocess before a check sees whether the plugin does.
    from urlschemes_conformance.subprocesses import run

    with TemporaryDirectory(prefix="urlschemes-review-") as folder:
        return run(
            "urlschemes_conformance.review.worker:main",
            {**job, "checks": checks},
            seconds=CHECK_SECONDS * len(checks) + 60,
            path=[entry for entry in sys.path if os.path.isabs(entry)],  # noqa: PTH117  they are strings
            options=["-B", "-W", "ignore"],
            cwd=folder,
        )
