"""The fields of a registration record, checked."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from urlschemes.errors import PluginContractError, RegistrationError
from urlschemes.grammar.octets import ESCAPE, SCHEME_NAME_FORM, SCHEME_NAME_WORDS
from urlschemes.grammar.part import TAKES, TRAVELS, Part
from urlschemes.grammar.profile import Profile
from urlschemes.grammar.syntax import Syntax
from urlschemes.record.record_table import used_rules
from urlschemes.storage import cache

API: Final = 1
"""The version of the record's format that this core reads."""

STATUSES: Final = ("permanent", "provisional", "historical", "experimental")

_CODE = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*", re.ASCII)
_PART = re.compile(r"[a-z](?:_?[a-z0-9])*", re.ASCII)
_OPERATION = re.compile(r"[a-z]++(?: [a-z]++)*", re.ASCII)
_COMMENT = re.compile(";.*")
_FIRST_RULE = re.compile(r"\s*([A-Za-z][\w+-]*)", re.ASCII)
_FILE = re.compile(r"[a-z0-9](?:[.-]?[a-z0-9])*", re.ASCII)
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


def fields_of(
    table: Mapping[str, Any], names: Collection[str], profile: Profile, source: str, text: str = ""
) -> dict[str, Any]:
    """Return the attributes `names` of the Registration of a `table`, from the TOML `text` of the file `source`.

    Raises RegistrationError for all fields that are wrong at once; GrammarError, PluginContractError.
    """
    found: dict[str, Any] = {"source": source}
    fields = _Fields(table, source)
    # RFC 1738 section 4: an experiment need not be registered.
    is_experiment = str(table.get("scheme", "x-")).lower().startswith("x-")
    written_for = fields.take("api", int, API if is_experiment else _MISSING)
    if written_for != API and "api" not in fields.mistakes:
        wants, has = f"api = {API}", f"api = {written_for}"
        hint = "install versions of the plugin and of urlschemes that fit together"
        raise PluginContractError(
            f"{source or 'the record'} has {has}: expected {API}", wants=wants, has=has, hint=hint
        )
    fields.only(*({*names, "profile", "same_as"} - {"source"}))
    scheme = found["scheme"] = fields.take("scheme", str)
    if SCHEME_NAME_FORM.fullmatch(scheme) is None:
        fields.wrong("scheme", f"{SCHEME_NAME_WORDS} ({profile.section('scheme')})")
    status = found["status"] = fields.one_of("status", STATUSES, "experimental" if is_experiment else _MISSING)
    if (status == "experimental") != is_experiment:
        fields.wrong("status", "experimental for names that begin with `x-`, and for no others (RFC 1738 section 4)")
    for name in _TEXTS:
        words = fields.take(name, str, "" if is_experiment else _MISSING)
        if not words.strip() and name in table:
            fields.empty(name)
        found[name] = " ".join(words.split()) if name.endswith("considerations") else words.strip()
    if not is_experiment and not {*_TEXTS} & table.keys():
        fields.hints.append(f"an experiment needs none of these: its name begins with `x-`, as in x-{scheme}")
    default_port = fields.take("default_port", int, None)
    found["default_port"] = None if default_port is None else fields.port("default_port", default_port)
    ports = fields.take("ports", list, [])
    found["ports"] = tuple(fields.port(f"ports[{place}]", port) for place, port in enumerate(ports))
    found["operations"] = fields.names("operations", _OPERATION, "operations in lower-case words")
    options = fields.take("options", dict, {})
    found["options"] = MappingProxyType({name: _option(name, each, fields) for name, each in options.items()})
    found["redirects"] = fields.names("redirects", SCHEME_NAME_FORM, "names of schemes")
    found["local"] = fields.take("local", bool, False)
    reference = found["reference"] or os.path.basename(source) or "this record"
    found["examples"] = tuple(_example(each, fields) for each in fields.tables("examples"))
    cautions = [_caution(each, fields, reference) for each in fields.tables("cautions")]
    made = found["syntax"] = _syntax(fields, fields.take("syntax", dict), reference, profile, text)
    for each in cautions:
        if each.part not in made.parts:
            fields.wrong("cautions.part", f"a part of the scheme, not {each.part!r}")
    fields.check()
    found["cautions"] = tuple(cautions)
    return found


_MISSING: Any = object()
_UNKNOWN = " has an unknown field "
_KINDS: Final = {"str": "string", "int": "integer", "bool": "boolean", "list": "array", "dict": "table"}
"""The names that TOML gives to kinds of values."""


