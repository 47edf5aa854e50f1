"""The fast pattern, the table and the independent recognizer agree, for every installed scheme of both profiles.

The proofs cover all texts at once. The comparison of texts runs the programs themselves: every short sequence of tokens
after each prefix of the scheme's URLs. Agreement on refusals alone would show nothing, so that the accepted texts are
counted.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from comparison import compare
from workspace import schemes_of_plugins

from urlschemes import Registry, default_registry
from urlschemes.grammar.bnf import Choice, Literal, Node, Repeat, Sequence
from urlschemes.grammar.regex_compat import portable
from urlschemes.grammar.syntax import Syntax
from urlschemes.rfc1738 import RFC1738
from urlschemes_conformance.agreement import Judges
from urlschemes_conformance.proof import prove_pattern, prove_recognizer, proves_positions
from urlschemes_tables import table_of
from urlschemes_testing.generation import random_near_misses, random_urls

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_conformance.proof import Proof
    from urlschemes_tables import Table

MODERN = Registry(profile="rfc3986")
SCHEMES = schemes_of_plugins(default_registry)
OF_BOTH_PROFILES = [
    *SCHEMES,
    *(pytest.param(f"{each} of rfc3986", marks=pytest.mark.slow) for each in schemes_of_plugins(MODERN)),
]
# Prefixes of URLs after the scheme's name, and the number of tokens that follow them.
PREFIXES = {
    "": 3,
    "//": 3,
    "//h": 3,
    "//h/": 3,
    "///": 3,
    "//h/a": 3,
    "//h/a/": 3,
    "//h/a?": 3,
    "//h/;a": 3,
    "//a:": 3,
}
PREFIXES_WITHOUT_HOST = {"": 3, "a@": 3, "a@h": 3}
TOKENS = ("/", ":", "@", "@h", "%41", "%0", "?", "&", "=", ";", "a", "1", "-", ".", "~", "#")
UNSAFE = '"<>{}|\\^[]`'


def syntax_of(scheme: str) -> Syntax:
    name, _, profile = scheme.partition(" of ")
    return (MODERN if profile else default_registry).registration(name).syntax


def literals(node: Node) -> set[str]:
    if isinstance(node, Literal):
        return {node.text}
    if isinstance(node, Repeat):
        return literals(node.item)
    return set().union(*map(literals, node.items)) if isinstance(node, Sequence | Choice) else set()


def tokens(syntax: Syntax) -> tuple[str, ...]:
    """Return the tokens for all schemes, and the literals of the scheme's own rules; unsafe characters are encoded."""
    own_rules = [rule.node for name, rule in syntax.grammar.rules.items() if name not in syntax.profile.grammar.rules]
    texts = set().union(*map(literals, own_rules))
    own = {f"%{ord(text):02X}" if text in UNSAFE else text for text in texts if not text.isalnum() or len(text) > 1}
    return (*TOKENS, *sorted(text for text in own if text not in TOKENS and not text.endswith((":", "://"))))


def prefixes(scheme: str, syntax: Syntax) -> dict[str, int]:
    """Return the prefixes that URLs of the scheme may have, and the number of tokens to try after each."""
    candidates = PREFIXES if "host" in syntax.parts else PREFIXES_WITHOUT_HOST
    texts = {f"{scheme}:{prefix}": length for prefix, length in candidates.items()}
    return {text: length for text, length in texts.items() if syntax.automaton.reach(text) == len(text)}


@pytest.mark.parametrize("scheme", OF_BOTH_PROFILES)
@pytest.mark.parametrize("prove", [prove_pattern, pytest.param(prove_recognizer, marks=pytest.mark.slow)])
def test_the_three_are_proven_equal(prove: Callable[[Syntax, Table], Proof], scheme: str) -> None:
    syntax = syntax_of(scheme)
    table = table_of(syntax)
    assert table is not None
    proof = prove(syntax, table)
    assert proof.difference is None
    assert proof.pairs >= table.content.states - 1


@pytest.mark.parametrize("scheme", ["http", "news", "wais"])
def test_the_pattern_for_older_interpreters_is_proven_equal(scheme: str) -> None:
    syntax = syntax_of(scheme)
    table = table_of(syntax)
    assert table is not None
    older = {"pattern": portable(syntax.pattern)}  # as an older interpreter keeps it
    restored = Syntax(
        syntax.bnf, syntax.rule, syntax.parts.values(), hierarchy=syntax.hierarchy, kept=older, profile=RFC1738
    )
    assert (restored.pattern == syntax.pattern) == (sys.version_info < (3, 11, 5))
    assert ")*+" not in restored.pattern
    assert prove_pattern(restored, table).difference is None


@pytest.mark.parametrize("scheme", OF_BOTH_PROFILES)
def test_the_table_is_proven_to_find_the_longest_prefix_of_a_url(scheme: str) -> None:
    table = table_of(syntax_of(scheme))
    assert table is not None
    assert proves_positions(table)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_three_accept_the_same_texts(scheme: str) -> None:
    syntax = syntax_of(scheme)
    judges, accepted = Judges(syntax), 0
    for prefix, longest in prefixes(scheme, syntax).items():
        comparison = compare(judges, prefix, tokens(syntax), longest)
        assert comparison.difference is None
        accepted += len(comparison.accepted)
    assert accepted >= 100


@pytest.mark.parametrize(
    ("scheme", "number"),
    [
        *((scheme, 3) for scheme in SCHEMES),
        *(pytest.param(scheme, 100, marks=pytest.mark.slow) for scheme in SCHEMES),
        # The recognizer tries every way to read an address in brackets.
        *(pytest.param(f"{each} of rfc3986", 20, marks=pytest.mark.slow) for each in schemes_of_plugins(MODERN)),
    ],
)
def test_they_agree_on_generated_texts_and_on_the_division_of_urls(scheme: str, number: int) -> None:
    syntax = syntax_of(scheme)
    judges = Judges(syntax)
    for text in random_urls(syntax, number):
        assert syntax.fullmatch(text), text
        assert judges.difference(text) is None, text
    for text in random_near_misses(syntax, number):
        assert not syntax.fullmatch(text), text
        assert judges.difference(text) is None, text
