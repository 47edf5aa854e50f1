"""parse, explain, check, fix: what can be said of a URL without going anywhere."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import click

from urlschemes.redaction import HIDDEN, redact
from urlschemes_cli.output.plain import as_json, errors_as_json, line, note, parts_of, write, write_json
from urlschemes_lint import check as check_url
from urlschemes_lint import fix as fix_url

if TYPE_CHECKING:
    from urlschemes_cli.app import Settings
    from urlschemes_lint.findings import Finding
    from urlschemes_lint.fixing import Change, Fixed

__all__ = ["check", "explain", "fix", "note_hidden", "parse", "with_passwords"]


def _passwords(_: click.Context, __: click.Parameter, value: bool) -> bool:
    if value and sys.stdout.isatty():
        raise click.UsageError("--passwords is for files and pipes, not for a terminal")
    return value


with_passwords = click.option(
    "--passwords",
    is_flag=True,
    callback=_passwords,
    help="Write passwords as they are. Else *** stands in place of each, also within the URL that is written. "
    "For files and pipes, not for a terminal.",
)


def note_hidden() -> None:
    """Say that what was written is no URL to be used: its password is missing."""
    note("the password is hidden; --passwords shows it, in a file or a pipe")


@click.command(short_help="Take a URL apart.")
@click.argument("url")
@as_json
@with_passwords
@click.pass_obj
def parse(settings: Settings, url: str, *, as_json: bool, passwords: bool) -> None:
    """Take URL apart: its parts, decoded and as written."""
    with errors_as_json(url, wanted=as_json):
        parsed = settings.registry.parse(url)
    parts = parts_of(parsed, passwords=passwords)
    if as_json:
        write_json(
            {
                "url": str(parsed) if passwords else parsed.redacted(),
                "scheme": parsed.scheme,
                "type": type(parsed).__name__,
                "parts": {name: value for name, (value, _) in parts.items()},
                "raw": {name: raw for name, (_, raw) in parts.items()},
            }
        )
        return
    from urlschemes_cli.output.screen import Screen, grid

    table = grid("part", "value", "as written")
    for name, (value, raw) in parts.items():
        table.add_row(name, _worded(value), _worded(raw))
    Screen().table(table)


def _worded(value: object) -> Any:
    """The value of a part for a person, who must see an absent one and an empty one apart."""
    from rich.text import Text

    if value is None:
        return Text("absent", "dim italic")
    if isinstance(value, tuple):
        return Text("none", "dim italic") if not value else ", ".join(map(_element, value))
    return line(str(value)) if str(value) else Text("empty", "dim italic")


def _element(element: str | tuple[str, str]) -> str:
    """An element of a list, or the name and value of one."""
    return f'"{line(element)}"' if isinstance(element, str) else "=".join(map(_element, element))


@click.command(short_help="Name the parts of a URL, or show where it goes wrong.")
@click.argument("url")
@click.pass_obj
def explain(settings: Settings, url: str) -> None:
    """Name the parts of URL underneath it, or show where it goes wrong, and how it would be right."""
    from urlschemes_cli.app import INVALID
    from urlschemes_cli.output.picture import show, strokes_of
    from urlschemes_cli.output.screen import Screen
    from urlschemes_lint.explaining import picture_of

    screen = Screen()
    picture = picture_of(url, registry=settings.registry, width=screen.width, strokes=strokes_of(screen))
    show(picture, screen)
    if picture.error is not None:
        click.get_current_context().exit(INVALID)


@click.command(short_help="List what is wrong with a URL, or unwise.")
@click.argument("url")
@as_json
@click.pass_obj
def check(settings: Settings, url: str, *, as_json: bool) -> None:
    """List what is wrong with URL, and what is legal but unwise."""
    from urlschemes_cli.app import INVALID

    with errors_as_json(url, wanted=as_json):
        findings = check_url(url, registry=settings.registry)
    invalid = any(finding.severity == "error" for finding in findings)
    if as_json:
        write_json({"url": line(url), "valid": not invalid, "findings": [_finding(each) for each in findings]})
    else:
        _show_findings(findings)
    if invalid:
        click.get_current_context().exit(INVALID)


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "message": line(finding.message),
        "span": finding.span,
        "part": finding.part,
        "expected": finding.expected,
        "rule": finding.rule,
        "section": finding.section,
        "hint": finding.hint and line(finding.hint),
    }


def _show_findings(findings: tuple[Finding, ...]) -> None:
    from rich.text import Text

    from urlschemes_cli.output.screen import Screen

    screen = Screen()
    for finding in findings:
        # Most messages say where it is.
        place = f" at {finding.span[0]}" if finding.span else ""
        if finding.span and re.search(rf"\bposition {finding.span[0]}\b", finding.message):
            place = ""
        colour = "bold red" if finding.severity == "error" else "bold yellow"
        said = Text.assemble(
            (finding.severity, colour), f"{place}: {line(finding.message)}", (f"  [{finding.code}]", "dim")
        )
        screen.print(said, soft_wrap=not screen.stream_is_terminal)
        more = [each for each in (finding.section, finding.hint) if each]
        if more:
            screen.paragraph(line("; ".join(more)), "dim", indent=4)
    if not findings:
        screen.print(Text("valid, and nothing unwise in it", "green"))


@click.command(short_help="Write the nearest valid URL.")
@click.argument("url")
@as_json
@with_passwords
@click.pass_obj
def fix(settings: Settings, url: str, *, as_json: bool, passwords: bool) -> None:
    """Write the valid URL that is nearest to URL; say on standard error what was changed.

    A scheme or a host is never guessed. Where several repairs are possible, there is none. Passwords are hidden: ***.
    """
    with errors_as_json(url, wanted=as_json, name="given"):
        fixed = fix_url(url, registry=settings.registry)
    text = str(fixed.url) if passwords else fixed.url.redacted()
    if as_json:
        write_json(
            {
                "given": url if passwords else line(url),
                "url": text,
                "changes": [_change(each, passwords=passwords) for each in fixed.changes],
                "fragment": fixed.fragment if passwords or fixed.fragment is None else redact(fixed.fragment),
            }
        )
        return
    write(text)
    sys.stdout.flush()
    _show_changes(fixed)
    if text != str(fixed.url):
        note_hidden()


def _change(change: Change, *, passwords: bool) -> dict[str, Any]:
    hidden = change.part == "password" and not passwords
    return {
        "what": change.what,
        "position": change.position,
        "before": HIDDEN if hidden else line(change.before),
        "after": HIDDEN if hidden else line(change.after),
        "part": change.part,
        "section": change.section,
    }


def _show_changes(fixed: Fixed) -> None:
    if not fixed.changes:
        note("it is valid as it is")
    for change in fixed.changes:
        if change.part == "password":
            said = "in the password"
        elif change.before and change.after:
            said = f"{change.before} -> {change.after}"
        else:
            said = change.before or change.after
        note(f"{change.what} at {change.position}: {said}  ({change.section})")
