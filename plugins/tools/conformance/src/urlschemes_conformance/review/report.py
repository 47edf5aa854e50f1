"""Reviews as text."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from urlschemes_cli.output.console import Console, columns_table
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.text import safe_line
from urlschemes_conformance.review.checks import all_checks
from urlschemes_conformance.review.verdicts import OUTCOMES, counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from urlschemes_conformance.review.verdicts import Outcome, Review, Verdict

__all__ = ["evidence", "show", "show_checks"]

_STYLES: dict[Outcome, str] = {"passed": "green", "warned": "yellow", "failed": "bold red", "skipped": "dim"}
_KINDS = {"installed": "installed", "folder": "folder of a distribution", "record": "record without a distribution"}


def show_checks(*, as_json: bool) -> None:
    """Show all checks with their requirements."""
    fields = ("check", "requirement", "section")
    rows = [(each.name, each.requirement, each.section) for each in all_checks()]
    if as_json:
        write_json([dict(zip(fields, row, strict=True)) for row in rows])
        return
    table = columns_table(*fields, unwrapped=["check"])
    for row in rows:
        table.add_row(*row)
    Console().print_table(table)


def show(reviews: Sequence[Review], *, each_line: bool) -> None:
    """Show reviews; with `each_line`, only a line of each, and what failed."""
    console = Console()
    if each_line:
        for each in reviews:
            _show_line(console, *_line(each))
    for each in reviews:
        if not each_line:
            _show_review(console, each, each.verdicts)
        elif each.failed:
            console.print()
            _show_review(console, each, each.failed)
    console.print()
    console.print_line((_summary(reviews), "bold"))


def _show_review(console: Console, review: Review, verdicts: Sequence[Verdict]) -> None:
    title = "  ".join(filter(None, (review.scheme or review.target, review.title)))
    provider = f"{review.distribution} {review.version}".rstrip()
    console.print_line((safe_line(title), "bold"))
    console.print_line((safe_line(", ".join(filter(None, (provider, _KINDS[review.kind], review.origin)))), "dim"))
    for profile in dict.fromkeys(each.profile for each in verdicts):
        if len(review.profiles) > 1:
            console.print_heading(f"Profile {profile}")
        else:
            console.print()
        for verdict in verdicts:
            if verdict.profile == profile:
                _show_verdict(console, verdict)


def _show_verdict(console: Console, verdict: Verdict) -> None:
    _show_line(console, verdict.outcome, verdict.check, verdict.reason)
    if verdict.outcome in {"failed", "warned"}:
        for each in evidence(verdict):
            console.print_line((f"{'':9}{safe_line(each)}", "" if verdict.outcome == "failed" else "dim"))


def _show_line(console: Console, outcome: Outcome, name: str, text: str) -> None:
    word = outcome.upper() if outcome == "failed" else outcome
    console.print_line((f"{word:<8} ", _STYLES[outcome]), (f"{safe_line(name):<20} ", "bold"), safe_line(text))


def evidence(verdict: Verdict) -> Iterator[str]:
    """Yield the lines below a verdict that failed or warned: the requirement, the details, the help."""
    check = next(each for each in all_checks() if each.name == verdict.check)
    yield f"requires {check.requirement} ({check.section})"
    for detail in verdict.details:
        yield f"detail   {detail}"
    if verdict.help:
        yield f"help     {verdict.help}"


def _line(review: Review) -> tuple[Outcome, str, str]:
    """Return the line of a file in a folder: its worst outcome, its name, the number of checks with each outcome."""
    worst: Outcome = "failed" if review.failed else "warned" if review.counts["warned"] else "passed"
    warned = dict.fromkeys(each.check for each in review.verdicts if each.outcome == "warned")
    counts = _counts(review.counts)
    return worst, Path(review.target).stem, f"{counts} ({', '.join(warned)})" if warned else counts


def _summary(reviews: Sequence[Review]) -> str:
    """Return one line: the number of checks with each outcome, or of reviews if there are many; the URLs, the time."""
    first, verdicts = reviews[0], [each for review in reviews for each in review.verdicts]
    number, counts = counted(len(verdicts), "check"), _counts(first.counts)
    if len(reviews) > 1:
        number, counts = counted(len(reviews), "record"), _counts(Counter(_line(each)[0] for each in reviews))
    urls, seconds = counted(first.examples, "URL"), sum(each.seconds for each in verdicts)
    return f"{number}: {counts}; {urls} of seed {first.seed}; {seconds:.1f} s"


def _counts(counts: Mapping[Outcome, int]) -> str:
    return ", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES if counts.get(outcome))
