"""The content of the page of one scheme: its record, provider, rules, parts, operations and examples."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from urlschemes import URLError
from urlschemes_access import Policy
from urlschemes_site.diagrams import svg_diagram
from urlschemes_site.examples import parsed_examples
from urlschemes_site.grammar_text import pieces, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from urlschemes import Registration, Registry
    from urlschemes.grammar.bnf import Rule
    from urlschemes.grammar.part import Part
    from urlschemes_site.diagrams import Diagram
    from urlschemes_site.examples import Example
    from urlschemes_site.grammar_text import Piece

__all__ = [
    "Operation",
    "PartRow",
    "Permission",
    "RuleRow",
    "SchemePage",
    "page_file",
    "rule_rows",
    "scheme_page",
]

# For each operation: its meaning (section 2), its command, and the rule of the policy that allows local files.
_OPERATIONS = {
    "access": ("get the resource, or begin a session", "urlschemes access", "roots"),
    "find attributes": ("find what is known of the resource, without its content", "urlschemes attributes", "roots"),
    "replace": ("replace or create the resource", "urlschemes replace", "writable"),
    "update": ("append to the resource", "urlschemes update", "writable"),
    "delete": ("delete the resource", "urlschemes delete", "writable"),
}
_OTHER_OPERATION = ("an operation of this scheme only", "", "roots")
_SENT_AS = {
    "binary": "it is sent as counted octets, of any value",
    "as-written": "it is sent as written, without being decoded",
    "checked": "it is sent on a line of the protocol; control characters only where the protocol has them",
}


class RuleRow(NamedTuple):
    """A rule: its definition in pieces, its diagram, the rules that use it, and its section."""

    name: str
    definition: tuple[Piece, ...]
    diagram: Diagram
    used_in: tuple[str, ...]
    section: str


class PartRow(NamedTuple):
    """A part: the paths of its rules, a short description, and further facts."""

    name: str
    at: tuple[tuple[str, ...], ...]
    description: str
    facts: tuple[str, ...]


class Operation(NamedTuple):
    """An operation: its meaning, and its command, if there is one."""

    name: str
    means: str
    command: str


class Permission(NamedTuple):
    """The permission of a policy for some operations of a scheme; for all of them, if `operations` is empty."""

    operations: str
    text: str


class SchemePage(NamedTuple):
    """The content of a page.

    `rules` are the scheme's own, `shared` the names of those of its profile that it uses, on the page `rules_file`.
    `untrusted` and `typed` are the permissions of the two policies for URLs from elsewhere and for URLs that a person
    typed, and `restrictions` what both have in common. `problem` is why the examples cannot be parsed, if they cannot.
    """

    record: Registration
    file: str
    rules_file: str
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
    untrusted: tuple[Permission, ...]
    typed: tuple[Permission, ...]
    restrictions: tuple[str, ...]
    examples: tuple[Example, ...]
    problem: str | None

    def link_from_elsewhere(self, name: str) -> str:
        """Return the link to a rule from another page."""
        link = self.link(name)
        return f"{self.file}{link}" if link.startswith("#") else link


def page_file(name: str, prefix: str = "scheme") -> str:
    """Return the file name of a scheme's page. Its prefix avoids names that some systems reserve."""
    return f"{prefix}-{name.replace('+', '_')}.html"  # some servers decode `+` as a blank; no scheme name has a `_`


def scheme_page(registry: Registry, record: Registration, file: str, rules_file: str) -> SchemePage:
    """Return the content of the page `file` of a scheme; nothing of its plugin is imported.

    The page `rules_file` has the rules of its profile.
    """
    why = registry.why(record.scheme)
    active = next((claim for claim in why.claims if claim.state == "active"), None)
    grammar, own = record.syntax.grammar.rules, record.syntax.own_rules
    examples: tuple[Example, ...] = ()
    problem = None
    try:
        examples = parsed_examples(record)
    except URLError as error:
        problem = error.message.removeprefix(record.source or "the record").lstrip(":, ")

    def link(name: str) -> str:
        return f"#rule-{name}" if name in own else f"{rules_file}#rule-{name}"

    return SchemePage(
        record=record,
        file=file,
        rules_file=rules_file,
        provider=why.provider or "",
        module=active.module if active else "",
        because=why.rule,
        claims=tuple((claim.provider, claim.state) for claim in why.claims if claim is not active),
        bnf=tuple(_lines(tokens(_compact(record.syntax.bnf), grammar))),
        rules=tuple(rule_rows(own, link, record.syntax.section_of)),
        shared=tuple(name for name in _used_rules(grammar, record.syntax.rule) if name not in own),
        link=link,
        parts=tuple(map(_part_row, record.syntax.parts.values())),
        operations=tuple(Operation(name, *_OPERATIONS.get(name, _OTHER_OPERATION)[:2]) for name in record.operations),
        untrusted=tuple(_permissions(record, Policy.untrusted())),
        typed=tuple(_permissions(record, Policy.interactive())),
        restrictions=tuple(_restrictions(record)),
        examples=examples,
        problem=problem,
    )


