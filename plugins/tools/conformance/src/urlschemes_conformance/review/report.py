"""A review as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes_conformance.review.checks import all_checks
from urlschemes_conformance.review.verdicts import OUTCOMES, counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes_conformance.review.verdicts import Review, Verdict

__all__ = ["evidence", "heading", "summary"]

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


def summary(review: Review) -> str:
    """Return one line: the number of checks with each outcome, the URLs, the time."""
    counts = ", ".join(f"{review.counts[outcome]} {outcome}" for outcome in OUTCOMES if review.counts[outcome])
    seconds = sum(each.seconds for each in review.verdicts)
    checks, urls = counted(len(review.verdicts), "check"), counted(review.examples, "URL")
    return f"{checks}: {counts}; {urls} of seed {review.seed}; {seconds:.1f} s"
