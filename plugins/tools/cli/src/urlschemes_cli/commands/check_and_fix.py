"""The commands `check` and `fix`."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

import click

import urlschemes_lint
from urlschemes.redaction import HIDDEN, redact, redact_url
from urlschemes_cli.error_reports import finding_json, verdict_json, verdict_line
from urlschemes_cli.exit_codes import INVALID
from urlschemes_cli.options import each_url, for_each_url, json_option, note_hidden_password, passwords_option
from urlschemes_cli.output.console import Console
from urlschemes_cli.output.json_output import ABOUT, About, write_json
from urlschemes_cli.output.text import safe_line, write_line, write_note
from urlschemes_cli.settings import Settings


def _codes(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> frozenset[str]:
    """Return the codes in the values of --ignore."""
    return frozenset(code.strip() for value in values for code in value.split(","))


@click.command()
@click.argument("urls", nargs=-1, metavar="URL...", shell_complete=click.Path().shell_complete)
@click.option("--text", "in_text", is_flag=True, help="Check the URLs in texts: each URL is the name of a file.")
@click.option("--format", "form", type=click.Choice(["text", "github"]), help="How --text writes what it finds.")
@click.option(
    "--ignore",
    "ignored",
    metavar="CODES",
    multiple=True,
    callback=_codes,
    help="Leave out these findings; each shows its code.",
)
@json_option
@click.pass_obj
def check(
    settings: Settings,
    urls: tuple[str, ...],
    *,
    in_text: bool,
    form: str | None,
    ignored: frozenset[str],
    as_json: bool,
) -> int:
    """List the errors in URL, and warnings about what is legal but unwise.

    The exit code is 1 if there are errors. With `-`, each line of standard input is a URL. Of several URLs, each
    finding is a line `LINE: URL: SEVERITY: CODE: MESSAGE`. `--ignore bad-escape,password` leaves out findings.

    With --text, each URL is a FILE; `-`, or none, is standard input: a text with URLs, such as Markdown, HTML or source
    code. Each finding is a line `FILE:LINE:COLUMN: SEVERITY: CODE: MESSAGE`, or a workflow command for `--format
    github`. Text with no scheme and placeholders as in `http://{host}/` or `http://$HOST/` are left alone. Standard
    error says how many URLs were not checked because their scheme is not installed, and which files are binary.
    """
    if not (urls or in_text):
        raise click.MissingParameter(param_hint="'URL...'", param_type="argument")
    if form and (as_json or not in_text):
        raise click.UsageError("--format cannot be combined with --json" if as_json else "--format needs --text")
    if in_text:
        from urlschemes_cli.text_files import check_files  # late: most checks read no text

        return check_files(settings, urls or "-", "json" if as_json else form or "text", ignored)

    def read(text: str) -> int:
        registry = settings.registry_for(text)
        all_findings = urlschemes_lint.check(text, registry=registry)
        findings = [finding_json(each) for each in all_findings if each.code not in ignored]
        is_valid = all(each.severity != "error" for each in all_findings)
        shown = registry.parse(text).redacted() if is_valid else redact_url(text)
        value = {"url": shown, "valid": is_valid, "findings": findings, "rfc1738": verdict_json(text)}
        about: About = click.get_current_context().meta[ABOUT]
        if as_json:
            write_json(value)
        elif about.is_one_of_many:
            _print_lines(value, about.line)
        else:
            _print(value, "every finding is ignored" if all_findings else "valid, without warnings")
        if not (is_valid or about.line) and os.path.isfile(text):  # noqa: PTH113  it is False for a text too long for a path
            write_note(f"{text} is a file: --text checks the URLs in it")
        return INVALID if any(each["severity"] == "error" for each in findings) else 0

    return each_url(urls, read, heading="")


def _print_lines(value: dict[str, Any], line: int) -> None:
    """Print each finding about one of many URLs on a line."""
    place = f"{line}: " if line else ""
    for finding in value["findings"]:
        message = "; ".join(filter(None, (finding["message"], finding["hint"])))
        kind = f"{finding['severity']}: {finding['code']}"
        write_line(f"{place}{safe_line(value['url'])}: {kind}: {safe_line(message)}")


def _print(value: dict[str, Any], without_findings: str) -> None:
    console = Console()
    for finding in value["findings"]:
        style = "bold red" if finding["severity"] == "error" else "bold yellow"
        message = f"{_place(finding)}: {safe_line(finding['message'])}"
        console.print_line((finding["severity"], style), message, (f"  [{finding['code']}]", "dim"), wrap=True)
        more = [each for each in (finding["section"], finding["hint"]) if each]
        if more:
            console.print_paragraph(safe_line("; ".join(more)), "dim", indent=4)
    if not value["findings"]:
        console.print_line((without_findings, "green"))
    if value["rfc1738"]:
        console.print_line((verdict_line(value["rfc1738"]), "dim"))


def _place(finding: dict[str, Any]) -> str:
    """Return " at N", unless the message names the position."""
    if finding["span"] is None or re.search(rf"\bposition {finding['span'][0]}\b", finding["message"]):
        return ""
    return f" at {finding['span'][0]}"


@click.command()
@for_each_url("given", heading="")
@click.option("--normalize", is_flag=True, help="Write the normal form of the URL, by the rules of its scheme.")
@json_option
@passwords_option
def fix(settings: Settings, given: str, *, normalize: bool, as_json: bool, passwords: bool) -> int:
    """Write the valid URL that is nearest to URL, and list the changes on standard error.

    A scheme or a host is never guessed. If several repairs are possible, none is made. With `-`, each line of standard
    input is a URL.
    """
    fixed = urlschemes_lint.fix(given, registry=settings.registry_for(given))
    if normalize:
        fixed = fixed._replace(url=fixed.url.normalized())
    value = _fixed_json(fixed, given, passwords=passwords)
    if as_json:
        write_json(value)
        return 0
    write_line(value["url"])
    _note_changes(value, f"{value['given']}: " if click.get_current_context().meta[ABOUT].is_one_of_many else "")
    if value["url"] == str(fixed.url):
        return 0
    note_hidden_password()
    return 0 if sys.stdout.isatty() else INVALID  # a file or a program takes what was written for the URL


def _fixed_json(fixed: urlschemes_lint.Fixed, given: str, *, passwords: bool) -> dict[str, Any]:
    hidden = {} if passwords else {"before": HIDDEN, "after": HIDDEN}
    return {
        "given": given if passwords else redact_url(given) if given != str(fixed.url) else fixed.url.redacted(),
        "url": str(fixed.url) if passwords else fixed.url.redacted(),
        "changes": [each._asdict() | (hidden if each.part == "password" else {}) for each in fixed.changes],
        "fragment": fixed.fragment if passwords or fixed.fragment is None else redact(fixed.fragment),
    }


def _note_changes(value: dict[str, Any], place: str) -> None:
    if not value["changes"] and value["url"] == value["given"] and not place:
        write_note("the URL is valid and was not changed")
    for change in value["changes"]:
        texts = [each if each == each.strip() else f"'{each}'" for each in (change["before"], change["after"]) if each]
        changed = "in the password" if change["part"] == "password" else " -> ".join(texts)
        write_note(f"{place}{change['what']} at {change['position']}: {changed}  ({change['section']})")
