"""The page of one scheme: its record, and of each profile its rules, parts and examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import Registry, URLError
from urlschemes.grammar.bnf import references
from urlschemes_lint.explaining import explanation, plain_text
from urlschemes_site.diagrams import svg_diagram
from urlschemes_site.markdown_text import code, linked, paragraph, plain, preformatted, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from urlschemes import Registration
    from urlschemes.grammar.bnf import Rule
    from urlschemes.grammar.part import Part
    from urlschemes.grammar.profile import Profile
    from urlschemes.grammar.syntax import Syntax
    from urlschemes.record.record_fields import Caution, Option

__all__ = ["page_file", "rules", "rules_file", "scheme_page"]

_OPERATIONS = {
    "access": ("get the resource, or begin a session", "urlschemes access"),
    "find attributes": ("find what is known of the resource, without its content", "urlschemes attributes"),
    "replace": ("replace or create the resource", "urlschemes replace"),
    "update": ("append to the resource", "urlschemes update"),
    "delete": ("delete the resource", "urlschemes delete"),
}
"""The meaning (section 2) and the command of each operation."""
_SENT_AS = {
    "line": "",
    "binary": "sent as counted octets, of any value",
    "as-written": "never decoded",
    "checked": "sent on a line of the protocol; control characters only where the protocol has them",
}


def page_file(scheme: str) -> str:
    """Return the file name of a scheme's page. Its prefix avoids names that some systems reserve."""
    return f"scheme-{scheme.replace('+', '_')}.md"  # some servers decode `+` as a blank; no scheme name has a `_`


def rules_file(profile: Profile) -> str:
    """Return the file name of the page of a profile's shared rules."""
    return f"rules-{profile.name}.md"


def scheme_page(records: Sequence[tuple[Registry, Registration]]) -> str:
    """Return the page of a scheme with the records of one or more profiles, each with its registry.

    What is not syntax comes from the first record. Nothing of the plugin is imported.
    """
    registry, record = records[0]
    blocks = [f"# {plain(record.scheme)}", paragraph(record.title), "\n".join(_facts(registry, record))]
    for _, each in records:
        blocks += [f"## By {each.profile.document}", *_syntax(each), *_parts(each), *_examples(each)]
    blocks += ["## Operations", *_operations(record)]
    for name in ("security", "encoding", "interoperability"):
        blocks += [f"## {name.capitalize()} considerations", paragraph(getattr(record, f"{name}_considerations"))]
    return "\n\n".join(blocks) + "\n"


def rules(found: Mapping[str, Rule], profile: Profile, section_of: Callable[[str], str]) -> Iterator[str]:
    """Yield each rule with its section, the rules that it uses, and its diagram; on the page of the rules `found`.

    The other rules are on the page of the profile.
    """

    def anchor(name: str) -> str:
        return f"#{profile.name}-{name}"

    def link(name: str) -> str:
        return f"[{code(name)}]({'' if name in found else rules_file(profile)}{anchor(name)})"

    for rule in found.values():
        uses = ", ".join(map(link, dict.fromkeys(each.name for each in references(rule.node))))
        section = section_of(rule.name)
        yield f"**{code(rule.name)}**{section and ', '}{linked(section)}{uses and f'; uses {uses}'}"
        diagram = svg_diagram(rule, lambda name: anchor(name) if name in found else None)
        yield f'<div id="{anchor(rule.name)[1:]}" style="overflow-x: auto">{diagram}</div>'


def _facts(registry: Registry, record: Registration) -> Iterator[str]:
    why = registry.why(record.scheme)
    ports = [str(port) for port in (record.default_port, *record.ports) if port is not None]
    facts = {
        "Status": record.status,
        "Reference": record.reference,
        "Ports" if len(ports) > 1 else "Port": ", ".join(ports),
        "Provided by": why.provider or "",
        "Other claims": "; ".join(f"{each.provider}: {each.state}" for each in why.claims if each.state != "active"),
        "Contact": record.contact,
        "Change controller": record.change_controller,
    }
    return (f"- {name}: {linked(text)}" for name, text in facts.items() if text)


def _syntax(record: Registration) -> Iterator[str]:
    syntax = record.syntax
    yield "### Syntax"
    yield preformatted(syntax.bnf.strip("\n").expandtabs())
    yield "Railroad diagrams of its rules, that of the whole URL first:"
    yield from rules(_in_order_of_use(syntax), record.profile, syntax.section_of)


def _in_order_of_use(syntax: Syntax) -> dict[str, Rule]:
    """Return the rules of a record: the one of its URLs, those that this one uses, those that these use, and so on."""
    own, found = syntax.own_rules, [syntax.rule]
    for name in found:
        used = dict.fromkeys(each.name for each in references(syntax.grammar.rules[name].node))
        found += [each for each in used if each not in found]
    return {name: own[name] for name in [*found, *own] if name in own}


def _parts(record: Registration) -> Iterator[str]:
    yield "### Parts"
    parts = record.syntax.parts.values()
    yield table(("part", "rule", "value"), map(_part_row, parts)) if parts else "None, apart from the scheme's name."
    if record.cautions:
        yield "Legal, but often misunderstood:"
        yield "\n".join(map(_caution, record.cautions))


def _part_row(part: Part) -> tuple[str, str, str]:
    value = "; ".join(filter(None, (part.described, part.says, _SENT_AS[part.travels])))
    return code(part.name), " or ".join(code("/".join(path)) for path in part.at), linked(value)


def _caution(caution: Caution) -> str:
    place = "in" if caution.holds is not None else "at the beginning of"
    texts = "; ".join(map(linked, filter(None, (caution.message, caution.hint, caution.section))))
    what = code(caution.holds or caution.begins or "")
    return f"- {what} {place} {code(caution.part)}: {texts} ({code(caution.code)})"


def _examples(record: Registration) -> Iterator[str]:
    """Yield each example as `explain` draws it; parsed by the record alone, without the code of the plugin."""
    if not record.examples:
        return
    yield "### Examples"
    registry = Registry([], profile=record.profile)
    try:
        registry.register(record)
        drawings = [(each, explanation(each.url, registry=registry)) for each in record.examples]
    except URLError as error:
        problem = error.message.removeprefix(record.source or "the record").lstrip(":, ")
        yield f"The examples cannot be parsed: {plain(problem)}"
        return
    for example, drawing in drawings:
        problem = ""
        if example.parts is not None and drawing.error:
            problem = " The record calls this a URL, but its rules refuse it."
        elif example.parts is None and not drawing.error:
            problem = " The rules accept this; the code of the plugin refuses it."
        yield (paragraph(example.says) + problem).strip() or ("Valid:" if example.parts is not None else "Invalid:")
        yield preformatted(plain_text(drawing))


def _operations(record: Registration) -> Iterator[str]:
    if record.operations:
        found = {name: _OPERATIONS.get(name, ("an operation of this scheme only", "")) for name in record.operations}
        rows = ((plain(name), means, command and code(command)) for name, (means, command) in found.items())
        yield table(("operation", "meaning", "command"), rows)
    else:
        yield "None: its URLs can be parsed and built, but not accessed."
    if record.options:
        rows = ((code(name), _how_set(each), linked(each.description)) for name, each in record.options.items())
        yield table(("option", "set by", "meaning"), rows)


def _how_set(option: Option) -> str:
    if not option.configurable:
        return "each access"
    return f"configuration, {code(option.environment)}" if option.environment else "configuration"
