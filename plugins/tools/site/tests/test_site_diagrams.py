"""Diagrams show the grammar: every alternative, option, repetition, literal and octet."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
import railroad

from urlschemes.grammar.bnf import BNFReader, Choice, Literal, Reference, Rule
from urlschemes.rfc1738 import RFC1738
from urlschemes_rfc3986.abnf import ABNFReader
from urlschemes_site.diagrams import railroad_diagram, svg_diagram


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
        ("*3b", "[{<b>, 1 to 3 times}]"),
        ("1*40b", "{<b>, 1 to 40 times}"),
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
    assert derived(whole) == means


def test_many_short_alternatives_are_side_by_side() -> None:
    rule = RFC1738.grammar.rules["lowalpha"]
    drawn = railroad_diagram(rule, link)
    assert isinstance(drawn.items[1], railroad.HorizontalChoice)
    assert derived(drawn.items[1]) == f"({'|'.join('abcdefghijklmnopqrstuvwxyz')})"


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
