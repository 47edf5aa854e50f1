"""The fast pattern and the BNF say the same, for every installed scheme.

The BNF's side is `urlschemes_conformance.recognizer`, which shares nothing with the pattern but the rules. The comparison
is exhaustive over short sequences of tokens behind each scheme's prefixes; a comparison of refusals would prove
nothing, so what was accepted is counted.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from urlschemes import default_registry as REGISTRY  # noqa: N812  it does not change here
from urlschemes.grammar.bnf import Choice, Literal, Node, Repeat, Sequence, shared_rules
from urlschemes.grammar.syntax import Syntax
from urlschemes_conformance.recognizer import Recognizer, compare, divided_alike
from urlschemes_testing.strategies import near_misses, urls

pytestmark = pytest.mark.slow

SCHEMES = sorted(REGISTRY)
# How a URL may begin, and how many tokens are tried behind it.
BEGINNINGS = {
    "": 3,
    "//": 4,
    "//h": 4,
    "//h/": 4,
    "///": 3,
    "//h/a": 4,
    "//h/a/": 3,
    "//h/a?": 3,
    "//h/;a": 3,
    "//a:": 4,
}
ADDRESSES = {"": 4, "a@": 4, "a@h": 4}
TOKENS = ("/", ":", "@", "@h", "%41", "%0", "?", "&", "=", ";", "a", "1", "-", ".", "~", "#")
UNSAFE = '"<>{}|\\^[]`'
ENOUGH = 1_000


def literals(node: Node) -> set[str]:
    if isinstance(node, Literal):
        return {node.text}
    if isinstance(node, Repeat):
        return literals(node.item)
    return set().union(*map(literals, node.items)) if isinstance(node, Sequence | Choice) else set()


def tokens(syntax: Syntax) -> tuple[str, ...]:
    """The tokens that every scheme is tried with, and what its own rules print: encoded where no URL holds it bare."""
    own = [rule.node for name, rule in syntax.grammar.rules.items() if name not in shared_rules().rules]
    printed = set().union(*map(literals, own))
    found = {f"%{ord(text):02X}" if text in UNSAFE else text for text in printed if not text.isalnum() or len(text) > 1}
    return (*TOKENS, *sorted(text for text in found if text not in TOKENS and not text.endswith((":", "://"))))


def beginnings(name: str, syntax: Syntax) -> dict[str, int]:
    """Those of the beginnings that URLs of the scheme may have."""
    found = BEGINNINGS if "host" in syntax.parts else ADDRESSES
    texts = {f"{name}:{beginning}": length for beginning, length in found.items()}
    return {text: length for text, length in texts.items() if syntax.automaton.reach(text)[0] == len(text)}


@pytest.mark.parametrize("name", SCHEMES)
def test_the_pattern_is_the_bnf(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    syntax = REGISTRY.registration(name).syntax
    tried = accepted = 0
    for beginning, length in beginnings(name, syntax).items():
        found = compare(syntax, beginning, tokens(syntax), length)
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
    @given(urls(syntax).filter(lambda text: len(text) < 60))
    def captured(text: str) -> None:
        assert divided_alike(syntax, text)

    captured()


@pytest.mark.parametrize("name", SCHEMES)
def test_generated_texts_and_near_misses(name: str) -> None:
    syntax = REGISTRY.registration(name).syntax
    recognizer = Recognizer(syntax)

    @settings(max_examples=300, deadline=None)
    @given(st.one_of(urls(syntax), near_misses(syntax)))
    def alike(text: str) -> None:
        assert (syntax.fullmatch(text) is not None) == recognizer.accepts(text)

    alike()
