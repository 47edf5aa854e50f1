"""The regular expression of a syntax: its matches, its groups, and the grammars that are refused."""

import re

import pytest

from urlschemes.errors import GrammarError
from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.rfc1738 import RFC1738


def syntax(bnf: str, *parts: Part) -> Syntax:
    return Syntax(bnf, bnf.split(maxsplit=1)[0], parts, profile=RFC1738)


def test_letters_of_a_literal_match_in_any_case_and_only_as_ascii() -> None:
    taken = syntax('u = "kiss:"').fullmatch
    assert taken("KiSS:")
    assert not taken("\u212aiss:")  # KELVIN SIGN folds to k
    assert not taken("ki\u017fs:")  # LATIN SMALL LETTER LONG S folds to s


@pytest.mark.plugin_fault(19)
def test_the_pattern_of_a_run_does_not_backtrack() -> None:
    match = syntax('u = *[ uchar | ";" ]').fullmatch("a;%41")
    assert match
    plain = re.sub(r"\[[^]]*\]|\\.|\(\?", "", match.re.pattern)
    quantifiers = {found[0] for found in re.finditer(r"[*+?}][+)]?", plain)}
    assert quantifiers <= {
        "*+",
        "*)",
    }  # possessive, or the whole of an atomic group (see `urlschemes.grammar.regex_compat`)


def test_an_option_that_may_be_empty_is_present() -> None:
    # `[ selector ]` with `selector = *xchar`: the gopher URL of an item without selector has an empty one.
    syn = syntax('u = "a" [ rest ]\nrest = *digit', Part("rest", ["rest"]))
    match = syn.fullmatch("a")
    assert match
    assert syn.raw(match, "rest") == ""


def test_the_common_beginning_of_alternatives_is_factored_out() -> None:
    syn = syntax(
        'u = one | two\none = "x:" word\ntwo = "x:" word "/" more\nword = *uchar\nmore = *uchar',
        Part("word", ["word"]),
        Part("more", ["more"]),
    )
    for text, word, more in (("x:a", "a", None), ("x:a/b", "a", "b"), ("x:/", "", "")):
        match = syn.fullmatch(text)
        assert match
        assert (syn.raw(match, "word"), syn.raw(match, "more")) == (word, more)


def test_a_part_in_alternatives_is_found_in_each() -> None:
    syn = syntax('u = "a" n "!" | "b" n "?"\nn = digits', Part("n", ["n"]))
    for text in ("a12!", "b12?"):
        match = syn.fullmatch(text)
        assert match
        assert syn.raw(match, "n") == "12"


def test_a_lookahead_distinguishes_a_word_from_the_beginning_of_another() -> None:
    # `group` and `article` of the news scheme: only what follows the letters tells them apart.
    syn = syntax('u = group | article\ngroup = 1*alpha\narticle = 1*uchar "@" host', Part("group", ["group"]))
    assert syn.fullmatch("abc")
    article = syn.fullmatch("abc@h")
    assert article
    assert syn.raw(article, "group") is None


def test_a_lookahead_decides_if_an_option_is_taken() -> None:
    taken = syntax('u = [ "a" ] "a" "b"').fullmatch
    assert [bool(taken(text)) for text in ("ab", "aab", "b", "aaab")] == [True, True, False, False]


