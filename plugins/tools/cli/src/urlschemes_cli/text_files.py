"""`urlschemes check --text`: findings about the URLs in text files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from typing import Any

import click

import urlschemes_lint
from urlschemes.redaction import redact_url
from urlschemes_cli.error_reports import error_json, finding_json
from urlschemes_cli.exit_codes import INVALID
from urlschemes_cli.output.json_output import json_text
from urlschemes_cli.output.text import safe_line, write_line, write_note
from urlschemes_cli.passages import note_unchecked, passages, unchecked_name
from urlschemes_cli.settings import Settings
from urlschemes_text import Broken, Found, fill_placeholders

_AUTHORITY = re.compile("[A-Za-z0-9+.-]+://[^/?#]*")
_SEGMENT = re.compile("[^/?#&]*")


def check_files(settings: Settings, files: Sequence[str], form: str, ignored: Container[str]) -> int:
    """Write the findings about the URLs in files, in a form of `_line`; return the exit code."""
    code, counts = 0, Counter[str]()
    for file, passage in passages(settings, files):
        if isinstance(passage, click.UsageError):
            code = max(code, passage.exit_code)
            if form == "json":
                write_line(json_text({"file": file, **error_json(passage)}))
            else:
                write_note(passage.format_message())
        elif name := unchecked_name(settings, passage):
            counts[name] += 1
        else:
            for value in _findings(settings, file, passage):
                if value["code"] not in ignored:
                    write_line(_line(value, form))
                    code = max(code, INVALID if value["severity"] == "error" else 0)
    note_unchecked(counts, "not checked")
    return code


def _findings(settings: Settings, file: str, passage: Found | Broken) -> Iterator[dict[str, Any]]:
    """Yield the findings about a URL in a file, as JSON."""
    text = str(passage.meant)
    filled = fill_placeholders(text)
    for finding in urlschemes_lint.check(filled, registry=settings.registry_for(filled)):
        start, end = finding.span or (0, len(text))
        about = slice(min(start, max(end - 1, 0)), end)  # what is missing may be in a placeholder before it
        if text[about] == filled[about] and (finding.severity == "error" or _is_literal(text, filled, start)):
            line, column = passage.place_of(finding.span[0] if finding.span else 0)
            if isinstance(passage, Found):
                url = passage.url.redacted()
            else:  # the whole text: a part of it might end within a password, and not look like one
                url = redact_url(getattr(passage.error, "text", passage.text))
            yield {"file": file, "line": line, "column": column, "url": url, **finding_json(finding)}


def _is_literal(text: str, filled: str, index: int) -> bool:
    """Return True if no placeholder is in the authority of a URL, nor in the rest of the segment or field at `index`.

    There are no warnings about the others: what is filled in may be harmless.
    """
    places = _AUTHORITY.match(text), _SEGMENT.match(text, index)
    return all(place is None or place[0] == filled[slice(*place.span())] for place in places)


def _line(value: dict[str, Any], form: str) -> str:
    """Return a finding as JSON, as `FILE:LINE:COLUMN: SEVERITY: CODE: MESSAGE`, or as a workflow command of GitHub."""
    if form == "json":
        return json_text(value)
    message = safe_line("; ".join(filter(None, (value["message"], value["hint"]))))
    if form == "text":
        place = f"{safe_line(value['file'])}:{value['line']}:{value['column']}"
        return f"{place}: {value['severity']}: {value['code']}: {message}"
    fields = {"file": value["file"], "line": value["line"], "col": value["column"], "title": value["code"]}
    properties = ",".join(f"{name}={_escaped(str(each), ':,')}" for name, each in fields.items())
    return f"::{value['severity']} {properties}::{_escaped(message)}"


def _escaped(text: str, marks: str = "") -> str:
    return "".join(f"%{ord(each):02X}" if each in "%\r\n" + marks else each for each in text)
