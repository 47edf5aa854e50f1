"""The commands `check` and `fix`."""

from __future__ import annotations

import re
import sys

import click

import urlschemes_lint
from urlschemes.redaction import HIDDEN, redact, redact_url
from urlschemes_cli.error_reports import verdict_json
from urlschemes_cli.exit_codes import INVALID
from urlschemes_cli.options import json_option, note_hidden_password, passwords_option, remember, url_argument
from urlschemes_cli.output.console import Console
from urlschemes_cli.output.hints import with_options
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.text import safe_line, write_line, write_note
from urlschemes_cli.settings import Settings
from urlschemes_cli.verdict import print_verdict


@click.command()
@url_argument
@json_option
@click.pass_obj
def check(settings: Settings, url: str, *, as_json: bool) -> None:
    """List the errors in URL, and warnings about what is legal but unwise.

    The exit code is 1 if there are errors.
    """
    findings = urlschemes_lint.check(url, registry=settings.registry_for(url))
    is_invalid = any(finding.severity == "error" for finding in findings)
    if as_json:
        shown = redact_url(url) if is_invalid else redact(url)
        listed = [
            each._asdict() | {"message": redact(each.message), "hint": each.hint and redact(with_options(each.hint))}
            for each in findings
        ]
        write_json({"url": shown, "valid": not is_invalid, "findings": listed, "rfc1738": verdict_json(url)})
    else:
        console = Console()
        _show_findings(console, findings)
        print_verdict(console, url, settings)
    if is_invalid:
        click.get_current_context().exit(INVALID)


def _show_findings(console: Console, findings: tuple[urlschemes_lint.Finding, ...]) -> None:
    for finding in findings:
        style = "bold red" if finding.severity == "error" else "bold yellow"
        message = f"{_place(finding)}: {safe_line(finding.message)}"
        console.print_line((finding.severity, style), message, (f"  [{finding.code}]", "dim"), wrap=True)
        more = [each for each in (finding.section, with_options(finding.hint or "")) if each]
        if more:
            console.print_paragraph(safe_line("; ".join(more)), "dim", indent=4)
    if not findings:
        console.print_line(("valid, without warnings", "green"))


def _place(finding: urlschemes_lint.Finding) -> str:
    """Return " at N", unless the message names the position."""
    if finding.span is None or re.search(rf"\bposition {finding.span[0]}\b", finding.message):
        return ""
    return f" at {finding.span[0]}"


@click.command()
@click.argument("url", callback=lambda context, _, value: remember(context, value, "given"))
@json_option
@passwords_option
@click.pass_obj
def fix(settings: Settings, url: str, *, as_json: bool, passwords: bool) -> None:
    """Write the valid URL that is nearest to URL, and list the changes on standard error.

    A scheme or a host is never guessed. If several repairs are possible, none is made.
    """
    fixed = urlschemes_lint.fix(url, registry=settings.registry_for(url))
    text = str(fixed.url) if passwords else fixed.url.redacted()
    if as_json:
        given = url if passwords else redact_url(url) if fixed.changes else redact(url)
        made = {
            "given": given,
            "url": text,
            "changes": [
                each._asdict()
                | ({"before": HIDDEN, "after": HIDDEN} if each.part == "password" and not passwords else {})
                for each in fixed.changes
            ],
            "fragment": fixed.fragment if passwords or fixed.fragment is None else redact(fixed.fragment),
        }
        write_json(made)
        return
    write_line(text)
    sys.stdout.flush()
    _note_changes(fixed)
    if text != str(fixed.url):
        note_hidden_password()


def _note_changes(fixed: urlschemes_lint.Fixed) -> None:
    if not fixed.changes:
        write_note("the URL is valid and was not changed")
    for change in fixed.changes:
        texts = [each if each == each.strip() else f"'{each}'" for each in (change.before, change.after) if each]
        changed = "in the password" if change.part == "password" else " -> ".join(texts)
        write_note(f"{change.what} at {change.position}: {changed}  ({change.section})")
