"""Options and arguments that several commands have."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from urlschemes.errors import URLError
from urlschemes_cli.output.text import safe_line, write_note
from urlschemes_cli.settings import Settings, installed_profiles

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "check_profile",
    "complete_profile",
    "json_option",
    "note_hidden_password",
    "passwords_option",
    "profile_option",
    "scheme_argument",
]


def _check_passwords(_: click.Context, __: click.Parameter, value: bool) -> bool:
    if value and sys.stdout.isatty():
        raise click.UsageError("--passwords writes to files and pipes, not to a terminal")
    return value


def _check_scheme_name(context: click.Context, _: click.Parameter, value: str) -> str:
    is_name: Callable[[str], bool] = context.ensure_object(Settings).registry.profile.is_scheme_name
    if is_name(value):
        return value
    start = value.partition(":")[0]
    hint = f"; did you mean {start}?" if start != value and is_name(start) else ""
    raise click.BadParameter(f"{safe_line(value)!r} is not a scheme name{hint}")


def complete_profile(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of installed profiles that begin with what was typed."""
    try:
        return [name for name in installed_profiles(Settings().installed) if name.startswith(incomplete)]
    except URLError:
        return []


def check_profile(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """Return the value of an option `--profile`. Raises BadParameter for an empty one."""
    if value == "":
        raise click.BadParameter("expected the name of a profile, such as rfc3986")
    return value


def _use_profile(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if check_profile(context, parameter, value) is not None:
        context.ensure_object(Settings).use_profile(str(value))


profile_option = click.Option(
    ["--profile"],
    metavar="NAME",
    expose_value=False,
    is_eager=True,
    callback=_use_profile,
    shell_complete=complete_profile,
    help="Read URLs of this profile, such as rfc3986.",
)
"""The option `--profile` of every command that has none of its own; it is also one of `urlschemes` itself."""

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
