"""Octets and escapes, and sets of characters."""

import pytest

from urlschemes.grammar.automaton import bits
from urlschemes.grammar.octets import (
    ALPHADIGIT,
    ESCAPE,
    HEX,
    SCHEME_NAME_FORM,
    escape,
    mask,
    octets_of,
    text_of,
    unescape,
)
from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.rfc1738 import RFC1738


def set_of(rule: str) -> str:
    """The characters that `rule` derives, other than escapes."""
    part = Part("one", [rule])
    syntax = Syntax(f'u = "x:" {rule}', "u", [part], profile=RFC1738)
    return "".join(map(chr, sorted(syntax.parts["one"].bare)))


@pytest.mark.parametrize(
    ("rule", "characters"),
    [
        ("alphadigit", ALPHADIGIT),
        ("hex", HEX),
    ],
)
def test_a_set_is_the_rule_of_the_grammar(rule: str, characters: str) -> None:
    assert set_of(rule) == "".join(sorted(characters))


def test_the_patterns_are_the_rules_too() -> None:
    every = [chr(code) for code in range(0x250)]
    assert {each for each in every if SCHEME_NAME_FORM.fullmatch(each)} == set(RFC1738.scheme_characters.lower())
    assert not SCHEME_NAME_FORM.fullmatch("a" * 65)
    assert {each for each in every if ESCAPE.fullmatch(f"%{each}0") and ESCAPE.fullmatch(f"%0{each}")} == set(HEX)


def test_a_mask_has_a_bit_for_each_character() -> None:
    assert list(bits(mask("aa%"))) == [ord("%"), ord("a")]


def test_every_octet_survives_encoding_and_decoding() -> None:
    octets = bytes(range(256))
    assert octets_of(text_of(octets)) == octets
    assert octets_of(unescape(escape(octets, frozenset(b"abc")))) == octets


def test_octets_are_decoded_once() -> None:
    assert unescape("%2541%c3%A9") == "%41\u00e9"


def test_normal_decodes_only_escapes_of_unreserved_characters() -> None:
    assert RFC1738.normal("%41%7e%2f%2F%2E%3d") == "A%7E%2F%2F.%3D"
