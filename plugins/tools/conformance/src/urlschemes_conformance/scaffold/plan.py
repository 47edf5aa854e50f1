"""The files of a new distribution: their paths and texts, made from the templates."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from urlschemes import Registry, __version__, default_registry
from urlschemes.errors import RegistrationError, URLError
from urlschemes.record.registration import Registration
from urlschemes_conformance.scaffold.naming import naming_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from urlschemes.grammar.profile import Profile
    from urlschemes.registry.names import KnownName
    from urlschemes_conformance.scaffold.naming import Naming

__all__ = [
    "PORT",
    "TITLE",
    "Plan",
    "code_file",
    "conditions",
    "fill",
    "has_template_syntax",
    "plan",
    "profile_named",
    "template_leftovers",
]

PORT = 1021
"""The default port of the new scheme: RFC 4727 reserves it for experiments."""
TITLE = "Documents by name and edition"
"""The default title of the new scheme."""
README = "README.md"

FIRST = default_registry.profile.name
"""The profile of a new scheme, unless others are named."""

PROFILES = ("rfc1738", "rfc3986")
"""The profiles of which a new scheme can have a record."""

_TEMPLATES = Path(__file__).parent / "templates"
_FILES = {
    ".github/workflows/test.yml": "test.yml",
    ".gitignore": "gitignore",
    "LICENSE": "LICENSE",
    README: "README.md",
    "pyproject.toml": "pyproject.toml",
    "src/{package}/__init__.py": "init.py",
    "src/{package}/py.typed": "py.typed",
}
"""The path of each file, and its template. Further files are those of a profile."""
_CODE_FILES = {
    "src/{package}/access.py": "access.py",
    "src/{package}/demo.py": "demo.py",
    "tests/test_{stem}_access.py": "test_access.py",
}
_DROP = "\0"
"""The value of a condition that is false: the template's lines that have it are left out."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A distribution to be written: its names, and the texts of its files by their paths."""

    naming: Naming
    files: Mapping[str, str]
    records: tuple[Registration, ...]
    """Its records, one for each profile."""
    values: Mapping[str, str]
    """The values of the names in the templates, for the first record."""

    @property
    def record(self) -> Registration:
        """The first record."""
        return self.records[0]

    @property
    def example(self) -> str:
        """An example URL with as many parts as possible."""
        return max(self.record.examples, key=lambda each: len(each.parts or ())).url

    def write(self, folder: Path) -> None:
        """Write the files into `folder`, which must be new or empty. Raises RegistrationError if that is impossible."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise RegistrationError(f"{folder} is not empty: nothing was written", hint="name another folder")
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
    profiles: Sequence[str] = (FIRST,),
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
    distribution. It has a record of each of `profiles`. `known` is what the ledgers know of a `registered` name: the
    records get its status and reference.

    Raises RegistrationError as `naming_of` does, and for a text or a port that a record cannot have; PluginError for a
    profile that is not installed.
    """
    names = sorted(dict.fromkeys(profiles), key=lambda each: each != FIRST)
    first, *others = map(profile_named, names)
    for each in (first, *others):
        if each.name not in PROFILES:
            hint = f"choose of {', '.join(PROFILES)}"
            raise RegistrationError(f"there is no template for the profile {each.name}", hint=hint)
    naming = naming_of(name, registered=registered)
    if known and known.status:
        naming = replace(naming, status=known.status)
    reference = known.reference if known else ""
    named = registered or author is not None or contact is not None
    author = f"The {naming.distribution} authors" if author is None else author
    for field, text in (("title", title), ("change_controller", author), ("contact", contact)):
        if text is not None and (not text.isprintable() or not text.strip()):
            raise RegistrationError(f"invalid {field} {text!r}: expected one line of text", field=field)
    year = datetime.now(UTC).year if year is None else year
    values = _values(naming, reference, title, author, author if contact is None else contact, port, version, year)
    values |= conditions(
        code=not record_only, registered=registered, named=named, both=bool(others), shared_port=port == PORT
    )
    host = ("", "") if record_only else ("//host.dom/", f'host = "host.dom", port = {port}, ')
    values |= {"start": f"{naming.scheme}:{host[0]}", "server": host[1]}
    values |= {"second": "".join(each.name for each in others)}
    values |= {"second_record": "".join(each.record for each in others)}
    of_profiles = {each: values | _values_of_profile(naming, each, is_first=each is first) for each in (first, *others)}
    filled: dict[str, str] = {}
    for profile, own in of_profiles.items():
        templates = _of_profile(profile, record_only, is_first=profile is first)
        if profile is first:
            templates = _FILES | ({} if record_only else _CODE_FILES) | templates
        filled |= {path: fill(template, own) for path, template in templates.items()}
    files = {path.format(package=naming.package, stem=naming.stem): text for path, text in sorted(filled.items())}
    texts = {profile: files[f"src/{naming.package}/{profile.record}"] for profile in of_profiles}
    records = [Registration.from_text(text, profile=each, first=texts[first]) for each, text in texts.items()]
    return Plan(naming, files, tuple(records), of_profiles[first])


