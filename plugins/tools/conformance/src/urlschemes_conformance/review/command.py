"""The command `urlschemes review`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from urlschemes_cli.exit_codes import INVALID
from urlschemes_cli.options import json_option
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.text import safe_line
from urlschemes_conformance.review import runner
from urlschemes_conformance.review.checks import all_checks
from urlschemes_conformance.review.runner import EXAMPLES, EXAMPLES_OF_MANY, SEED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urlschemes_cli.settings import Settings
    from urlschemes_conformance.review.verdicts import Review

__all__ = ["review"]


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
    from urlschemes_cli.output.console import Console  # late: rich
    from urlschemes_conformance.review.report import show, show_checks

    if list_only:
        show_checks(as_json=as_json)
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
            results = [runner.review(what, scheme=scheme, examples=examples or EXAMPLES, **options)]
        else:
            results = runner.review_records(folder, examples=examples or EXAMPLES_OF_MANY, **options)
    if as_json:
        write_json(results[0].as_dict() if folder is None else [each.as_dict() for each in results])
    else:
        show(results, each_line=folder is not None)
    if not all(each.passed for each in results):
        click.get_current_context().exit(INVALID)
