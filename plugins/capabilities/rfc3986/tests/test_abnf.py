"""The notation of RFC 5234 and RFC 7405, and the mistakes in it."""

import pytest

from urlschemes.errors import GrammarError
from urlschemes.grammar.bnf import Rule
from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.rfc1738 import RFC1738
from urlschemes_rfc3986 import profile
from urlschemes_rfc3986.abnf import ABNFReader


def read(text: str) -> dict[str, Rule]:
    return ABNFReader(text).rules()


def matches(text: str, url: str, rule: str = "a", parts: tuple[Part, ...] = ()) -> bool:
    return Syntax(text, rule, parts, profile=profile).fullmatch(url) is not None


@pytest.mark.parametrize(
    ("abnf", "bnf"),
    [
        ('"b" / "c" "d"', '"b" | "c" "d"'),
        ('"b" / ; words\n    "c"', '"b" | "c"'),
        ('( "b" / "c" ) "d"', '( "b" | "c" ) "d"'),
        ('[ "b" ] *"c" 1*"d" 2*3"e" 4"f" *5"g"', '[ "b" ] *"c" 1*"d" 2*3"e" 4"f" *5"g"'),
        ('2( "b" "c" )', '2[ "b" "c" ]'),
        ('2[ "b" ]', '*2"b"'),  # brackets are an option under a count, too
        ('1*[ "b" ]', '*"b"'),
        ("%x22 %d34 %B100010 %x30-39 %d48-57", "%x22 %x22 %x22 %x30-39 %x30-39"),
        ("%x0D.0A", "%x0D %x0A"),
        ("%x68.74.74.70", '%s"http"'),
        ('%s"Ab" %i"Ab" %s"+"', '%s"Ab" "Ab" "+"'),
        ('0"b"', '""'),
        ('"" "b"', '"" "b"'),
        ('0<pchar> / "b"', '"" | "b"'),
        ("0b / B", '"" | b'),
        ("<b> / <b, as in RFC 3986>", "b | b"),
    ],
)
def test_every_form_is_read_to_the_same_tree(abnf: str, bnf: str) -> None:
    assert str(read(f'b = "b"\na = {abnf}')["a"]) == f"a = {bnf}"


@pytest.mark.parametrize(
    "rule",
    [
        'a = "b" / %x22 ( "c" / d ) [ "e" / "f" ] ""',
        'a = 1*( "b" "c" ) *2d 3%x30-39 *( "b" / d ) 1*4"x" [ "b" ]',
        'a = %s"Ab" "" / 2*( [ "b" ] "c" )',
    ],
)
def test_rules_are_written_as_they_are_read(rule: str) -> None:
    text = f'd = "d"\n{rule}'
    assert ABNFReader.written(read(text)["a"]) == rule


def test_the_names_of_rules_are_spelled_as_where_they_are_defined() -> None:
    rules = read('URI = Scheme ":" digit\nscheme = 1*alpha ; section 3.1\n')
    assert [str(rule) for rule in rules.values()] == [
        'URI = scheme ":" DIGIT',
        "scheme = 1*ALPHA",
        "DIGIT = %x30-39",
        "ALPHA = %x41-5A | %x61-7A",
    ]
    assert [rule.section for rule in rules.values()] == [None, "3.1", *["RFC 5234 appendix B.1"] * 2]


def test_alternatives_are_added_to_a_rule() -> None:
    assert str(read('a = "b"\nA =/ "c" / "d"\na =/ "e"')["a"]) == 'a = "b" | "c" | "d" | "e"'


def test_a_rule_in_words_is_the_rule_of_its_name() -> None:
    grammar = profile.extended(
        'a = host "/" id\nhost = <host, see [RFC3986], Section 3.2.2>\nDIGIT = <see RFC 5234>\n'
        "id = <see RFC 5536>\nid = 1*DIGIT\nunused = <see RFC 3977>\nuri-host = <host, see RFC 3986>"
    )
    own = [str(rule) for name, rule in grammar.rules.items() if name not in profile.grammar.rules]
    assert own == ['a = host "/" id', "id = 1*DIGIT", "uri-host = host"]


def test_own_rules_come_before_core_rules_and_shared_rules_before_both() -> None:
    assert str(read('a = digit\nDigit = "0"')["a"]) == "a = Digit"
    rules = ABNFReader("a = HEXDIG", RFC1738.grammar.rules).rules()
    assert str(rules["HEXDIG"]).startswith("HEXDIG = digit |")
    assert "DIGIT" not in rules


def test_literals_match_without_regard_to_case_unless_they_are_sensitive() -> None:
    text = 'a = "b:" %s"Cd" %x65'
    assert matches(text, "B:Cde")
    assert not matches(text, "b:cde")
    assert not matches(text, "b:CdE")
    assert not matches(text, "b:cdE")


def test_a_part_may_be_a_sensitive_literal() -> None:
    syntax = Syntax('a = "b:" [ %s"X" / %s"y" ]', "a", [Part("mode", ['"X"', '"y"'])], profile=profile)
    match = syntax.fullmatch("b:X")
    assert match is not None
    assert syntax.raw(match, "mode") == "X"
    assert syntax.composer.compose({"mode": "y"}) == "b:y"
    assert syntax.fullmatch("b:x") is None


