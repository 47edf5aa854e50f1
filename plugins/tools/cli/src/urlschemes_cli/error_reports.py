"""Errors as messages on standard error, with hints in terms of the command line, and as JSON.

So is the verdict of RFC 1738 on a text that the command reads by another profile, where it differs.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from urlschemes import Registry
from urlschemes.errors import InvalidURL, URLError
from urlschemes.redaction import redact, redact_url
from urlschemes_cli.exit_codes import FAILED, PIPE_CLOSED, exit_code
from urlschemes_cli.output.console import Console
from urlschemes_cli.output.hints import hint_of, with_options
from urlschemes_cli.output.json_output import ABOUT, ASKED, About, write_json
from urlschemes_cli.output.text import safe_line, write_line, write_log_as_notes, write_note
from urlschemes_cli.settings import Settings, current_settings

if TYPE_CHECKING:
    from urlschemes_lint import Finding

__all__ = ["error_json", "finding_json", "report", "report_missing_profile", "verdict_json", "verdict_line"]


def report_failure(error: URLError) -> int:
    """Report an error as JSON if that is asked for, and on standard error; return the exit code for it."""
    context = click.get_current_context()
    if context.meta.get(ASKED):
        _write_as_json(error, context)
    return report(error)


def report(error: URLError) -> int:
    """Write an error and its hint on standard error, unless JSON of many URLs has them; return the exit code for it."""
    context = click.get_current_context()
    about: About | None = context.meta.get(ABOUT)
    if about and about.is_one_of_many and context.meta.get(ASKED):
        return exit_code(error)
    sys.stdout.flush()  # what was written before comes first
    found = error_json(error)["error"]  # before anything is written: it may import plugins, which may be slow or fail
    is_about = about and isinstance(error, InvalidURL) and error.text == about.text
    verdict = verdict_json(about.text) if about and is_about else None
    place = f"{safe_line(redact_url(about.text))}: " if about and about.is_one_of_many else ""
    place = f"line {about.line}: {place}" if about and about.line else place
    Console(stderr=True).print_line(("urlschemes: ", "bold red"), place + safe_line(found["message"]))
    for name, text in (("expected", getattr(error, "wants", None)), ("help", found["hint"])):
        if text:
            write_line(f"  {name}: {safe_line(text)}", stream=sys.stderr)
    if verdict:
        write_line(f"  {verdict_line(verdict)}", stream=sys.stderr)
    return exit_code(error)


def report_missing_profile(settings: Settings) -> int:
    """Report the error of the chosen profile if it cannot be used, and use the core's; return the exit code, or 0."""
    missing = settings.without_missing_profile()
    return 0 if missing is None else report(missing)


def _write_as_json(error: URLError | click.ClickException, context: click.Context) -> None:
    value, about = error_json(error), context.meta.get(ABOUT)
    if about and about.key and isinstance(error, URLError):
        value = {about.key: redact_url(about.text), **value}
        if isinstance(error, InvalidURL) and error.text == about.text:
            value["rfc1738"] = verdict_json(about.text)
    with suppress(OSError):  # standard output cannot be written; the error itself still counts
        write_json(value)
        sys.stdout.flush()


def error_json(error: URLError | click.ClickException) -> dict[str, Any]:
    """Return an error as JSON; every error has the same keys, and that of `fix` its readings, too."""
    write_log_as_notes()  # some messages are made by plugins' ledgers, which may fail
    if isinstance(error, URLError):
        code, message, hint = error.code, str(error.message or error.code), hint_of(error)
    else:
        code, message, hint = "usage", usage_message(error), None
    places = ("scheme", "part", "position", "span", "rule", "section")
    readings = getattr(error, "shown_readings", None)
    return {
        "error": {
            "code": code,
            "message": redact(message),
            **{name: getattr(error, name, None) for name in places},
            "hint": hint and redact(hint),
            "origin": getattr(error, "origin", None),
            **({} if readings is None else {"readings": list(readings)}),
        }
    }


def finding_json(finding: Finding) -> dict[str, Any]:
    """Return a finding as JSON, with its hint in terms of the command line."""
    hint = finding.hint and redact(with_options(finding.hint))
    return finding._asdict() | {"message": redact(finding.message), "hint": hint}


def verdict_json(text: str) -> dict[str, Any] | None:
    """Return what RFC 1738 says of `text` as JSON; None if that is the same, or if its profile has no such scheme."""
    settings = current_settings()
    with suppress(URLError):
        registry, old = settings.registry_for(text), settings.installed
        if registry is not old and text.partition(":")[0] in old:
            (invalid, cautions), (by_1738, old_cautions) = _read(registry, text), _read(old, text)
            reads = "; ".join(message for code, message in old_cautions.items() if code not in cautions)
            if reads or (invalid is None) != (by_1738 is None):
                error = by_1738 and error_json(by_1738)["error"]
                return {"valid": by_1738 is None, "error": error, "reads": reads or None}
    return None


def verdict_line(verdict: dict[str, Any]) -> str:
    """Return the JSON of a verdict as a line of text."""
    says = f"valid, {'but ' + verdict['reads'] if verdict['reads'] else 'with --profile rfc1738'}"
    return safe_line(f"RFC 1738: {says if verdict['valid'] else verdict['error']['message']}")


def _read(registry: Registry, text: str) -> tuple[InvalidURL | None, dict[str, str]]:
    """Return the error in a text; the messages of the cautions of its record that apply to it, by their codes."""
    try:
        url = registry.parse(text)
    except InvalidURL as error:
        return error, {}
    cautions = url.registration.cautions if url.registration else ()
    found = (each for each in cautions if any(each.spans(str(url), *(url.span(each.part) or (0, 0)))))
    return None, {each.code: each.message for each in found}


def usage_message(error: click.ClickException) -> str:
    """Return the message on one line: click lists the choices of an argument that is missing on several."""
    return re.sub(r"\s*\n\s*", " ", error.format_message())


def report_usage_error(error: click.ClickException) -> int:
    """Report a usage error as click does, but without passwords of URLs, and as JSON; return the exit code for it."""
    context = getattr(error, "ctx", None)
    if context is not None and context.meta.get(ASKED):
        _write_as_json(error, context)
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        write_line(error.format_message(), stream=sys.stderr)  # the help
        return error.exit_code
    if context is not None:
        write_line(safe_line(context.get_usage()), stream=sys.stderr)
    write_note(usage_message(error))
    if context is not None:
        write_line(f"Try '{context.command_path} --help'.", stream=sys.stderr)
    return error.exit_code


def report_output_error(error: OSError) -> int:
    """Report that the output could not be written; return the exit code for it."""
    with suppress(OSError, ValueError):  # Python would try to write the rest of the output at exit, and complain
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
    if error.errno == errno.EPIPE:
        return PIPE_CLOSED
    write_note(f"{error.filename or 'cannot write the output'}: {error.strerror or error}")
    return FAILED