class _Fields:
    """The fields of a table, each taken once. A field that is left over is a mistake.

    Mistakes are noted, of each field of the record the first one. In place of a value that is missing or of a wrong
    kind, checking goes on with another.
    """

    def __init__(self, table: Mapping[str, Any], source: str, where: str = "", outer: _Fields | None = None) -> None:
        self.table = dict(table)
        self.source = source
        self.where = where
        self.mistakes: dict[str, tuple[str, str]] = outer.mistakes if outer else {}
        self.hints: list[str] = outer.hints if outer else []
        self.known: dict[str, None] = {}
        self.outermost: _Fields = outer.outermost if outer else self

    def check(self) -> None:
        """Raise RegistrationError if there are mistakes."""
        alike: dict[tuple[str, str], list[str]] = {}
        for field, around in self.mistakes.items():
            alike.setdefault(around, []).append(field)
        unknown = alike.get((_UNKNOWN, ""), [])
        problems = "; ".join(f"{before}{', '.join(each)}{after}" for (before, after), each in alike.items())
        if len(unknown) > 1:
            problems = problems.replace(_UNKNOWN, " has the unknown fields ", 1)
        if problems:
            message = f"{self.source or 'the record'}{problems[0]}{re.sub('; :? ', '; ', problems[1:])}"
            hint = "; ".join(dict.fromkeys(self.hints)).replace("?;", "?") or None
            raise RegistrationError(message, source=self.source, field=next(iter(self.mistakes)), hint=hint)

    def take(self, name: str, kind: Any, default: Any = _MISSING) -> Any:
        self.known[name] = None
        if name in self.table:
            value = self.table.pop(name)
            if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
                return value
            hints = [f"write `[[{self.where}{name}]]`"] if kind is list and isinstance(value, dict) else []
            self.wrong(name, f"a TOML {_KINDS[kind.__name__]}", *hints)
        elif default is _MISSING:
            self._mistake(" has no ", name)
        return kind() if default is _MISSING else default

    def names(self, name: str, form: re.Pattern[str], contents: str) -> tuple[str, ...]:
        values = self.take(name, list, [])
        if not all(isinstance(value, str) and form.fullmatch(value) for value in values):
            self.wrong(name, f"a list of {contents}")
        return tuple(values)

    def one_of(self, name: str, choices: Sequence[str], default: str) -> Any:
        if (value := self.take(name, str, default)) not in choices:
            self.wrong(name, f"one of {', '.join(choices)}")
        return value

    def tables(self, name: str) -> Iterator[_Fields]:
        for each in self.take(name, list, []):
            if isinstance(each, dict):
                yield _Fields(each, self.source, f"{name}.", self)
            else:
                self.wrong(name, "tables")

    def port(self, name: str, value: object) -> Any:
        if not isinstance(value, int) or isinstance(value, bool) or not 0 < value < 65536:
            self.wrong(name, "a number from 1 to 65535")
        return value

    def wrong(self, name: str, wanted: str, *hints: str) -> None:
        self._mistake(": ", name, f" must be {wanted}")
        self.hints += hints

    def empty(self, name: str) -> None:
        self._mistake(": ", name, " must not be empty")

    def _mistake(self, before: str, name: str, after: str = "") -> None:
        if self.where[:-1] not in self.mistakes:
            self.mistakes.setdefault(self.where + name, (before, after))

    def only(self, *known: str) -> None:
        """Note fields that are left over, and neither taken nor among the `known` ones."""
        self.known |= dict.fromkeys(known)
        for name in (each for each in self.table if each not in self.known):
            from difflib import get_close_matches  # only a mistake needs it

            self._mistake(_UNKNOWN, name)
            if self is not self.outermost and name in self.outermost.known:
                self.hints.append(f"{name} is a field of the record: write it above `[syntax]`")
            elif meant := get_close_matches(name, self.known, 1):
                self.hints.append(f"did you mean {meant[0]}?")
            elif self.where:
                self.hints.append(f"the fields are {', '.join(self.known)}")


def _option(name: str, table: object, fields: _Fields) -> Option:
    where = f"options.{name}"
    if not isinstance(table, dict) or _PART.fullmatch(name) is None:
        fields.wrong(where, "a table, under the name of a parameter")
        return Option()
    option = _Fields(table, fields.source, f"{where}.", fields)
    made = Option(
        option.take("description", str, ""),
        option.take("environment", str, None),
        configurable=option.take("configurable", bool, True),
    )
    if made.environment is not None and _VARIABLE.fullmatch(made.environment) is None:
        option.wrong("environment", "the name of an environment variable, in capitals")
    if made.environment is not None and not made.configurable:
        option.wrong("environment", "left out if configurable is false")
    option.only()
    return made