def test_nothing_is_an_alternative() -> None:
    text = 'a = "b:" ( 1*DIGIT / empty ) [ "?" ]\nempty = 0<pchar>'
    assert matches(text, "b:")
    assert matches(text, "b:1?")
    assert matches(text, "b:?")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('a = "x" | "y"', "invalid character '|' in line 1: not part of the notation"),
        ("a = b_c", "invalid character '_' in line 1: not part of the notation"),
        ('a = "x" /', "unexpected end of the text in line 1: expected an element"),
        ('a "x"', "unexpected '\"x\"' in line 1: expected '='"),
        ('a = "x"\nA = "y"', "rule 'a' is defined twice: in line 1 and in line 2"),
        ('a =/ "x"', "rule 'a' in line 1 gets more alternatives before it is defined"),
        ("a = %x100", "invalid number '%x100' in line 1: expected octets, at most %xFF"),
        (f"a = %d{'0' * 5000}1", f"invalid number '%d{'0' * 5000}1' in line 1: expected octets, at most %xFF"),
        ("a = %x41-40", "invalid range '%x41-40' in line 1: it ends before it begins"),
        ('a = 3*2"x"', "invalid repetition '3*2' in line 1: the maximum is less than the minimum"),
        ('a = "x" 0', "invalid repetition '0' in line 1: expected an element after it"),
        ("a = b\nb = <any text>", "rule 'b' in line 2 is given in words only: <any text>"),
        ('a = "x" <any text>', "rule 'a' in line 1 is given in words only: <any text>"),
        ('a = "x" id\nid = <see RFC 5536>', "rule 'id' in line 2 is given in words only: <see RFC 5536>"),
        ("a = b", "rule 'a' in line 1 refers to 'b', which is not defined"),
        ('a = "x" 0b', "rule 'a' in line 1 refers to 'b', which is not defined"),
        ('a = "x"\nb = *0[ "x" c ]', "rule 'b' in line 2 refers to 'c', which is not defined"),
        ("a = 0x61", "rule 'a' in line 1 refers to 'x61', which is not defined"),
        ("a = B\nb = [ A ]", "rule 'a' in line 1 refers to itself: a -> b -> a"),
    ],
)
def test_a_message_names_the_mistake_and_the_line(text: str, message: str) -> None:
    with pytest.raises(GrammarError) as caught:
        matches(text, "")
    assert caught.value.message == message


@pytest.mark.parametrize(("text", "host"), [('HOST = "h"', '"h"'), ('IPvFuture =/ "h"', None), ('PORT =/ "h"', None)])
def test_a_shared_rule_is_defined_again_in_another_spelling(text: str, host: str | None) -> None:
    rules, name = profile.extended(text).rules, text.partition(" ")[0].lower()
    (changed,) = (each for each, rule in rules.items() if rule is not profile.grammar.rules[each])
    assert (changed.lower(), str(rules[changed].node)) == (name, host or f'{profile.grammar.rules[changed].node} | "h"')


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('a = "x" | "y"', "write `/` between alternatives"),
        ("a = b_c", "write a hyphen in the name of a rule"),
        ("a = 1*[a-z0-9]", "write ranges of characters as in `1*( %x61-7A / %x30-39 )`"),
        ("a = ( ALPHA / DIGIT )*", "write it before the element: `*( ALPHA / DIGIT )`"),
        ('a = "\xe9"', 'a literal holds only US-ASCII: write the escapes of the octets, as in "%C3%A9"'),
        ("b = <any text> a = b", "define it a second time, in ABNF"),
        ("a = [ <any text> ]", "replace the words by the name of a rule"),
        ('a =/ "x"', "write `=` where it is first defined"),
        ("a = %xFFFF", "a URL is a sequence of octets: write the octets of the encoding of the character"),
    ],
)
def test_a_hint_says_what_to_do(text: str, hint: str) -> None:
    with pytest.raises(GrammarError) as caught:
        matches(text, "")
    assert (caught.value.hint, caught.value.line) == (hint, 1)


@pytest.mark.parametrize(
    ("text", "has_mistake"),
    [
        ('a = "b:" 1*( ALPHA / "#" )', True),
        ('a = "b:" [ "#" ] 1*ALPHA', True),
        ('a = "b:" 1*reserved', True),
        ('a = "b:" [ "#" fragment "#" ]', True),
        ('a = "b:" [ "#" fragment ] "/"', True),
        ('a = "b:" 1*( ALPHA / "%23" ) [ "#" fragment ]', False),
        ('a = "b:" 1*ALPHA tail\ntail = [ "#" id ]\nid = fragment', False),
    ],
)
def test_a_hash_begins_the_fragment_and_nothing_else(text: str, has_mistake: bool) -> None:
    syntax = Syntax(text, "a", profile=profile)
    if not has_mistake:
        assert syntax.compile()
        return
    with pytest.raises(GrammarError, match="rule 'a' has '#', which begins the fragment") as caught:
        syntax.compile()
    assert caught.value.hint == 'write %23, or end the URL with `[ "#" fragment ]`'


def test_the_rule_of_the_record_is_named_that_uses_characters_no_url_holds() -> None:
    with pytest.raises(GrammarError, match="rule 'word' has '\"', which no URL may hold"):
        Syntax('a = "b:" word\nword = 1*ALPHA DQUOTE', "a", profile=profile).compile()
