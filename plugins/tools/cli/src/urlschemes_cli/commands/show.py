"""The command `show`: the record of a scheme, or what is known of a name that is not installed."""

from __future__ import annotations

import re
from typing import Any

import click

from urlschemes import Registration, Registry
from urlschemes.errors import UnknownScheme
from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.registry.names import attribution, how_to_install, known_names
from urlschemes_cli.options import json_option, scheme_argument
from urlschemes_cli.output.console import Console
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.text import safe_line
from urlschemes_cli.settings import Settings

NO_OPERATIONS = "none: its URLs can be parsed and built, but not accessed"

_CONSIDERATIONS = ("encoding_considerations", "interoperability_considerations", "security_considerations")
_NOTES = {"line": "", "binary": "sent as octets", "as-written": "never decoded", "checked": "checked when it is sent"}
_OBJECTS = ("syntax", "options", "cautions", "examples")


@click.command()
@scheme_argument
@json_option
@click.pass_obj
def show(settings: Settings, name: str, *, as_json: bool) -> None:
    """Show the record of the scheme NAME: syntax, parts, options, examples and considerations.

    If NAME is known but not installed, show what is known of it and how to install it.
    """
    registry = settings.registry_for(name)
    try:
        found = _record_json(registry.registration(name), registry)
    except UnknownScheme:
        found = _known_json(name.lower(), registry)
        if not found:
            raise
    (write_json if as_json else _show)(found)


def _record_json(record: Registration, registry: Registry) -> dict[str, Any]:
    syntax, why = record.syntax, registry.why(record.scheme)
    return {
        "installed": True,
        **{name: getattr(record, name) for name in Registration.__slots__ if name not in _OBJECTS},
        "provider": why.provider,
        "rule": why.rule,
        "shadowed": [claim.provider for claim in why.claims if claim.state == "shadowed"],
        "syntax": {
            **{name: getattr(syntax, name) for name in ("rule", "hierarchy", "slash_may_be_omitted", "bnf", "printed")},
            "notation": syntax.profile.notation.name,
            "rewritten": rewritten_rules(syntax),
            "parts": {part.name: _part_json(part) for part in syntax.parts.values()},
        },
        "options": {name: option._asdict() for name, option in record.options.items()},
        "cautions": [each._asdict() for each in record.cautions],
        "examples": [each._asdict() for each in record.examples],
        "profile": record.profile.name,
    }


def _part_json(part: Part) -> dict[str, Any]:
    names = ("element", "take", "number", "decoded", "described", "says", "travels")
    at, exclude = ["/".join(path) for path in part.at], [f"{octet:02X}" for octet in sorted(part.exclude)]
    return {"at": at, **{name: getattr(part, name) for name in names}, "exclude": exclude}


def _known_json(name: str, registry: Registry) -> dict[str, Any]:
    """Return what is known of a name that no distribution claims; nothing if it is claimed or not known."""
    known = registry.known_names().get(name)
    if known is None or any(claim.name == name for claim in registry.claims()):
        return {}  # why the claim cannot be used is more important
    ledgers = [each for each in registry.ledgers() if any(other.name == name for other in each.names)]
    own = known_names().get(name)
    if known.no_syntax:
        advice = ""
    elif own is not None and own.distribution:
        advice = how_to_install(own.distribution)
    else:
        arguments = name if name.startswith("x-") else f"{name} --registered"
        making = f"no distribution is known to provide it; `urlschemes new {arguments}` makes one"
        advice = attribution(name, ledgers) or making
    return {
        "scheme": name,
        "installed": False,
        **{key: value for key, value in known._asdict().items() if key != "name"},
        "advice": advice,
        "ledgers": [{"title": each.title, "date": each.date, "source": each.source} for each in ledgers],
    }


def _show(found: dict[str, Any]) -> None:
    console, mark = Console(), "" if found["installed"] else "  not installed"
    means = safe_line(found.get("title") or found.get("means") or "")
    console.print_line((found["scheme"], "bold"), (mark, "red"), f"  {means}")
    console.print()
    none = {} if found.get("operations", True) else {"operations": NO_OPERATIONS}
    console.print_fields(found | none, without=("scheme", "installed", "title", "means", *_CONSIDERATIONS))
    if not found["installed"]:
        console.print_heading("Ledgers")
        console.print_rows(found["ledgers"], ("title", "date", "source"))
        return
    syntax = found["syntax"]
    _show_rules(console, "Syntax", syntax["bnf"])
    _show_rules(console, "As printed", syntax["printed"])
    if syntax["rewritten"]:
        console.print_paragraph(f"rewritten: {', '.join(syntax['rewritten'])}", "dim")
    if syntax["parts"]:
        console.print_heading("Parts")
        parts = [
            {"part": name, "rule": each["at"], "value": each["described"], "note": _NOTES[each["travels"]]}
            for name, each in syntax["parts"].items()
        ]
        console.print_rows(parts, ("part", "rule", "value", "note"))
    options, cautions, examples = found["options"], found["cautions"], found["examples"]
    console.print_section("Options", [(name, _remark(each), each["description"]) for name, each in options.items()])
    console.print_section("Cautions", [(each["code"], f"in the {each['part']}", each["message"]) for each in cautions])
    console.print_section(
        "Examples", [(each["url"], "" if each["parts"] is not None else "invalid", each["says"]) for each in examples]
    )
    for name in _CONSIDERATIONS:
        console.print_section(name.capitalize().replace("_", " "), [], found[name])


def _remark(option: dict[str, Any]) -> str:
    if not option["configurable"]:
        return "not configurable"
    return f"set by the variable {option['environment']}" if option["environment"] else ""


def _show_rules(console: Console, heading: str, text: str) -> None:
    if text:
        console.print_heading(heading)
    for line in text.strip("\n").splitlines():
        rule, comment, rest = line.partition(";") if '";' not in line else (line, "", "")
        console.print_line(safe_line(rule), (comment + safe_line(rest), "dim"))


def rewritten_rules(syntax: Syntax) -> tuple[str, ...]:
    """Return the names of the printed rules that the record has in another form, or not at all."""
    printed, written = (_definitions(text) for text in (syntax.printed, syntax.bnf))
    return tuple(name for name, definition in printed.items() if written.get(name) != definition)


def _definitions(text: str) -> dict[str, str]:
    """Return the definitions in a text by the names of their rules, without comments and differences in white space."""
    plain = re.sub(r"""("[^"]*")|;[^\n]*""", r"\1", text)
    pieces = re.split(r"^[ \t]*([A-Za-z][A-Za-z0-9-]*)[ \t]*=/?", plain, flags=re.MULTILINE)
    definitions: dict[str, str] = {}
    for name, definition in zip(pieces[1::2], pieces[2::2], strict=True):
        definitions[name] = definitions.get(name, "") + "".join(definition.split())
    return definitions
