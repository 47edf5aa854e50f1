"""The proof that the independent recognizer of a BNF and a table accept the same texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.grammar.bnf import Reference, Repeat
from urlschemes_conformance.characters import kinds, masks, masks_of, nodes
from urlschemes_conformance.proof.product import NotProven, Proof, after_in, class_masks, search
from urlschemes_conformance.recognizer import NOTHING, Recognizer, State

if TYPE_CHECKING:
    from urlschemes.grammar.syntax import Syntax
    from urlschemes.grammar.table import Table

__all__ = ["prove_recognizer"]

_ALL = (1 << 128) - 1


def prove_recognizer(syntax: Syntax, table: Table) -> Proof:
    """Compare the independent recognizer of the BNF with the table: the same texts.

    Texts with a run that the table does not count are not compared. Raises NotProven.
    """
    content = table.content
    _check_counts(syntax, content.longest, content.counted)
    recognizer = Recognizer(syntax, uncounted_from=content.longest)

    def agrees(pair: tuple[State, int]) -> bool:
        return recognizer.nullable(pair[0]) == (content.finals[pair[1]] is not None)

    def after(pair: tuple[State, int], character: int) -> tuple[State, int] | None:
        state, (number, _) = recognizer.after(pair[0], chr(character)), after_in(table, pair[1], character)
        return None if state == NOTHING and number == 0 else (state, number)

    try:
        return search((recognizer.start, 1), kinds([*class_masks(table), *masks(syntax)]), agrees, after)
    except RecursionError:
        raise NotProven("the BNF nests too deeply for the recognizer") from None


def _check_counts(syntax: Syntax, longest: int, counted: int) -> None:
    """Raise NotProven unless leaving out the bounds from `longest` on changes nothing for the texts that are compared.

    Each turn of such a repetition must consist of `counted` characters, so that its turns are one run.
    """
    if counted == _ALL:
        return
    decoded = {rule for part in syntax.parts.values() if part.decoded for rule in _rules(syntax, part.decoded)}
    for rule in _rules(syntax, syntax.rule) | decoded:
        for node in nodes(syntax.grammar.rules[rule].node):
            if not isinstance(node, Repeat) or node.most is None or node.most < longest:
                continue
            if rule in decoded or any(mask & ~counted for mask in masks_of(syntax, node.item)):
                raise NotProven(f"the table does not say that it leaves out the bound of {node}")


def _rules(syntax: Syntax, rule: str) -> set[str]:
    """Return `rule`, and the rules that it refers to, directly or not."""
    found = {rule}
    ahead = [rule]
    while ahead:
        for node in nodes(syntax.grammar.rules[ahead.pop()].node):
            if isinstance(node, Reference) and node.name not in found:
                found.add(node.name)
                ahead.append(node.name)
    return found
