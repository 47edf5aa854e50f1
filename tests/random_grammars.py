"""Random grammars: small BNFs with parts, of which many are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import GrammarError
from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.rfc1738 import RFC1738

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

LITERALS = ('"a"', '"b"', '"ab"', '"ba"', '"1"', '"/"', '":"', '"@"', '";x="', '"%41"', '"%09"')
RULES = ("alpha", "digit", "uchar", "escape", "alphadigit", "digits", "xchar", "hex", "host")
REPEATS = ("*", "1*", "1*", "*2", "2*3", "2", "*7", "1*9", "1*64")
TOKENS = ("a", "b", "1", "/", ":", "@", ";x=", "%41", "%09", "%4", "~")
"""Tokens of texts to try."""
NAMES = ("p", "q", "r", "s")


def syntaxes(random: Random, count: int) -> Iterator[Syntax | None]:
    """Yield `count` random syntaxes, None for each that is refused."""
    for _ in range(count):
        bnf, parts = grammar(random)
        try:
            syntax = Syntax(bnf, "u", parts, profile=RFC1738)
            syntax.compile()
        except GrammarError:
            yield None
        else:
            yield syntax


def grammar(random: Random) -> tuple[str, list[Part]]:
    """Return the text of a BNF and its parts. The rule `u` refers to the others, and these to later ones."""
    names = NAMES[: random.randrange(1, len(NAMES) + 1)]
    depth = random.choice((0, 1, 1, 2, 3))
    lines = []
    for index, name in enumerate(("u", *names)):
        begin = '"x:" ' if name == "u" else ""
        lines.append(f"{name} = {begin}{sequence(random, depth, names[index:])}")
    marked = [name for name in names if random.random() < 0.6]
    parts = [Part(name, [name], exclude=random.choice([b"", b"", b"a", b"A", b"\t", b"/1"])) for name in marked]
    return "\n".join(lines), parts


def sequence(random: Random, depth: int, names: tuple[str, ...]) -> str:
    return " ".join(element(random, depth, names) for _ in range(random.choice((1, 1, 2, 2, 3))))


def element(random: Random, depth: int, names: tuple[str, ...]) -> str:
    kind = random.random()
    if depth == 0 or kind < 0.35:
        return random.choice((random.choice(LITERALS), random.choice(RULES), random.choice(names or RULES)))
    if kind < 0.5:
        return f"[ {sequence(random, depth - 1, names)} ]"
    inner = f"( {' | '.join(sequence(random, depth - 1, names) for _ in range(random.choice((1, 2, 2, 3))))} )"
    return inner if kind < 0.7 else random.choice(REPEATS) + inner.replace("( ", "[ ", 1)[:-1] + "]"
