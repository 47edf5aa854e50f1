"""The files of a new distribution: their places, and their texts, from the templates."""

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

__all__ = ["PORT", "TITLE", "Plan", "has_new_syntax", "left_over", "plan"]

PORT = 1021
"""The port of an experiment that has none of its own: RFC 4727 sets it aside for experiments."""
TITLE = "Documents by name and edition"
"""What the scheme is about that is made."""
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
"""Where each file goes, and its template."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A distribution that could be made: the names, and each file's text by its place in the folder."""

    naming: Naming
    files: Mapping[str, str]
    record: Registration
    """What `registration.toml` says."""

    @property
    def example(self) -> str:
        """A URL of the scheme that has all its parts."""
        return max(self.record.examples, key=lambda each: len(each.parts or ())).url

    def write(self, folder: Path) -> None:
        """Make `folder`, which must not be there, or be empty. Raises RegistrationError where it cannot be made."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise RegistrationError(
                    f"{folder} is not empty: nothing in it was touched", hint="name another with --directory"
                )
            for place, text in self.files.items():
                path = folder / place
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("x", encoding="utf-8", newline="\n") as file:
                    file.write(text)
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
    """The plan of a distribution for a scheme called `name`, as `naming_of` has it.

    `author` is who holds the copyright and changes the record (`The urlschemes-x-foo authors`), `contact` whom to ask
    (the author), `year` that of the copyright (this one), `version` the first of the distribution. `known` is what a
    register says of a `registered` name: the record takes its status and its reference. Raises what `naming_of` raises,
    and RegistrationError where a text or the port can be in no record.
    """
    naming = naming_of(name, registered=registered)
    if known and known.status:
        naming = replace(naming, status=known.status)
    reference = known.reference if known else ""
    author = f"The {naming.distribution} authors" if author is None else author
    for field, text in (("title", title), ("change_controller", author), ("contact", contact)):
        if text is not None and (not text.isprintable() or not text.strip()):
            raise RegistrationError(f"the {field} must be one line of text", field=field)
    rule = f"{naming.stem.replace('_', '')}url"
    width = max(len(rule), len("docname"))
    api = ".".join(__version__.split(".")[:2])
    own = "The port is one that its authors chose, and nobody registered."
    experiments = f"The port {PORT} is set aside for experiments of all kinds by RFC 4727: another may be met there."
    words = {
        "scheme": naming.scheme,
        "key": naming.scheme if naming.scheme.replace("-", "").isalnum() else f'"{naming.scheme}"',
        "distribution": naming.distribution,
        "package": naming.package,
        "type": naming.url_type,
        "status": naming.status,
        "reference": _quoted(reference or f"{README} of {naming.distribution}"),
        "an_scheme": f"{'an' if naming.scheme[0] in 'aeioux' else 'a'} {naming.scheme}",
        "title": _quoted(title),
        "title_text": title,
        "description": _quoted(f"The scheme {naming.scheme} for urlschemes: {title}."),
        "author": author,
        "quoted_author": _quoted(author),
        "contact": _quoted(author if contact is None else contact),
        "port": str(port),
        "about_port": experiments if port == PORT else own,
        "rule": rule,
        "rule_padded": rule.ljust(width),
        "docname_padded": "docname".ljust(width),
        "edition_padded": "edition".ljust(width),
        "version": version,
        "api": api,
        "year": str(datetime.now(UTC).year if year is None else year),
    }
    files = {
        place.format(package=naming.package, stem=naming.stem): _filled(template, words)
        for place, template in sorted({**_BOTH, **(_RECORD if record_only else _SCHEME)}.items())
    }
    record = Registration.from_text(files[f"src/{naming.package}/registration.toml"])
    return Plan(naming, files, record)


def has_new_syntax(record: Registration) -> bool:
    """Whether the syntax of `record` is, word for word, the one that `plan` writes."""
    return any(born.record.syntax.bnf.split() == record.syntax.bnf.split() for born in _born(record))


def left_over(record: Registration, readme: str = "") -> tuple[str, ...]:
    """What says, word for word, what `plan` writes of its own syntax, though that of `record` is another.

    That is, of the considerations the names of the fields, and `README.md` where `readme`, its text, shows such a URL.
    """
    if has_new_syntax(record):
        return ()
    left: dict[str, None] = {}
    lines = {*readme.splitlines()}
    for born in _born(record):
        for field in ("encoding", "interoperability", "security"):
            name = f"{field}_considerations"
            if getattr(born.record, name) == getattr(record, name):
                left[name] = None
        (shape,) = (each for each in born.files[README].splitlines() if each.startswith(f"    {record.scheme}:"))
        if shape in lines:
            left[README] = None
    return tuple(left)


def _born(record: Registration) -> Iterator[Plan]:
    """What `plan` makes of the name of `record`: none, where it is called what no plan is."""
    registered = record.status != "experimental"
    for port in {PORT, record.default_port or PORT}:
        for record_only in (False, True):
            with suppress(URLError):
                yield plan(record.scheme, registered=registered, record_only=record_only, port=port)


def _filled(template: str, words: Mapping[str, str]) -> str:
    return Template((_TEMPLATES / f"{template}.template").read_text("utf-8")).substitute(words)


def _quoted(text: str) -> str:
    """As a string of TOML: one of JSON is written the same way, where every character is printable."""
    return json.dumps(text, ensure_ascii=False)