@cache
def profile_named(name: str) -> Profile:
    """Return the installed profile of that name. Raises PluginError if there is none."""
    return Registry(profile=name).profile


def code_file(profile: Profile) -> str:
    """Return the name of the module with the type of the URLs of a profile."""
    return f"{profile.module or '__init__'}.py"


def _of_profile(profile: Profile, record_only: bool, *, is_first: bool) -> dict[str, str]:
    """Return the path of each file of the first or a further record, and its template. The values are its own."""
    test = "record" if record_only else "syntax"
    files = {
        f"src/{{package}}/{profile.record}": "registration.toml",
        f"tests/test_{{stem}}_{'syntax' if is_first else profile.name}.py": f"test_{test}.py",
    }
    if not record_only:
        files["src/{package}/" + code_file(profile)] = "type.py" if is_first else "second_type.py"
    return files


def conditions(**holding: bool) -> dict[str, str]:
    """Return the values of conditions: `${code}` and `${not_code}` begin the lines that a template has only then."""
    values = {name: "" if holds else _DROP for name, holds in holding.items()}
    return values | {f"not_{name}": _DROP if holds else "" for name, holds in holding.items()}


def _values_of_profile(naming: Naming, profile: Profile, *, is_first: bool) -> dict[str, str]:
    """Return the values for the files of a record of `profile`."""
    is_default = profile.name == FIRST
    return {
        **conditions(first=is_first, **{each: each == profile.name for each in PROFILES}),
        "profile": profile.name,
        "unreserved": "".join(each for each in profile.unreserved if not each.isalnum()),
        "record": profile.record,
        "module": f"{naming.package}.{profile.module}".rstrip("."),
        "code_file": code_file(profile),
        "type": naming.url_type if is_default else naming.url_type.removesuffix("URL") + "URI",
        "first_type": naming.url_type,
    }


def _api() -> str:
    return ".".join(__version__.split(".")[:2])


def _values(
    naming: Naming, reference: str, title: str, author: str, contact: str, port: int, version: str, year: int
) -> dict[str, str]:
    """Return the values of the names in the templates."""
    rule = f"{naming.stem.replace('_', '')}url"
    width = max(len(rule), len("docname"))
    return {
        "scheme": naming.scheme,
        "key": naming.scheme if naming.scheme.replace("-", "").isalnum() else f'"{naming.scheme}"',
        "distribution": naming.distribution,
        "package": naming.package,
        "status": naming.status,
        "reference": _quoted(reference or f"{README} of {naming.distribution}"),
        "title": _quoted(title),
        "title_text": title,
        "description": _quoted(f"The scheme {naming.scheme} for urlschemes: {title}."),
        "author": author,
        "quoted_author": _quoted(author),
        "contact": _quoted(contact),
        "port": str(port),
        "end": str(len(f"{naming.scheme}://host.dom")),
        "rule_padded": rule.ljust(width),
        "docname_padded": "docname".ljust(width),
        "edition_padded": "edition".ljust(width),
        "version": version,
        "api": _api(),
        "year": str(year),
    }


def has_template_syntax(record: Registration) -> bool:
    """Return True if the syntax of `record` is still, word for word, that of the template."""
    return any(template.syntax.bnf.split() == record.syntax.bnf.split() for template in _templates_for(record))


def template_leftovers(record: Registration) -> tuple[str, ...]:
    """Return the names of the considerations that are those of the template, though the syntax of `record` is not."""
    if has_template_syntax(record):
        return ()
    names = (f"{field}_considerations" for field in ("encoding", "interoperability", "security"))
    texts = {name: {getattr(each, name) for each in _templates_for(record)} - {""} for name in names}
    return tuple(name for name in texts if getattr(record, name) in texts[name])


@lru_cache(maxsize=1)  # several checks of one record ask
def _templates_for(record: Registration) -> list[Registration]:
    """Return the records of the plans for the name of `record`; none if no plan can have that name."""
    registered, profiles = record.status != "experimental", [record.profile.name]
    found = []
    for port in {PORT, record.default_port or PORT}:
        for alone in (False, True):
            with suppress(URLError):
                made = plan(record.scheme, registered=registered, record_only=alone, profiles=profiles, port=port)
                found.append(made.record)
    return found


def fill(template: str, values: Mapping[str, str]) -> str:
    """Return the text of a template with these values."""
    filled = Template((_TEMPLATES / f"{template}.template").read_text("utf-8")).substitute(values)
    return "".join(line for line in filled.splitlines(keepends=True) if _DROP not in line)


def _quoted(text: str) -> str:
    """Return a TOML string: it is written as in JSON if every character is printable."""
    return json.dumps(text, ensure_ascii=False)
