"""The strategies give URLs of any registered scheme and texts that are none, and reach all of a grammar."""

from __future__ import annotations

import subprocess
import sys

import pytest
from generated import generated
from hypothesis import find, given, settings

import urlschemes
import urlschemes_testing
from urlschemes import Registration, Registry, Scheme, UnknownScheme
from urlschemes import default_registry as REGISTRY  # noqa: N812  it does not change here
from urlschemes.grammar.octets import unescape
from urlschemes.grammar.syntax import Part, Syntax
from urlschemes_conformance.grammar_coverage import GrammarCoverage
from urlschemes_testing.strategies import near_misses, urls

pytestmark = pytest.mark.slow

SCHEMES = sorted(REGISTRY)
BATCH, BATCHES = 250, 12

RECORD = """
api = 1
scheme = "x-pair"
status = "experimental"
title = "Pairs"
reference = "this test"
contact = "nobody"
change_controller = "nobody"
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


@pytest.mark.parametrize("name", SCHEMES)
def test_urls_reach_every_alternative_and_option(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    coverage = GrammarCoverage(name)
    for batch in range(BATCHES):
        coverage.add(generated(urls(name), BATCH, batch))
        if coverage.complete:
            break
    with capsys.disabled():
        print(f"\n{coverage}", end=" ")  # noqa: T201  the count is the proof
    assert coverage.complete


@pytest.mark.parametrize("name", SCHEMES)
def test_urls_are_valid_and_near_misses_are_not(name: str) -> None:
    @settings(max_examples=100, deadline=None)
    @given(urls(name), near_misses(name))
    def law(url: str, miss: str) -> None:
        assert urlschemes.is_valid(url)
        assert not urlschemes.is_valid(miss)

    law()


@pytest.mark.parametrize("name", SCHEMES)
def test_texts_are_of_many_lengths_and_shrink_to_short_ones(name: str) -> None:
    lengths = {len(text) for text in generated(urls(name), 200)}
    assert len(lengths) >= 25
    assert max(lengths) >= 60
    # A shrunk text is a local minimum: short, and not always the shortest.
    assert len(find(urls(name), lambda _: True)) <= len(f"{name}://") + 14
    assert len(find(near_misses(name), lambda _: True)) <= len(f"{name}://") + 16


def test_a_scheme_can_be_given_in_four_ways() -> None:
    registration = Registration.from_text(RECORD)
    registry = Registry(plugins=())
    registry.register(registration)
    sources = (registration, Scheme(registration), registration.syntax)
    texts = [generated(urls(source), 40) for source in sources]
    assert texts[0] == texts[1] == texts[2] == generated(urls("x-pair", registry=registry), 40)
    misses = [generated(near_misses(source), 40) for source in sources]
    assert misses[0] == misses[1] == misses[2] == generated(near_misses("x-pair", registry=registry), 40)
    with pytest.raises(UnknownScheme):
        urls("x-pair")
    with pytest.raises(UnknownScheme):
        GrammarCoverage("x-pair")


def test_second_grammars_and_exclusions_are_kept_and_not_asked_for() -> None:
    registration = Registration.from_text(RECORD)
    texts = generated(urls(registration), 300)
    assert any("%2e" in text.lower() for text in texts)
    for text in texts:
        assert {"A", "a"}.isdisjoint(unescape(text.partition("/")[2]))
    coverage = GrammarCoverage(registration)
    coverage.add(texts)
    assert coverage.complete, coverage.missing
    # What holds an excluded octet, or does not derive once it is decoded, is no text that could be counted.
    for text in ("x-pair:1.a/a", "x-pair:1.a/%41", "x-pair:1.D", "x-pair:1.%61x", "x-pair:%"):
        with pytest.raises(ValueError, match="does not derive"):
            coverage.add([text])
    with pytest.raises(TypeError, match="put a single one into a list"):
        coverage.add(texts[0])


@pytest.mark.parametrize(
    ("lacks", "keeps"),
    [
        ("port present", lambda url: url.raw["port"] is None),
        ("port absent", lambda url: url.raw["port"] is not None),
        ("selector empty", lambda url: url.raw["selector"] != ""),
        ("search absent", lambda url: url.raw["search"] is not None),
        (
            'gopherurl: [ "/" [ gtype [ selector [ "%09" search [ "%09" gopher+_string ] ] ] ] ] not taken',
            lambda url: url.raw["gtype"],
        ),
        ("gopherurl/hostport/host: alternative hostnumber", lambda url: url.host[-1].isalpha()),
        ("gopherurl/selector: *xchar several", lambda url: len(url.raw["selector"] or "") < 2),
        ("gopherurl/selector/xchar: alternative escape", lambda url: "%" not in (url.raw["selector"] or "")),
    ],
)
def test_coverage_tells_what_a_strategy_lacks(lacks: str, keeps: object) -> None:
    assert callable(keeps)
    coverage = GrammarCoverage("gopher")
    coverage.add(text for text in generated(urls("gopher"), 600) if keeps(urlschemes.parse(text)))
    assert not coverage.complete
    assert lacks in coverage.missing
    assert lacks not in coverage.reached
    assert f"; missing: {'; '.join(coverage.missing)}" in str(coverage)


def test_coverage_counts_what_is_there() -> None:
    syntax = Syntax('url = "x:" [ "a" | *2part ]\npart = ";" digit', "url", [Part("part", ["part"])])
    coverage = GrammarCoverage(syntax)
    assert str(coverage).startswith("url: 0 of 9 ")
    seen = []
    for text in ("x:", "x:a", "x:;1", "x:;1;2"):
        before = set(coverage.reached)
        coverage.add([text])
        seen.append(sorted(set(coverage.reached) - before))
    assert seen == [
        [
            "part absent",
            "url: *2part none",
            'url: [ "a" | *2part ] not taken',
            'url: [ "a" | *2part ] taken',
            "url: alternative *2part",
        ],
        ['url: alternative "a"'],
        ["part present", "url: *2part one"],
        ["url: *2part several"],
    ]
    assert coverage.complete


def test_hypothesis_is_imported_for_the_strategies_alone() -> None:
    code = """
import sys
import urlschemes_testing, urlschemes_servers
assert 'hypothesis' not in sys.modules
urlschemes_testing.urls
assert 'hypothesis' in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    assert {*urlschemes_testing.__all__} <= {*dir(urlschemes_testing)}
    with pytest.raises(AttributeError, match="texts"):
        urlschemes_testing.texts  # noqa: B018
