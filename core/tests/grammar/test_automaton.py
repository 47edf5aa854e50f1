"""Grammars in which one character cannot decide a choice."""

import pytest

from urlschemes.errors import GrammarError
from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.rfc1738 import RFC1738


def syntax(bnf: str, *parts: Part) -> Syntax:
    return Syntax(bnf, bnf.split(maxsplit=1)[0], parts, profile=RFC1738)


@pytest.mark.plugin_fault(19)
@pytest.mark.parametrize(
    "bnf",
    [
        'u = *alpha *alphadigit "."',  # which letters are whose?
        'u = *[ *"a" "b" | "a" ] "!"',  # each of many tries could run to the end: quadratic
        'u = [ "a" ] *"a" "b"',  # taking the option or not leaves the same text
        'u = *[ alpha | "-" ] alpha [ "-" digit ]',  # does the run end before a hyphen, or after it?
        "u = *[ [ digit ] ]",  # a repetition of what may be empty
        "u = [ *digit ] | [ *alpha ]",  # both may be empty
    ],
)
def test_a_grammar_that_cannot_be_decided_is_refused(bnf: str) -> None:
    with pytest.raises(GrammarError):
        syntax(bnf).compile()


def test_an_option_is_taken_only_if_the_text_goes_on() -> None:
    match = syntax('u = [ "x" ] "x"').fullmatch
    assert [bool(match(text)) for text in ("", "x", "xx", "xxx")] == [False, True, True, False]


def test_an_ambiguity_that_changes_a_part_is_refused_and_one_that_does_not_is_fine() -> None:
    harmless = 'u = "x:" [ host | "localhost" ]'
    with pytest.raises(GrammarError):
        syntax(harmless.replace("host |", "name |") + "\nname = 1*alpha", Part("name", ["name"])).compile()
    assert syntax(harmless).fullmatch("x:LOCALHOST")
    both = syntax(harmless, Part("host", ["u/host", 'u/"localhost"']))
    match = both.fullmatch("x:localhost")
    assert match
    assert both.raw(match, "host") == "localhost"


@pytest.mark.parametrize(
    "bnf",
    [
        'u = "x" ( "/" | 1*2[ "a" ] | 1*2[ "aa" ] ) "/"',  # xaaaa/
        'u = *3[ "/" | "b/" | "b" ]',  # bbb/
        'u = *2[ "b" ] | *[ "b" ]',  # bbb
    ],
)
def test_an_alternative_is_not_taken_for_superfluous_by_a_bounded_repetition(bnf: str) -> None:
    with pytest.raises(GrammarError, match=r"^ambiguous alternatives in rule 'u'"):
        _ = syntax(bnf).fullmatch
