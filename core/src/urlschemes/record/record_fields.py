"""The fields of a registration record, checked."""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
from collections.abc import Collection, Iterator, Mapping
from functools import cache as cache_result
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from urlschemes.errors import PluginContractError, RegistrationError, require_type
from urlschemes.grammar import bnf
from urlschemes.grammar.octets import ESCAPE, SCHEME_NAME_FORM, SCHEME_NAME_WORDS
from urlschemes.grammar.part import TAKES, TRAVELS, Part
from urlschemes.grammar.profile import Profile
from urlschemes.grammar.syntax import Syntax
from urlschemes.storage import cache

API: Final = 1
"""The version of the record's format that this core reads."""

STATUSES: Final = ("permanent", "provisional", "historical", "experimental")

_CODE = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*", re.ASCII)
_PART = re.compile(r"[a-z](?:_?[a-z0-9])*", re.ASCII)
_OPERATION = re.compile(r"[a-z]++(?: [a-z]++)*", re.ASCII)
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*", re.ASCII)
_TEXTS: Final = (
    "title",
    "reference",
    "contact",
    "change_controller",
    "encoding_considerations",
    "interoperability_considerations",
    "security_considerations",
)


class Example(NamedTuple):
    """An example of a record: a URL with its parts, or, if `parts` is None, a text that is not a URL.

    A part that is not in `parts` is absent. `says` describes the example.
    """

    url: str
    parts: Mapping[str, Any] | None
    says: str