def test_a_run_may_have_to_end_in_certain_characters() -> None:
    taken = syntax('u = *[ alphadigit | "-" ] alphadigit "."').fullmatch
    assert [bool(taken(text)) for text in ("a.", "a-b.", "-b.", "a-.", "-.", ".")] == [
        True,
        True,
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize("rule", ["*digit", "*3digit", "[ digits ]"])
def test_an_empty_number_is_an_absent_part(rule: str) -> None:
    syn = Syntax(f'u = "x:" n "/"\nn = {rule}', "u", [Part("n", ["n"], number=True)], profile=RFC1738)
    found = [syn.fullmatch(text) for text in ("x:/", "x:07/")]
    assert [match and syn.raw(match, "n") for match in found] == [None, "07"]
    assert [syn.composer.compose(each) for each in ({}, {"n": "1"})] == ["x:/", "x:1/"]


def test_a_number_part_has_at_most_4000_digits_behind_its_zeros() -> None:
    syn = syntax(
        'u = n [ "/" m ] [ "+" t ]\nn = 1*digit\nm = digits\nt = digits',
        *(Part(name, [name], number=name != "t") for name in "nmt"),
    )
    zeros, digits = "0" * 5000, "1" * 4000
    for number in (digits, zeros, zeros + digits):
        assert syn.fullmatch(f"{number}/{number}")
    assert syn.fullmatch(f"1+{digits}1")  # a text
    for text in (f"{digits}1", f"{zeros}{digits}1+{digits}", f"1/{zeros}{digits}1"):
        assert syn.fullmatch(text) is None
        assert syn.regex.fullmatch(text)


def test_repetitions_are_counted() -> None:
    taken = syntax("u = 2*3digit").fullmatch
    assert [bool(taken("1" * count)) for count in range(5)] == [False, False, True, True, False]


def test_a_part_within_a_repetition_is_refused() -> None:
    with pytest.raises(GrammarError, match="is within a repetition"):
        syntax('u = *[ ";" word ]\nword = *uchar', Part("word", ["word"])).compile()


def test_an_excluded_octet_is_refused_in_every_form() -> None:
    syn = syntax('u = "x:" word\nword = *xchar', Part("word", ["word"], exclude=[0x09, ord("/")]))
    assert [bool(syn.fullmatch(text)) for text in ("x:%09", "x:/", "x:%2f", "x:%2F", "x:%0a", "x:%19")] == [
        False,
        False,
        False,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize(
    ("bnf", "octet", "texts"),
    [
        ('u = "x:" a [ "%09" b ]\na = *uchar\nb = *uchar', "09", ("1%092%09", "%09")),
        ('u = "x:" a "%41"\na = [ xchar ] [ "a" ]', "41", ("%41", "a%41", "ba%41")),
    ],
)
def test_an_escape_that_a_part_may_hold_does_not_follow_it(bnf: str, octet: str, texts: tuple[str, ...]) -> None:
    problem = f"the part 'a' may hold the escape \"%{octet}\", and the same escape may follow it"
    with pytest.raises(GrammarError, match=problem) as caught:
        _ = syntax(bnf, Part("a", ["a"])).automaton
    assert (caught.value.rule, caught.value.hint) == ("a", f'write `exclude = ["{octet}"]` in the table of the part')
    found = syntax(bnf, Part("a", ["a"], exclude=bytes.fromhex(octet)))
    assert all(map(found.fullmatch, (f"x:{text}" for text in texts)))


def test_an_escape_that_a_part_may_hold_may_follow_it_where_the_part_cannot_go_on() -> None:
    assert syntax('u = "x:" a "%41"\na = uchar', Part("a", ["a"])).fullmatch("x:%41%41")


def test_a_part_encodes_only_octets_that_it_cannot_hold_as_they_are() -> None:
    syn = syntax(
        'u = "x:" path\npath = seg *[ "/" seg ]\nseg = *[ uchar | "?" ]', Part("path", ["path"], element="seg")
    )
    assert syn.parts["path"].written("a/b?c d") == "a%2Fb?c%20d"


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([Part("word", ["nowhere"])], "no occurrence of 'nowhere' for the part 'word'"),
        ([Part("word", ["word"], element="uchar")], "the list part 'word' must be a rule of the form"),
    ],
)
def test_a_part_needs_an_occurrence(parts: list[Part], message: str) -> None:
    with pytest.raises(GrammarError, match=message) as caught:
        syntax('u = "x:" word\nword = *uchar', *parts).compile()
    assert caught.value.hint in {"write the list as a rule of its own", "a URL has these rules: u, word"}


@pytest.mark.parametrize(
    "bnf", [f"u = {'(' * 3000}digit{')' * 3000}", "".join(f"r{n} = r{n + 1}\n" for n in range(3000)) + "r3000 = digit"]
)
def test_rules_that_are_nested_too_deeply_are_refused(bnf: str) -> None:
    with pytest.raises(GrammarError, match="nested too deeply"):
        syntax(bnf)


@pytest.mark.parametrize(
    "bnf",
    ['u = n "/" n\nn = digit', "u = 2n\nn = digit", 'u = [ n ] "/" ( "a" | n )\nn = digit', "u = n\nn = m\nm = digit"],
)
def test_a_part_that_stands_twice_in_one_url_is_refused(bnf: str) -> None:
    with pytest.raises(GrammarError, match="occurs twice in one URL"):
        _ = syntax(bnf, Part("n", ["n", "m"])).fullmatch


