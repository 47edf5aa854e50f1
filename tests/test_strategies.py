"""The strategies of `urlschemes_testing`, for every installed scheme: valid URLs, near misses, and all of a grammar."""

from __future__ import annotations

import pytest
from hypothesis import find

from urlschemes import Registration, Registry, Scheme, UnknownScheme, default_registry
from urlschemes.grammar.octets import unescape
from urlschemes_conformance.generated_texts import generate
from urlschemes_conformance.grammar_coverage import GrammarCoverage
from urlschemes_rfc3986.generic_uri import URI
from urlschemes_testing.strategies import near_misses, urls

MODERN = Registry(profile="rfc3986")
SYNTAXES = {
    f"{scheme}{suffix}": registry.registration(scheme).syntax
    for registry, suffix in ((default_registry, ""), (MODERN, "-rfc3986"))
    for scheme in sorted(registry)
} | {"generic-rfc3986": URI.syntax}
QUICK = {"http-rfc3986", "mailto-rfc3986", "generic-rfc3986"}
BATCH, BATCHES = 250, 12

RECORD = """
api = 1
scheme = "x-pair"
status = "experimental"
title = "Pairs"
reference = "this test"
contact = "the tests"
change_controller = "the tests"
encoding_considerations = "none"
interoperability_considerations = "none"
security_considerations = "none"
[syntax]
rule = "pairurl"
bnf = '''
pairurl = "x-pair:" left [ "/" right ] | "x-pair:!"
left    = 1*uchar
right   = *uchar
kinds   = 1*digit "." ( "a" | %x42-43 )
'''
[syntax.parts]
left  = { at = "left", decoded = "kinds" }
right = { at = "right", exclude = ["41", "61"] }
"""


@pytest.mark.parametrize("number", [20, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(each, marks=[pytest.mark.slow] if each.endswith("-rfc3986") and each not in QUICK else [])
        for each in SYNTAXES
    ],
)
def test_urls_are_valid_and_near_misses_are_not(name: str, number: int) -> None:
    syntax = SYNTAXES[name]
    assert [text for text in generate(urls(syntax), number) if not syntax.fullmatch(text)] == []
    assert [text for text in generate(near_misses(syntax), number) if syntax.fullmatch(text)] == []


@pytest.mark.timeout(600)
@pytest.mark.slow  # the short version is in the tests of urlschemes_conformance.grammar_coverage
# Random texts reach the last elements of the other rules of RFC 3986, which are longer, very late.
@pytest.mark.parametrize("name", [*sorted(default_registry), "http-rfc3986"])
def test_urls_cover_the_whole_grammar(name: str) -> None:
    syntax = SYNTAXES[name]
    coverage = GrammarCoverage(syntax)
    missing: list[str] = []
    for seed in range(BATCHES):
        coverage.add(generate(urls(syntax), BATCH, seed))
        # Addresses in brackets have 250 elements; random ones reach the last of them after many more texts.
        missing = [each for each in coverage.missing if "IP-literal" not in each]
        if not missing:
            break
    assert missing == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["ftp", "mailto", "prospero", "wais"])
def test_texts_have_many_lengths_and_shrink_to_short_ones(scheme: str) -> None:
    lengths = {len(text) for text in generate(urls(scheme), 200)}
    assert len(lengths) >= 25
    assert max(lengths) >= 60
    # A shrunk text is a local minimum: short, but not always the shortest.
    assert len(find(urls(scheme), lambda _: True)) <= len(f"{scheme}://") + 14
    assert len(find(near_misses(scheme), lambda _: True)) <= len(f"{scheme}://") + 16


def test_texts_have_the_characters_of_their_profile() -> None:
    texts = "".join(generate(urls("http", registry=MODERN), 40))
    assert {"[", "~", "#"} <= {*texts}
    assert {"[", "~", "#"}.isdisjoint("".join(generate(urls("http"), 40)))


def test_a_scheme_is_given_by_its_record_its_syntax_or_its_name() -> None:
    registration = Registration.from_text(RECORD)
    registry = Registry(plugins=())
    registry.register(registration)
    for strategy in (urls, near_misses):
        by_name = generate(strategy("x-pair", registry=registry), 20)
        for source in (registration, Scheme(registration), registration.syntax):
            assert generate(strategy(source), 20) == by_name
    with pytest.raises(UnknownScheme):
        urls("x-pair")


def test_second_grammars_and_exclusions_are_respected() -> None:
    texts = generate(urls(Registration.from_text(RECORD)), 200)
    assert any("%2e" in text.lower() for text in texts)
    for text in texts:
        assert {"A", "a"}.isdisjoint(unescape(text.partition("/")[2]))
