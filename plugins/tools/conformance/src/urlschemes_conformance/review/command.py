"""The command `urlschemes review`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from urlschemes_cli.options import json_option
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.text import safe_line
from urlschemes_conformance.review.runner import EXAMPLES, SEED

if TYPE_CHECKING:
    from urlschemes_cli.output.console import Console
    from urlschemes_cli.settings import Settings
    from urlschemes_conformance.review.verdicts import Outcome, Review, Verdict

__all__ = ["review"]

_STYLES: dict[Outcome, str] = {"passed": "green", "warned": "yellow", "failed": "bold red", "skipped": "dim"}


@click.command(short_help="Check a scheme against RFC 1738 section 4.")
@click.argument("target", metavar="SCHEME|PATH", required=False)
@click.option("--scheme", metavar="NAME", help="Review this scheme, if the distribution has several.")
@click.option("--check", "checks", metavar="NAME", multiple=True, help="Make only this check. Can be repeated.")
@click.option("--examples", metavar="N", type=click.IntRange(1, 1_000_000), default=EXAMPLES, show_default=True,
              help="Test the laws with N generated URLs.")  # fmt: skip
@click.option("--seed", metavar="N", type=int, default=SEED, show_default=True, help="Generate other URLs.")
@click.option("--list", "list_only", is_flag=True, help="List all checks with their requirements.")
@json_option
@click.pass_obj
def review(
    settings: Settings,
    target: str | None,
    *,
    scheme: str | None,
    checks: tuple[str, ...],
    examples: int,
    seed: int,
    list_only: bool,
    as_json: bool,
) -> None:
    """Check whether a scheme meets the requirements of RFC 1738 section 4 and RFC 7595 for a registration.

    The argument is an installed scheme, the folder of a distribution (with its pyproject.toml; it need not be
    installed), or the file of a record. Each record of the scheme is reviewed, or that of the profile that the global
    option --profile names. The plugin runs in processes of its own, and its demonstration is accessed on this machine.
    All checks take some seconds for each record; `--check NAME` makes one, and a small --examples less of them. The
    exit code is 1 if a check fails.
    """
    from urlschemes_cli.exit_codes import INVALID
    from urlschemes_cli.output.console import Console
    from urlschemes_conformance.review.checks import all_checks
    from urlschemes_conformance.review.runner import review as make_review

    if list_only:
        _list_checks(as_json=as_json)
        return
    if target is None:
        raise click.UsageError("Missing argument 'SCHEME|PATH'.")
    known = [each.name for each in all_checks()]
    for name in checks:
        if name not in known:
            raise click.BadParameter(f"unknown check {name!r}: --list shows all checks", param_hint="--check")
    registry = settings.registry_for(target)
    with Console(stderr=True).status(f"reviewing {safe_line(target)}: some seconds for each record"):
        result = make_review(
            target,
            registry=registry,
            scheme=scheme,
            profile=settings.profile,
            checks=checks or None,
            examples=examples,
            seed=seed,
        )
    if as_json:
        write_json(result.as_dict())
    else:
        _show(result)
    if not result.passed:
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


def _show(result: Review) -> None:
    from rich.text import Text

    from urlschemes_cli.output.console import Console
    from urlschemes_conformance.review.report import heading, summary

    console = Console()
    title, origin = heading(result)
    console.print(Text(safe_line(title), "bold"), soft_wrap=True)
    console.print(Text(safe_line(origin), "dim"), soft_wrap=True)
    for profile in result.profiles:
        if len(result.profiles) > 1:
            console.print_heading(f"Profile {profile}")
        else:
            console.print()
        for verdict in result.verdicts:
            if verdict.profile == profile:
                _show_verdict(console, verdict)
    console.print(Text(f"\n{summary(result)}", "bold"), soft_wrap=True)


def _show_verdict(console: Console, verdict: Verdict) -> None:
    from rich.text import Text

    from urlschemes_conformance.review.report import evidence

    outcome = verdict.outcome.upper() if verdict.outcome == "failed" else verdict.outcome
    style = _STYLES[verdict.outcome]
    console.print(
        Text.assemble((f"{outcome:<8} ", style), (f"{verdict.check:<20} ", "bold"), safe_line(verdict.reason)),
        soft_wrap=True,
    )
    if verdict.outcome in {"failed", "warned"}:
        for each in evidence(verdict):
            console.print(
                Text(f"{'':9}{safe_line(each)}", "" if verdict.outcome == "failed" else "dim"), soft_wrap=True
            )
