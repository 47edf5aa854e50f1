"""The command `why`: which distribution provides a scheme, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from urlschemes.errors import PluginError
from urlschemes_cli.commands.show import NO_OPERATIONS
from urlschemes_cli.error_reports import report_missing_profile
from urlschemes_cli.exit_codes import UNKNOWN
from urlschemes_cli.options import json_option, scheme_argument
from urlschemes_cli.output.hints import conflict_hint, with_options
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.text import safe_line

if TYPE_CHECKING:
    from urlschemes import Registry
    from urlschemes.registry.names import Why
    from urlschemes_cli.settings import Settings

__all__ = ["why"]


@click.command()
@scheme_argument
@json_option
@click.pass_obj
def why(settings: Settings, name: str, *, as_json: bool) -> None:
    """Show which distribution provides the scheme NAME, by which rule, and how to choose another.

    The exit code is 5 if none does.
    """
    code = report_missing_profile(settings)
    registry = settings.registry_for(name)
    found = registry.why(name)
    gateway = settings.client_for(name).describe_gateway(found.name)
    if as_json:
        facts = {
            "name": found.name,
            "provider": found.provider,
            "rule": found.rule,
            "claims": [claim._asdict() for claim in found.claims],
            "gateway": gateway,
            "advice": _advice(found),
        }
        write_json(facts)
    else:
        _show(found, gateway, has_operations=_has_operations(registry, found))
    if found.provider is None or code:
        click.get_current_context().exit(code or UNKNOWN)


def _show(found: Why, gateway: str | None, *, has_operations: bool) -> None:
    from urlschemes_cli.output.console import Console, facts_table  # late: rich

    console = Console()
    provider = (safe_line(found.provider), "bold green") if found.provider else ("no provider", "bold red")
    console.print_line((safe_line(found.name), "bold"), "  ", provider)
    rows: list[tuple[str, object]] = [("because", found.rule), *(("claim", str(claim)) for claim in found.claims)]
    rows.append(("gateway", gateway))
    if found.provider is None:
        rows.append(("help", _advice(found)))
    else:
        if not has_operations:
            rows.append(("operations", NO_OPERATIONS))
        rows.append(("to change it", _advice(found)))
    console.print_table(facts_table(rows))


def _has_operations(registry: Registry, found: Why) -> bool:
    """Return False if the scheme has a provider, and its record lists no operation."""
    try:
        return found.provider is None or bool(registry.registration(found.name).operations)
    except PluginError:  # the record cannot be read: `doctor` reports it
        return True


def _advice(found: Why) -> str:
    """Return how to choose another provider, in terms of the command line."""
    if found.switch is None:
        return conflict_hint(found.name, found.pins) if found.pins else with_options(found.advice)
    pin = f"--pin {found.name}={found.pins[0]} chooses another, " if found.pins else ""
    return f"{pin}--disable {found.switch} switches it off"
