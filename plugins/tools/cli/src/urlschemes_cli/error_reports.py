"""Errors as messages on standard error, with hints in terms of the command line."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from urlschemes import errors
from urlschemes_cli.exit_codes import FAILED, INVALID, PIPE_CLOSED, REFUSED, core_exit_code
from urlschemes_cli.output.hints import hint_of
from urlschemes_cli.output.json_output import ABOUT, About, write_error_json
from urlschemes_cli.output.text import safe_line, write_line, write_log_as_notes, write_note
from urlschemes_cli.settings import Settings
from urlschemes_cli.verdict import verdict_on

if TYPE_CHECKING:
    from urlschemes.errors import URLError

__all__ = [
    "exit_code",
    "report",
    "report_as_json",
    "report_missing_profile",
    "report_output_error",
    "report_usage_error",
]


def report(error: URLError) -> int:
    """Write an error and its hint on standard error; return the exit code for it."""
    from urlschemes_cli.output.console import Console  # late: rich

    write_log_as_notes()  # some messages are made by plugins' ledgers, which may fail
    message = safe_line(str(error.message or error.code))
    Console(stderr=True).print_line(("urlschemes: ", "bold red"), message)
    if isinstance(error, errors.PluginContractError) and error.wants:
        write_line(f"  expected: {safe_line(error.wants)}", stream=sys.stderr)
    hint = hint_of(error)
    if hint:
        write_line(f"  help: {safe_line(hint)}", stream=sys.stderr)
    _report_verdict(error)
    return exit_code(error)


def report_missing_profile(settings: Settings) -> int:
    """Report the error of the chosen profile if it cannot be used, and use the core's; return the exit code, or 0."""
    missing = settings.without_missing_profile()
    return 0 if missing is None else report(missing)


def _report_verdict(error: URLError) -> None:
    """Write what RFC 1738 says of the URL that the command was given, if that is the one at fault."""
    if not isinstance(error, errors.InvalidURL):
        return
    context = click.get_current_context()
    about: About | None = context.meta.get(ABOUT)
    verdict = about and error.text == about.text and verdict_on(about.text, context.ensure_object(Settings))
    if verdict:
        write_line(f"  {safe_line(str(verdict))}", stream=sys.stderr)


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
    code = core_exit_code(error)
    if code is not None:
        return code
    from urlschemes_access.errors import PolicyDenied  # late: commands that only parse do without access and lint
    from urlschemes_lint import NotRepairable

    if isinstance(error, NotRepairable):
        return INVALID
    return REFUSED if isinstance(error, PolicyDenied) else FAILED


def _discard_output() -> None:
    """Discard further output: Python would try to write it at exit, and complain."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
