"""The independent recognizer: the places at which it allows parts."""

from __future__ import annotations

import pytest

from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.rfc1738 import RFC1738
from urlschemes_conformance.agreement import Judges
from urlschemes_conformance.recognizer import Divider, divide_by_pattern

SYNTAX = Syntax(
    'url = "x:" left [ "/" right ]\nleft = 1*uchar\nright = *uchar\nkinds = number "." "a"\nnumber = 1*digit',
    "url",
    [Part("left", ["left"], decoded="kinds"), Part("right", ["right"], exclude=[0x41]), Part("number", ["number"])],
    profile=RFC1738,
)


@pytest.mark.parametrize("text", ["x:1.a", "x:12.a/", "x:%31%32%2ea/b%42"])
def test_the_bnf_allows_the_division_by_the_pattern(text: str) -> None:
    spans = divide_by_pattern(SYNTAX, text)
    assert spans is not None
    assert Divider(SYNTAX).allows(text, spans)


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("x:12.a", {("left", 2, 6)}),  # a part is left out
        ("x:12.a", {("left", 2, 6), ("number", 2, 3)}),
        ("x:12.a", {("left", 2, 5), ("number", 2, 4)}),
        ("x:12.a", {("left", 2, 6), ("number", 2, 4), ("right", 6, 6)}),
        ("x:%31%32.a", {("left", 2, 10), ("number", 3, 8)}),  # within an escape
        ("x:1.a/b", {("left", 2, 5), ("number", 2, 3), ("right", 5, 7)}),
        ("x:1.a/A", {("left", 2, 5), ("number", 2, 3), ("right", 6, 7)}),  # an excluded octet
    ],
)
def test_it_allows_no_other(text: str, spans: set[tuple[str, int, int]]) -> None:
    assert not Divider(SYNTAX).allows(text, frozenset(spans))


def test_a_pattern_that_divides_otherwise_is_a_difference() -> None:
    one, other = (
        Syntax(f'url = "x:" {rules}', "url", [Part("n", ["n"]), Part("m", ["m"])], profile=RFC1738)
        for rules in ('n "-" m\nn = *alpha\nm = *alpha', 'n m\nn = *alpha "-"\nm = *alpha')
    )
    mixed = Syntax(one.bnf, one.rule, one.parts.values(), kept={"pattern": other.pattern}, profile=RFC1738)
    assert Judges(one).difference("x:a-b") is None
    assert "the BNF does not" in (Judges(mixed).difference("x:a-b") or "")
