"""Grammars in which one character cannot decide a choice: only the places of parts must be decided."""

import re
from itertools import product

import pytest

from urlschemes.errors import GrammarError
from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.rfc1738 import RFC1738

LABELS = """
label = alphadigit | alphadigit *[ alphadigit | "-" ] alphadigit
top = alpha | alpha *[ alphadigit | "-" ] alphadigit
"""


def syntax(bnf: str, *parts: Part) -> Syntax:
    return Syntax(bnf, bnf.split(maxsplit=1)[0], parts, profile=RFC1738)


@pytest.mark.parametrize(
    ("bnf", "characters"),
    [
        ('u = "a" | "ab" | 1*alpha', "ab1"),
        ('u = *[ "1" | "-" ] "1" *[ "1" | "-" ]', "1-"),
        ('u = *alpha *alphadigit "."', "a1."),
        ('u = *[ *"a" "b" | "a" ] "!"', "ab!"),
        ('u = [ "a" ] *"a" "b"', "ab"),
        ('u = *[ alpha | "-" ] alpha [ "-" digit ]', "a-1"),
        ("u = *[ [ digit ] ]", "1a"),
        ("u = [ *digit ] | [ *alpha ]", "1a"),
        ('u = *[ "a" | "b" ] "a" ( "a" | "b" ) ( "a" | "b" )', "ab"),
        ('u = "-" ( "." | 1*2[ "a" ] | 1*2[ "aa" ] ) "."', "-.a"),
        ('u = *3[ "-" | "b-" | "b" ]', "b-"),
        ('u = *2[ "b" ] | *[ "b" ]', "b"),
        (f'u = *[ label "." ] top [ "." ] | digits "." digits{LABELS}', "a1-."),
        (f'u = ( label | top ) *[ "." label ] [ "." [ top ] ]{LABELS}', "a1-."),
    ],
)
def test_without_parts_only_the_language_counts(bnf: str, characters: str) -> None:
    syn, part = syntax(bnf), syntax(f"all = u\n{bnf}", Part("u", ["u"]))
    for text in map("".join, (word for length in range(6) for word in product(characters, repeat=length))):
        index, state = syn.automaton.start.walk(text)
        derives = index == len(text) and (state.ends if text else syn.automaton.tree.nullable)
        assert (bool(syn.fullmatch(text)), bool(part.fullmatch(text))) == (derives, derives), text


@pytest.mark.parametrize(
    ("bnf", "text", "places"),
    [
        ('u = a ":" *[ n "," | digits ] b\na = "x" | 1*alpha\nb = "x" | 1*alpha\nn = 1*2digit', "x:12,3y", "x y"),
        ('u = "x:" [ a | "local" ] [ "/" b ]\na = host | name\nname = *alpha\nb = *xchar', "x:local/b", "local b"),
        ('u = *alphadigit 2digit ":" a [ b ]\na = *uchar ( "." | *uchar "." )\nb = "/"', "a12:.b./", ".b. /"),
    ],
)
def test_an_ambiguity_beside_parts_leaves_their_places(bnf: str, text: str, places: str) -> None:
    syn = syntax(
        bnf, *(Part(name, [name, *(['u/"local"'] if name == "a" and "local" in bnf else [])]) for name in "ab")
    )
    match = syn.fullmatch(text)
    assert match
    assert [syn.raw(match, name) for name in "ab"] == places.split()


@pytest.mark.plugin_fault(19)
@pytest.mark.parametrize(
    ("bnf", "message"),
    [
        ('u = "x:" *digit n\nn = 1*digit', "ambiguous rules 'digit' and 'n' in rule 'u'"),
        ('u = "x:" [ n ] *alphadigit\nn = 1*digit', "ambiguous rules 'n' and 'alphadigit' in rule 'u'"),
        ('u = "x:" ( n | word )\nword = 1*alphadigit\nn = 1*digit', "ambiguous rules 'n' and 'word' in rule 'u'"),
        ('u = "x:" ( word | word n )\nword = *[ "a" | *"b" ]\nn = *"b" "a"', "ambiguous"),
        ('u = "x:" n "-" 1*uchar\nn = 1*uchar', "ambiguous rule 'u': 'n' may hold '-', which ends it"),
        ('u = "x:" *[ item ] n\nitem = *2digit\nn = 1*digit', "ambiguous rules 'item' and 'n' in rule 'u'"),
        ('u = word\nword = *[ "a" | "b" ] "a" 20[ "a" | "b" ]', "rule 'word' derives a text in more than one way"),
        ('u = word\nword = *[ "a" | "b" ] "a" 6( "a" | "b" )', "rule 'word' derives a text in more than one way"),
    ],
)
def test_a_grammar_that_cannot_be_decided_is_refused(bnf: str, message: str) -> None:
    with pytest.raises(GrammarError, match=f"^{re.escape(message)}"):
        syntax(bnf, *[Part("n", ["n"])] * (" n" in bnf)).compile()


def test_an_option_is_taken_only_if_the_text_goes_on() -> None:
    match = syntax('u = [ n ] "x"\nn = "x"', Part("n", ["n"])).fullmatch
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
