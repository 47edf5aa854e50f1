"""Runs the checks in worker processes, and survives those that a plugin ends or holds up."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from urlschemes.errors import PluginError
from urlschemes.registry.registry import registry_or_default
from urlschemes_conformance.review.checks import all_checks
from urlschemes_conformance.review.target import find_target, targets_in_ledger, targets_of_records
from urlschemes_conformance.review.verdicts import Review, ReviewError, Verdict, failed

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Sequence

    from urlschemes.registry.registry import Registry
    from urlschemes_conformance.review.target import Target
    from urlschemes_conformance.subprocesses import Ended

__all__ = ["EXAMPLES", "EXAMPLES_OF_MANY", "SEED", "review", "review_records"]

EXAMPLES = 2000
"""Generated URLs with which the laws are tested."""
EXAMPLES_OF_MANY = 200
"""As many for each of the records in a folder."""
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
    registry = registry_or_default(registry)
    found = targets_of_records(find_target(target, registry, scheme), registry, profile)
    return _reviewed([found], checks, examples, seed)[0]


def review_records(
    folder: str | os.PathLike[str],
    *,
    registry: Registry | None = None,
    profile: str | None = None,
    checks: Collection[str] | None = None,
    examples: int = EXAMPLES_OF_MANY,
    seed: int = SEED,
) -> tuple[Review, ...]:
    """Return the review of each record in a folder of records, as `review` does for one; with `profile`, those of it.

    Raises PluginError for a folder that cannot be used or has no such record, and as `review` does.
    """
    registry = registry_or_default(registry)
    targets = [each for each in targets_in_ledger(folder) if profile is None or profile in each.claim.profiles]
    if not targets:
        kind = "record" if profile is None else f"record of the profile {profile}"
        raise PluginError(f"there is no {kind} in {folder}", hint="a record is a file NAME.toml")
    return _reviewed([targets_of_records(each, registry, profile) for each in targets], checks, examples, seed)


def _reviewed(
    schemes: Sequence[Sequence[Target]], checks: Collection[str] | None, examples: int, seed: int
) -> tuple[Review, ...]:
    """Return the review of each scheme, given its targets, one for each record."""
    known = {each.name: each for each in all_checks()}
    unknown = sorted({*(checks or ())} - known.keys())
    if unknown:
        raise ValueError(f"unknown check {unknown[0]!r}: expected one of {', '.join(known)}")
    wanted = [each for each in known.values() if checks is None or each.name in checks]
    in_order = [each.name for each in sorted(wanted, key=lambda each: not each.first)]
    targets = [each for scheme in schemes for each in scheme]
    # What one record's code imports must not hide what another's does.
    groups = [[each] for each in targets] if any(each.claim.module for each in targets) else [targets]
    made = [each for group in groups for each in _made(group, in_order, examples, seed)]
    reviews = []
    for scheme in schemes:
        of_scheme, made = made[: len(scheme)], made[len(scheme) :]
        claim = scheme[0].claim
        name, title = next((each.heading for each in of_scheme if any(each.heading)), (claim.name, ""))
        reviews.append(
            Review(
                target=scheme[0].given,
                kind=scheme[0].kind,
                scheme=name,
                title=title,
                distribution=claim.distribution,
                version=claim.version,
                origin=claim.records[0] if claim.in_ledger else claim.origin,
                examples=examples,
                seed=seed,
                profiles=tuple(each.profile for each in scheme),
                verdicts=tuple(
                    replace(record.verdicts[check.name], profile=target.profile)
                    for target, record in zip(scheme, of_scheme, strict=True)
                    for check in wanted
                ),
            )
        )
    return tuple(reviews)


class _Made(NamedTuple):
    """The results of a worker for one record: the names of the scheme and its title, and the verdict of each check."""

    heading: list[str]
    verdicts: dict[str, Verdict]


def _made(targets: Sequence[Target], names: list[str], examples: int, seed: int) -> list[_Made]:
    """Run these checks of all targets in one process. If a check ends the process, run the others in a new one."""
    # Late: the worker imports this module, and must not import subprocess before a check sees whether the plugin does.
    from urlschemes_conformance.subprocesses import run

    made = [_Made([], {}) for _ in targets]
    while jobs := [
        (number, target, remaining)
        for number, target in enumerate(targets)
        if (remaining := [name for name in names if name not in made[number].verdicts])
    ]:
        ended = run(
            "urlschemes_conformance.review.worker:main",
            *(jobs, examples, seed, CHECK_SECONDS),
            seconds=CHECK_SECONDS * sum(len(remaining) for *_, remaining in jobs) + 60,
            options=["-B", "-W", "ignore"],
        )
        if ended.how.startswith("cannot be started"):
            raise ReviewError(f"the worker process {ended.how}")
        for line in ended.results:
            number, result = json.loads(line)
            if isinstance(result, list):
                made[number].heading[:] = result
            elif "bug" in result:
                check = f"{result['check']} of {targets[number].claim.name}"
                raise ReviewError(f"the review itself failed, in the check {check}: {result['bug']}")
            else:
                made[number].verdicts[result["check"]] = Verdict(**{**result, "details": tuple(result["details"])})
        for number, _, remaining in jobs:
            if unmade := [name for name in remaining if name not in made[number].verdicts]:
                made[number].verdicts[unmade[0]] = _ended_early(ended).of_check(unmade[0])
                break
    return made


def _ended_early(ended: Ended) -> Verdict:
    """Return the verdict of the check in which the worker ended."""
    errors = ended.errors.splitlines()
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
