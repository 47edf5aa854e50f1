"""`urlschemes check --text`: findings about the URLs in text files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import click

import urlschemes_lint
from urlschemes.redaction import redact, redact_url
from urlschemes_cli.commands.extract import decoded
from urlschemes_cli.error_reports import error_json, finding_json
from urlschemes_cli.exit_codes import INVALID, USAGE
from urlschemes_cli.output.json_output import json_text
from urlschemes_cli.output.text import safe_line, write_line, write_note
from urlschemes_cli.settings import Settings
from urlschemes_text import Found, find


def check_files(settings: Settings, files: Sequence[str], form: str) -> int:
    """Write the findings about the URLs in files, in a form of `_line`; return the exit code."""
    code = 0
    for file in files:
        try:
            for value in _findings(settings, file):
                write_line(_line(value, form))
                code = max(code, INVALID if value["severity"] == "error" else 0)
        except OSError as error:
            unreadable, code = click.FileError(file, error.strerror), USAGE
            if form == "json":
                write_line(json_text({"file": file, **error_json(unreadable)}))
            else:
                write_note(unreadable.format_message())
    return code


def _findings(settings: Settings, file: str) -> Iterator[dict[str, Any]]:
    """Yield the findings about the URLs in a file, as JSON. Raises OSError."""
    with click.open_file(file, "rb") as opened:
        pieces = decoded(opened)
        first = next(pieces, "")
        if "\0" in first:
            write_note(f"{file} is not a text and was passed over")
            return
        for passage in find(chain([first], pieces), registries=settings.registries, invalid=True):
            text = passage.meant
            if text is None:
                continue
            for finding in urlschemes_lint.check(text, registry=settings.registry_for(text)):
                if finding.code != "unknown-scheme":
                    line, column = passage.place_of(finding.span[0] if finding.span else 0)
                    url = redact(text) if isinstance(passage, Found) else redact_url(text)
                    yield {"file": file, "line": line, "column": column, "url": url, **finding_json(finding)}


def _line(value: dict[str, Any], form: str) -> str:
    """Return a finding as JSON, as `FILE:LINE:COLUMN: CODE: MESSAGE`, or as a workflow command of GitHub."""
    if form == "json":
        return json_text(value)
    message = safe_line("; ".join(filter(None, (value["message"], value["hint"]))))
    if form == "text":
        return f"{safe_line(value['file'])}:{value['line']}:{value['column']}: {value['code']}: {message}"
    fields = {"file": value["file"], "line": value["line"], "col": value["column"], "title": value["code"]}
    properties = ",".join(f"{name}={_escaped(str(each), ':,')}" for name, each in fields.items())
    return f"::{value['severity']} {properties}::{_escaped(message)}"


def _escaped(text: str, marks: str = "") -> str:
    return "".join(f"%{ord(each):02X}" if each in "%\r\n" + marks else each for each in text)
