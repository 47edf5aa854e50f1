"""The proof that the independent recognizer of a BNF and a table accept the same texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.grammar.bnf import Choice, Node, Repeat, Sequence, references
from urlschemes_conformance.proof.product import NotProven, Proof, prove_rules
from urlschemes_conformance.proof.table_reading import TableReading
from urlschemes_conformance.recognizer import Recognizer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes.grammar.syntax import Syntax
    from urlschemes.grammar.table import Table

__all__ = ["prove_recognizer"]

_ALL = (1 << 128) - 1


def prove_recognizer(syntax: Syntax, table: Table) -> Proof:
    """Compare the independent recognizer of the BNF with the table: the same texts.

    Texts with a run that the table does not count are not compared. Raises NotProven.
    """
    recognizer = Recognizer(syntax, uncounted_from=table.content.longest)
    _check_counts(recognizer, table.content.counted)
    return prove_rules(recognizer, TableReading(table), codes=128)


def _check_counts(recognizer: Recognizer, counted: int) -> None:
    """Raise NotProven unless the bounds that `recognizer` leaves out change nothing for the texts that are compared.

    Each turn of such a repetition must consist of `counted` characters, so that its turns are one run.
    """
    if counted == _ALL:
        return
    syntax, longest = recognizer.syntax, recognizer.uncounted_from
    decoded = {rule for part in syntax.parts.values() if part.decoded for rule in _rules(syntax, part.decoded)}
    for rule in _rules(syntax, syntax.rule) | decoded:
        for node in _nodes(syntax.grammar.rules[rule].node):
            if not isinstance(node, Repeat) or node.most is None or node.most < longest:
                continue
            if rule in decoded or any(mask & _ALL & ~counted for mask in recognizer.masks_of(("name", node.item, ()))):
                raise NotProven(f"the table does not say that it leaves out the bound of {node}")


def _rules(syntax: Syntax, rule: str) -> set[str]:
    """Return `rule`, and the rules that it refers to, directly or not."""
    found = {rule}
    ahead = [rule]
    while ahead:
        for reference in references(syntax.grammar.rules[ahead.pop()].node):
            if reference.name not in found:
                found.add(reference.name)
                ahead.append(reference.name)
    return found


def _nodes(node: Node) -> Iterator[Node]:
    """Yield `node` and all nodes within it."""
    yield node
    for inner in node.items if isinstance(node, Sequence | Choice) else [node.item] if isinstance(node, Repeat) else ():
        yield from _nodes(inner)
