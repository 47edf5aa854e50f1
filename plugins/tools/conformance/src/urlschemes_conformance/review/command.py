"""The command `urlschemes review`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from urlschemes_cli.options import json_option
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.text import safe_line
from urlschemes_conformance.review.runner import EXAMPLES, EXAMPLES_OF_MANY, SEED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urlschemes_cli.output.console import Console
    from urlschemes_cli.settings import Settings
    from urlschemes_conformance.review.verdicts import Outcome, Review, Verdict

__all__ = ["review"]

_STYLES: dict[Outcome, str] = {"passed": "green", "warned": "yellow", "failed": "bold red", "skipped": "dim"}


@click.command(short_help="Check a scheme against RFC 1738 section 4.")
@click.argument("target", metavar="SCHEME|PATH", required=False)
@click.option("--records", "folder", metavar="FOLDER", type=click.Path(exists=True, file_okay=False),
              help="Review each record in this folder, a file NAME.toml.")  # fmt: skip
@click.option("--scheme", metavar="NAME", help="Review this scheme, if the distribution has several.")
@click.option("--check", "checks", metavar="NAME", multiple=True, help="Run only this check. Can be repeated.")
@click.option("--examples", metavar="N", type=click.IntRange(1, 1_000_000),
              show_default=f"{EXAMPLES}, with --records {EXAMPLES_OF_MANY}",
              help="Test the laws with N generated URLs.")  # fmt: skip
@click.option("--seed", metavar="N", type=int, default=SEED, show_default=True, help="Seed of the generated URLs.")
@click.option("--list", "list_only", is_flag=True, help="List all checks with their requirements.")
@json_option
@click.pass_obj
def review(
    settings: Settings,
    target: str | None,
    *,
    folder: str | None,
    scheme: str | None,
    checks: tuple[str, ...],
    examples: int | None,
    seed: int,
    list_only: bool,
    as_json: bool,
) -> None:
    """Check whether a scheme meets the requirements of RFC 1738 section 4 and RFC 7595 for a registration.

    The argument is an installed scheme, the folder of a distribution (with its pyproject.toml; it need not be
    installed), or the file of a record. Each record of the scheme is reviewed, or only that of the profile that
    --profile names. With --records, each record in a folder has one line, and failures have details.
    The plugin runs in processes of its own, and its demonstration is accessed on this machine.
    All checks take some seconds for each record; `--check NAME` runs one check, and a small --examples shortens
    others. The exit code is 1 if a check fails.
    """
    from urlschemes_cli.exit_codes import INVALID
    from urlschemes_cli.output.console import Console
    from urlschemes_conformance.review.checks import all_checks
    from urlschemes_conformance.review.runner import review as make_review
    from urlschemes_conformance.review.runner import review_records

    if list_only:
        _list_checks(as_json=as_json)
        return
    if target is not None and folder is not None:
        raise click.UsageError("SCHEME|PATH and --records cannot be combined")
    what = target or folder
    if what is None:
        raise click.UsageError("Missing argument 'SCHEME|PATH', or --records FOLDER.")
    known = [each.name for each in all_checks()]
    for name in checks:
        if name not in known:
            raise click.BadParameter(f"unknown check {name!r}: --list shows all checks", param_hint="--check")
    options: dict[str, Any] = {
        "registry": settings.registry_for(what),
        "profile": settings.profile,
        "checks": checks or None,
        "seed": seed,
    }
    results: Sequence[Review]
    with Console(stderr=True).status(f"reviewing {safe_line(what)}: some seconds for each record"):
        if folder is None:
            results = [make_review(what, scheme=scheme, examples=examples or EXAMPLES, **options)]
        else:
            results = review_records(folder, examples=examples or EXAMPLES_OF_MANY, **options)
    if as_json:
        write_json(results[0].as_dict() if folder is None else [each.as_dict() for each in results])
    else:
        _show(results, each_line=folder is not None)
    if not all(each.passed for each in results):
        click.get_current_context().exit(INVALID)


def _list_checks(*, as_json: bool) -> None:
    from urlschemes_conformance.review.checks import all_checks

    if as_json:
        fields = ("check", "requirement", "section")
        write_json(
            [dict(zip(fields, (each.name, each.requirement, each.section), strict=True)) for each in all_checks()]
        )
        return
    from urlschemes_cli.output.console import Console, columns_table

    table = columns_table("check", "requirement", "section", unwrapped=["check"])
    for each in all_checks():
        table.add_row(each.name, each.requirement, each.section)
    Console().print_table(table)


def _show(results: Sequence[Review], *, each_line: bool) -> None:
    """Show reviews; with `each_line`, only a line of each, and what failed."""
    from urlschemes_cli.output.console import Console
    from urlschemes_conformance.review.report import line, summary

    console = Console()
    if each_line:
        for each in results:
            _show_line(console, *line(each))
    for each in results:
        if not each_line:
            _show_review(console, each, each.verdicts)
        elif each.failed:
            console.print()
            _show_review(console, each, each.failed)
    console.print()
    console.print_line((summary(results), "bold"))


def _show_review(console: Console, result: Review, verdicts: Sequence[Verdict]) -> None:
    from urlschemes_conformance.review.report import heading

    title, origin = heading(result)
    console.print_line((safe_line(title), "bold"))
    console.print_line((safe_line(origin), "dim"))
    for profile in dict.fromkeys(each.profile for each in verdicts):
        if len(result.profiles) > 1:
            console.print_heading(f"Profile {profile}")
        else:
            console.print()
        for verdict in verdicts:
            if verdict.profile == profile:
                _show_verdict(console, verdict)


def _show_verdict(console: Console, verdict: Verdict) -> None:
    from urlschemes_conformance.review.report import evidence

    _show_line(console, verdict.outcome, verdict.check, verdict.reason)
    if verdict.outcome in {"failed", "warned"}:
        for each in evidence(verdict):
            console.print_line((f"{'':9}{safe_line(each)}", "" if verdict.outcome == "failed" else "dim"))


def _show_line(console: Console, outcome: Outcome, name: str, text: str) -> None:
    word = outcome.upper() if outcome == "failed" else outcome
    console.print_line((f"{word:<8} ", _STYLES[outcome]), (f"{safe_line(name):<20} ", "bold"), safe_line(text))
