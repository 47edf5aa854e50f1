"""What the page of one scheme says, beside its record: its provider, its rules, its parts, its operations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from urlschemes.errors import URLError
from urlschemes.grammar.bnf import parse_rules
from urlschemes_access import Policy
from urlschemes_site.diagrams import drawing
from urlschemes_site.examples import taken_apart
from urlschemes_site.notation import pieces, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from urlschemes import Registration, Registry
    from urlschemes.grammar.bnf import Rule
    from urlschemes.grammar.syntax import Part
    from urlschemes_site.diagrams import Drawing
    from urlschemes_site.examples import Example
    from urlschemes_site.notation import Piece

__all__ = ["Operation", "Page", "PartRow", "RuleRow", "page_file", "page_of", "rule_rows"]

RULES = "rules.html"
"""The page of the rules that all schemes share."""

# Operation: what section 2 means by it, the command, and the rule of the policy for local files.
_OPERATIONS = {
    "access": ("get the resource, or begin a session", "urlschemes access", "roots"),
    "find attributes": ("what is known of the resource, without its content", "urlschemes attributes", "roots"),
    "replace": ("put content in the place of the resource", "urlschemes replace", "writable"),
    "update": ("add content to the resource", "urlschemes update", "writable"),
    "delete": ("delete the resource", "urlschemes delete", "writable"),
}
_OTHER = ("an operation of this scheme alone", "", "roots")
_TRAVELS = {
    "binary": "it travels as counted octets, whatever they are",
    "as-written": "it travels as it is written, without being decoded",
    "form": "it travels on a line of the protocol, or in the form of RFC 1738 section 3.4.9",
}


class RuleRow(NamedTuple):
    """A rule: its definition in pieces, its diagram, the rules that refer to it, where it is defined."""

    name: str
    definition: tuple[Piece, ...]
    diagram: Drawing
    used_in: tuple[str, ...]
    section: str


class PartRow(NamedTuple):
    """A part: the paths of rules that it stands at, what it is in a few words, and what else is to be said of it."""

    name: str
    at: tuple[tuple[str, ...], ...]
    what: str
    facts: tuple[str, ...]


class Operation(NamedTuple):
    """An operation: what it does, and its command, if it has one."""

    name: str
    means: str
    command: str


class Allowed(NamedTuple):
    """What a policy says of some of a scheme's operations: of all, where `operations` is empty."""

    operations: str
    said: str


class Page(NamedTuple):
    """What the page of a scheme says. `rules` are its own, `shared` the names of those of section 5 that it uses.

    `found` and `typed` are what the two policies say of URLs that were found somewhere, and of those that a person
    typed; `reach` is what else they say. `trouble` says why its examples could not be read, where they could not.
    """

    record: Registration
    file: str
    provider: str
    module: str
    because: str
    claims: tuple[tuple[str, str], ...]
    bnf: tuple[tuple[Piece, ...], ...]
    rules: tuple[RuleRow, ...]
    shared: tuple[str, ...]
    link: Callable[[str], str]
    parts: tuple[PartRow, ...]
    operations: tuple[Operation, ...]
    found: tuple[Allowed, ...]
    typed: tuple[Allowed, ...]
    reach: tuple[str, ...]
    examples: tuple[Example, ...]
    trouble: str | None


def page_file(name: str) -> str:
    """The file of a scheme's page. The prefix keeps it clear of the names that some systems reserve."""
    return f"scheme-{name.replace('+', '_')}.html"  # a `+` in an address is a blank to some servers; no name has a `_`


