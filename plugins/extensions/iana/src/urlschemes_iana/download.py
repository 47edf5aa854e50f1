"""The registry as IANA gives it: the CSV file behind "Available Formats" on its page, in any of the layouts it has had.

The columns are found by their titles. What is kept of a row: the name in lower case, the description (unless it is the
name again), the status, RFCs, drafts and addresses among the references (else the template of the registration, where
there is one), and whether the registry calls it obsolete. Names of persons are left out.
"""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, NoReturn

from urlschemes.errors import ConfigurationError
from urlschemes.grammar.octets import SCHEME_NAME_FORM
from urlschemes.redaction import one_line
from urlschemes.registry.known_names import KnownName
from urlschemes_iana.snapshot import octets_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["downloaded"]

_MOST_ROWS = 20_000
_MOST_CHARACTERS = 2_000
"""In one field."""
_STATUSES = ("permanent", "provisional", "historical", "pending")

_NEEDED = ("URI Scheme", "Description", "Status")
_REFERENCES = ("Reference", "Reference (RFC only)")
_OBSOLETE = " (OBSOLETE)"
_REFERENCE = re.compile(r"\[(?:RFC ?(\d{1,5})|(draft-[\w.-]{1,100}|https?://[!-Z^-~]{1,150}))\]", re.ASCII)
_TEMPLATE = re.compile(r"[a-z]{1,20}/[\w.+-]{1,64}", re.ASCII)
_ASIDE = re.compile(r"(?:\\n)?\s?\(see \[[^\]]{1,40}\]\)")
"""A remark about the registration, and not of the scheme: `(see [reviewer notes])`."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def downloaded(file: str) -> tuple[KnownName, ...]:
    """The names in `file`, sorted. Raises ConfigurationError, whose `key` is the line and the column."""
    try:
        octets = octets_of(file)
    except FileNotFoundError:
        raise ConfigurationError(f"there is no file {file}", source=file) from None
    try:
        text = octets.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = octets.count(b"\n", 0, error.start) + 1
        _refuse(file, line, None, "an octet that is no UTF-8: is this the CSV file?")
    if found := _CONTROL.search(text):
        line = text.count("\n", 0, found.start()) + 1
        _refuse(file, line, None, f"a control character (U+{ord(found[0]):04X}): is this the CSV file?")
    names: dict[str, tuple[KnownName, int]] = {}
    for line, row, columns in _rows(text, file):
        known = _known(row, columns, file, line)
        if known.name in names:
            _refuse(file, line, "URI Scheme", f"{known.name} is in line {names[known.name][1]} already")
        names[known.name] = known, line
    if not names:
        raise ConfigurationError(f"the file {file} holds no names", source=file)
    return tuple(known for known, _ in sorted(names.values()))


def _rows(text: str, file: str) -> Iterator[tuple[int, list[str], Mapping[str, int]]]:
    """The line, the fields, and the place of each column by its title, of each row."""
    reader = csv.reader(text.splitlines(keepends=True), strict=True)
    try:
        titles = next(reader, [])
        columns = {title.strip(): index for index, title in enumerate(titles)}
        missing = [title for title in _NEEDED if title not in columns]
        if missing or not any(title in columns for title in _REFERENCES):
            lacks = missing[0] if missing else _REFERENCES[0]
            _refuse(file, 1, None, f"there is no column {lacks!r}: this is not the registry of URI schemes as CSV")
        for number, row in enumerate(reader):
            line = reader.line_num
            if number >= _MOST_ROWS:
                _refuse(file, line, None, f"there are more than {_MOST_ROWS} rows")
            if len(row) != len(titles):
                _refuse(file, line, None, f"the row has {len(row)} fields, and the first one has {len(titles)}")
            for title, index in columns.items():
                if len(row[index]) > _MOST_CHARACTERS:
                    _refuse(file, line, title, f"the field is longer than {_MOST_CHARACTERS} characters")
            yield line, row, columns
    except csv.Error as error:
        _refuse(file, reader.line_num, None, f"this is no CSV: {error}")


def _known(row: list[str], columns: Mapping[str, int], file: str, line: int) -> KnownName:
    def field(title: str) -> str:
        return " ".join(row[columns[title]].split()) if title in columns else ""

    written = field("URI Scheme")
    name = written.removesuffix(_OBSOLETE).lower()
    # Of another alphabet no letter becomes one of ours; it begins with a letter (RFC 3986 section 3.1).
    if not written.isascii() or SCHEME_NAME_FORM.fullmatch(name) is None or not name[0].isalpha():
        _refuse(file, line, "URI Scheme", f"{one_line(repr(written), 80)} can be no scheme's name")
    status = field("Status").lower()
    if status not in _STATUSES:
        _refuse(file, line, "Status", f"{one_line(repr(field('Status')), 80)} is none of {', '.join(_STATUSES)}")
    given = next(field(title) for title in _REFERENCES if title in columns)
    references = [f"RFC {rfc}" if rfc else other for rfc, other in _REFERENCE.findall(given)]
    if not references and _TEMPLATE.fullmatch(field("Template")):
        references = [f"IANA template {field('Template')}"]
    means = _ASIDE.sub("", field("Description"))
    obsolete = "obsolete" in field("Notes").lower() or written.endswith(_OBSOLETE)
    return KnownName(
        name,
        "" if means.lower() == name else one_line(means, 200),
        one_line(", ".join(references), 200),
        "obsolete" if obsolete else "",
        "",
        status,
    )


def _refuse(file: str, line: int, column: str | None, why: str) -> NoReturn:
    place = f"line {line}" + (f", column {column}" if column else "")
    raise ConfigurationError(f"{file}, {place}: {why}", source=file, key=place)
