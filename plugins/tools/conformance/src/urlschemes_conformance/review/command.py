"""`urlschemes review`: what section 4 asks of a scheme, checked."""

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


@click.command(short_help="Check what RFC 1738 section 4 asks of a scheme.")
@click.argument("target", metavar="NAME|FOLDER", required=False)
@click.option("--scheme", metavar="NAME", help="Of a folder with several schemes, this one.")
@click.option("--check", "wanted", metavar="NAME", multiple=True, help="Make this check, and those that are named so.")
@click.option("--examples", metavar="N", type=click.IntRange(1, 1_000_000), default=EXAMPLES, show_default=True,
              help="Try the laws on N generated URLs.")  # fmt: skip
@click.option("--seed", metavar="N", type=int, default=SEED, show_default=True, help="Generate others.")
@click.option("--list", "listed", is_flag=True, help="List all checks, with what they ask.")
@json_option
@click.pass_obj
def review(
    settings: Settings,
    target: str | None,
    *,
    scheme: str | None,
    wanted: tuple[str, ...],
    examples: int,
    seed: int,
    listed: bool,
    as_json: bool,
) -> None:
    """Check what RFC 1738 section 4 and RFC 7595 ask of whoever registers a scheme.

    NAME is an installed scheme; FOLDER is that of a distribution, with its pyproject.toml, which need not be installed,
    or a record by itself. The plugin runs in processes of its own; its demonstration is accessed on this machine alone.
    The exit code is 1 where a check failed.
    """
    from urlschemes_cli.exit_codes import INVALID
    from urlschemes_cli.output.console import Console
    from urlschemes_conformance.review.catalogue import checks
    from urlschemes_conformance.review.runner import review as reviewed

    if listed:
        _list(as_json=as_json)
        return
    if target is None:
        raise click.UsageError("Missing argument 'NAME|FOLDER': what is to be reviewed?")
    known = [each.name for each in checks()]
    for name in wanted:
        if name not in known:
            raise click.BadParameter(f"there is no check {name!r}; --list shows them all", param_hint="--check")
    registry = settings.registry
    with Console(stderr=True).status(f"reviewing {safe_line(target)}"):
        found = reviewed(target, registry=registry, scheme=scheme, checks=wanted or None, examples=examples, seed=seed)
    if as_json:
        write_json(found.as_dict())
    else:
        _show(found)
    if not found.passed:
        click.get_current_context().exit(INVALID)


def _list(*, as_json: bool) -> None:
    from urlschemes_conformance.review.catalogue import checks

    if as_json:
        write_json([{"check": each.name, "asks": each.asks, "section": each.section} for each in checks()])
        return
    from urlschemes_cli.output.console import Console, columns_table

    table = columns_table("check", "asks", "section", unwrapped=["check"])
    for each in checks():
        table.add_row(each.name, each.asks, each.section)
    Console().print_table(table)


def _show(found: Review) -> None:
    from rich.text import Text

    from urlschemes_cli.output.console import Console
    from urlschemes_conformance.review.report import heading, summary

    console = Console()
    title, origin = heading(found)
    console.print(Text(safe_line(title), "bold"), soft_wrap=True)
    console.print(Text(safe_line(origin), "dim"), soft_wrap=True)
    console.print()
    for verdict in found.verdicts:
        _show_verdict(console, verdict)
    console.print(Text(f"\n{summary(found)}", "bold"), soft_wrap=True)


def _show_verdict(console: Console, verdict: Verdict) -> None:
    from rich.text import Text

    from urlschemes_conformance.review.report import said_of

    mark = verdict.outcome.upper() if verdict.outcome == "failed" else verdict.outcome
    style = _STYLES[verdict.outcome]
    console.print(
        Text.assemble((f"{mark:<8} ", style), (f"{verdict.check:<20} ", "bold"), safe_line(verdict.reason)),
        soft_wrap=True,
    )
    if verdict.outcome in {"failed", "warned"}:
        for each in said_of(verdict):
            console.print(
                Text(f"{'':9}{safe_line(each)}", "" if verdict.outcome == "failed" else "dim"), soft_wrap=True
            )
