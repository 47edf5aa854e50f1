"""The fast pattern and the BNF say the same, for every installed scheme.

The BNF's side is `urlschemes_testing.recognizer`, which shares nothing with the pattern but the rules. The comparison
is exhaustive over short sequences of tokens behind each scheme's prefixes; a comparison of refusals would prove
nothing, so what was accepted is counted.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import urlschemes
from urlschemes.bnf import Choice, Literal, Node, Repeat, Sequence
from urlschemes.default import registry as REGISTRY  # noqa: N812  it does not change here
from urlschemes.syntax import Syntax
from urlschemes_testing.recognizer import Recognizer, compare, divided_alike
from urlschemes_testing.strategies import near_misses, texts

SCHEMES = sorted(REGISTRY)
TOKENS = ("//", "/", ":", "@", "%41", "%0", "?", "&=", ";", "a", "1", "-", ".", "~", "#")
ENOUGH = 1_000


def literals(node: Node) -> set[str]:
    if isinstance(node, Literal):
        return {node.text} if len(node.text) > 1 else set()
    if isinstance(node, Repeat):
        return literals(node.item)
    return set().union(*map(literals, node.items)) if isinstance(node, Sequence | Choice) else set()


def tokens(syntax: Syntax) -> tuple[str, ...]:
    """The tokens that every scheme is tried with, and the literals of its own rules."""
    own = [rule.node for name, rule in syntax.grammar.rules.items() if name not in urlschemes.URL.syntax.grammar.rules]
    return (
        *TOKENS,
        *sorted({text for text in set().union(*map(literals, own)) if not text.endswith(":") and "://" not in text}),
    )


@pytest.mark.parametrize("name", SCHEMES)
def test_the_pattern_is_the_bnf(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    syntax = REGISTRY.registration(name).syntax
    tried = accepted = 0
    for prefix, length in (
        (f"{name}:", 3),
        (f"{name}://", 4),
        (f"{name}://h", 4),
        (f"{name}://h/", 4),
        (f"{name}:///", 3),
    ):
        found = compare(syntax, prefix, tokens(syntax), length)
        assert found.disagree is None
        tried += found.tried
        accepted += len(found.accepted)
    with capsys.disabled():
        print(f"\n{name}: {accepted} of {tried} texts accepted by both", end=" ")  # noqa: T201  the count is the proof
    assert accepted >= ENOUGH


@pytest.mark.parametrize("name", SCHEMES)
def test_what_is_captured_is_a_division_that_the_bnf_allows(name: str) -> None:
    syntax = REGISTRY.registration(name).syntax

    @settings(max_examples=60, deadline=None)
    @given(texts(syntax).filter(lambda text: len(text) < 60))
    def captured(text: str) -> None:
        assert divided_alike(syntax, text)

    captured()


@pytest.mark.parametrize("name", SCHEMES)
def test_generated_texts_and_near_misses(name: str) -> None:
    syntax = REGISTRY.registration(name).syntax
    recognizer = Recognizer(syntax)

    @settings(max_examples=300, deadline=None)
    @given(st.one_of(texts(syntax), near_misses(syntax)))
    def alike(text: str) -> None:
        assert (syntax.fullmatch(text) is not None) == recognizer.accepts(text)

    alike()
