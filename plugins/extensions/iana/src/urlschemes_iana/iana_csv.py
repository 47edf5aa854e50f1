"""The CSV file that IANA offers for its registry of URI schemes, in all layouts that it has had.

Columns are found by their titles. Of each row are used: the name in lower case, the description unless it repeats the
name, the status, RFCs, drafts and addresses among the references (else the template of the registration), and whether
the scheme is obsolete. Names of persons are left out.
"""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, NoReturn

from urlschemes.errors import ConfigurationError
from urlschemes.grammar.octets import SCHEME_NAME_FORM
from urlschemes.redaction import one_line
from urlschemes.registry.names import KnownName
from urlschemes_iana.snapshot import read_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["parse_iana_csv"]

MAX_ROWS = 20_000
MAX_CHARACTERS = 2_000
"""Characters in one field."""
_STATUSES = ("permanent", "provisional", "historical", "pending")

_REQUIRED_COLUMNS = ("URI Scheme", "Description", "Status")
_REFERENCE_COLUMNS = ("Reference", "Reference (RFC only)")
_NAME = re.compile(r"(\S+)(?: \((.*)\))?")
"""A name, and a remark on it: `shttp (OBSOLETE)`."""
_REFERENCE = re.compile(
    r"\[(?:RFC ?(\d{1,5})(?:, Section (\w[\w.]{0,20}))?|(draft-[\w.-]{1,100}|https?://[!-Z^-~]{1,150}))\]", re.ASCII
)
_TEMPLATE = re.compile(r"[a-z]{1,20}/[\w.+-]{1,64}", re.ASCII)
_REMARK = re.compile(r"(?:\\n)?\s?\(see \[[^\]]{1,40}\]\)")
"""A remark about the registration, not the scheme: `(see [reviewer notes])`."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def parse_iana_csv(file: Path) -> tuple[KnownName, ...]:
    """Return the names in `file`, sorted. Raises ConfigurationError, whose `key` is the line and the column."""
    names: dict[str, tuple[KnownName, int]] = {}
    for line, row, columns in _rows(_read_text(file), file):
        known = _known_name(row, columns, file, line)
        if known.name in names:
            _refuse(file, line, "URI Scheme", f"{known.name} occurs in line {names[known.name][1]} already")
        names[known.name] = known, line
    if not names:
        raise ConfigurationError(f"the file {file} contains no names", source=str(file))
    return tuple(known for known, _ in sorted(names.values()))


def _read_text(file: Path) -> str:
    try:
        octets = read_file(file)
    except FileNotFoundError:
        raise ConfigurationError(f"there is no file {file}", source=str(file)) from None
    try:
        text = octets.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = octets.count(b"\n", 0, error.start) + 1
        _refuse(file, line, None, "not UTF-8; is this the CSV file?")
    if match := _CONTROL.search(text):
        line = text.count("\n", 0, match.start()) + 1
        _refuse(file, line, None, f"control character U+{ord(match[0]):04X}; is this the CSV file?")
    return text


def _rows(text: str, file: Path) -> Iterator[tuple[int, list[str], Mapping[str, int]]]:
    """Yield line number, fields, and the index of each column by its title, of each row."""
    reader = csv.reader(text.splitlines(keepends=True), strict=True)
    try:
        titles = next(reader, [])
        columns = {title.strip(): index for index, title in enumerate(titles)}
        _check_columns(columns, file)
        for number, row in enumerate(reader):
            line = reader.line_num
            if number >= MAX_ROWS:
                _refuse(file, line, None, f"more than {MAX_ROWS} rows")
            if len(row) != len(titles):
                _refuse(file, line, None, f"the row has {len(row)} fields: expected {len(titles)}, as in the first row")
            for title, index in columns.items():
                if len(row[index]) > MAX_CHARACTERS:
                    _refuse(file, line, title, f"the field is longer than {MAX_CHARACTERS} characters")
            yield line, row, columns
    except csv.Error as error:
        _refuse(file, reader.line_num, None, f"not CSV: {error}")


def _check_columns(columns: Mapping[str, int], file: Path) -> None:
    missing = [title for title in _REQUIRED_COLUMNS if title not in columns]
    if not any(title in columns for title in _REFERENCE_COLUMNS):
        missing.append(_REFERENCE_COLUMNS[0])
    if missing:
        _refuse(file, 1, None, f"missing column {missing[0]!r}: expected the CSV file of the registry of URI schemes")


def _known_name(row: list[str], columns: Mapping[str, int], file: Path, line: int) -> KnownName:
    def field(title: str) -> str:
        return " ".join(row[columns[title]].split()) if title in columns else ""

    written = field("URI Scheme")
    found = _NAME.fullmatch(written)
    name, remark = (found[1].lower(), found[2] or "") if found else ("", "")
    # `lower` turns some letters of other alphabets into US-ASCII. A name begins with a letter (RFC 3986 section 3.1).
    if not written.isascii() or SCHEME_NAME_FORM.fullmatch(name) is None or not name[0].isalpha():
        _refuse(file, line, "URI Scheme", f"invalid scheme name {one_line(repr(written), 80)}")
    status = field("Status").lower()
    if status not in _STATUSES:
        shown = one_line(repr(field("Status")), 80)
        _refuse(file, line, "Status", f"invalid status {shown}: expected one of {', '.join(_STATUSES)}")
    given = next(field(title) for title in _REFERENCE_COLUMNS if title in columns)
    references = [
        f"RFC {rfc} section {section}" if section else f"RFC {rfc}" if rfc else other
        for rfc, section, other in _REFERENCE.findall(given)
    ]
    if not references and _TEMPLATE.fullmatch(field("Template")):
        references = [f"IANA template {field('Template')}"]
    means = _REMARK.sub("", field("Description"))
    obsolete = "obsolete" in f"{remark} {field('Notes')}".lower()
    return KnownName(
        name,
        "" if means.lower() == name else one_line(means, 200),
        one_line(", ".join(references), 200),
        "obsolete" if obsolete else "",
        "",
        status,
    )


def _refuse(file: Path, line: int, column: str | None, problem: str) -> NoReturn:
    place = f"line {line}" + (f", column {column}" if column else "")
    raise ConfigurationError(f"{file}, {place}: {problem}", source=str(file), key=place)
