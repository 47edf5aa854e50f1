"""Random grammars: small BNFs with parts, of which many are refused; the readers of the others are proved equal."""

from __future__ import annotations

from random import Random
from typing import TypeAlias

from comparison import compare

from urlschemes.errors import GrammarError
from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.rfc1738 import RFC1738
from urlschemes_conformance.agreement import Judges
from urlschemes_conformance.proof import NotProven, prove_pattern, prove_recognizer
from urlschemes_tables import table_of

LITERALS = ('"a"', '"b"', '"ab"', '"ba"', '"1"', '"/"', '":"', '"@"', '";x="', '"%41"', '"%09"')
RULES = ("alpha", "digit", "uchar", "escape", "alphadigit", "digits", "xchar", "hex", "host")
REPEATS = ("*", "1*", "1*", "*2", "2*3", "2", "*7", "1*9", "1*64")
TOKENS = ("a", "b", "1", "/", ":", "@", ";x=", "%41", "%09", "%4", "~")
"""Tokens of texts to try."""
NAMES = ("p", "q", "r", "s")

Grammar: TypeAlias = "dict[str, list[str]]"
"""The lines of a BNF, and its parts, each a name and the characters that it excludes."""


def make(random: Random) -> Grammar:
    """Return a grammar. The rule `u` refers to the others, and these to later ones."""
    names = NAMES[: random.randrange(1, len(NAMES) + 1)]
    depth = random.choice((0, 1, 1, 2, 3))
    lines = [f'u = "x:" {sequence(random, depth, names)}']
    lines += [f"{name} = {sequence(random, depth, names[index:])}" for index, name in enumerate(names, 1)]
    parts = [f"{name}{random.choice(('', '', 'a', 'A', chr(9), '/1'))}" for name in names if random.random() < 0.6]
    return {"bnf": lines, "parts": parts}


def sequence(random: Random, depth: int, names: tuple[str, ...]) -> str:
    """Return a random sequence of elements."""
    return " ".join(_element(random, depth, names) for _ in range(random.choice((1, 1, 2, 2, 3))))


def _element(random: Random, depth: int, names: tuple[str, ...]) -> str:
    kind = random.random()
    if depth == 0 or kind < 0.35:
        return random.choice((random.choice(LITERALS), random.choice(RULES), random.choice(names or RULES)))
    if kind < 0.5:
        return f"[ {sequence(random, depth - 1, names)} ]"
    inner = f"( {' | '.join(sequence(random, depth - 1, names) for _ in range(random.choice((1, 2, 2, 3))))} )"
    return inner if kind < 0.7 else random.choice(REPEATS) + inner.replace("( ", "[ ", 1)[:-1] + "]"


def syntax_of(grammar: Grammar) -> Syntax:
    """Return the syntax. Raises GrammarError."""
    parts = [Part(each[0], [each[0]], exclude=each[1:].encode()) for each in grammar["parts"]]
    syntax = Syntax("\n".join(grammar["bnf"]), "u", parts, profile=RFC1738)
    syntax.compile()
    return syntax


def judge(grammar: Grammar) -> str:
    """Compare pattern, table and recognizer on all short texts, and by proof on all texts."""
    try:
        syntax = syntax_of(grammar)
    except GrammarError:
        return "refused"
    assert (difference := compare(Judges(syntax), "x:", TOKENS, 2).difference) is None, difference
    table = table_of(syntax)
    if table is None:
        return "without a table"
    try:
        found = [prove(syntax, table).difference for prove in (prove_pattern, prove_recognizer)]
    except NotProven:
        return "not proven"
    assert found == [None, None], f"they differ on {found!r}"
    return "proven"
