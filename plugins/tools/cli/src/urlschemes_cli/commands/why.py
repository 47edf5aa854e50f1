"""The command `why`: which distribution provides a scheme, and why."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import click

from urlschemes.errors import URLError
from urlschemes.registry.names import Why
from urlschemes_cli.commands.doctor import claim_json, print_claim
from urlschemes_cli.commands.show import NO_OPERATIONS
from urlschemes_cli.error_reports import report_missing_profile
from urlschemes_cli.exit_codes import UNKNOWN
from urlschemes_cli.options import json_option, scheme_argument
from urlschemes_cli.output.console import Console
from urlschemes_cli.output.hints import conflict_hint, with_options
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.text import safe_line
from urlschemes_cli.settings import Settings


@click.command()
@scheme_argument
@json_option
@click.pass_obj
def why(settings: Settings, name: str, *, as_json: bool) -> None:
    """Show which distribution or folder of records provides the scheme NAME, by which rule, and how to choose another.

    The exit code is 5 if none does.
    """
    code = report_missing_profile(settings)
    registry = settings.registry_for(name)
    found, record = registry.why(name), None
    with suppress(URLError):  # `doctor` reports a record that cannot be read
        record = registry.registration(name)
    facts: dict[str, Any] = {
        "name": found.name,
        "provider": found.provider,
        "rule": found.rule,
        "reference": record and record.reference,
        "record": record and record.source,
        "profile": record and record.profile.name,
        "operations": record and record.operations,
        "gateway": settings.client_for(name).describe_gateway(found.name),
        "advice": _advice(found),
        "claims": [claim_json(claim) for claim in found.claims],
    }
    if as_json:
        write_json(facts)
    else:
        console = Console()
        provider = (safe_line(found.provider), "bold green") if found.provider else ("no provider", "bold red")
        console.print_line((safe_line(found.name), "bold"), "  ", provider)
        none = {"operations": NO_OPERATIONS} if facts["operations"] == () else {}
        console.print_fields(facts | none, without=("name", "provider"))
        if facts["claims"]:
            console.print_heading("Claims")
        for claim in facts["claims"]:
            print_claim(console, claim)
    if found.provider is None or code:
        click.get_current_context().exit(code or UNKNOWN)


def _advice(found: Why) -> str:
    """Return how to choose another provider, in terms of the command line."""
    if found.switch is None:
        return conflict_hint(found.name, found.pins) if found.pins else with_options(found.advice)
    pin = f"--pin {found.name}={found.pins[0]} chooses another, " if found.pins else ""
    return f"{pin}--disable {found.switch} switches it off"
