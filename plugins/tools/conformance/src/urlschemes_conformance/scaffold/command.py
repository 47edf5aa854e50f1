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
from urlschemes_conformance.scaffold.plan import FIRST, PORT, TITLE, code_file, conditions, fill, plan

if TYPE_CHECKING:
    from urlschemes_cli.settings import Settings
    from urlschemes_conformance.scaffold.plan import Plan

__all__ = ["new"]


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
    write_line(_next_steps(planned, folder, is_registered=known is not None).rstrip())


def _next_steps(planned: Plan, folder: Path, *, is_registered: bool) -> str:
    """Return what was written, what to try, and what to change first."""
    profiles = [each.profile for each in planned.records]
    has_code = bool(planned.record.operations)
    published = reserved_names().published
    options = {"--registered ": planned.naming.status != "experimental", "--record-only ": not has_code}
    values = {
        "folder": safe_line(str(folder)),
        "quoted_folder": safe_line(shlex.quote(str(folder))),
        "paths": "\n".join(f"  {path}" for path in planned.files),
        "install": "python -m pip install" + ("" if published else " --no-index --find-links DIR"),
        "extras": "test,demo" if has_code else "test",
        "example": planned.example,
        "records": " and ".join(each.record for each in profiles),
        "code_files": " and ".join(map(code_file, profiles)),
        "document": profiles[0].document,
        "options": "".join(option for option, holds in options.items() if holds),
        **conditions(known=is_registered, published=published),
    }
    return fill("next_steps.txt", {**planned.values, **values})
