"""The proof that a record derives what its printed rules derive."""

from __future__ import annotations

import pytest

from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.rfc1738 import RFC1738
from urlschemes_conformance.proof import prove_printed
from urlschemes_rfc3986 import profile

PAIR = """
pairURI = "x-pair:" left "=" 1*unreserved
left    = 1*( unreserved / pct-encoded )
plain   = 1*( ALPHA / "=" ) "." 1*ALPHA
"""
PRINTED = """
pairURI = "x-pair:" <plain, encoded as left> "=" 1*unreserved
plain   = 1*( ALPHA / "=" ) dot 1*ALPHA
dot     = "."
"""


def syntax(printed: str) -> Syntax:
    return Syntax(PAIR, "pairURI", [Part("left", ["left"], decoded="plain")], profile=profile, printed=printed)


def test_rules_about_decoded_texts_are_compared() -> None:
    assert prove_printed(syntax(PRINTED)).difference is None


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('"."', '"." / "+"', "x-pair:a%2ba=0"),
        ("encoded as left", "encoded as unreserved", "x-pair:a.a=0"),
        ('/ "="', "", "x-pair:%3d.a=0"),
    ],
)
def test_the_shortest_text_that_a_printed_rule_changes_is_found(old: str, new: str, text: str) -> None:
    found = prove_printed(syntax(PRINTED.replace(old, new, 1))).difference
    assert (found or "").lower() == text


def test_a_printed_rule_that_is_nowhere_defined_is_an_error() -> None:
    with pytest.raises(LookupError):
        prove_printed(syntax('pairURI = "x-pair:" nothing'))


def test_rules_in_the_notation_of_rfc1738_are_compared() -> None:
    rule = 'pairURI = "x-pair:" letter\nletter = lowalpha | hialpha'
    made = Syntax(rule, "pairURI", printed="letter = alpha", profile=RFC1738)
    assert prove_printed(made).difference is None
    assert (
        prove_printed(Syntax(rule, "pairURI", printed='letter = alpha | "1"', profile=RFC1738)).difference == "X-PAIR:1"
    )
