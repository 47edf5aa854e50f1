"""Rule trees: parts within sets, and parts whose octets derive from a second rule once they are decoded."""

from typing import Any

import pytest

from urlschemes.errors import GrammarError, InvalidURL
from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.record.registration import Registration
from urlschemes.rfc1738 import RFC1738
from urlschemes.scheme.scheme import Scheme

RECORD = """
scheme = "x-pair"
[syntax]
bnf = '''
pairurl = "x-pair:" pair [ "/" ]
pair    = 1*[ uchar | ":" ]
words   = first " " second     ; RFC 822 section 3.3
first   = word
second  = word
word    = 1*[ %x80-FF | "a" | "b" | "%" | quote ]
quote   = <"> *[ %x00-21 | %x23-7E ] <">
'''
parts = { pair = { at = "pair", decoded = "words" }, second = "second" }
"""


PairURL: Any = Scheme(Registration.from_text(RECORD)).url_type


@pytest.mark.parametrize(
    ("text", "pair", "second"),
    [
        ("x-pair:a%20b", "a b", "b"),
        ("x-pair:%61%20%62/", "a b", "b"),
        ("x-pair:%25%20A", "% A", "A"),
        ("x-pair:%C3%A9%20%FF", "é \udcff", "\udcff"),
        ("x-pair:a%20%22x:y%20%0A%22", 'a "x:y \n"', '"x:y \n"'),
    ],
)
def test_the_decoded_part_derives_from_the_second_rule(text: str, pair: str, second: str) -> None:
    url = PairURL.parse(text)
    assert (url.pair, url.second) == (pair, second)
    assert str(url) == text


@pytest.mark.parametrize(
    "text", ["a", "a%20", "%20b", "a%20b%20a", "c%20a", "a%20%22", "a%20%22%7F%22", "a%20:", "a:b%20a"]
)
def test_a_text_whose_decoded_octets_do_not_derive_from_the_second_rule_is_refused(text: str) -> None:
    with pytest.raises(InvalidURL):
        PairURL.parse(f"x-pair:{text}")


def test_a_part_and_the_parts_within_it_change_together() -> None:
    url = PairURL(pair='a "x/y"')
    assert str(url) == "x-pair:a%20%22x%2Fy%22"
    assert str(url.replace(second="b")) == "x-pair:a%20b"
    assert str(PairURL.parse("x-pair:a%20b/").replace(second="aa")) == "x-pair:a%20aa/"
    assert str(PairURL.parse("x-pair:a%20b/").replace(pair="b b")) == "x-pair:b%20b/"
    assert str(url.replace(pair="a b", second="b")) == "x-pair:a%20b"
    with pytest.raises(InvalidURL):
        url.replace(pair="a b", second="a")


