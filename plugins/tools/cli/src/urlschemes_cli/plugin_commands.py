"""Commands that plugins add, by entry points of the group `urlschemes.commands`."""

from __future__ import annotations

from typing import Any

import click

from urlschemes.errors import PluginContractError, URLError
from urlschemes.registry.claims import Claim, distribution_key, locations, removal_hint
from urlschemes.registry.names import how_to_install
from urlschemes_cli.commands import GROUP, OF_PLUGINS
from urlschemes_cli.output.hints import conflict_hint
from urlschemes_cli.settings import Settings


def active(settings: Settings) -> dict[str, Claim]:
    """Return the claims of the commands that can be used, by name; nothing is imported.

    There are none if the plugins cannot be used: any command that needs them will raise the error.
    """
    try:
        claims = settings.installed.claims()
    except URLError:
        return {}
    return {claim.name: claim for claim in claims if claim.group == GROUP and claim.state == "active"}


def load(settings: Settings, name: str) -> click.Command | None:
    """Return the command of that name; None if there is none. Raises PluginError, ConfigurationError."""
    installed = settings.installed  # raises the error because of which there are no commands
    claim = active(settings).get(name)
    if claim is None:
        return None
    command = installed.load(claim)
    if isinstance(command, click.Command):
        return command
    kind = type(command).__qualname__
    problem = f"{claim.provider} breaks the plugin contract: its command {name} is an object of type {kind}"
    details: dict[str, Any] = {"distribution": claim.provider, "hint": removal_hint(claim)}
    raise PluginContractError(problem, wants="a click.Command", has=kind, **details)


def why_missing(settings: Settings, name: str) -> str | None:
    """Return why a command cannot be used though a distribution has it: in conflict, switched off, or not installed.

    Raises PluginError.
    """
    claims = [each for each in settings.installed.claims() if (each.group, each.name) == (GROUP, name)]
    conflict = [each for each in claims if each.state == "conflict"]
    if conflict:
        hint = conflict_hint(name, [each.distribution for each in conflict])
        return f"Several distributions have a command {name}, so none is used: {locations(conflict)}; {hint}"
    owner = OF_PLUGINS.get(name)
    if owner and not any(distribution_key(each.distribution) == owner for each in claims):
        return f"The command {name} is not installed: {how_to_install(owner)}"
    reasons = "; ".join(f"{claim.provider} ({claim.reason})" for claim in claims)
    return f"The command {name} cannot be used: {reasons}." if claims else None
