"""The command `urlschemes columns`."""

from __future__ import annotations

import re
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from urlschemes.redaction import redact_url
from urlschemes.registry.names import how_to_install, reserved_names
from urlschemes_cli.exit_codes import INVALID
from urlschemes_cli.options import json_option
from urlschemes_cli.output.console import Console, facts_table
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.progress import count_bar
from urlschemes_cli.output.text import write_note

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from urlschemes_cli.settings import Settings
    from urlschemes_columns.files import Summary

__all__ = ["columns"]

MOST_SHOWN = 20
"""Unknown schemes that people are shown; JSON has more."""
LONGEST_SHOWN = 100
"""Characters of a text that people are shown."""


def _character(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """Return the value of --delimiter. Raises BadParameter."""
    if value is not None and (len(value) != 1 or not value.isascii() or value in '"\r\n'):
        raise click.BadParameter(
            "expected one character of US-ASCII, neither a quotation mark nor a line break; --format tsv reads tabs"
        )
    return value


@click.command()
@click.argument("source", metavar="IN", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option(
    "-o",
    "--output",
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
    help="The parts to write, always with the scheme; host.raw is the host as written, error.part the part at fault, "
    "url.fixed the repaired URL. A name that is no part gets a list of all.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["parquet", "csv", "tsv", "lines"]),
    help="The format of IN; lines: one URL in each line. [default: by its name: .csv, .tsv, .txt; lines for -; else "
    "parquet]",
)
@click.option(
    "--delimiter",
    metavar="C",
    callback=_character,
    help="IN is CSV with this character between the fields, such as `;`.",
)
@click.option(
    "--skip-ragged", is_flag=True, help="Leave out rows of CSV with too few or too many fields, and only count them."
)
@json_option
@click.pass_obj
def columns(
    settings: Settings,
    source: str,
    output: str | None,
    *,
    column: str,
    into: str,
    parts: str,
    form: str | None,
    delimiter: str | None,
    skip_ragged: bool,
    as_json: bool,
) -> None:
    """Count the URLs in a column of the file IN, by scheme and by error, with samples of each error.

    If IN is -, standard input is copied into a temporary file first.

    OUT has the columns of IN and a new one: a struct with parts of each URL, and with code and position of the error of
    each row that is not a URL. Columns of CSV are copied as text; octets that are not UTF-8 become U+FFFD. The exit
    code is 1 if a text is not a URL. A null, which is an empty field or line, is neither a URL nor invalid.
    """
    from urlschemes_columns.files import format_of, parse_file, row_count  # late: pyarrow
    from urlschemes_columns.parser import Parser

    if output is not None and format_of(output) != "parquet":
        raise click.BadParameter("it is written as Parquet: name it OUT.parquet", param_hint="'-o' / '--output'")
    form = form or ("csv" if delimiter else "lines" if source == "-" else format_of(source))
    if delimiter and form != "csv":
        raise click.UsageError(f"--delimiter is for CSV: it cannot be combined with --format {form}")
    if skip_ragged and form not in {"csv", "tsv"}:
        raise click.UsageError(f"--skip-ragged is for CSV, and {source} is read as {form}: add --format csv or tsv")
    names = [name.strip() for name in parts.split(",") if name.strip()]
    try:
        parser = Parser(names if "scheme" in names else ["scheme", *names], settings.registry)
        with (
            _as_file(source) as path,
            count_bar(row_count(path, form), shown=sys.stderr.isatty()) as advance,
        ):
            summary = parse_file(
                path, output, column, into, parser, advance, form, delimiter=delimiter, skips_ragged=skip_ragged
            )
    except (TypeError, ValueError) as error:
        raise click.UsageError(f"{source}: {error}") from None
    known = parser.registry.known_names()
    found = {
        "source": source,
        "output": output,
        **_as_json(summary, known),
        "profile": parser.registry.profile.name,
    }
    if as_json:
        write_json(found)
    else:
        _print(found)
        installable = (known[name] for name in found["unknown"] if name in known)
        if scheme := next((each for each in installable if each.distribution), None):
            write_note(f"to read the URLs of {scheme.name}, {how_to_install(scheme.distribution)}")
        elif found["unknown"] and len(parser.registry.ledgers()) == 1:
            write_note(f"to read the schemes that IANA has registered, {how_to_install(reserved_names().iana)}")
    if summary.codes:
        click.get_current_context().exit(INVALID)


@contextmanager
def _as_file(source: str) -> Iterator[str]:
    """Return the path of a file: of a copy of standard input if `source` is "-"."""
    if source != "-":
        yield source
        return
    with TemporaryDirectory() as folder:
        path = Path(folder, "stdin")
        try:
            with path.open("wb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
        except OSError as error:
            raise click.UsageError(f"cannot copy standard input: {error.strerror}") from error
        yield str(path)


def _as_json(summary: Summary, known: Collection[str]) -> dict[str, Any]:
    valid, invalid = summary.valid, summary.invalid
    return {
        "rows": summary.rows,
        "nulls": summary.nulls,
        "replaced": summary.replaced,
        "skipped": summary.skipped,
        "valid": valid.total(),
        "schemes": {
            name: {"valid": valid[name], "invalid": invalid[name]} for name, _ in (valid + invalid).most_common()
        },
        "codes": dict(summary.codes.most_common()),
        "samples": {
            code: [{**sample._asdict(), "text": redact_url(sample.text)} for sample in summary.samples[code]]
            for code in summary.codes
        },
        "unknown": {name: {"rows": rows, "registered": name in known} for name, rows in summary.unknown.most_common()},
    }


def _print(found: dict[str, Any]) -> None:
    """Print the rows by scheme, and the invalid ones by code."""
    console = Console()
    codes, unknown = found["codes"], found["unknown"]
    samples = [{"code": code, **sample} for code in codes for sample in found["samples"][code]]
    facts = {
        "rows": found["rows"],
        "URLs": found["valid"],
        "invalid": sum(codes.values()),
        "null": found["nulls"] or None,
        "not UTF-8": found["replaced"] or None,
        "skipped": found["skipped"] or None,
    }
    console.print_table(facts_table(facts.items()))
    tables = [
        [
            {"scheme": name, "URLs": each["valid"], "invalid": each["invalid"]}
            for name, each in found["schemes"].items()
        ],
        [{"code": code, "rows": rows} for code, rows in codes.items()],
        [{**sample, "text": _visible(sample["text"][:LONGEST_SHOWN])} for sample in samples],
        [{"unknown scheme": name[:LONGEST_SHOWN], **each} for name, each in [*unknown.items()][:MOST_SHOWN]],
    ]
    for table in filter(None, tables):
        console.print()
        console.print_rows(table, [*table[0]])


def _visible(text: str) -> str:
    """Return `text` with white space that people cannot see escaped; line feeds and tabs are escaped later."""
    return re.sub(r"^ | $|[^\S \n\t]", lambda found: f"\\u{ord(found[0]):04x}", text)
