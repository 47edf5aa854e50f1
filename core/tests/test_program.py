"""Patterns as programs of the machine that reads the first URL of a process: which become one, and that both agree."""

import re
from itertools import product

import pytest

from urlschemes.machine import is_sound, run
from urlschemes.program import translated
from urlschemes.regular import compiled, portable
from urlschemes.syntax import Part, Syntax

# Each form that a pattern is written in, with the characters of which texts are made to compare the two.
TRANSLATED = [
    ("", "a"),
    ("ab", "abA"),
    (r"\.\-%", ".-%"),
    ("(?i:ab)", "abAB"),
    ("[a-c]", "abcd"),
    (r"[\-.\]]", "-.]a"),
    ("[ab]*+", "abc"),
    ("[ab]++", "abc"),
    ("[ab]?+", "abc"),
    ("[ab]{2}", "abc"),
    ("[ab]{2,}+", "abc"),
    ("[ab]{1,3}+", "abc"),
    ("[ab]{0,2}+", "abc"),
    ("(?P<one>a)(?P<two>b*+)", "ab"),
    ("a|b|cc", "abc"),
    ("(?:a|b)c", "abc"),
    ("(?:a(?:b)?+)?+", "ab"),
    ("(?:ab)*+", "ab"),
    ("(?:ab)++a", "ab"),
    ("(?:ab){1,2}+a?+", "ab"),
    ("(?:ab){2,}+", "ab"),
    ("(?>ab|a)c", "abc"),
    ("(?>[ab]*)c", "abc"),
    ("(?>(?:ab)*)c", "abc"),
    ("[ab]*+(?<!a)c", "abc"),
    ("[ab]*+(?<![ab])c", "abc"),
    ("(?>a(?=b)|ac)[bc]", "abc"),
    (r"(?>a(?=[bc]|\Z)|ad)[bcd]?+", "abcd"),
    (r"(?>a(?=\Z)|ab)", "ab"),
    ("(?!)|a", "a"),
    ("(?:(?P<one>a)b|(?P<one__2>a)c)", "abc"),
    ("(?:(?P<one>a)b)?+a?+", "ab"),
]

NOT_TRANSLATED = {
    "[ab]*b": "gives back",
    "[ab]+b": "gives back",
    "[ab]?b": "gives back",
    "[ab]{1,3}b": "gives back",
    "[ab]{1,}b": "gives back",
    "(?:ab)*a": "gives back",
    "(?:ab)?a": "gives back",
    "(?>[ab]*b)c": "gives back within the group",
    "(?:ab){9}": "would be written out too often",
    "a{0}": "never there",
    "a{0,0}+": "never there",
    "[^a]": "characters beyond ASCII too",
    "[\xe9]": "characters beyond ASCII",
    r"\d": "a class by a letter",
    ".": "any character",
    "^a": "an anchor",
    "a$": "an anchor",
    "(a)": "a group by number",
    "(?P<one>a)(?P=one)": "what a group took",
    "(?<=a)b": "what must be behind",
    "(?!a)b": "what must not be ahead",
    "(?=ab)a": "two characters ahead",
    "(?i:a-b)": "no letters alone",
    "(?:a": "no pattern",
    "a)": "no pattern",
    "[a": "no pattern",
    "(?:" * 200 + "a" + ")" * 200: "too deep",
}


@pytest.mark.parametrize("written", [str, portable], ids=["as it is written", "as an older interpreter reads it"])
@pytest.mark.parametrize(("pattern", "characters"), TRANSLATED)
def test_the_program_says_what_the_pattern_says(pattern, characters, written):
    program = translated(written(pattern))
    assert program is not None
    assert is_sound(program)
    match = compiled(pattern, re.ASCII).fullmatch
    matching = 0
    for length in range(6):
        for letters in product(characters, repeat=length):
            text = "".join(letters)
            wanted, found = match(text), run(program, text)
            assert (found is None) == (wanted is None), text
            if wanted is not None and found is not None:
                matching += 1
                for name in wanted.re.groupindex:
                    assert (found[name], found.span(name)) == (wanted[name], wanted.span(name)), text
    assert matching


@pytest.mark.parametrize(("pattern", "why"), NOT_TRANSLATED.items(), ids=lambda each: each[:20])
def test_what_the_machine_cannot_do_is_not_translated(pattern, why):
    assert translated(pattern) is None, why


def test_a_program_reads_no_character_beyond_ascii_as_one_within():
    program = translated("(?i:ks)")
    assert program is not None
    assert run(program, "KS") is not None
    assert run(program, "\u212as") is None  # KELVIN SIGN folds to k
    assert run(program, "k\u017f") is None  # LATIN SMALL LETTER LONG S folds to s


@pytest.mark.parametrize(
    ("bnf", "parts"),
    [
        ('u = "x-a:" word\nword = 1*digit', ["word"]),
        ('u = "x-a:" [ "//" word "/" ] *[ uchar | ";" ]\nword = 1*alpha', ["word"]),
        ('u = "x-a://" host [ ":" port ] [ "/" *uchar ]', ["host", "port"]),
        ('u = "x-a:" word *[ "/" word ]\nword = 1*2digit | "%41"', []),
    ],
)
def test_what_is_written_for_rules_is_translated(bnf, parts):
    syntax = Syntax(bnf, "u", [Part(name, [name]) for name in parts])
    assert translated(syntax.pattern) is not None


@pytest.mark.parametrize(
    "program",
    [
        [],
        [["nothing"], ["end"]],
        [["one"], ["end"]],
        [["one", "a", "b"], ["end"]],
        [["many", "a", "b", ""], ["end"]],
        [["many", "a", "\u00b2", ""], ["end"]],
        [["one", "a"]],
        [["close", "a"], ["end"]],
        [["open", "a"], ["close", "b"], ["end"]],
        [["done", "1"], ["end"]],
        [["again", "0"], ["end"]],
        [["try", "9"], ["done", "2"], ["end"]],
        [["try", "0"], ["done", "2"], ["end"]],
        [["try", "-1"], ["done", "2"], ["end"]],
        [["try", "2"], ["open", "a"], ["end"]],
        [["try", "3"], ["one", "a"], ["again", "0"], ["end"]],
    ],
)
def test_what_cannot_be_run_is_not_sound(program):
    assert not is_sound(program)


def test_what_repeats_nothing_ends():
    program = [["try", "3"], ["many", "a", "0", ""], ["again", "1"], ["end"]]
    assert is_sound(program)
    assert run(program, "aaa") is not None
    assert run(program, "b") is None