def rule_rows(
    rules: Mapping[str, Rule], link: Callable[[str], str], section_of: Callable[[str], str]
) -> Iterator[RuleRow]:
    """Return a row for each rule, in the order of the rules."""
    users: dict[str, list[str]] = {}
    for rule in rules.values():
        for name in _names_in(rule):
            users.setdefault(name, []).append(rule.name)
    for rule in rules.values():
        used_in = tuple(users.get(rule.name, ()))
        yield RuleRow(rule.name, tuple(pieces(rule.node)), svg_diagram(rule, link), used_in, section_of(rule.name))


def _compact(bnf: str) -> str:
    """Return the text of rules with less space before comments: a screen is narrower than a sheet of paper."""
    return re.sub(r"(?<=\S) {3,};", "  ;", bnf.strip("\n").expandtabs())


def _lines(pieces: Iterable[Piece]) -> Iterator[tuple[Piece, ...]]:
    """Return the pieces line by line."""
    line: list[Piece] = []
    for piece in pieces:
        first, *more = piece.text.split("\n")
        line.append(piece._replace(text=first))
        for text in more:
            yield tuple(line)
            line = [piece._replace(text=text)]
    yield tuple(line)


def _used_rules(grammar: Mapping[str, Rule], start: str) -> list[str]:
    """Return the names of the rules that `start` uses, directly or indirectly, and `start` itself."""
    names = [start]
    for name in names:
        names += [each for each in _names_in(grammar[name]) if each not in names]
    return names


def _names_in(rule: Rule) -> list[str]:
    """Return the names of the rules that a rule refers to, each once."""
    return [*dict.fromkeys(piece.text for piece in pieces(rule.node) if piece.kind == "rule")]


def _part_row(part: Part) -> PartRow:
    facts = (part.says, _SENT_AS.get(part.travels))
    return PartRow(part.name, part.at, part.described, tuple(filter(None, facts)))


def _permissions(record: Registration, policy: Policy) -> Iterator[Permission]:
    """Return what the policy allows; operations with the same permission are together."""
    by_text: dict[str, list[str]] = {}
    for name in record.operations:
        rule = _OPERATIONS.get(name, _OTHER_OPERATION)[2]
        text = _files_text(policy, rule) if record.local else _network_text(policy)
        by_text.setdefault(text, []).append(name)
    for text, names in by_text.items():
        yield Permission(", ".join(names) if len(by_text) > 1 else "", text)


def _network_text(policy: Policy) -> str:
    if not policy.networks:
        return "on the public Internet" if policy.public else "nowhere"
    return f"{'on the public Internet, ' if policy.public else ''}on this machine and in private networks"


def _files_text(policy: Policy, rule: str) -> str:
    folders = getattr(policy, rule)
    return f"files below {_listed(folders)}" if folders else f"no files, unless `{rule}` names their folder"


def _restrictions(record: Registration) -> Iterator[str]:
    """Return what both policies have in common, sentence by sentence."""
    if record.local:
        yield "An access reads or writes local files, but only below the folders that the policy names."
    elif record.operations:
        own = [port for port in (record.default_port, *record.ports) if port is not None]
        first = f"port {_listed(own)} of the scheme, and " if own else ""
        yield f"The policy allows {first}ports from 1024 that belong to no other protocol. Its `ports` allow others."
    if record.redirects:
        yield f"A server may redirect an access to {_listed(record.redirects)}, under a stricter policy."
    elif record.operations:
        yield "No server can redirect an access."


def _listed(items: Iterable[object]) -> str:
    *most, last = map(str, items)
    return f"{', '.join(most)} and {last}" if most else last