def page_of(registry: Registry, record: Registration) -> Page:
    """What the page of the scheme says. Nothing of its plugin is imported."""
    why = registry.why(record.scheme)
    active = next((claim for claim in why.claims if claim.state == "active"), None)
    own = parse_rules(record.syntax.bnf)
    grammar = record.syntax.grammar.rules
    examples: tuple[Example, ...] = ()
    trouble = None
    try:
        examples = taken_apart(record)
    except URLError as error:
        trouble = str(error)

    def link(name: str) -> str:
        return f"#rule-{name}" if name in own else f"{RULES}#rule-{name}"

    return Page(
        record=record,
        file=page_file(record.scheme),
        provider=why.provider or "",
        module=active.module if active else "",
        because=why.rule,
        claims=tuple((claim.provider, claim.state) for claim in why.claims if claim is not active),
        bnf=tuple(_lines(tokens(_compact(record.syntax.bnf), grammar))),
        rules=tuple(rule_rows(own, link, record.syntax.section_of)),
        shared=tuple(name for name in _reached(grammar, record.syntax.rule) if name not in own),
        link=link,
        parts=tuple(map(_part, record.syntax.parts.values())),
        operations=tuple(Operation(name, *_OPERATIONS.get(name, _OTHER)[:2]) for name in record.operations),
        found=tuple(_allowed(record, Policy.untrusted())),
        typed=tuple(_allowed(record, Policy.interactive())),
        reach=tuple(_reach(record)),
        examples=examples,
        trouble=trouble,
    )


def rule_rows(
    rules: Mapping[str, Rule], link: Callable[[str], str], section_of: Callable[[str], str]
) -> Iterator[RuleRow]:
    """A row for each of the rules, in their order."""
    users: dict[str, list[str]] = {}
    for rule in rules.values():
        for name in _names_in(rule):
            users.setdefault(name, []).append(rule.name)
    for rule in rules.values():
        used_in = tuple(users.get(rule.name, ()))
        yield RuleRow(rule.name, tuple(pieces(rule.node)), drawing(rule, link), used_in, section_of(rule.name))


def _compact(bnf: str) -> str:
    """The text of a record's rules, with its comments nearer to them: a screen is less wide than a sheet."""
    return re.sub(r"(?<=\S) {3,};", "  ;", bnf.strip("\n").expandtabs())


def _lines(found: Iterable[Piece]) -> Iterator[tuple[Piece, ...]]:
    """The pieces line by line."""
    line: list[Piece] = []
    for piece in found:
        first, *more = piece.text.split("\n")
        line.append(piece._replace(text=first))
        for text in more:
            yield tuple(line)
            line = [piece._replace(text=text)]
    yield tuple(line)


def _reached(grammar: Mapping[str, Rule], start: str) -> list[str]:
    """The names of the rules that `start` comes to, itself first, in the order in which they are met."""
    names = [start]
    for name in names:
        names += [each for each in _names_in(grammar[name]) if each not in names]
    return names


def _names_in(rule: Rule) -> list[str]:
    """The names of the rules that a rule refers to, each once."""
    return [*dict.fromkeys(piece.text for piece in pieces(rule.node) if piece.kind == "rule")]


def _part(part: Part) -> PartRow:
    facts = (part.says, _TRAVELS.get(part.travels))
    return PartRow(part.name, part.at, part.described, tuple(filter(None, facts)))


def _allowed(record: Registration, policy: Policy) -> Iterator[Allowed]:
    """What the policy says of the operations, those together of which it says the same."""
    said: dict[str, list[str]] = {}
    for name in record.operations:
        words = _files(policy, _OPERATIONS.get(name, _OTHER)[2]) if record.local else _network(policy)
        said.setdefault(words, []).append(name)
    for words, names in said.items():
        yield Allowed(", ".join(names) if len(said) > 1 else "", words)


def _network(policy: Policy) -> str:
    if not policy.networks:
        return "on the public Internet" if policy.public else "nowhere"
    return f"{'on the public Internet, ' if policy.public else ''}on this machine and in private networks"


def _files(policy: Policy, rule: str) -> str:
    named = getattr(policy, rule)
    return f"files below {_listed(named)}" if named else f"no file, until `{rule}` names its folder"


def _reach(record: Registration) -> Iterator[str]:
    """What else the policy says of an access, sentence by sentence."""
    if record.local:
        yield "It reads or writes files of this machine: those that a folder of the policy holds, and no others."
    elif record.operations:
        own = [port for port in (record.default_port, *record.ports) if port is not None]
        its = f"Allowed are {_listed(own)}, its own, and " if own else "Allowed are "
        yield f"{its}ports from 1024 that are not known for another protocol; any other when `ports` names it."
    if record.redirects:
        yield f"A server may redirect an access to {_listed(record.redirects)}, under a stricter policy."
    elif record.operations:
        yield "No server can redirect an access."


def _listed(items: Iterable[object]) -> str:
    *most, last = map(str, items)
    return f"{', '.join(most)} and {last}" if most else last
