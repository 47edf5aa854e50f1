"""One state of a table means one code: the law by which the native reader keeps codes, for any grammar.

It does not hold where a repetition of at most 64 turns is exceeded and another way to read the text remains.
"""

from __future__ import annotations

from random import Random

import pytest

pytest.importorskip("urlschemes_native", reason="needs urlschemes-native: python3 dev --group native pytest")

from random_grammars import TOKENS, sequence

from urlschemes.errors import GrammarError
from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.url.fault_place import Fault
from urlschemes.url.native import fault_of

PARTS = {"one": "host", "two": "port", "three": "user", "four": "q"}


def syntax_of(random: Random) -> Syntax | None:
    """Return a random syntax whose parts have the names of an authority's; None if it is refused."""
    names = random.sample([*PARTS], random.randrange(1, 5))
    depth = random.choice((0, 1, 1, 2))
    begin = random.choice(('"x:"', '"x://"'))
    lines = [f"u = {begin} {sequence(random, depth, tuple(names))}"]
    lines += [f"{name} = {sequence(random, depth, tuple(names[index + 1 :]))}" for index, name in enumerate(names)]
    try:
        syntax = Syntax("\n".join(lines), "u", [Part(PARTS[name], [name]) for name in names if random.random() < 0.8])
        syntax.fullmatch  # noqa: B018  compiles the pattern
    except GrammarError:
        return None
    # The core counts a repetition only where no other way to read the text remains, a table always if it is short.
    return None if any((item.most or 0) <= 64 for item in syntax.automaton.counted) else syntax


def beginnings(random: Random, syntax: Syntax) -> list[str]:
    """Return texts that begin URLs of the syntax, the shortest first."""
    found = [syntax.bnf.split('"')[1]]
    for text in found:
        if len(found) < 60:
            further = (text + each for each in (*TOKENS, *"0zF-.") if "@" not in text + each)
            found += [each for each in further if syntax.automaton.reach(each) == len(each)]
    return found


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_code_that_is_kept_is_that_of_the_core(seed: int) -> None:
    random, tried = Random(seed), 0
    for _ in range(150 if seed == 1 else 1500):
        syntax = syntax_of(random)
        if syntax is None or syntax.table is None:
            continue
        for text in [begin + end for begin in beginnings(random, syntax) for end in ("", *TOKENS, "#", ":/", "//")]:
            if syntax.fullmatch(text) is None:
                fault = Fault(text, syntax, None)
                kept = fault_of(syntax, text, lambda _, fault=fault: fault)
                assert (kept.code, kept.position) == (fault.code, fault.position), (text, syntax.bnf)
                tried += kept is not fault
    assert tried > 100