def _syntax(fields: _Fields, given: Mapping[str, Any], reference: str, profile: Profile, toml: str) -> Syntax:
    table = _Fields(given, fields.source, "syntax.", fields)
    parts: list[dict[str, Any]] = []
    for name, value in table.take("parts", dict, {}).items():
        if not isinstance(value, str | dict):
            table.wrong(f"parts.{name}", "the path of a rule, or a table", "write other fields above `[syntax]`")
            continue
        if not _PART.fullmatch(name):
            hint = f"write `{re.sub('[^a-z0-9]+', '_', name.lower()).strip('_')}`"
            table.wrong("parts", f"named in lower-case letters, digits and `_`, not {name!r}", hint)
            continue
        of_part = {"at": value} if isinstance(value, str) else value
        part = _part(name, _Fields(of_part, fields.source, f"syntax.parts.{name}.", fields))
        # InternetURL and LoginURL declare these parts.
        if name in {"user", "password", "host", "port"} and (
            part["element"] is not None or part["number"] != (name == "port")
        ):
            table.wrong(f"parts.{name}", "a number" if name == "port" else "one text")
        parts.append(part)
    text = table.take("bnf", str)
    rules = _COMMENT.sub("", text)
    if not rules.strip() and "bnf" in given:
        table.empty("bnf")
    rule = table.take("rule", str, first[1] if (first := _FIRST_RULE.match(rules)) else "")
    hierarchy = table.take("hierarchy", str, None)
    slash = table.take("slash_may_be_omitted", bool, False)
    printed = table.take("printed", str, "")
    used = table.names("uses", _FILE, "names of files of rules")
    table.only()
    fields.check()
    uses = used_rules(used, fields.source, profile)
    section = reference.partition(";")[0]
    key = cache.key_of(["urlschemes.grammar", profile.package], profile.name, given, section, uses)
    return Syntax(
        text,
        rule,
        [Part(**each) for each in parts],
        hierarchy=hierarchy,
        section=section,
        profile=profile,
        printed=printed,
        uses=uses,
        slash_may_be_omitted=slash,
        source=fields.source or "the record",
        line=toml[: max(toml.find(text), toml.find(text.partition("\n")[0]), 0)].count("\n") + 1,
        kept=cache.load("syntax", key),
        keep=lambda results: cache.store("syntax", key, results),
    )


def _part(name: str, fields: _Fields) -> dict[str, Any]:
    """Return the arguments of a Part."""
    at = fields.take("at", list if isinstance(fields.table.get("at"), list) else str)
    at = [at] if isinstance(at, str) else at
    if not at or not all(isinstance(spec, str) and spec for spec in at):
        fields.wrong("at", "the path of a rule, or a list of paths")
    take = fields.one_of("take", TAKES, "all")
    number = fields.take("number", object, name == "port")
    if number not in (True, False, "decimal"):
        fields.wrong("number", 'true, or "decimal"')
    travels = fields.one_of("travels", TRAVELS, "line")
    exclude = fields.take("exclude", list, [])
    if not all(isinstance(octet, str) and re.fullmatch("[0-9A-Fa-f]{2}", octet) for octet in exclude):
        fields.wrong("exclude", "a list of octets, each as two hexadecimal digits")
        exclude = []
    part = {
        "name": name,
        "at": at,
        "take": take,
        "number": number,
        "exclude": [int(octet, 16) for octet in exclude],
        "travels": travels,
        **{each: fields.take(each, str, None) for each in ("element", "decoded", "called", "says")},
    }
    fields.only()
    return part


def _caution(table: _Fields, fields: _Fields, reference: str) -> Caution:
    code, part = table.take("code", str), table.take("part", str)
    holds, begins = table.take("holds", str, None), table.take("begins", str, None)
    if not _CODE.fullmatch(code):
        table.wrong("code", "a name such as `header-fields`")
    if (holds is None) == (begins is None):
        fields.wrong("cautions", f"tables with either `holds` or `begins`; {code!r} has both or neither")
    for name, text in (("holds", holds), ("begins", begins)):
        if text == "":
            table.empty(name)
    section = table.take("section", str, reference.partition(";")[0])
    message, hint = table.take("message", str), table.take("hint", str, None)
    caution = Caution(code, part, message, section, hint, holds=holds, begins=begins)
    table.only()
    return caution


def _example(table: _Fields, fields: _Fields) -> Example:
    url, says = table.take("url", str), table.take("says", str, "")
    invalid = table.take("invalid", bool, False)
    parts = table.take("parts", dict, None)
    table.only()
    if url and invalid == (parts is not None):
        fields.wrong("examples", f"tables with either `parts` or `invalid = true`; {url!r} has both or neither")
    return Example(url, parts and {name: _value(each) for name, each in parts.items()}, says)


def _value(value: object) -> object:
    """Return the value of a part in an example: tuples for the lists of TOML, which writes no None in a pair."""
    if not isinstance(value, list):
        return value
    return tuple((*each, None) if isinstance(each, list) and len(each) == 1 else _value(each) for each in value)
