"""Hints of errors, in terms of the command line: with its options in place of what remedies set in Python."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import click

import urlschemes_access  # what it offers is imported when it is used
from urlschemes import errors
from urlschemes.errors import Hint, Remedy, URLError
from urlschemes.registry.claims import DISABLE
from urlschemes_cli.commands import GROUP
from urlschemes_cli.output.json_output import ABOUT
from urlschemes_cli.settings import current_settings

__all__ = ["conflict_hint", "hint_of", "message_of", "with_options"]

_POLICY_HINTS = {
    "roots": "--root DIR allows reading files below DIR",
    "writable": "--writable DIR allows writing and deleting files below DIR",
    "ports": "--allow-port N allows port N, if you know which service listens there",
    "networks": "--allow-network NET allows an address, or a network such as 192.0.2.0/24",
}
_SETTINGS = {
    "Registry.profile": ("--profile {}", "NAME", ""),
    DISABLE: ("--disable {}", "NAME", ""),
    "Document.save()": ("-o FILE", "", ""),
    "Limits.deadline": ("--deadline {}", "SECONDS", ""),
    "Limits": ("--limit {name}={}", "N", "limits"),
    "cacert": ("--cacert {}", "FILE", "tls"),
    "cert": ("--cert {}", "FILE", "tls"),
    "ask": ("--answer TEXT for each question, in their order,", "", ""),
    "credentials": ("--user NAME with --password-file FILE", "", ""),
    "Credentials.token": ("--bearer-file {}", "FILE", ""),
    "Configuration()": ("--no-config", "", ""),
    "span_hosts": ("--span-hosts", "", ""),
    **{name: (f"--{name} {{}}", "N", "") for name in ("depth", "entries", "octets")},  # of `mirror`
    "scheme": ("--scheme {}", "NAME", ""),
    "parse_generic()": ("`parse`", "", ""),
    "normalized()": ("`fix --normalize`", "", ""),
    "Registry.records": ("--records {} before the command", "FOLDER", ""),
}
"""Settings of remedies, or their owners: the option of the command, what stands for a value that the user chooses, and
the table of the configuration file that has the setting, too. All others are options of a scheme."""


def conflict_hint(name: str, distributions: Sequence[str]) -> str:
    """Return how to choose between distributions that claim the same name."""
    first, *others = dict.fromkeys(distributions)
    alternative = f"switch the other off: --disable {others[0]}" if len(others) == 1 else "uninstall the others"
    return f"choose one: --pin {name}={first}, or {alternative}"


def hint_of(error: URLError) -> str | None:
    """Return what to do next, in terms of the command line."""
    if error.code == "url-too-long":  # no option sets the limit
        return None
    hint = _own_hint(error) or _advice(error) or error.hint
    return hint and with_options(hint)


def _own_hint(error: URLError) -> str | None:
    """Return the hint for an error that another command, or an option of this one, helps with."""
    if isinstance(error, errors.UnsupportedOperation) and error.scheme and (names := _plugin_commands(error.scheme)):
        return f"use its own command: {' or '.join(f'`urlschemes {name} URL`' for name in names)}"
    if isinstance(error, errors.PluginConflict) and error.scheme and error.claimants:
        return conflict_hint(error.scheme, [each.partition(" ")[0] for each in error.claimants])
    if error.code == "policy-denied" and error.hint and error.rule:
        configured = f"the policy's `{error.rule}` forbids it: `urlschemes config` shows where that is set"
        return _POLICY_HINTS.get(error.rule, configured if hasattr(urlschemes_access.Policy, error.rule) else None)
    return None


def _advice(error: URLError) -> str | None:
    """Return the hint of `check` about the error; None if it does not find it. It knows the whole text, and `fix`."""
    if not isinstance(error, errors.InvalidURL | errors.UnknownScheme):
        return None
    given = error.hint.parts if isinstance(error, errors.InvalidURL) and isinstance(error.hint, Hint) else ()
    if any(isinstance(each, Remedy) and each.setting == "credentials" for each in given):  # only the access knows it
        return None
    from urlschemes_lint import check  # late: only an error needs it

    about = click.get_current_context().meta.get(ABOUT)
    text = error.text if isinstance(error, errors.InvalidURL) else about.text if about else ""
    with suppress(URLError):
        for each in check(text, registry=current_settings().registry_for(text)):
            if each.code == error.code and (each.span or (0,))[0] == (error.position or 0):
                return each.hint
    return None


def with_options(hint: str) -> str:
    """Return a hint with the options of the command for its remedies."""
    parts = hint.parts if isinstance(hint, Hint) else (hint,)
    return Hint(*(_with_option(each) if isinstance(each, Remedy) else each for each in parts))


def _with_option(remedy: Remedy) -> str:
    owner, _, name = remedy.setting.rpartition(".")
    row = _SETTINGS.get(remedy.setting) or _SETTINGS.get(owner) or ("--option {name}={}", "VALUE", "")
    option, placeholder, table = row
    value = placeholder if remedy.value is None else remedy.value
    value = ("no", "yes")[value] if isinstance(value, bool) else value
    configured = f", or `{name} = {value}` in the table [{table}] of the configuration file" if table else ""
    return f"{option.format(value, name=name)} {remedy.what}{configured}"


def message_of(error: URLError) -> str:
    """Return the message and the hint of an error."""
    message, hint = str(error.message or error.code), hint_of(error)
    return f"{message}; {hint}" if hint else message


def _plugin_commands(scheme: str) -> list[str]:
    """Return the commands that the plugin of a scheme adds."""
    settings = current_settings()
    with suppress(URLError):
        own, claims = settings.registry_for(scheme).why(scheme).claims, settings.installed.claims()
        providers = {each.provider for each in own if each.state == "active" and each.module}
        return [each.name for each in claims if each.group == GROUP and each.provider in providers]
    return []
