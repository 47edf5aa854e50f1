"""The command `urlschemes columns`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from urlschemes_cli.exit_codes import INVALID
from urlschemes_cli.options import json_option
from urlschemes_cli.output.console import Console, columns_table, facts_table
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.progress import count_bar

if TYPE_CHECKING:
    from urlschemes_cli.settings import Settings
    from urlschemes_columns.parquet_file import Summary

__all__ = ["columns"]


@click.command()
@click.argument("source", metavar="IN", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="OUT",
    type=click.Path(dir_okay=False),
    help="Write this Parquet file; it may be IN.",
)
@click.option("--column", default="url", show_default=True, metavar="NAME", help="The column of URLs.")
@click.option("--into", default="parsed", show_default=True, metavar="NAME", help="The new column.")
@click.option(
    "--parts",
    default="scheme,host,port",
    show_default=True,
    metavar="A,B",
    help="The parts to write; host.raw is the host as written. The scheme is always among them.",
)
@json_option
@click.pass_obj
def columns(settings: Settings, source: str, output: str, *, column: str, into: str, parts: str, as_json: bool) -> None:
    """Parse a column of URLs of the Parquet file IN.

    OUT has the columns of IN and a new one: a struct with parts of each URL, and with code and position of the error of
    each row that is not a URL. The exit code is 1 if there is such a row.
    """
    from urlschemes_columns.parquet_file import parse_file, row_count  # late: pyarrow
    from urlschemes_columns.parser import Parser

    names = [name.strip() for name in parts.split(",") if name.strip()]
    try:
        parser = Parser(names if "scheme" in names else ["scheme", *names], settings.registry)
        with count_bar(row_count(source), shown=sys.stderr.isatty()) as advance:
            summary = parse_file(source, output, column, into, parser, advance)
    except (TypeError, ValueError) as error:
        raise click.UsageError(f"{source}: {error}") from None
    if as_json:
        write_json({**_as_json(summary, source, output), "profile": parser.registry.profile.name})
    else:
        _print(summary)
    if summary.codes:
        click.get_current_context().exit(INVALID)


def _as_json(summary: Summary, source: str, output: str) -> dict[str, object]:
    schemes = sorted({*summary.valid, *summary.invalid})
    return {
        "source": source,
        "output": output,
        "rows": summary.rows,
        "nulls": summary.nulls,
        "valid": summary.valid.total(),
        "schemes": {name: {"valid": summary.valid[name], "invalid": summary.invalid[name]} for name in schemes},
        "codes": dict(summary.codes.most_common()),
    }


def _print(summary: Summary) -> None:
    """Print the rows by scheme, and the invalid ones by code."""
    console = Console()
    console.print_table(
        facts_table(
            [
                ("rows", summary.rows),
                ("URLs", summary.valid.total()),
                ("invalid", summary.codes.total()),
                ("null", summary.nulls or None),
            ]
        )
    )
    schemes = columns_table("scheme", "URLs", "invalid")
    for name, _ in (summary.valid + summary.invalid).most_common():
        schemes.add_row(name, str(summary.valid[name]), str(summary.invalid[name]))
    codes = columns_table("code", "rows")
    for code, count in summary.codes.most_common():
        codes.add_row(code, str(count))
    for table in (schemes, codes):
        if table.row_count:
            console.print()
            console.print_table(table)
