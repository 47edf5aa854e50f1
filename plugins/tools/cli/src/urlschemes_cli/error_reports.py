"""Errors as messages on standard error, with hints in terms of the command line."""

from __future__ import annotations

import errno
import os
import re
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from urlschemes import errors
from urlschemes.registry.claim_selection import DISABLE
from urlschemes.registry.claims import COMMANDS
from urlschemes_cli.exit_codes import FAILED, INVALID, PIPE_CLOSED, REFUSED, UNKNOWN, USAGE
from urlschemes_cli.output.json_output import write_error_json
from urlschemes_cli.output.text import safe_line, write_line, write_log_as_notes, write_note
from urlschemes_cli.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urlschemes.errors import URLError

__all__ = [
    "conflict_hint",
    "exit_code",
    "report",
    "report_as_json",
    "report_output_error",
    "report_usage_error",
]

_EXIT_CODES: tuple[tuple[int, tuple[type[URLError], ...]], ...] = (
    (INVALID, (errors.InvalidURL, errors.NotHierarchical)),
    (REFUSED, (errors.UnsafeURL, errors.UnsupportedOperation)),
    (UNKNOWN, (errors.UnknownScheme, errors.PluginError, errors.RegistrationError)),
    (USAGE, (errors.ConfigurationError,)),
)
_POLICY_HINTS = {
    "roots": "--root DIR allows reading files below DIR",
    "writable": "--writable DIR allows writing and deleting files below DIR",
    "ports": "--allow-port N allows port N, if you know which service listens there",
    "networks": "--allow-network NET allows an address, or a network such as 192.0.2.0/24",
}
_CONFIGURED_HINT = "the policy's `{rule}` forbids it: `urlschemes config` shows where that is set"


def report(error: URLError) -> int:
    """Write an error and its hint on standard error; return the exit code for it."""
    from urlschemes_cli.output.console import Console  # late: rich

    write_log_as_notes()  # some messages are made by plugins' ledgers, which may fail
    message = safe_line(str(error.message or error.code))
    Console(stderr=True).print_line(("urlschemes: ", "bold red"), message)
    if isinstance(error, errors.PluginContractError) and error.wants:
        write_line(f"  expected: {safe_line(error.wants)}", stream=sys.stderr)
    hint = _hint(error)
    if hint:
        write_line(f"  help: {safe_line(hint)}", stream=sys.stderr)
    return exit_code(error)


def report_as_json(error: URLError | click.ClickException, context: click.Context) -> None:
    """Write an error as JSON on standard output, before it is written on standard error."""
    with suppress(OSError):  # standard output cannot be written; the error itself still counts
        write_error_json(error, context)
        sys.stdout.flush()


def report_usage_error(error: click.ClickException) -> None:
    """Write a usage error as click does, but without passwords of URLs among the arguments."""
    context = getattr(error, "ctx", None)
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        write_line(error.format_message(), stream=sys.stderr)  # the help
        return
    if context is not None:
        write_line(safe_line(context.get_usage()), stream=sys.stderr)
    write_note(error.format_message())
    if context is not None:
        write_line(f"Try '{context.command_path} --help'.", stream=sys.stderr)


def report_output_error(error: OSError) -> int:
    """Report that the output could not be written; return the exit code for it."""
    _discard_output()
    if error.errno == errno.EPIPE:
        return PIPE_CLOSED
    write_note(f"{error.filename or 'cannot write the output'}: {error.strerror or error}")
    return FAILED


def exit_code(error: URLError) -> int:
    """Return the exit code for an error."""
    code = _exit_code_of_core(error)
    if code is not None:
        return code
    from urlschemes_access.errors import PolicyDenied  # late: commands that only parse do without access and lint
    from urlschemes_lint import NotRepairable

    if isinstance(error, NotRepairable):
        return INVALID
    return REFUSED if isinstance(error, PolicyDenied) else FAILED


def conflict_hint(name: str, distributions: Sequence[str]) -> str:
    """Return how to choose between distributions that claim the same name."""
    first, *others = dict.fromkeys(distributions)
    alternative = f"switch the other off: --disable {others[0]}" if len(others) == 1 else "uninstall the others"
    return f"choose one: --pin {name}={first}, or {alternative}"


def _hint(error: URLError) -> str | None:
    """Return what to do next, in terms of the command line."""
    if isinstance(error, errors.UnsupportedOperation) and (names := _plugin_commands(error.scheme)):
        return f"use its own command: {' or '.join(f'`urlschemes {name} URL`' for name in names)}"
    if isinstance(error, errors.PluginLoadError | errors.PluginContractError) and error.hint:
        return error.hint.replace(f"{DISABLE}=", "--disable ")
    if isinstance(error, errors.PluginConflict) and error.scheme and error.claimants:
        return conflict_hint(error.scheme, [each.partition(" ")[0] for each in error.claimants])
    if _exit_code_of_core(error) is not None:
        return error.hint
    return _access_hint(error) or _in_options(error.hint)


def _in_options(hint: str | None) -> str | None:
    """Return the hint of an error of an access, with the option of the command for each setting that it names."""
    hint = re.sub(r"\b(cacert|cert)=", r"--\1 FILE", hint or "")
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


def _exit_code_of_core(error: URLError) -> int | None:
    """Return the exit code for an error of the core; None for an error of another distribution."""
    return next((code for code, classes in _EXIT_CODES if isinstance(error, classes)), None)


def _plugin_commands(scheme: str | None) -> list[str]:
    """Return the commands that the provider of a scheme adds."""
    settings = click.get_current_context().find_object(Settings)
    if settings is None or scheme is None:
        return []
    try:
        provider = settings.registry.why(scheme).provider
        claims = settings.registry.claims()
    except errors.URLError:
        return []
    return [each.name for each in claims if each.group == COMMANDS and each.provider == provider]


def _discard_output() -> None:
    """Discard further output: Python would try to write it at exit, and complain."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
