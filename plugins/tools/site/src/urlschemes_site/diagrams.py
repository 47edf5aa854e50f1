"""Railroad diagrams of rules, as SVG within a page: in the colour of the text around it, with every text escaped.

The track from left to right passes what the rule derives: round boxes are literals and octets, boxes with corners are
other rules, a track that leads back repeats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import railroad

from urlschemes.grammar.bnf import Choice, Literal, Octets, Reference, Repeat, Sequence
from urlschemes_cli.output.text import escaped_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes.grammar.bnf import Node, Rule

__all__ = ["railroad_diagram", "svg_diagram"]

COLUMN = 7
"""Short alternatives up to which there is one column; more of them are in columns side by side."""
PADDING = 10
"""Pixels around a diagram."""
SHORT = 14
"""Characters of a short alternative."""
_DRAWING = {
    "fill": "none",
    "stroke": "currentColor",
    "stroke-width": "1.5",
    "style": "max-width: none; font: 14px monospace; text-anchor: middle",
}
_TEXT = {"fill": "currentColor", "stroke": "none"}


def svg_diagram(rule: Rule, link: Callable[[str], str | None]) -> str:
    """Return the diagram of a rule on one line; `link` returns the address of the rule with a name, or None."""
    drawn = railroad_diagram(rule, link)
    drawn.attrs |= {"role": "group", "aria-label": f"Railroad diagram of {escaped_line(rule.name)}", **_DRAWING}
    text: list[str] = []
    drawn.format(PADDING).walk(_set_texts)
    drawn.writeSvg(text.append)
    return "".join(text).replace("\n", "").replace("{", "&#123;")  # a brace may be the syntax of a template


def railroad_diagram(rule: Rule, link: Callable[[str], str | None]) -> railroad.Diagram:
    """Return the diagram of a rule as an object of railroad."""
    return railroad.Diagram(_item_of(rule.node, link), type="complex")


def _set_texts(item: railroad.DiagramItem) -> None:
    """Fill the texts, and remove the second text of each link: railroad 3.0.1 adds the text twice."""
    for child in item.children:
        name = getattr(child, "name", "")
        if name == "a":
            del child.children[1:]
            child.attrs["style"] = "text-decoration: none"  # a line would touch the box
            _set_texts(child)
        elif name == "text":
            child.attrs |= _TEXT


def _item_of(node: Node, link: Callable[[str], str | None]) -> railroad.DiagramItem:
    if isinstance(node, Reference):
        return railroad.NonTerminal(escaped_line(node.name), href=link(node.name))
    if isinstance(node, Sequence):
        return railroad.Sequence(*(_item_of(item, link) for item in node.items)) if node.items else railroad.Skip()
    if isinstance(node, Choice):
        return _alternatives(node, link)
    if isinstance(node, Repeat):
        return _repeated(node, _item_of(node.item, link))
    if isinstance(node, Literal) and not any(map(str.isspace, node.text)):
        return railroad.Terminal(escaped_line(node.text))
    return railroad.Terminal(escaped_line(str(node)))


def _alternatives(node: Choice, link: Callable[[str], str | None]) -> railroad.DiagramItem:
    items = [_item_of(item, link) for item in node.items]
    short = all(isinstance(item, Literal | Octets | Reference) and len(str(item)) <= SHORT for item in node.items)
    if not short or len(items) <= COLUMN:
        return railroad.Choice(0, *items)
    count = -(-len(items) // COLUMN)
    height = -(-len(items) // count)
    columns = [items[start : start + height] for start in range(0, len(items), height)]
    side_by_side: railroad.DiagramItem = railroad.HorizontalChoice(*(railroad.Choice(0, *each) for each in columns))
    return side_by_side


def _repeated(node: Repeat, item: railroad.DiagramItem) -> railroad.DiagramItem:
    least, most = node.least, node.most
    if most != 1:
        times = _times(least, most)
        item = railroad.OneOrMore(item, railroad.Comment(times) if times else None)
    return railroad.Optional(item) if least == 0 else item


def _times(least: int, most: int | None) -> str:
    """Return the number of repetitions in words; "" if the track shows it."""
    if most is None:
        return f"at least {least} times" if least > 1 else ""
    if least == most:
        return f"exactly {least} times"
    return f"{max(least, 1)} to {most} times"  # if there may be none, a track leads around it
