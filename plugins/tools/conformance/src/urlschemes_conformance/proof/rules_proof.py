"""Proofs that two sets of rules derive the same texts, or those of one from the other."""

from __future__ import annotations

import sys
from operator import eq, le
from typing import TYPE_CHECKING, Any, TypeAlias

from urlschemes.grammar.bnf import Grammar
from urlschemes.storage.package_data import read_from
from urlschemes.url.algorithms import algorithms_of
from urlschemes_conformance.derivatives import ABNFRules, Derivatives
from urlschemes_conformance.proof.product import NotProven, Proof, search
from urlschemes_conformance.proof.table_reading import TableReading
from urlschemes_conformance.recognizer import NodeRules, Recognizer
from urlschemes_tables import table_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes.grammar.profile import Profile
    from urlschemes.grammar.syntax import Syntax
    from urlschemes_tables import Table

__all__ = ["printed_of", "prove_generic", "prove_printed", "prove_recognizer", "prove_rules"]

Rules: TypeAlias = Derivatives | TableReading
"""A set of rules: a table is one, too."""


def prove_rules(one: Rules, other: Rules, *, contained: bool = False) -> Proof:
    """Compare two sets of rules on all texts of octets: the same texts derive.

    If they are `contained`, those of `one` derive from `other`, which may derive more. Raises NotProven.
    """
    agree = le if contained else eq

    def agrees(pair: tuple[Any, Any]) -> bool:
        return bool(agree(one.nullable(pair[0]), other.nullable(pair[1])))

    def ways(pair: tuple[Any, Any]) -> Iterator[tuple[int, tuple[Any, Any]]]:
        first: dict[Any, int] = one.row(pair[0])
        second: dict[Any, int] = other.row(pair[1])
        left = {**second}
        for reached, mask in first.items():
            rest = mask
            for beside, characters in second.items():
                if mask & characters:
                    yield mask & characters, (reached, beside)
                    rest &= ~characters
                    left[beside] &= ~mask
            if rest:
                yield rest, (reached, other.dead)
        for beside, mask in left.items():
            if mask and not contained:
                yield mask, (one.dead, beside)

    try:
        return search((one.start, other.start), agrees, ways)
    except RecursionError:
        raise NotProven("the rules nest too deeply") from None


def prove_recognizer(syntax: Syntax, table: Table) -> Proof:
    """Compare the independent recognizer of the BNF with the table: the same texts. Raises NotProven."""
    return prove_rules(Recognizer(syntax), TableReading(table))


def prove_generic(syntax: Syntax) -> Proof:
    """Compare a syntax with the generic one of its profile: each of its texts derives from it. Raises NotProven."""
    return prove_rules(_rules_of(syntax), _rules_of(algorithms_of(syntax.profile).url_type.syntax), contained=True)


def prove_printed(syntax: Syntax) -> Proof:
    """Compare the rules of `syntax` with those that its specification prints (`printed`): the same texts.

    A printed rule takes the place of that of the same name. Raises NotProven; LookupError for a rule that is used and
    not defined.
    """
    notation = syntax.profile.notation
    printed: Rules
    if notation.name == "abnf":
        shared = printed_of(syntax.profile)
        printed = ABNFRules(syntax.rule, shared, *syntax.uses.values(), syntax.bnf, syntax.printed)
    else:
        rules = {**syntax.grammar.rules, **notation(syntax.printed).rules()}
        printed = NodeRules(Grammar(rules), syntax.rule)
    return prove_rules(printed, _rules_of(syntax))


def printed_of(profile: Profile) -> str:
    """Return the text of the shared rules of a profile, as its document prints them."""
    return read_from(sys.modules[profile.package].__spec__, profile.rules_file)[0]  # type: ignore[arg-type]


def _rules_of(syntax: Syntax) -> Rules:
    """Return the rules of a syntax: its table stands for them, if it has one."""
    table = table_of(syntax)
    return Recognizer(syntax) if table is None else TableReading(table)
