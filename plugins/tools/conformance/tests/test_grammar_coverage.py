"""The coverage of a grammar by a set of texts."""

from __future__ import annotations

import pytest

import urlschemes
from urlschemes import UnknownScheme
from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.rfc1738 import RFC1738
from urlschemes_conformance.grammar_coverage import GrammarCoverage
from urlschemes_testing.generation import random_urls

SYNTAX = Syntax('url = "x:" [ "a" | *2part ]\npart = ";" digit', "url", [Part("part", ["part"])], profile=RFC1738)
SECOND_GRAMMAR = Syntax(
    'url = "x:" left [ "/" right ] | "x:!"\nleft = 1*uchar\nright = *uchar\nkinds = 1*digit "." ( "a" | %x42-43 )',
    "url",
    [Part("left", ["left"], decoded="kinds"), Part("right", ["right"], exclude=[0x41, 0x61])],
    profile=RFC1738,
)


@pytest.mark.parametrize(
    ("before", "text", "covered"),
    [
        (
            [],
            "x:",
            [
                "part absent",
                "url: *2part none",
                'url: [ "a" | *2part ] not taken',
                'url: [ "a" | *2part ] taken',
                "url: alternative *2part",
            ],
        ),
        (["x:"], "x:a", ['url: alternative "a"']),
        (["x:", "x:a"], "x:;1", ["part present", "url: *2part one"]),
        (["x:", "x:a", "x:;1"], "x:;1;2", ["url: *2part several"]),
    ],
)
def test_a_text_covers_its_alternatives_options_repetitions_and_parts(
    before: list[str], text: str, covered: list[str]
) -> None:
    coverage = GrammarCoverage(SYNTAX)
    coverage.add(before)
    earlier = set(coverage.reached)
    coverage.add([text])
    assert sorted(set(coverage.reached) - earlier) == covered


def test_it_prints_the_number_of_elements_and_the_missing_ones() -> None:
    coverage = GrammarCoverage(SYNTAX)
    assert str(coverage).startswith("url: 0 of 9 alternatives, options, repetitions and parts reached by 0 texts; ")
    coverage.add(["x:", "x:a", "x:;1"])
    assert str(coverage).endswith("reached by 3 texts; missing: url: *2part several")
    coverage.add(["x:;1;2"])
    assert coverage.complete
    assert str(coverage).endswith("reached by 4 texts")


GOPHER = (
    "gopher://h",
    "gopher://h:70/",
    "gopher://1.2.3.4:70/0",
    "gopher://h.h-a.h/0a%09b%09c",
    "gopher://h/0a%4Ab%09",
)


@pytest.mark.parametrize(
    ("missing", "is_kept"),
    [
        ("port present", lambda url: url.raw["port"] is None),
        ("port absent", lambda url: url.raw["port"] is not None),
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
def test_an_element_that_no_text_covers_is_missing(missing: str, is_kept: object) -> None:
    assert callable(is_kept)
    coverage = GrammarCoverage("gopher")
    coverage.add(text for text in GOPHER if is_kept(urlschemes.parse(text)))
    assert missing in coverage.missing
    coverage.add(GOPHER)
    assert missing not in coverage.missing


def test_impossible_elements_of_exclusions_and_second_grammars_do_not_count() -> None:
    coverage = GrammarCoverage(SECOND_GRAMMAR)
    coverage.add(random_urls(SECOND_GRAMMAR, 300))
    assert coverage.missing == ()


@pytest.mark.parametrize(
    ("bnf", "exclude"),
    [
        ('url = "x:" part\npart = ";" | "a"', b";"),
        ('url = "x:" *[ "b" ] part\npart = 1*64[ "a" | ";" "b" ]', b";"),
    ],
)
def test_exclusions_of_parts_leave_alternatives_out(bnf: str, exclude: bytes) -> None:
    coverage = GrammarCoverage(Syntax(bnf, "url", [Part("part", ["part"], exclude=exclude)], profile=RFC1738))
    assert [each for each in coverage.elements if "alternative" in each] == ['url/part: alternative "a"']


def test_a_text_that_derives_in_several_ways_covers_the_elements_of_all() -> None:
    coverage = GrammarCoverage(
        Syntax('url = "x:" [ part ]\npart = *digit', "url", [Part("part", ["part"])], profile=RFC1738)
    )
    coverage.add(["x:"])
    assert {"part absent", "part empty", "url: [ part ] taken", "url: [ part ] not taken"} <= {*coverage.reached}


@pytest.mark.parametrize("letters", ["c", "ab", "cab", "aba"])
def test_each_turn_of_a_repetition_covers_its_elements(letters: str) -> None:
    coverage = GrammarCoverage(Syntax('url = "x:" 1*3[ "a" | "b" | "c" ]', "url", profile=RFC1738))
    coverage.add([f"x:{letters}"])
    assert {each[-2] for each in coverage.reached if "alternative" in each} == {*letters}


@pytest.mark.parametrize(
    ("syntax", "text"),
    [
        *((SECOND_GRAMMAR, text) for text in ("x:1.a/a", "x:1.a/%41", "x:1.D", "x:1.%61x", "x:%")),
        (SYNTAX, "x:;1;2;3"),
    ],
)
def test_a_text_that_does_not_derive_is_refused(syntax: Syntax, text: str) -> None:
    with pytest.raises(ValueError, match="does not derive"):
        GrammarCoverage(syntax).add([text])


def test_several_texts_are_expected() -> None:
    with pytest.raises(TypeError, match="expected several texts, got a str"):
        GrammarCoverage(SYNTAX).add("x:a")


def test_the_name_of_an_unknown_scheme_is_refused() -> None:
    with pytest.raises(UnknownScheme):
        GrammarCoverage("x-nobody")
