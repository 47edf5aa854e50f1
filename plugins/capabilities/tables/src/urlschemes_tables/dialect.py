"""The language of a syntax as a regular expression of another engine, for JSON Schema and for filters.

The expression says which texts are URLs; numbers of more than 4,000 digits match. It has no groups for parts: some
engines report them wrongly, and none of them decodes. It is made from the tree of the rules, where no alternative is
kept before its time, and so needs nothing that only some engines have: no possessive repetition, no group that is never
given back, no look at what stands before or after.

ecma    RegExp of ECMAScript, with and without its flags `u` and `v`; JSON Schema
rust    the crate `regex`, as in polars
re2     RE2, as in DuckDB, and package regexp of Go
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from urlschemes.grammar.automaton import bits
from urlschemes.grammar.pattern import compile_tree, in_brackets
from urlschemes.grammar.rule_tree import Characters, Marked, Repeated, Series, Variants

if TYPE_CHECKING:
    from urlschemes.grammar.rule_tree import Element
    from urlschemes.grammar.syntax import Syntax

Dialect: TypeAlias = Literal["ecma", "rust", "re2"]
"""The name of an engine."""

_SPECIAL = frozenset(r"^$\.*+?()[]{}|")
_SPECIAL_IN_BRACKETS = frozenset(r"^\-()[]{}/|")


def dialect_of(syntax: Syntax, dialect: Dialect) -> str:
    """Return the expression, from `^` to `$`, of the texts that are URLs of `syntax`.

    Raises ValueError for another engine.
    """
    if dialect not in get_args(Dialect):
        raise ValueError(f"there is no dialect {dialect!r}: expected one of {', '.join(get_args(Dialect))}")
    return f"^(?:{_expression(compile_tree(syntax.automaton)[1])})$"


def _expression(item: Element) -> str:
    if isinstance(item, Characters):
        return _class(item.mask)
    if isinstance(item, Marked | Series):
        return "".join(map(_expression, item.items))
    if isinstance(item, Variants):
        return f"(?:{'|'.join(map(_expression, item.items))})"
    assert isinstance(item, Repeated)
    inner = item.item
    while isinstance(inner, Marked):
        inner = inner.item
    text = _expression(inner)
    if not isinstance(inner, Characters | Variants):
        text = f"(?:{text})"
    if item.most is None:
        return text + ("+" if item.least else "*")
    if item.most == 1:
        return text + "?"
    return f"{text}{{{item.least},{item.most}}}"


def _class(mask: int) -> str:
    """Return the characters of `mask` as a class, or as one character."""
    codes = list(bits(mask))
    if not codes:
        return r"[^\s\S]"
    if len(codes) > 1:
        return in_brackets(mask, lambda character: _escaped(character, _SPECIAL_IN_BRACKETS))
    return _escaped(chr(codes[0]), _SPECIAL)


def _escaped(character: str, special: frozenset[str]) -> str:
    return f"\\{character}" if character in special else character
