"""Reviews as text."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from urlschemes_conformance.review.checks import all_checks
from urlschemes_conformance.review.verdicts import OUTCOMES, counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from urlschemes_conformance.review.verdicts import Outcome, Review, Verdict

__all__ = ["evidence", "heading", "line", "summary"]

_KINDS = {"installed": "installed", "folder": "folder of a distribution", "record": "record without a distribution"}


def heading(review: Review) -> tuple[str, str]:
    """Return two lines: the scheme, and where it comes from."""
    scheme = "  ".join(filter(None, (review.scheme or review.target, review.title)))
    provider = f"{review.distribution} {review.version}".rstrip()
    return scheme, ", ".join(filter(None, (provider, _KINDS[review.kind], review.origin)))


def evidence(verdict: Verdict) -> Iterator[str]:
    """Yield the lines below a verdict that failed or warned: the requirement, the details, the help."""
    check = next(each for each in all_checks() if each.name == verdict.check)
    yield f"requires {check.requirement} ({check.section})"
    for detail in verdict.details:
        yield f"detail   {detail}"
    if verdict.help:
        yield f"help     {verdict.help}"


def line(review: Review) -> tuple[Outcome, str, str]:
    """Return the line of a file in a folder: its worst outcome, its name, the number of checks with each outcome."""
    worst: Outcome = "failed" if review.failed else "warned" if review.counts["warned"] else "passed"
    warned = dict.fromkeys(each.check for each in review.verdicts if each.outcome == "warned")
    counts = _counts(review.counts)
    return worst, Path(review.target).stem, f"{counts} ({', '.join(warned)})" if warned else counts


def summary(reviews: Sequence[Review]) -> str:
    """Return one line: the number of checks with each outcome, or of reviews if there are many; the URLs, the time."""
    first, verdicts = reviews[0], [each for review in reviews for each in review.verdicts]
    number, counts = counted(len(verdicts), "check"), _counts(first.counts)
    if len(reviews) > 1:
        number, counts = counted(len(reviews), "record"), _counts(Counter(line(each)[0] for each in reviews))
    urls, seconds = counted(first.examples, "URL"), sum(each.seconds for each in verdicts)
    return f"{number}: {counts}; {urls} of seed {first.seed}; {seconds:.1f} s"


def _counts(counts: Mapping[Outcome, int]) -> str:
    return ", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES if counts.get(outcome))
