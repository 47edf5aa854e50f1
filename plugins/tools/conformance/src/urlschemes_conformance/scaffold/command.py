"""The command `urlschemes new`: writes a distribution for a new scheme, and prints the next steps."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from urlschemes.errors import RegistrationError
from urlschemes.registry.names import reserved_names
from urlschemes_cli.options import complete_profile
from urlschemes_cli.output.text import safe_line, write_line, write_note
from urlschemes_conformance.scaffold.naming import name_notes, naming_of, registered_name
from urlschemes_conformance.scaffold.plan import FIRST, PORT, PROFILES, TITLE, code_file, plan

if TYPE_CHECKING:
    from urlschemes_cli.settings import Settings
    from urlschemes_conformance.scaffold.plan import Plan

__all__ = ["new"]

_RECORD_STEP = "{records}: the title, the BNF, the parts, the examples{more}"
_REGISTERED = "; status, reference and contact; all considerations"
_LAST_STEP = "README.md; LICENSE, if you do not want the MIT License"
_STEPS = (
    _RECORD_STEP,
    "{code} and the tests of the syntax: the parts, by name and type",
    "access.py, demo.py and the tests of the access: the dialogue",
    _LAST_STEP,
)
_STEPS_WITHOUT_CODE = (_RECORD_STEP, "the tests of the syntax", _LAST_STEP)


@click.command(short_help="Write a distribution for a new scheme.")
@click.argument("name")
@click.option("--directory", metavar="DIR", help="Write into this new or empty folder. [default: the scheme's name]")
@click.option("--record-only", is_flag=True, help="Write a record and no code: URLs can be parsed but not accessed.")
@click.option("--registered", is_flag=True, help="Use NAME without x-, for a scheme registered with IANA.")
@click.option("--profile", "profiles", metavar="NAME", multiple=True, shell_complete=complete_profile,
              help="Write a record of this profile. Can be repeated. [default: rfc1738]")  # fmt: skip
@click.option("--title", default=TITLE, metavar="TEXT", show_default=True, help="What the URLs are.")
@click.option("--author", metavar="TEXT", help="The author, in the record, pyproject.toml and LICENSE.")
@click.option("--contact", metavar="TEXT", help="The contact, with an address. [default: the author]")
@click.option("--port", type=click.IntRange(1, 65535), default=PORT, show_default=True, help="The default port.")
@click.pass_obj
def new(
    settings: Settings,
    name: str,
    directory: str | None,
    profiles: tuple[str, ...],
    title: str,
    author: str | None,
    contact: str | None,
    port: int,
    *,
    record_only: bool,
    registered: bool,
) -> None:
    """Write a distribution for the scheme x-NAME: a small scheme that works, to be changed into your own.

    It has a record with the syntax, a type of URLs, an access algorithm, a server for tests, and tests. Existing files
    are never changed.
    """
    from urlschemes_cli.error_reports import report, report_missing_profile
    from urlschemes_cli.exit_codes import USAGE

    report_missing_profile(settings)
    try:
        naming = naming_of(name, registered=registered)
        known = registered_name(naming, settings.installed)
        planned = plan(
            name,
            registered=registered,
            known=known,
            record_only=record_only,
            profiles=profiles or [settings.profile or FIRST],
            title=title,
            author=author,
            contact=contact,
            port=port,
        )
        notes = name_notes(naming, settings.installed)
        folder = Path(directory or naming.scheme)
        planned.write(folder)
    except RegistrationError as error:
        report(error)
        click.get_current_context().exit(USAGE)
    for each in notes:
        write_note(each)
    _print_next_steps(planned, folder, is_registered=known is not None)


def _print_next_steps(planned: Plan, folder: Path, *, is_registered: bool) -> None:
    naming = planned.naming
    write_line(
        safe_line(
            f"{folder} contains the distribution {naming.distribution} of the {naming.status} scheme {naming.scheme}:"
        )
    )
    for path in planned.files:
        write_line(f"  {path}")
    if is_registered:
        unchanged = "syntax, protocol and port are those" if planned.record.operations else "syntax is that"
        write_line(f"It works, but its {unchanged} of the template, and not of the registered scheme {naming.scheme}.")
        write_line("Until you change that, the check `reference` of the review fails. To try it:")
    else:
        write_line("It works as it is. To try it:")
    from_folder = () if reserved_names().published else ("--no-index", "--find-links", "DIR")
    commands: list[tuple[str, ...]] = [
        ("cd", str(folder)),
        (
            "python",
            "-m",
            "pip",
            "install",
            *from_folder,
            "-e",
            ".[test,demo]" if planned.record.operations else ".[test]",
        ),
        ("python", "-m", "pytest"),
        ("urlschemes", "review", naming.scheme),
        ("urlschemes", "explain", planned.example),
    ]
    if planned.record.operations:
        commands.append(("urlschemes", "demo", naming.scheme))
    for command in commands:
        write_line(f"  {safe_line(shlex.join(command))}")
    if from_folder:
        write_line("DIR is the folder that `python3 dev release DIR` fills in a checkout of urlschemes.")
    write_line("To make it your own, change these files in this order, and run the tests after each step:")
    profiles = [each.profile for each in planned.records]
    records = " and ".join(each.record for each in profiles)
    code = " and ".join(map(code_file, profiles))
    more = "" if naming.status == "experimental" else _REGISTERED
    for step in _STEPS if planned.record.operations else _STEPS_WITHOUT_CODE:
        write_line(f"  {step.format(records=records, code=code, more=more)}")
    if len(profiles) == 1:
        both = (word for each in PROFILES for word in ("--profile", each))
        flags = ["--registered"] * (naming.status != "experimental")
        flags += ["--record-only"] * (not planned.record.operations)
        again = shlex.join(("urlschemes", "new", naming.scheme, *both, *flags, "--directory", "OTHER"))
        write_line(
            f"Its URLs are read by {profiles[0].document}. To add a second record, copy the files that this adds:"
        )
        write_line(f"  {again}")
