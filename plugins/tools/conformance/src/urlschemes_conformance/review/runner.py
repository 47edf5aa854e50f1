"""Runs the checks in worker processes, and survives those that a plugin ends or holds up."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from urlschemes.registry.registry import registry_or_default
from urlschemes_conformance.review.checks import all_checks
from urlschemes_conformance.review.target import find_target, targets_of_records
from urlschemes_conformance.review.verdicts import Review, ReviewError, Verdict, failed

if TYPE_CHECKING:
    import os
    from collections.abc import Collection

    from urlschemes.registry.registry import Registry
    from urlschemes_conformance.review.target import Target
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
    in_order = [each.name for each in sorted(wanted, key=lambda each: not each.first)]
    targets = targets_of_records(found, registry, profile)
    titles: list[tuple[str, str]] = []
    verdicts: list[Verdict] = []
    for each in targets:
        made = _made(each, in_order, examples, seed, titles)
        verdicts += [replace(made[check.name], profile=each.profile) for check in wanted]
    name, title = next(filter(any, titles), (found.claim.name, ""))
    return Review(
        target=found.given,
        kind=found.kind,
        scheme=name,
        title=title,
        distribution=found.claim.distribution,
        version=found.claim.version,
        origin=found.claim.origin,
        examples=examples,
        seed=seed,
        profiles=tuple(each.profile for each in targets),
        verdicts=tuple(verdicts),
    )


def _made(
    target: Target, names: list[str], examples: int, seed: int, titles: list[tuple[str, str]]
) -> dict[str, Verdict]:
    """Make these checks in one process; if one of them ends it, those that remain in another.

    The scheme and the title of the record are added to `titles`.
    """
    # Late: the worker imports this module, and must not import subprocess before a check sees whether the plugin does.
    from urlschemes_conformance.subprocesses import run

    made: dict[str, Verdict] = {}
    while remaining := [name for name in names if name not in made]:
        ended = run(
            "urlschemes_conformance.review.worker:main",
            *(target, examples, seed, remaining, CHECK_SECONDS),
            seconds=CHECK_SECONDS * len(remaining) + 60,
            options=["-B", "-W", "ignore"],
        )
        if ended.how.startswith("cannot be started"):
            raise ReviewError(f"the worker process {ended.how}")
        for line in ended.results:
            match json.loads(line):
                case [str(scheme), str(title)]:
                    titles.append((scheme, title))
                case {"bug": bug, "check": check}:
                    raise ReviewError(f"the review itself failed, in the check {check}: {bug}")
                case fields:
                    made[fields["check"]] = Verdict(**{**fields, "details": tuple(fields["details"])})
        unmade = [name for name in remaining if name not in made]
        if unmade:
            made[unmade[0]] = _ended_early(ended).of_check(unmade[0])
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