class Caution(NamedTuple):
    """A warning of a record about a text that is legal in a part but easily misunderstood.

    It concerns the part `part` as it is written, if it contains `holds` or begins with `begins`; the other is None.
    `code`, `message`, `section` and `hint` are those of the finding.
    """

    code: str
    part: str
    message: str
    section: str
    hint: str | None
    holds: str | None = None
    begins: str | None = None

    def spans(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield its places in the part from `start` to `end` of `text`; escapes match in either letter case."""
        pattern = re.compile(ESCAPE.sub(r"(?i:\g<0>)", re.escape(self.holds or self.begins or "")))
        if self.holds is not None:
            yield from (found.span() for found in pattern.finditer(text, start, end))
        elif (found := pattern.match(text, start, end)) is not None:
            yield found.span()


class Option(NamedTuple):
    """An option of a scheme: a keyword-only parameter of its algorithms.

    `environment` is the environment variable that gives its value if the caller gives none and the environment is
    trusted. An option that is not `configurable` must be given by the caller each time, such as a person's consent.
    """

    description: str = ""
    environment: str | None = None
    configurable: bool = True


def fields_of(text: str, names: Collection[str], profile: Profile, source: str) -> dict[str, Any]:
    """Return the attributes `names` of the Registration whose record is the TOML `text`, from the file `source`.

    Raises RegistrationError, GrammarError, PluginContractError.
    """
    require_type("profile", profile, Profile)
    try:
        record = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also for a number of too many digits
        raise RegistrationError(f"{source or 'the record'} is not TOML: {error}", source=source) from None
    found: dict[str, Any] = {"source": source}
    fields = _Fields(record, source, known=(*names, "api"))
    written_for = fields.take("api", int)
    if written_for != API:
        raise PluginContractError(
            f"{source or 'the record'} has api = {written_for}: expected {API}",
            wants=f"api = {API}",
            has=f"api = {written_for}",
            hint="install versions of the plugin and of urlschemes that fit together",
        )
    scheme = found["scheme"] = fields.take("scheme", str)
    if SCHEME_NAME_FORM.fullmatch(scheme) is None:
        raise fields.wrong("scheme", f"{SCHEME_NAME_WORDS} ({profile.section('scheme')})")
    status = found["status"] = fields.take("status", str)
    if status not in STATUSES:
        raise fields.wrong("status", f"one of {', '.join(STATUSES)}")
    if (status == "experimental") != scheme.startswith("x-"):
        wants = "experimental for names that begin with `x-`, and for no others (RFC 1738 section 4)"
        raise fields.wrong("status", wants)
    for name in _TEXTS:
        words = fields.take(name, str)
        if not words.strip():
            raise fields.empty(name)
        found[name] = " ".join(words.split()) if name.endswith("considerations") else words.strip()
    default_port = fields.take("default_port", int, None)
    found["default_port"] = None if default_port is None else fields.port("default_port", default_port)
    ports = fields.take("ports", list, [])
    found["ports"] = tuple(fields.port(f"ports[{place}]", port) for place, port in enumerate(ports))
    found["operations"] = fields.names("operations", ["access"], _OPERATION, "operations in lower-case words")
    options = fields.take("options", dict, {})
    found["options"] = MappingProxyType({name: _option(name, each, fields) for name, each in options.items()})
    found["redirects"] = fields.names("redirects", [], SCHEME_NAME_FORM, "names of schemes")
    found["local"] = fields.take("local", bool, False)
    reference, table = found["reference"], fields.take("syntax", dict)
    made = found["syntax"] = _syntax(fields, table, reference, profile, text)
    found["cautions"] = tuple(_caution(each, fields, made, reference) for each in fields.take("cautions", list, []))
    found["examples"] = tuple(_example(each, fields) for each in fields.take("examples", list, []))
    fields.done()
    return found


_MISSING: Any = object()


class _Fields:
    """The fields of a table, each taken once. A field that is left over is a mistake; those in `known` are none."""

    def __init__(self, table: Mapping[str, Any], source: str, where: str = "", known: Collection[str] = ()) -> None:
        self.table = dict(table)
        self.source = source
        self.where = where
        self.known = known

    def take(self, name: str, kind: type, default: Any = _MISSING) -> Any:
        if name not in self.table:
            if default is _MISSING:
                from difflib import get_close_matches  # only a mistake needs it

                meant = get_close_matches(name, self.table.keys() - {*self.known}, 1)
                hint = f"the field {meant[0]} is unknown: did you mean {name}?" if meant else None
                raise self._error(" has no ", name, hint=hint)
            return default
        value = self.table.pop(name)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.wrong(name, f"a TOML {kind.__name__}")
        return value

    def names(self, name: str, default: list[str], form: re.Pattern[str], contents: str) -> tuple[str, ...]:
        values = self.take(name, list, default)
        if not all(isinstance(value, str) and form.fullmatch(value) for value in values):
            raise self.wrong(name, f"a list of {contents}")
        return tuple(values)

    def port(self, name: str, value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not 0 < value < 65536:
            raise self.wrong(name, "a number from 1 to 65535")
        return value

    def wrong(self, name: str, wanted: str) -> RegistrationError:
        return self._error(": ", name, f" must be {wanted}")

    def empty(self, name: str) -> RegistrationError:
        return self._error(": ", name, " must not be empty")

    def _error(self, before: str, name: str, after: str = "", hint: str | None = None) -> RegistrationError:
        field = self.where + name
        message = f"{self.source or 'the record'}{before}{field}{after}"
        return RegistrationError(message, source=self.source, field=field, hint=hint)

    def done(self) -> None:
        for name in self.table:
            raise self._error(" has an unknown field ", name)


def _option(name: str, table: object, fields: _Fields) -> Option:
    where = f"options.{name}"
    if not isinstance(table, dict) or _PART.fullmatch(name) is None:
        raise fields.wrong(where, "a table, under the name of a parameter")
    option = _Fields(table, fields.source, f"{where}.")
    made = Option(
        option.take("description", str, ""),
        option.take("environment", str, None),
        configurable=option.take("configurable", bool, True),
    )
    if made.environment is not None and _VARIABLE.fullmatch(made.environment) is None:
        raise option.wrong("environment", "the name of an environment variable, in capitals")
    if made.environment is not None and not made.configurable:
        raise option.wrong("environment", "left out if configurable is false")
    option.done()
    return made


def _syntax(fields: _Fields, given: Mapping[str, Any], reference: str, profile: Profile, toml: str) -> Syntax:
    table = _Fields(given, fields.source, "syntax.")
    parts = []
    for name, value in table.take("parts", dict, {}).items():
        if not _PART.fullmatch(name) or not isinstance(value, dict):
            raise table.wrong("parts", f"tables with names like `selector`, not {name!r}")
        part = _part(name, _Fields(value, fields.source, f"syntax.parts.{name}."))
        # InternetURL and LoginURL declare these parts.
        if name in {"user", "password", "host", "port"} and (
            part.element is not None or part.number != (name == "port")
        ):
            raise table.wrong(f"parts.{name}", "a number" if name == "port" else "one text")
        parts.append(part)
    text, rule = table.take("bnf", str), table.take("rule", str)
    hierarchy = table.take("hierarchy", str, None)
    slash = table.take("slash_may_be_omitted", bool, False)
    printed = table.take("printed", str, "")
    table.done()
    section = reference.partition(";")[0]
    key = json.dumps([sys.version, profile.name, _state(profile), given, section], default=str)
    return Syntax(
        text,
        rule,
        parts,
        hierarchy=hierarchy,
        section=section,
        profile=profile,
        printed=printed,
        slash_may_be_omitted=slash,
        source=fields.source or "the record",
        line=toml[: max(toml.find(text), 0)].count("\n") + 1,
        kept=cache.load("syntax", key),
        keep=lambda results: cache.store("syntax", key, results),
    )


@cache_result
def _state(profile: Profile) -> list[tuple[str, int, int]]:
    """Return the state of the files that compile grammars: in a checkout they change without the version."""
    folders = os.path.dirname(bnf.__file__), *sys.modules[profile.package].__path__
    try:
        files = [file for folder in folders for file in os.scandir(folder) if file.is_file()]
        return sorted((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in files)
    except OSError:  # the core is in an archive, whose content does not change within a version
        return []


def _part(name: str, fields: _Fields) -> Part:
    at = fields.take("at", (str, list))  # type: ignore[arg-type]  # isinstance takes a tuple of types
    at = [at] if isinstance(at, str) else at
    if not at or not all(isinstance(spec, str) and spec for spec in at):
        raise fields.wrong("at", "the path of a rule, or a list of paths")
    take = fields.take("take", str, "all")
    if take not in TAKES:
        raise fields.wrong("take", f"one of {', '.join(TAKES)}")
    travels = fields.take("travels", str, "line")
    if travels not in TRAVELS:
        raise fields.wrong("travels", f"one of {', '.join(TRAVELS)}")
    exclude = fields.take("exclude", list, [])
    if not all(isinstance(octet, str) and re.fullmatch("[0-9A-Fa-f]{2}", octet) for octet in exclude):
        raise fields.wrong("exclude", "a list of octets, each as two hexadecimal digits")
    part = Part(
        name,
        at,
        element=fields.take("element", str, None),
        take=take,
        number=fields.take("number", bool, False),
        exclude=[int(octet, 16) for octet in exclude],
        decoded=fields.take("decoded", str, None),
        travels=travels,
        called=fields.take("called", str, None),
        says=fields.take("says", str, None),
    )
    fields.done()
    return part


def _caution(value: object, fields: _Fields, syntax: Syntax, reference: str) -> Caution:
    if not isinstance(value, dict):
        raise fields.wrong("cautions", "tables")
    table = _Fields(value, fields.source, "cautions.")
    code, part = table.take("code", str), table.take("part", str)
    holds, begins = table.take("holds", str, None), table.take("begins", str, None)
    if not _CODE.fullmatch(code):
        raise table.wrong("code", "a name such as `header-fields`")
    if part not in syntax.parts:
        raise table.wrong("part", f"a part of the scheme, not {part!r}")
    if (holds is None) == (begins is None):
        raise fields.wrong("cautions", f"tables with either `holds` or `begins`; {code!r} has both or neither")
    for name, text in (("holds", holds), ("begins", begins)):
        if text == "":
            raise table.empty(name)
    section = table.take("section", str, reference.partition(";")[0])
    message, hint = table.take("message", str), table.take("hint", str, None)
    caution = Caution(code, part, message, section, hint, holds=holds, begins=begins)
    table.done()
    return caution


def _example(value: object, fields: _Fields) -> Example:
    if not isinstance(value, dict):
        raise fields.wrong("examples", "tables")
    table = _Fields(value, fields.source, "examples.")
    url, says = table.take("url", str), table.take("says", str, "")
    invalid = table.take("invalid", bool, False)
    parts = table.take("parts", dict, None)
    table.done()
    if invalid == (parts is not None):
        raise fields.wrong("examples", f"tables with either `parts` or `invalid = true`; {url!r} has both or neither")
    return Example(url, parts and {name: _value(each) for name, each in parts.items()}, says)


def _value(value: object) -> object:
    """Return the value of a part in an example, with tuples for the lists of TOML."""
    return tuple(map(_value, value)) if isinstance(value, list) else value