def test_an_excluded_octet_is_not_held_by_a_literal_either() -> None:
    taken = syntax('u = "x" p\np = "a/" | "b/%41" | "%42/"', Part("p", ["p"], exclude=b"aAB")).fullmatch
    assert not any(map(taken, ("xa/", "xA/", "xb/%41", "x%42/")))
    assert not syntax('u = "x" p\np = "%41"', Part("p", ["p"], exclude=b"A")).fullmatch("x")
    assert not syntax('u = "x" p\np = *"b" "b" "a"', Part("p", ["p"], exclude=b"aA")).fullmatch("xb")
    half = syntax('u = "x" p\np = "a/"', Part("p", ["p"], exclude=b"a")).fullmatch
    assert (bool(half("xa/")), bool(half("xA/"))) == (False, True)


def test_an_escape_among_other_elements_is_an_escape() -> None:
    part = Part("p", ["p"], exclude=b"\r")
    syn = syntax('u = "x" p\np = alpha escape escape', part)
    assert [bool(syn.fullmatch(text)) for text in ("xa%41%0A", "xa%41%0D", "xa%0d%41")] == [True, False, False]
    assert ord("%") not in syn.parts["p"].bare
    assert syn.parts["p"].escapes == frozenset(range(256)) - {0x0D}


def test_what_one_of_two_parts_of_a_list_excludes_both_exclude() -> None:
    front = Part("front", ["p"], element="s", take="all but the last", exclude=b"a")
    last = Part("last", ["p"], element="s", take="last")
    taken = syntax('u = "x" p\np = s *[ "/" s ]\ns = *alpha', front, last).fullmatch
    assert taken("xb/b")
    assert not taken("xa/b")


@pytest.mark.parametrize(
    ("bnf", "parts", "message"),
    [
        ('u = *[ alpha | " " ]', [], "rule 'u' has ' ', which no URL may hold"),
        ("u = [ %x00-FF ]", [], r"rule 'u' has '\\x00' and 174 more, which no URL may hold"),
        ('u = p\np = "a" | national', [], r"rule 'p' has '\[' and 8 more, which no URL may hold"),
        ('u = p\np = "%" *alpha', [Part("p", ["p"])], "a percent sign that begins no escape"),
        ('u = "x:" *[ "a" | "%" ]', [], "rule 'u' has a percent sign that begins no escape"),
        ('u = "x:%" hex', [], "rule 'u' has a percent sign that begins no escape"),
        ('u = "x:%" hex alpha', [], "rule 'u' has a percent sign that begins no escape"),
        ("u = p\np = [ digit ] [ digit ]", [Part("p", ["p"], number=True)], "its rule must derive one or more digits"),
        ("u = p\np = 1*4uchar", [Part("p", ["p"], number=True)], "its rule must derive one or more digits"),
        ('u = p\np = *digit "." digit', [Part("p", ["p"], number="decimal")], "must derive decimal numbers"),
        ('u = p\np = *[ "-" ] digits', [Part("p", ["p"], number="decimal")], "must derive decimal numbers"),
        ('u = p\np = [ "-" ] digits', [Part("p", ["p"], number=True)], 'digits; write `number = "decimal"` for'),
        ('u = p\np = "n=" digits', [Part("p", ["p"], number=True)], 'the rule also has "n=": give the number its own'),
        ('u = p\np = "n=" digits', [Part("p", ["p"], number="decimal")], 'the rule also has "n=": give the number its'),
        (
            'u = p\np = digits *[ "&" digits ]',
            [Part("p", ["p"], element="digits", number=True)],
            "the part 'p' is a list, and cannot be a number",
        ),
        ('u = p "/"\np = 1*uchar', [Part("host", ["p"])], "the host must not have escapes"),
        ("u = 64a\na = 64b\nb = 64digit", [], "more than 10,000 elements"),
        ("u = 64a\na = 64b\nb = 64[ *64[ %x41 ] ]", [], "more than 10,000 elements"),
        ('u = 1*60[ 1*60[ 1*3digit "/" ] ";" ]', [], "more than 10,000 elements"),
        ("u = p\np = *uchar", [Part("p", ["p"]), Part("q", ["p"])], "the parts p and q have the same occurrence"),
        ('u = p\np = s *[ "x" s ]\ns = *digit', [Part("p", ["p"], element="s")], "must be a rule of the form"),
        ("u = p\np = 1*digit", [Part("p", ["p"], element="s")], "there is no rule 's', of which the list part 'p' has"),
        ('u = p *[ "&" p ]\np = 1*digit', [Part("p", ["p"])], "the part 'p' is within a repetition"),
    ],
)
def test_a_grammar_that_is_not_one_of_urls_is_refused(bnf: str, parts: list[Part], message: str) -> None:
    with pytest.raises(GrammarError, match=message):
        _ = syntax(bnf, *parts).fullmatch
