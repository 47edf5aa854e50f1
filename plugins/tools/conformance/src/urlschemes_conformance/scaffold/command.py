"""The command `urlschemes new`: a distribution for a new scheme, with what to do next."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from urlschemes.errors import RegistrationError
from urlschemes_cli.output.text import safe_line, write_line, write_note
from urlschemes_conformance.scaffold.naming import naming_of, registered_as, remarks
from urlschemes_conformance.scaffold.plan import PORT, TITLE, plan

if TYPE_CHECKING:
    from urlschemes_cli.settings import Settings
    from urlschemes_conformance.scaffold.plan import Plan

__all__ = ["new"]

_FIRST = "registration.toml: the BNF, its parts, the examples; title, reference, contact; then all considerations anew"
_LAST = "README.md; LICENSE, if it is not to be MIT"
_STEPS = (
    _FIRST,
    "__init__.py and the tests of the syntax: the parts by name and type",
    "access.py, demo.py and the tests of the access: the dialogue",
    _LAST,
)
_RECORD_STEPS = (_FIRST, "the tests of the syntax", _LAST)


@click.command(short_help="Make a distribution for a new scheme.")
@click.argument("name")
@click.option("--directory", metavar="DIR", help="The folder to make, or an empty one. Otherwise: the scheme's name.")
@click.option("--record-only", is_flag=True, help="For reading alone: a record and no code.")
@click.option("--registered", is_flag=True, help="Make NAME without x-, for those who register it with IANA.")
@click.option("--title", default=TITLE, metavar="TEXT", help=f"What its URLs are. Otherwise: {TITLE}.")
@click.option("--author", metavar="TEXT", help="Whose it is: in the record, pyproject.toml and LICENSE.")
@click.option("--contact", metavar="TEXT", help="Whom to ask, best with an address. Otherwise: the author.")
@click.option("--port", type=click.IntRange(1, 65535), default=PORT, help=f"Its port. Otherwise: {PORT}, of RFC 4727.")
@click.pass_obj
def new(
    settings: Settings,
    name: str,
    directory: str | None,
    title: str,
    author: str | None,
    contact: str | None,
    port: int,
    *,
    record_only: bool,
    registered: bool,
) -> None:
    """Make a distribution for the scheme x-NAME: a small scheme that works, to be changed into your own.

    It has a record with the syntax, typed parts, an access algorithm, a server to try it on, and tests. Nothing that is
    there already is touched.
    """
    from urlschemes_cli.error_reports import report
    from urlschemes_cli.exit_codes import USAGE

    try:
        naming = naming_of(name, registered=registered)
        known = registered_as(naming, settings.registry)
        planned = plan(
            name,
            registered=registered,
            known=known,
            record_only=record_only,
            title=title,
            author=author,
            contact=contact,
            port=port,
        )
        said = remarks(naming, settings.registry)
        folder = Path(directory or naming.scheme)
        planned.write(folder)
    except RegistrationError as error:
        report(error)
        click.get_current_context().exit(USAGE)
    for each in said:
        write_note(each)
    _tell(planned, folder, is_known=known is not None)


def _tell(planned: Plan, folder: Path, *, is_known: bool) -> None:
    naming = planned.naming
    write_line(
        safe_line(
            f"{folder} has the distribution {naming.distribution}, of the {naming.status} scheme {naming.scheme}:"
        )
    )
    for place in planned.files:
        write_line(f"  {place}")
    if is_known:
        what = "its syntax, its protocol and its port are those" if planned.record.operations else "its syntax is that"
        write_line(f"It works as it is, but it is not {naming.scheme} before {what} of the registration:")
        write_line("until then the check `reference` of the review fails, and with it pytest. To see what works:")
    else:
        write_line("It works as it is. To see that:")
    commands = [
        ("cd", str(folder)),
        ("python", "-m", "pip", "install", "-e", ".[test]"),
        ("python", "-m", "pytest"),
        ("urlschemes", "review", naming.scheme),
        ("urlschemes", "explain", planned.example),
    ]
    if planned.record.operations:
        commands.append(("urlschemes", "demo", naming.scheme))
    for command in commands:
        write_line(f"  {safe_line(shlex.join(command))}")
    write_line("To make it your own, change in this order, and run the tests after each step:")
    for step in _STEPS if planned.record.operations else _RECORD_STEPS:
        write_line(f"  {step}")
