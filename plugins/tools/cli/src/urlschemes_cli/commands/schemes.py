"""schemes, show: what is registered, here and elsewhere, and the record of one scheme."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from urlschemes.errors import UnknownScheme
from urlschemes.registry.claims import SCHEMES
from urlschemes.registry.known_names import IANA, KnownName, attribution, install_command
from urlschemes.scheme.scheme import lower_case
from urlschemes_cli.output.plain import as_json, line, name_of_a_scheme, note, published, write_json
from urlschemes_cli.output.records import fields_of

if TYPE_CHECKING:
    from urlschemes.registry.claims import Claim
    from urlschemes.registry.registry import Registry
    from urlschemes.scheme.registration import Registration
    from urlschemes_cli.app import Settings
    from urlschemes_cli.output.screen import Screen

__all__ = ["READS_ONLY", "schemes", "show"]

_NOBODY = "nobody is known to provide it; `urlschemes new {}` begins a distribution that does"
READS_ONLY = "none: its URLs are parsed and built, and not accessed"


@click.command(short_help="List the schemes that are installed.")
@click.option("--all", "everything", is_flag=True, help="All names that are known, installed or not.")
@as_json
@click.pass_obj
def schemes(settings: Settings, *, everything: bool, as_json: bool) -> None:
    """List the schemes that are installed; with --all, every name that is known, too."""
    registry = settings.registry
    if everything:
        _list_all(registry, as_json=as_json)
        return
    claims = _chosen(registry)
    records = registry.registrations()
    if as_json:
        write_json([_summary(each, claims[each.scheme]) for each in records])
        return
    from urlschemes_cli.output.screen import Screen

    rows = []
    for each in records:
        port = "" if each.default_port is None else str(each.default_port)
        claim = claims[each.scheme]
        operations = ", ".join(each.operations) or "none"
        rows.append((each.scheme, line(each.title), port, operations, each.status, claim.distribution, claim.version))
    if records:
        columns = ("name", "title", "port", "operations", "status", "distribution", "version")
        if not Screen().listing(columns, rows, prose="title", least=3):
            sys.stdout.flush()
            note("--json has more columns")
    else:
        note("no scheme is installed or switched on")
        _advise(registry)
    trouble = [claim for claim in registry.claims() if claim.in_trouble]
    unusable = {claim.name for claim in trouble if claim.group == SCHEMES and claim.name} | {*registry}
    unusable -= {each.scheme for each in records}
    if unusable:
        note(f"{len(unusable)} more cannot be used: `urlschemes doctor` says why")
    elif trouble:
        note("something else that is installed cannot be used: `urlschemes doctor` says what")


def _list_all(registry: Registry, *, as_json: bool) -> None:
    """List what is installed and what is known, together."""
    claims = _chosen(registry)
    records = {each.scheme: each for each in registry.registrations()}
    known = registry.known_names()
    found = [_entry(name, records.get(name), claims.get(name), known.get(name)) for name in sorted({*records, *known})]
    if as_json:
        write_json(found)
        return
    from urlschemes_cli.output.screen import Screen

    rows = []
    for each in found:
        here = "yes" if each["installed"] else ""
        get = f"{each['distribution']} {each['version'] or ''}".rstrip()
        rows.append(
            (each["name"], each["status"], here, line(each["means"]), line(each["reference"]), get, line(each["since"]))
        )
    columns = ("name", "status", "installed", "means", "reference", "distribution", "since then")
    complete = Screen().listing(columns, rows, prose="means", least=3)
    sys.stdout.flush()
    if not complete:
        note("--json has more columns")
    ledgers = registry.ledgers()
    registers = "; ".join(f"{each.title} ({each.date})" for each in ledgers)
    note(f"{len(found)} names, {len(records)} installed; known from: {registers}")
    if len(ledgers) == 1:
        note(f"{IANA} adds every name that IANA has registered: pip install {IANA}")


def _entry(name: str, record: Registration | None, claim: Claim | None, known: KnownName | None) -> dict[str, Any]:
    """What the list of all names says of one: its own record counts before what registers know of it."""
    about = known or KnownName(name)
    return {
        "name": name,
        "status": record.status if record else about.status,
        "installed": record is not None,
        "means": record.title if record else about.means,
        "reference": record.reference if record else about.reference,
        "since": about.since,
        "distribution": claim.distribution if claim else about.distribution,
        "version": claim.version if claim else None,
    }


def _advise(registry: Registry) -> None:
    from urlschemes.registry.known_names import known_names

    if not registry.claims():
        names = [known.distribution for known in known_names().values() if known.distribution]
        note(f"install what you need, for example: pip install {names[0]}")


def _chosen(registry: Registry) -> dict[str, Claim]:
    return {claim.name: claim for claim in registry.claims() if claim.group == SCHEMES and claim.state == "active"}


def _summary(record: Registration, claim: Claim) -> dict[str, Any]:
    return {
        "name": record.scheme,
        "title": record.title,
        "distribution": claim.distribution,
        "version": claim.version,
        "status": record.status,
        "port": record.default_port,
        "operations": record.operations,
        "reference": record.reference,
    }


@click.command(short_help="Show the registration of a scheme, and its syntax.")
@click.argument("name", callback=name_of_a_scheme)
@as_json
@click.pass_obj
def show(settings: Settings, name: str, *, as_json: bool) -> None:
    """Show the registration of the scheme NAME: its record, its syntax, its parts, its options, examples.

    Of a name that is known and not installed: what is known of it, and how to get it.
    """
    try:
        record = settings.registry.registration(name)
    except UnknownScheme:
        if not _show_known(settings.registry, lower_case(name), as_json=as_json):
            raise
        return
    if as_json:
        write_json(fields_of(record))
        return
    from rich.text import Text

    from urlschemes_cli.output.screen import Screen, facts, grid

    screen = Screen()
    screen.print(Text.assemble((record.scheme, "bold"), f"  {line(record.title)}"))
    screen.print()
    screen.table(
        facts(
            (
                ("status", record.status),
                ("reference", record.reference),
                ("change controller", record.change_controller),
                ("contact", record.contact),
                ("default port", record.default_port),
                ("other ports", ", ".join(map(str, record.ports)) or None),
                ("operations", ", ".join(record.operations) or READS_ONLY),
                ("redirected to", ", ".join(record.redirects) or None),
                ("reads local files", "yes" if record.local else None),
                ("record", record.source),
            )
        )
    )
    _head(screen, "Syntax")
    for each in record.syntax.bnf.strip("\n").splitlines():
        rule, comment, rest = each.partition(";") if '";' not in each else (each, "", "")
        screen.print(Text.assemble(line(rule), (comment + line(rest), "dim")), soft_wrap=True)
    _head(screen, "Parts")
    table = grid("part", "stands at", "is", "travels")
    for part in record.syntax.parts.values():
        at = " or ".join("/".join(path) for path in part.at)
        table.add_row(part.name, at, part.described, part.travels)
    screen.table(table)
    if record.options:
        _head(screen, "Options")
        for called, option in record.options.items():
            variable = f"  by the variable {option.environment}" if option.environment else ""
            beside = variable if option.configurable else "  not configurable"
            screen.print(Text.assemble((called, "bold"), (beside, "dim")), soft_wrap=True)
            screen.paragraph(published(option.description), "dim", indent=4)
    if record.cautions:
        _head(screen, "Cautions")
        for caution in record.cautions:
            screen.print(Text.assemble((caution.code, "bold"), f"  in the {caution.part}"), soft_wrap=True)
            screen.paragraph(published(caution.message), "dim", indent=4)
    if record.examples:
        _head(screen, "Examples")
        for example in record.examples:
            invalid = [("  refused", "red")] if example.parts is None else []
            screen.print(Text.assemble((published(example.url), "bold"), *invalid), soft_wrap=True)
            screen.paragraph(published(example.says), "dim", indent=4)
    for kind in ("encoding", "interoperability", "security"):
        _head(screen, f"{kind.capitalize()} considerations")
        screen.paragraph(line(getattr(record, f"{kind}_considerations")))


def _show_known(registry: Registry, name: str, *, as_json: bool) -> bool:
    """Show what is known of a name that nobody here claims, if anything is."""
    known = registry.known_names().get(name)
    if known is None or any(claim.name == name for claim in registry.claims()):
        return False
    ledgers = [each for each in registry.ledgers() if any(other.name == name for other in each.names)]
    if as_json:
        write_json(
            {
                "scheme": name,
                "installed": False,
                **{key: value for key, value in known._asdict().items() if key != "name"},
                "ledgers": [{"title": each.title, "date": each.date, "source": each.source} for each in ledgers],
            }
        )
        return True
    from rich.text import Text

    from urlschemes_cli.output.screen import Screen, facts

    screen = Screen()
    head = Text.assemble((line(name), "bold"), ("  not installed", "red"), f"  {line(known.means)}")
    head.rstrip()
    screen.print(head, soft_wrap=True)
    screen.print()
    rows = [("status", known.status or None), ("reference", known.reference or None)]
    rows.append(("since then", known.since or None))
    rows += [("known from", f"{each.title}, {each.date} ({each.source})") for each in ledgers]
    asked = name if name.startswith("x-") else f"{name} --registered"
    get = install_command(name) or attribution(name, ledgers) or _NOBODY.format(line(asked))
    screen.table(facts([*rows, ("to use it", get)]))
    return True


def _head(screen: Screen, text: str) -> None:
    from rich.text import Text

    screen.print()
    screen.print(Text(text, "bold underline"))
