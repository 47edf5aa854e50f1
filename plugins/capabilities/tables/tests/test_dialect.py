"""The regular expression of a syntax for other engines: its form. test_engines.py runs it there."""

from __future__ import annotations

import re
from typing import Any

import pytest

from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.rfc1738 import RFC1738
from urlschemes_tables import dialect_of


@pytest.mark.parametrize(
    ("bnf", "expression"),
    [
        ('u = "x:" 1*digit', "^(?:[Xx]:[0-9]+)$"),
        ('u = "x." [ "a" | "bc" ]', r"^(?:[Xx]\.(?:[Aa]|[Bb][Cc])?)$"),
        ('u = *[ digit | escape ] "/" ', "^(?:(?:[0-9]|%[0-9A-Fa-f][0-9A-Fa-f])*/)$"),
        ('u = 1*[ "a." ] 2*5digit', r"^(?:(?:[Aa]\.)+[0-9][0-9][0-9]{0,3})$"),
        ('u = "(" | ")" | "*" | "+" | "," | "-"', r"^(?:[\(-\-])$"),
        ('u = thing [ "$" thing ]\nthing = *digit', r"^(?:[0-9]*(?:\$[0-9]*)?)$"),
    ],
)
def test_the_expression_is_that_of_the_rules(bnf: str, expression: str) -> None:
    assert dialect_of(Syntax(bnf, "u", profile=RFC1738), "ecma") == expression


def test_a_part_is_no_group() -> None:
    syntax = Syntax('u = "a" [ n ]\nn = 1*digit', "u", [Part("n", ["n"])], profile=RFC1738)
    assert re.compile(dialect_of(syntax, "ecma")).groups == 0


def test_another_dialect_is_an_error() -> None:
    engine: Any = "perl"
    with pytest.raises(ValueError, match="there is no dialect 'perl': expected one of ecma, rust, re2"):
        dialect_of(Syntax("u = digits", "u", profile=RFC1738), engine)
