"""Diagrams show the grammar: every alternative, option, repetition, literal and octet."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

import pytest
import railroad
from workspace import schemes_of_plugins

from urlschemes import Registry
from urlschemes.grammar.bnf import BNFReader, Choice, Literal, Octets, Reference, Repeat, Rule, Sequence
from urlschemes_rfc3986.abnf import ABNFReader
from urlschemes_site.diagrams import railroad_diagram, svg_diagram

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes.grammar.bnf import Node


def every_rule() -> Iterator[Any]:
    """Return the rules of the schemes of plugins, and the shared ones."""
    for registry in (Registry(), Registry(profile="rfc3986")):
        profile = registry.profile
        shared = profile.grammar.rules
        yield from (pytest.param(rule, id=f"{profile.name}-{rule.name}") for rule in shared.values())
        for record in map(registry.registration, schemes_of_plugins(registry)):
            own = [rule for rule in record.syntax.grammar.rules.values() if rule.name not in shared]
            yield from (pytest.param(rule, id=f"{profile.name}-{record.scheme}-{rule.name}") for rule in own)


RULES = [*every_rule()]


def link(name: str) -> str:
    return f"#{name}"


def derived(item: railroad.DiagramItem) -> str:
    """Return the rule that a diagram shows, in the notation of section 5 with all groups."""
    if isinstance(item, railroad.Terminal):
        return item.text
    if isinstance(item, railroad.NonTerminal):
        assert item.href == link(item.text)
        return f"<{item.text}>"
    if isinstance(item, railroad.Choice):
        if isinstance(item.items[0], railroad.Skip):
            assert item.default == 1
            assert len(item.items) == 2
            return f"[{derived(item.items[1])}]"
        return f"({'|'.join(map(derived, item.items))})"
    if isinstance(item, railroad.HorizontalChoice):
        return f"({'|'.join(derived(each)[1:-1] for each in item.items)})"
    if isinstance(item, railroad.Sequence):
        return f"({' '.join(map(derived, item.items))})"
    if isinstance(item, railroad.Skip):
        return "()"
    assert isinstance(item, railroad.OneOrMore)
    times = item.rep.text if isinstance(item.rep, railroad.Comment) else "at least once"
    return f"{{{derived(item.item)}, {times}}}"


def written(node: Node) -> str:
    """Return a rule in the same notation."""
    if isinstance(node, Literal):
        return node.text if not any(map(str.isspace, node.text)) else f'"{node.text}"'
    if isinstance(node, Octets):
        return str(node)
    if isinstance(node, Reference):
        return f"<{node.name}>"
    if isinstance(node, Sequence):
        return f"({' '.join(map(written, node.items))})"
    if isinstance(node, Choice):
        return f"({'|'.join(map(written, node.items))})"
    assert isinstance(node, Repeat)
    if node.most == 1:
        return f"[{written(node.item)}]" if node.least == 0 else written(node.item)
    times = {
        (0, None): "at least once",
        (1, None): "at least once",
    }.get((node.least, node.most))
    if times is None and node.most is None:
        times = f"at least {node.least:,} times"
    elif times is None and node.least == node.most:
        times = f"exactly {node.least:,} times"
    elif times is None:
        times = f"{node.least:,} to {node.most:,} times" if node.least > 1 else f"at most {node.most:,} times"
    again = f"{{{written(node.item)}, {times}}}"
    return f"[{again}]" if node.least == 0 else again


def texts(item: railroad.DiagramItem) -> list[str]:
    return [
        each.text for each in ET.fromstring(str(drawing_of(item))).iter() if each.tag.endswith("text") and each.text
    ]


def drawing_of(item: railroad.DiagramItem) -> str:
    written: list[str] = []
    item.writeStandalone(written.append, css="")
    return "".join(written)


def leaves(node: Node) -> Iterator[str]:
    if isinstance(node, Sequence | Choice):
        for item in node.items:
            yield from leaves(item)
    elif isinstance(node, Repeat):
        yield from leaves(node.item)
    else:
        yield written(node).strip("<>") if isinstance(node, Reference) else written(node)


@pytest.mark.parametrize("rule", RULES)
def test_a_diagram_shows_its_rule(rule: Rule) -> None:
    drawn = railroad_diagram(rule, link)
    (whole,) = drawn.items[1:-1]
    assert derived(whole) == written(rule.node)
    shown = texts(drawn)
    for leaf in leaves(rule.node):
        assert leaf in shown, "a diagram has the text of every literal and name"


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ('"a"', "a"),
        ("b", "<b>"),
        ('"a" b', "(a <b>)"),
        ('"a" | b', "(a|<b>)"),
        ('[ "a" ]', "[a]"),
        ("*b", "[{<b>, at least once}]"),
        ("1*b", "{<b>, at least once}"),
        ("3*b", "{<b>, at least 3 times}"),
        ("*3b", "[{<b>, at most 3 times}]"),
        ("1*40b", "{<b>, at most 40 times}"),
        ("2*5b", "{<b>, 2 to 5 times}"),
        ("2b", "{<b>, exactly 2 times}"),
        ("1b", "<b>"),
        ("%x22", "%x22"),
        ("%x00-1F", "%x00-1F"),
        ('" "', '" "'),
        ('*[ "a" | b "c" ]', "[{(a|(<b> c)), at least once}]"),
        ('"1" | "2" | "3" | "4" | "5" | "6" | "7" | "8"', "(1|2|3|4|5|6|7|8)"),
    ],
)
def test_every_form_of_the_notation_is_drawn(text: str, means: str) -> None:
    rule = BNFReader(f"a = {text}").rules()["a"]
    (whole,) = railroad_diagram(rule, link).items[1:-1]
    assert derived(whole) == means == written(rule.node)


def test_many_short_alternatives_are_side_by_side() -> None:
    low = Registry().profile.grammar.rules["lowalpha"]
    assert isinstance(railroad_diagram(low, link).items[1], railroad.HorizontalChoice)
    assert sorted(texts(railroad_diagram(low, link))) == [*"abcdefghijklmnopqrstuvwxyz"]


def test_text_in_a_diagram_is_escaped() -> None:
    literals = map(Literal, ("</text><script>", "&amp;", "\u202e\x1b", '"', "{{7*7}}"))
    rule = Rule("a", Choice((*literals, Reference("b"), Reference("c"))), 1, None)
    svg = svg_diagram(rule, {"b": '" onclick="b', "c": None}.get)
    assert not any(each in svg for each in ("<script", "\u202e", "\x1b", "{", "\n"))
    root = ET.fromstring(svg.replace("xlink:href", "href"))
    assert root.attrib["aria-label"] == "Railroad diagram of a"
    shown = ["</text><script>", "&amp;", "\\u202e\\x1b", '"', "{{7*7}}", "b", "c"]
    assert [each.text for each in root.iter("text")] == shown
    assert [each.attrib["href"] for each in root.iter("a")] == ['" onclick="b']
    assert {each.attrib["fill"] for each in root.iter("text")} == {"currentColor"}, "readable in the dark"


def test_nothing_is_a_track_without_boxes() -> None:
    (rule,) = ABNFReader('a = 0"b" / "c"').rules().values()
    choice = railroad_diagram(rule, link).items[1]
    assert [type(item) for item in choice.items] == [railroad.Skip, railroad.Terminal]
