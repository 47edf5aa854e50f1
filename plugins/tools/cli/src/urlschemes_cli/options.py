"""Options and arguments that several commands have."""

from __future__ import annotations

import sys

import click

from urlschemes.grammar.profile import RFC1738
from urlschemes_cli.output.text import safe_line, write_note

__all__ = ["json_option", "note_hidden_password", "passwords_option", "scheme_argument"]


def _check_passwords(_: click.Context, __: click.Parameter, value: bool) -> bool:
    if value and sys.stdout.isatty():
        raise click.UsageError("--passwords writes to files and pipes, not to a terminal")
    return value


def _check_scheme_name(_: click.Context, __: click.Parameter, value: str) -> str:
    if RFC1738.scheme_name.fullmatch(value):
        return value
    start = value.partition(":")[0]
    hint = f"; did you mean {start}?" if start != value and RFC1738.scheme_name.fullmatch(start) else ""
    raise click.BadParameter(f"{safe_line(value)!r} is not a scheme name{hint}")


json_option = click.option("--json", "as_json", is_flag=True, help="Write JSON.")
"""Adds `--json` to a command, which gets it as the keyword argument `as_json`."""

passwords_option = click.option(
    "--passwords",
    is_flag=True,
    callback=_check_passwords,
    help="Include passwords when writing to a file or pipe. Otherwise each password is ***, also within URLs.",
)
"""Adds `--passwords` to a command, which gets it as the keyword argument `passwords`."""

scheme_argument = click.argument("name", callback=_check_scheme_name)
"""Adds the argument NAME, the name of a scheme, to a command."""


def note_hidden_password() -> None:
    """Write on standard error that a password was replaced by ***."""
    write_note("the password is hidden; --passwords writes it into a file or a pipe")
