"""Hints of errors, in terms of the command line: with the options of the command for the library's arguments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from urlschemes import errors
from urlschemes.registry.claims import DISABLE
from urlschemes_cli.commands import GROUP
from urlschemes_cli.exit_codes import core_exit_code
from urlschemes_cli.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urlschemes.errors import URLError

__all__ = ["conflict_hint", "hint_of", "message_of", "with_options"]

_POLICY_HINTS = {
    "roots": "--root DIR allows reading files below DIR",
    "writable": "--writable DIR allows writing and deleting files below DIR",
    "ports": "--allow-port N allows port N, if you know which service listens there",
    "networks": "--allow-network NET allows an address, or a network such as 192.0.2.0/24",
}
_OPTIONS = {
    r'(?:registry=)?Registry\(profile="(\w+)"\)': r"--profile \1",
    r"Registry\(profile=\.\.\.\)": "--profile NAME",
    r'options=\{"(\w+)": "(\w+)"\}': r"--option \1=\2",
    r'options=\{"(\w+)": True\}': r"--option \1",
    r"\bscheme='([^']+)'": r"--scheme \1",
    r"\b(cacert|cert)=": r"--\1 FILE",
}
"""The arguments of functions that hints name, and the options of the command in their place."""
_CONFIGURED_HINT = "the policy's `{rule}` forbids it: `urlschemes config` shows where that is set"


def conflict_hint(name: str, distributions: Sequence[str]) -> str:
    """Return how to choose between distributions that claim the same name."""
    first, *others = dict.fromkeys(distributions)
    alternative = f"switch the other off: --disable {others[0]}" if len(others) == 1 else "uninstall the others"
    return f"choose one: --pin {name}={first}, or {alternative}"


def hint_of(error: URLError) -> str | None:
    """Return what to do next, in terms of the command line."""
    if isinstance(error, errors.UnsupportedOperation) and (names := _plugin_commands(error.scheme)):
        return f"use its own command: {' or '.join(f'`urlschemes {name} URL`' for name in names)}"
    if isinstance(error, errors.PluginLoadError | errors.PluginRecordError | errors.PluginContractError) and error.hint:
        return with_options(error.hint)
    if isinstance(error, errors.PluginConflict) and error.scheme and error.claimants:
        return conflict_hint(error.scheme, [each.partition(" ")[0] for each in error.claimants])
    is_of_access = core_exit_code(error) is None
    return (_access_hint(error) if is_of_access else None) or _in_options(error.hint)


def with_options(hint: str) -> str:
    """Return a hint with the option that switches a plugin off in place of the variable."""
    return hint.replace(f"{DISABLE}=", "--disable ")


def message_of(error: URLError) -> str:
    """Return the message and the hint of an error."""
    message, hint = str(error.message or error.code), hint_of(error)
    return f"{message}; {hint}" if hint else message


def _in_options(hint: str | None) -> str | None:
    """Return the hint of an error, with the option of the command for each argument or setting that it names."""
    hint = hint or ""
    for argument, option in _OPTIONS.items():
        hint = re.sub(argument, option, hint)
    limit = re.search(r"\bLimits\.(\w+)", hint)
    if limit is None:
        return hint or None
    return f"--limit {limit[1]}=N changes it, or `{limit[1]} = N` in the table [limits] of the configuration file"


def _access_hint(error: URLError) -> str | None:
    """Return the hint for an error of an access, if an option of the command helps."""
    from urlschemes_access import Policy  # late: commands that only parse do without it
    from urlschemes_access.errors import AuthRequired, InputRequired, LimitExceeded, PolicyDenied
    from urlschemes_cli.prompts import can_prompt

    if isinstance(error, PolicyDenied) and error.hint and error.rule and hasattr(Policy, error.rule):
        return _POLICY_HINTS.get(error.rule, _CONFIGURED_HINT.format(rule=error.rule))
    needs_credentials = isinstance(error, AuthRequired) and "credentials" in (error.hint or "")
    if needs_credentials and not can_prompt():
        return "--user NAME with --password-file FILE logs in, and so does --bearer-file FILE where a token is required"
    if isinstance(error, InputRequired):
        return "the command asks for it if standard input and standard error are a terminal"
    if isinstance(error, LimitExceeded) and error.limit == "content":
        return "-o FILE saves a document of any length"
    return None


def _plugin_commands(scheme: str | None) -> list[str]:
    """Return the commands that the provider of a scheme adds."""
    settings = click.get_current_context().find_object(Settings)
    if settings is None or scheme is None:
        return []
    try:
        provider = settings.registry_for(scheme).why(scheme).provider
        claims = settings.installed.claims()
    except errors.URLError:
        return []
    return [each.name for each in claims if each.group == GROUP and each.provider == provider]
