"""The files of a new distribution: their paths and texts, made from the templates."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from urlschemes import __version__
from urlschemes.errors import RegistrationError, URLError
from urlschemes.scheme.registration import Registration
from urlschemes_conformance.scaffold.naming import naming_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from urlschemes.registry.known_names import KnownName
    from urlschemes_conformance.scaffold.naming import Naming

__all__ = ["PORT", "TITLE", "Plan", "has_template_syntax", "plan", "template_leftovers"]

PORT = 1021
"""The default port of the new scheme: RFC 4727 reserves it for experiments."""
TITLE = "Documents by name and edition"
"""The default title of the new scheme."""
README = "README.md"

_TEMPLATES = Path(__file__).parent / "templates"
_BOTH = {
    ".github/workflows/test.yml": "both/test.yml",
    ".gitignore": "both/gitignore",
    "LICENSE": "both/LICENSE",
    "src/{package}/py.typed": "both/py.typed",
}
_SCHEME = {
    README: "scheme/README.md",
    "pyproject.toml": "scheme/pyproject.toml",
    "src/{package}/__init__.py": "scheme/init.py",
    "src/{package}/access.py": "scheme/access.py",
    "src/{package}/demo.py": "scheme/demo.py",
    "src/{package}/registration.toml": "scheme/registration.toml",
    "tests/test_{stem}_access.py": "scheme/test_access.py",
    "tests/test_{stem}_syntax.py": "scheme/test_syntax.py",
}
_RECORD = {
    README: "record/README.md",
    "pyproject.toml": "record/pyproject.toml",
    "src/{package}/__init__.py": "record/init.py",
    "src/{package}/registration.toml": "record/registration.toml",
    "tests/test_{stem}_syntax.py": "record/test_syntax.py",
}
"""The path of each file, and its template."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A distribution to be written: its names, and the texts of its files by their paths."""

    naming: Naming
    files: Mapping[str, str]
    record: Registration
    """The record in `registration.toml`."""

    @property
    def example(self) -> str:
        """An example URL with as many parts as possible."""
        return max(self.record.examples, key=lambda each: len(each.parts or ())).url

    def write(self, folder: Path) -> None:
        """Write the files into `folder`, which must be new or empty. Raises RegistrationError if that is impossible."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise RegistrationError(
                    f"{folder} is not empty: nothing was written", hint="name another folder with --directory"
                )
            for path, text in self.files.items():
                file = folder / path
                file.parent.mkdir(parents=True, exist_ok=True)
                with file.open("x", encoding="utf-8", newline="\n") as opened:
                    opened.write(text)
        except OSError as error:
            raise RegistrationError(f"{error.filename or folder}: {error.strerror or error}") from error


def plan(
    name: str,
    *,
    registered: bool = False,
    known: KnownName | None = None,
    record_only: bool = False,
    title: str = TITLE,
    author: str | None = None,
    contact: str | None = None,
    port: int = PORT,
    version: str = "0.1.0",
    year: int | None = None,
) -> Plan:
    """Return the plan of a distribution for a scheme called `name`, named as `naming_of` says.

    `author` holds the copyright and is the change controller (by default `The urlschemes-x-foo authors`), `contact` is
    the contact (by default the author), `year` the year of the copyright (by default this one), `version` that of the
    distribution. `known` is what the ledgers know of a `registered` name: the record gets its status and reference.

    Raises RegistrationError as `naming_of` does, and for a text or a port that a record cannot have.
    """
    naming = naming_of(name, registered=registered)
    if known and known.status:
        naming = replace(naming, status=known.status)
    reference = known.reference if known else ""
    author = f"The {naming.distribution} authors" if author is None else author
    for field, text in (("title", title), ("change_controller", author), ("contact", contact)):
        if text is not None and (not text.isprintable() or not text.strip()):
            raise RegistrationError(f"invalid {field} {text!r}: expected one line of text", field=field)
    year = datetime.now(UTC).year if year is None else year
    values = _values(naming, reference, title, author, author if contact is None else contact, port, version, year)
    files = {
        path.format(package=naming.package, stem=naming.stem): _fill(template, values)
        for path, template in sorted({**_BOTH, **(_RECORD if record_only else _SCHEME)}.items())
    }
    record = Registration.from_text(files[f"src/{naming.package}/registration.toml"])
    return Plan(naming, files, record)


def _values(
    naming: Naming, reference: str, title: str, author: str, contact: str, port: int, version: str, year: int
) -> dict[str, str]:
    """Return the values of the names in the templates."""
    rule = f"{naming.stem.replace('_', '')}url"
    width = max(len(rule), len("docname"))
    own_port = "The port was chosen by the authors and is not registered."
    shared_port = (
        f"RFC 4727 reserves the port {PORT} for experiments of all kinds: a server there may speak another protocol."
    )
    return {
        "scheme": naming.scheme,
        "key": naming.scheme if naming.scheme.replace("-", "").isalnum() else f'"{naming.scheme}"',
        "distribution": naming.distribution,
        "package": naming.package,
        "type": naming.url_type,
        "status": naming.status,
        "reference": _quoted(reference or f"{README} of {naming.distribution}"),
        "title": _quoted(title),
        "title_text": title,
        "description": _quoted(f"The scheme {naming.scheme} for urlschemes: {title}."),
        "author": author,
        "quoted_author": _quoted(author),
        "contact": _quoted(contact),
        "port": str(port),
        "about_port": shared_port if port == PORT else own_port,
        "rule": rule,
        "rule_padded": rule.ljust(width),
        "docname_padded": "docname".ljust(width),
        "edition_padded": "edition".ljust(width),
        "version": version,
        "api": ".".join(__version__.split(".")[:2]),
        "year": str(year),
    }


def has_template_syntax(record: Registration) -> bool:
    """Return True if the syntax of `record` is still, word for word, that of the template."""
    return any(template.record.syntax.bnf.split() == record.syntax.bnf.split() for template in _plans_like(record))


def template_leftovers(record: Registration, readme: str = "") -> tuple[str, ...]:
    """Return what is still that of the template, word for word, although the syntax of `record` is another.

    These are names of considerations, and `README.md` if `readme`, its text, shows the URLs of the template.
    """
    if has_template_syntax(record):
        return ()
    leftovers: dict[str, None] = {}
    lines = {*readme.splitlines()}
    for template in _plans_like(record):
        for field in ("encoding", "interoperability", "security"):
            name = f"{field}_considerations"
            if getattr(template.record, name) == getattr(record, name):
                leftovers[name] = None
        (form,) = (each for each in template.files[README].splitlines() if each.startswith(f"    {record.scheme}:"))
        if form in lines:
            leftovers[README] = None
    return tuple(leftovers)


def _plans_like(record: Registration) -> Iterator[Plan]:
    """Yield the plans for the name of `record`; none if no plan can have that name."""
    registered = record.status != "experimental"
    for port in {PORT, record.default_port or PORT}:
        for record_only in (False, True):
            with suppress(URLError):
                yield plan(record.scheme, registered=registered, record_only=record_only, port=port)


def _fill(template: str, values: Mapping[str, str]) -> str:
    return Template((_TEMPLATES / f"{template}.template").read_text("utf-8")).substitute(values)


def _quoted(text: str) -> str:
    """Return a TOML string: it is written as in JSON if every character is printable."""
    return json.dumps(text, ensure_ascii=False)
