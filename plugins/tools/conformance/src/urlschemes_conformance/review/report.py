"""A review as lines for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes_conformance.review.catalogue import checks
from urlschemes_conformance.review.verdicts import OUTCOMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes_conformance.review.verdicts import Review, Verdict

__all__ = ["heading", "said_of", "summary"]


def heading(review: Review) -> Iterator[str]:
    """What is reviewed."""
    provider = f"{review.distribution} {review.version}".rstrip()
    yield "  ".join(filter(None, (review.scheme or review.target, review.title)))
    what = {"installed": "installed", "folder": "a folder", "record": "a record by itself"}[review.kind]
    yield ", ".join(filter(None, (provider, what, review.origin)))


def said_of(verdict: Verdict) -> Iterator[str]:
    """What there is to say of a verdict that needs somebody's attention, each line with its name in front."""
    check = next(each for each in checks() if each.name == verdict.check)
    yield f"asks     {check.asks} ({check.section})"
    for detail in verdict.details:
        yield f"seen     {detail}"
    if verdict.help:
        yield f"help     {verdict.help}"


def summary(review: Review) -> str:
    """How many checks had which outcome, and what was tried."""
    counts = ", ".join(f"{review.counts[outcome]} {outcome}" for outcome in OUTCOMES if review.counts[outcome])
    seconds = sum(each.seconds for each in review.verdicts)
    checked = "1 check" if len(review.verdicts) == 1 else f"{len(review.verdicts)} checks"
    return f"{checked}: {counts}; {review.examples} URLs of seed {review.seed}; {seconds:.1f} s"
