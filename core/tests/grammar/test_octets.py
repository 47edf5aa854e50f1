"""The sets of characters, and the rules of the same name: one thing written down twice, for speed."""

import pytest

from urlschemes.grammar.automaton import bits
from urlschemes.grammar.octets import (
    ALPHADIGIT,
    ESCAPE,
    HEX,
    RESERVED,
    SCHEME,
    SCHEME_NAME,
    SCHEME_NAME_FORM,
    UNRESERVED,
    XCHAR,
    mask,
)
from urlschemes.grammar.syntax import Part, Syntax


def set_of(rule: str) -> str:
    """The characters that `rule` derives, beside escapes."""
    part = Part("one", [rule])
    syntax = Syntax(f'u = "x:" {rule}', "u", [part])
    assert syntax.automaton
    return "".join(map(chr, sorted(part.bare)))


@pytest.mark.parametrize(
    ("rule", "characters"),
    [
        ("alphadigit", ALPHADIGIT),
        ("hex", HEX),
        ("reserved", RESERVED),
        ("unreserved", UNRESERVED),
        ("uchar", UNRESERVED),
        ("xchar", XCHAR),
        ("scheme", SCHEME),
    ],
)
def test_a_set_is_the_rule_of_the_grammar(rule: str, characters: str) -> None:
    assert set_of(rule) == "".join(sorted(characters))


def test_the_patterns_are_the_rules_too() -> None:
    every = [chr(code) for code in range(0x250)]
    assert {each for each in every if SCHEME_NAME.fullmatch(each)} == set(SCHEME)
    assert {each for each in every if SCHEME_NAME_FORM.fullmatch(each)} == set(SCHEME) - set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    )
    assert not SCHEME_NAME_FORM.fullmatch("a" * 65)
    assert {each for each in every if ESCAPE.fullmatch(f"%{each}0") and ESCAPE.fullmatch(f"%0{each}")} == set(HEX)


def test_a_mask_has_a_bit_for_each_character() -> None:
    assert list(bits(mask("aa%"))) == [ord("%"), ord("a")]
