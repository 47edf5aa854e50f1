"""The command `show`: the record of a scheme, or what is known of a name that is not installed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from urlschemes.errors import UnknownScheme
from urlschemes.registry.names import attribution, how_to_install, known_names
from urlschemes_cli.options import json_option, scheme_argument
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.text import escaped_line, safe_line

if TYPE_CHECKING:
    from urlschemes import Registration, Registry
    from urlschemes.grammar.part import Part
    from urlschemes.grammar.syntax import Syntax
    from urlschemes.registry.names import KnownName, Ledger
    from urlschemes_cli.output.console import Console
    from urlschemes_cli.settings import Settings

__all__ = ["NO_OPERATIONS", "rewritten_rules", "show"]

NO_OPERATIONS = "none: its URLs can be parsed and built, but not accessed"

_CONSIDERATIONS = ("encoding", "interoperability", "security")


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
        record = registry.registration(name)
    except UnknownScheme:
        known = _known_name(registry, name.lower())
        if known is None:
            raise
        ledgers = [each for each in registry.ledgers() if any(other.name == known.name for other in each.names)]
        if as_json:
            write_json(_known_json(known, ledgers))
        else:
            _show_known(known, ledgers)
        return
    if as_json:
        write_json(_record_json(record))
    else:
        _show_record(record)


def _known_name(registry: Registry, name: str) -> KnownName | None:
    """Return what is known of a name that no distribution claims."""
    if any(claim.name == name for claim in registry.claims()):
        return None  # why the claim cannot be used is more important
    return registry.known_names().get(name)


def _show_record(record: Registration) -> None:
    from urlschemes_cli.output.console import Console, facts_table  # late: rich

    console = Console()
    console.print_line((record.scheme, "bold"), f"  {safe_line(record.title)}")
    console.print()
    console.print_table(facts_table(_facts(record)))
    _show_syntax(console, record)
    _show_options(console, record)
    _show_cautions(console, record)
    _show_examples(console, record)
    for kind in _CONSIDERATIONS:
        console.print_heading(f"{kind.capitalize()} considerations")
        console.print_paragraph(safe_line(getattr(record, f"{kind}_considerations")))


def _facts(record: Registration) -> list[tuple[str, object]]:
    return [
        ("profile", record.profile.name),
        ("status", record.status),
        ("reference", record.reference),
        ("change controller", record.change_controller),
        ("contact", record.contact),
        ("default port", record.default_port),
        ("other ports", ", ".join(map(str, record.ports)) or None),
        ("operations", ", ".join(record.operations) or NO_OPERATIONS),
        ("redirected to", ", ".join(record.redirects) or None),
        ("reads local files", "yes" if record.local else None),
        ("record", record.source),
    ]


def _show_syntax(console: Console, record: Registration) -> None:
    from urlschemes_cli.output.console import columns_table  # late: rich

    console.print_heading("Syntax")
    _show_rules(console, record.syntax.bnf)
    if record.syntax.printed:
        console.print_heading("As printed")
        _show_rules(console, record.syntax.printed)
        console.print_paragraph(f"rewritten: {', '.join(rewritten_rules(record.syntax))}", "dim")
    console.print_heading("Parts")
    table = columns_table("part", "rule", "value", "sent as")
    for part in record.syntax.parts.values():
        rules = " or ".join("/".join(path) for path in part.at)
        table.add_row(part.name, rules, part.described, part.travels)
    console.print_table(table)


def _show_rules(console: Console, text: str) -> None:
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


def _show_options(console: Console, record: Registration) -> None:
    if record.options:
        console.print_heading("Options")
    for name, option in record.options.items():
        remark = f"  set by the variable {option.environment}" if option.environment else ""
        remark = remark if option.configurable else "  not configurable"
        console.print_line((name, "bold"), (remark, "dim"))
        console.print_paragraph(escaped_line(option.description), "dim", indent=4)


def _show_cautions(console: Console, record: Registration) -> None:
    if record.cautions:
        console.print_heading("Cautions")
    for caution in record.cautions:
        console.print_line((caution.code, "bold"), f"  in the {caution.part}")
        console.print_paragraph(escaped_line(caution.message), "dim", indent=4)


def _show_examples(console: Console, record: Registration) -> None:
    if record.examples:
        console.print_heading("Examples")
    for example in record.examples:
        mark = [("  invalid", "red")] if example.parts is None else []
        console.print_line((escaped_line(example.url), "bold"), *mark)
        console.print_paragraph(escaped_line(example.says), "dim", indent=4)


def _show_known(known: KnownName, ledgers: list[Ledger]) -> None:
    from urlschemes_cli.output.console import Console, facts_table  # late: rich

    console = Console()
    console.print_line((safe_line(known.name), "bold"), ("  not installed", "red"), f"  {safe_line(known.means)}")
    console.print()
    rows = [("status", known.status or None), ("reference", known.reference or None)]
    rows.append(("since then", known.since or None))
    rows += [("source", f"{each.title}, {each.date} ({each.source})") for each in ledgers]
    console.print_table(facts_table([*rows, ("to use it", _way_to_use(known.name, ledgers))]))


def _way_to_use(name: str, ledgers: list[Ledger]) -> str:
    known = known_names().get(name)
    if known is not None and known.distribution:
        return how_to_install(known.distribution)
    provided = attribution(name, ledgers)
    if provided:
        return provided
    arguments = name if name.startswith("x-") else f"{name} --registered"
    return f"no distribution is known to provide it; `urlschemes new {safe_line(arguments)}` makes one"


def _known_json(known: KnownName, ledgers: list[Ledger]) -> dict[str, Any]:
    return {
        "scheme": known.name,
        "installed": False,
        **{key: value for key, value in known._asdict().items() if key != "name"},
        "ledgers": [{"title": each.title, "date": each.date, "source": each.source} for each in ledgers],
    }


_RECORD_KEYS = (
    "scheme",
    "status",
    "title",
    "reference",
    "contact",
    "change_controller",
    "default_port",
    "ports",
    "operations",
    "redirects",
    "local",
    "source",
    *(f"{kind}_considerations" for kind in _CONSIDERATIONS),
)


def _record_json(record: Registration) -> dict[str, Any]:
    syntax = record.syntax
    return {
        "installed": True,
        **{name: getattr(record, name) for name in _RECORD_KEYS},
        "syntax": {
            "rule": syntax.rule,
            "hierarchy": syntax.hierarchy,
            "slash_may_be_omitted": syntax.slash_may_be_omitted,
            "notation": syntax.profile.notation.name,
            "bnf": syntax.bnf,
            "printed": syntax.printed,
            "rewritten": rewritten_rules(syntax),
            "parts": {part.name: _part_json(part) for part in syntax.parts.values()},
        },
        "options": {name: option._asdict() for name, option in record.options.items()},
        "cautions": [each._asdict() for each in record.cautions],
        "examples": [{"url": each.url, "parts": each.parts, "says": each.says} for each in record.examples],
    }


def _part_json(part: Part) -> dict[str, Any]:
    return {
        "at": ["/".join(path) for path in part.at],
        "element": part.element,
        "take": part.take,
        "number": part.number,
        "exclude": [f"{octet:02X}" for octet in sorted(part.exclude)],
        "decoded": part.decoded,
        "says": part.says,
        "travels": part.travels,
    }
