"""What the profile says beside its rules."""

from urlschemes.grammar.automaton import bits
from urlschemes_rfc3986 import profile
from urlschemes_rfc3986.generic_uri import URI


def test_an_authority_ends_before_what_may_follow_it() -> None:
    automaton = URI.syntax.automaton
    port = automaton.inside(URI.syntax.parts["port"].mark)
    behind = automaton.characters(automaton.following(port) & ~port)
    assert {chr(code) for code in bits(behind)} == {*profile.authority_ends}