def test_the_error_cites_the_second_rule() -> None:
    with pytest.raises(InvalidURL) as caught:
        PairURL.parse("x-pair:a%20%22b")
    assert (caught.value.rule, caught.value.part) == ("quote", "second")
    assert PairURL.syntax.section_of("words") == "RFC 822 section 3.3"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a%20%22b", 'unexpected end of the URL at position 15: expected "%22" (quotation mark)'),
        ("a%20%", "invalid escape at position 11: expected two hexadecimal digits after '%'"),
        ("a", 'unexpected end of the URL at position 8: expected "%20" (blank)'),
        ("a%20b%20", "invalid escape '%20' at position 12: the second cannot hold the octet 20 (blank) there"),
        ("a%20b%40", "invalid escape '%40' at position 12: the second cannot hold the octet 40 (`@`) there"),
        ("a:", "invalid character ':' in the pair at position 8: expected {}, an encoded octet, {} or {}"),
    ],
)
def test_a_message_names_the_octet_that_must_be_encoded(text: str, message: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        PairURL.parse(f"x-pair:{text}")
    assert caught.value.message == message.format('"A", "B", "a", "b"', '"%22" (quotation mark)', '"%20" (blank)')


ADDRESSES = """
u    = "x:" list
list = item *[ "," item ]
item = 1*[ alpha | "@" | escape ]
pair = word "@" word
word = 1*%x61-7A | <"> *[ " " | "," ] <">
"""


def test_each_element_of_a_list_is_decoded_by_itself() -> None:
    syntax = Syntax(ADDRESSES, "u", [Part("pairs", ["list"], element="item", decoded="pair")], profile=RFC1738)
    match = syntax.fullmatch("x:a@b,%22%2C%22@c")
    assert match is not None
    assert syntax.parts["pairs"].decode(match["pairs"]) == ("a@b", '","@c')
    assert syntax.parts["pairs"].written('" "@c') == "%22%20%22@c"
    for text in ("x:a@b%2Cc@d", "x:a,b@c", "x:a@b,", "x:%22,%22@c", "x:a@b@c", "x:A@b"):
        assert syntax.fullmatch(text) is None


def test_escapes_are_found_however_their_digits_are_written() -> None:
    part = Part("v", ["v"], exclude=[0x22, 0x30])
    rules = 'u = "x:" v\nv = *[ "a" | "%" ( "2" ( "0" | %x32-33 ) | ( "3" | "4" ) hex ) ]'
    syntax = Syntax(rules, "u", [part], profile=RFC1738)
    assert syntax.fullmatch("x:a%20%23%3f%4F")
    assert not syntax.fullmatch("x:%22")
    assert not syntax.fullmatch("x:%30")
    assert syntax.parts["v"].bare == {ord("a"), ord("A")}
    assert syntax.parts["v"].escapes == {0x20, 0x23, *range(0x31, 0x50)}


def test_octets_may_be_allowed_as_they_are_encoded_or_both() -> None:
    pair: Part = PairURL.syntax.parts["pair"]
    assert PairURL.syntax.automaton
    assert ord(" ") in pair.escapes
    assert ord(" ") not in pair.bare
    assert ord("a") in pair.bare & pair.escapes
    assert 0x80 in pair.escapes


@pytest.mark.parametrize(
    ("bnf", "message"),
    [
        ('u = "x:" p\np = 1*uchar\nw = *"a"', "the rule 'w' may be empty, but 'p' may not"),
        (
            'u = "x:" p\np = alpha *uchar\nw = 1*"a"',
            "the rule 'p', whose decoded octets are 'w', must be a repetition of characters",
        ),
        (
            'u = "x:" p\np = 2*3uchar\nw = 1*"a"',
            "the rule 'p', whose decoded octets are 'w', must be a repetition of characters",
        ),
        ('u = "x:" p\np = *uchar\nw = 1*%x00-ZZ', "invalid character '-' in line 3: not part of the notation"),
        ('u = "x:" p\np = *uchar\nw = %x20-10', "invalid range '%x20-10' in line 3: it ends before it begins"),
    ],
)
def test_a_second_rule_that_no_part_can_have_is_refused(bnf: str, message: str) -> None:
    with pytest.raises(GrammarError) as caught:
        Syntax(bnf, "u", [Part("p", ["p"], decoded="w")], profile=RFC1738).compile()
    assert message in str(caught.value)


def test_an_unknown_second_rule_is_refused() -> None:
    with pytest.raises(GrammarError, match="there is no rule 'w'"):
        Syntax('u = "x:" p\np = *uchar', "u", [Part("p", ["p"], decoded="w")], profile=RFC1738)


def test_an_octet_that_no_url_holds_bare_stands_only_in_a_second_rule() -> None:
    with pytest.raises(GrammarError, match="which no URL may hold"):
        Syntax('u = "x:" %x20', "u", profile=RFC1738).compile()


def test_a_part_within_a_set_of_characters_stands_only_at_its_own_path() -> None:
    bnf = 'u = "x:" a "/" b\na = sign\nb = sign\nsign = digit | alpha'
    syntax = Syntax(bnf, "u", [Part("number", ["b/sign/digit"])], profile=RFC1738)
    found = [syntax.fullmatch(text) for text in ("x:1/2", "x:1/z")]
    assert [each and syntax.raw(each, "number") for each in found] == ["2", None]
    assert syntax.fullmatch("x:1/") is None
