"""Faults with one key have one code and one place: the law by which the native reader keeps them, for any grammar."""

from __future__ import annotations

from random import Random

import pytest
from fuzzing.grammars import TOKENS, sequence

from urlschemes import default_registry
from urlschemes.errors import GrammarError
from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.rfc1738 import RFC1738
from urlschemes.url.fault_place import Fault
from urlschemes_tables import table_of

urlschemes_native = pytest.importorskip("urlschemes_native._native", reason="needs `python3 dev --group native`")
from urlschemes_native.reader import learn  # noqa: E402  where it is installed

PARTS = {"one": "host", "two": "port", "three": "user", "four": "q"}


def syntax_of(random: Random) -> Syntax | None:
    """Return a random syntax whose parts have the names of an authority's; None if it is refused."""
    names = random.sample([*PARTS], random.randrange(1, 5))
    depth = random.choice((0, 1, 1, 2))
    begin = random.choice(('"x:"', '"x://"'))
    lines = [f"u = {begin} {sequence(random, depth, tuple(names))}"]
    lines += [f"{name} = {sequence(random, depth, tuple(names[index + 1 :]))}" for index, name in enumerate(names)]
    try:
        syntax = Syntax(
            "\n".join(lines),
            "u",
            [Part(PARTS[name], [name]) for name in names if random.random() < 0.8],
            profile=RFC1738,
        )
        syntax.compile()
    except GrammarError:
        return None
    return syntax


def beginnings(random: Random, syntax: Syntax) -> list[str]:
    """Return texts that begin URLs of the syntax, the shortest first."""
    found = [syntax.bnf.split('"')[1]]
    for text in found:
        if len(found) < 60:
            further = (text + each for each in (*TOKENS, *"0zF-."))
            found += [each for each in further if syntax.automaton.reach(each) == len(each)]
    return found


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_code_that_is_kept_is_that_of_the_core(seed: int) -> None:
    random, tried = Random(seed), 0
    for _ in range(150 if seed == 1 else 600):
        syntax = syntax_of(random)
        table = syntax and table_of(syntax)
        if syntax is None or table is None:
            continue
        native = urlschemes_native.Table(table.blob, table.marks)
        for text in [
            begin + end for begin in beginnings(random, syntax) for end in ("", *TOKENS, "#", ":/", "//", "a@", "#@h")
        ]:
            if syntax.fullmatch(text) is None:
                fault = Fault(text, syntax, None)
                known = native.fault(text)
                assert known in {None, (fault.code, fault.position)}, (text, syntax.bnf)
                tried += known is not None
                if fault.surplus is None:
                    learn(fault, native)
    assert tried > 100


def test_a_state_that_leaves_its_list_when_it_is_looked_up_is_kept() -> None:
    freed = []

    class Leaving:
        def __hash__(self) -> int:
            states.clear()
            return 0

        def __del__(self) -> None:
            freed.append(self)

    states: list[object] = [Leaving()]
    table = table_of(default_registry["ftp"].url_type.syntax)
    assert table is not None
    native = urlschemes_native.Table(table.blob, table.marks)
    native.learn("ftp", bytes(128), "/", "x", states, "invalid-scheme", 0)
    assert freed == []
