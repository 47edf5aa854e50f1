"""The sets of characters of the profile, which are rules of the grammar written twice for speed."""

import pytest

from urlschemes.grammar.automaton import bits
from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes_rfc3986 import profile
from urlschemes_rfc3986.generic_uri import URI


@pytest.mark.parametrize(
    ("rule", "characters"),
    [
        ("unreserved", profile.unreserved),
        ("reserved", profile.reserved),
        ("scheme", profile.scheme_characters),
    ],
)
def test_a_set_is_the_rule_of_the_grammar(rule: str, characters: str) -> None:
    part = Part("one", [rule])
    Syntax(f'u = "x:" {rule}', "u", [part], profile=profile).know_octets()
    assert {*map(chr, part.bare)} == {*characters}


def test_the_pattern_of_names_is_the_rule_too() -> None:
    syntax = Syntax("", "scheme", [], profile=profile)
    for text in [*(f"{a}{b}" for a in map(chr, range(0x180)) for b in ("", "+", "_")), "a" * 99, "a.b-c+1", "a:"]:
        assert profile.is_scheme_name(text) is (syntax.fullmatch(text) is not None), text


def test_an_authority_ends_before_what_may_follow_it() -> None:
    automaton = URI.syntax.automaton
    port = automaton.inside(URI.syntax.parts["port"].mark)
    behind = automaton.characters(automaton.following(port) & ~port)
    assert {chr(code) for code in bits(behind)} == {*profile.authority_ends}
