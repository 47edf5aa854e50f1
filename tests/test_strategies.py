"""The texts that `urlschemes_testing` generates, for every installed scheme: URLs, near misses, all of a grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from workspace import schemes_of_plugins

from urlschemes import Registration, Registry, Scheme, UnknownScheme, default_registry
from urlschemes.grammar.octets import unescape
from urlschemes_conformance.grammar_coverage import GrammarCoverage
from urlschemes_rfc3986.generic_uri import URI
from urlschemes_testing.generation import random_near_misses, random_urls
from urlschemes_testing.strategies import near_misses, urls

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes.grammar.syntax import Syntax

MODERN = Registry(profile="rfc3986")
FIRST = schemes_of_plugins(default_registry)
SYNTAXES = {
    f"{scheme}{suffix}": registry.registration(scheme).syntax
    for registry, suffix in ((default_registry, ""), (MODERN, "-rfc3986"))
    for scheme in schemes_of_plugins(registry)
} | {"generic-rfc3986": URI.syntax}
SOME = ["ftp", "wais"]
"""Schemes with a login, long rules, pairs and alternatives."""
BATCH, BATCHES = 250, 12
MAILTO = "mailto-rfc3986"
SLOW = pytest.mark.slow

RECORD = """
scheme = "x-pair"
[syntax]
bnf = '''
pairurl = "x-pair:" left [ "/" right ] | "x-pair:!"
left    = 1*uchar
right   = *uchar
kinds   = 1*digit "." ( "a" | %x42-43 )
'''
parts = { left = { at = "left", decoded = "kinds" }, right = { at = "right", exclude = ["41", "61"] } }
"""


@pytest.mark.parametrize("name", SYNTAXES)
def test_urls_are_valid_and_near_misses_are_not(name: str) -> None:
    syntax = SYNTAXES[name]
    assert [text for text in random_urls(syntax, 60) if not syntax.fullmatch(text)] == []
    assert [text for text in random_near_misses(syntax, 60) if syntax.fullmatch(text)] == []


def drawn_urls(syntax: Syntax, count: int, seed: int) -> list[str]:
    """Return `count` URLs that Hypothesis chooses."""
    texts: list[str] = []

    @hypothesis.seed(seed)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(urls(syntax))
    def collect(text: str) -> None:
        texts.append(text)

    collect()
    return texts


@pytest.mark.parametrize(
    ("make", "name"),
    [
        *((random_urls, name) for name in SOME),
        # One of the 525 elements of mailto is reached after many more texts.
        *(pytest.param(random_urls, name, marks=SLOW) for name in sorted({*SYNTAXES} - {*SOME, MAILTO})),
        *(pytest.param(drawn_urls, name, marks=SLOW) for name in (*FIRST, "http-rfc3986")),
    ],
)
def test_urls_cover_the_whole_grammar(make: Callable[[Syntax, int, int], list[str]], name: str) -> None:
    syntax = SYNTAXES[name]
    coverage = GrammarCoverage(syntax)
    missing: list[str] = []
    for seed in range(BATCHES):
        coverage.add(make(syntax, BATCH, seed))
        # Addresses in brackets have 250 elements; random ones reach the last of them after many more texts.
        missing = [each for each in coverage.missing if "IP-literal" not in each]
        if not missing:
            break
    assert missing == []


@SLOW
@pytest.mark.parametrize("scheme", SOME)
def test_texts_have_many_lengths_and_shrink_to_short_ones(scheme: str) -> None:
    lengths = {len(text) for text in random_urls(scheme, 200)}
    assert len(lengths) >= 25
    assert max(lengths) >= 60
    # A shrunk text is a local minimum: short, but not always the shortest.
    assert len(find(urls(scheme), lambda _: True)) <= len(f"{scheme}://") + 14
    assert len(find(near_misses(scheme), lambda _: True)) <= len(f"{scheme}://") + 16


def test_texts_have_the_characters_of_their_profile() -> None:
    texts = "".join(random_urls("http", 40, registry=MODERN))
    assert {"[", "~", "#"} <= {*texts}
    assert {"[", "~", "#"}.isdisjoint("".join(random_urls("http", 40)))


def test_a_scheme_is_given_by_its_record_its_syntax_or_its_name() -> None:
    registration = Registration.from_text(RECORD)
    registry = Registry(plugins=())
    registry.register(registration)
    for make in (random_urls, random_near_misses):
        by_name = make("x-pair", 20, registry=registry)
        for source in (registration, Scheme(registration), registration.syntax):
            assert make(source, 20) == by_name
    for strategy in (urls, near_misses):
        strategy("x-pair", registry=registry)
        with pytest.raises(UnknownScheme):
            strategy("x-pair")


def test_second_grammars_and_exclusions_are_respected() -> None:
    texts = random_urls(Registration.from_text(RECORD), 200)
    assert any("%2e" in text.lower() for text in texts)
    for text in texts:
        assert {"A", "a"}.isdisjoint(unescape(text.partition("/")[2]))
