"""The notation of section 5: what it may say, and what is wrong in it."""

import pytest

from urlschemes.errors import GrammarError
from urlschemes.grammar.bnf import Choice, Grammar, Literal, Reference, Repeat, Sequence, parse_rules, shared_rules


def test_every_form_of_the_notation() -> None:
    rule = parse_rules('a = b | "x" [ c ] *d 1*[ e ] 2*3f 2g ( h | i ) ; words\n    | <">')["a"]
    assert isinstance(rule.node, Choice)
    first, second, third = rule.node.items
    assert isinstance(first, Reference)
    assert isinstance(second, Sequence)
    repeats = [(item.least, item.most) for item in second.items if isinstance(item, Repeat)]
    assert repeats == [(0, 1), (0, None), (1, None), (2, 3), (2, 2)]
    assert isinstance(second.items[-1], Choice)
    assert isinstance(third, Literal)
    assert third.text == '"'


def test_brackets_under_a_count_group_what_is_repeated() -> None:
    # Erratum 2845 of RFC 1738: `*[ x ]` is zero or more x.
    node = parse_rules('a = *[ "b" | "c" ]')["a"].node
    assert isinstance(node, Repeat)
    assert isinstance(node.item, Choice)


def test_names_may_hold_what_the_rfc_uses() -> None:
    assert list(parse_rules('gopher+_string = "a"\nip-schemepart = "b"')) == ["gopher+_string", "ip-schemepart"]


def test_a_comment_says_the_section() -> None:
    rules = parse_rules(
        'a = "b"   ; section 3.2.3\nc = "d"\n  | "e" ; see section 5, or not\n; section 9 is of no rule\nf = "g"'
    )
    assert [rule.section for rule in rules.values()] == ["3.2.3", "5", None]
    (other,) = parse_rules('a = "b"  ; RFC 822 section 6.1').values()
    assert other.section == "RFC 822 section 6.1"


def test_octets_that_no_literal_can_write() -> None:
    rule = parse_rules("a = 1*[ %x22 | %X0a-1F ]")["a"]
    assert str(rule) == "a = 1*[ %x22 | %x0A-1F ]"


@pytest.mark.parametrize("name", sorted(shared_rules().rules))
def test_what_is_written_reads_the_same(name: str) -> None:
    rule = shared_rules().rules[name]
    assert str(parse_rules(str(rule))[name]) == str(rule)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a = b", "rule 'a' in line 1 refers to 'b', which is not defined"),
        ('a = "x" b\nb = c\nc = [ a ]', "rule 'a' in line 1 refers to itself: a -> b -> c -> a"),
        ('a = "x"\na = "y"', "rule 'a' is defined twice: in line 1 and in line 2"),
        ("a = ", "line 1 has 'the end of the text' where an element is due"),
        ('a = "x" | | "y"', "line 1 has '|' where an element is due"),
        ('a = [ "x"', "line 1 has 'the end of the text' where ']' is due"),
        ('a = "x" ]', "line 1 has ']' where the name of a rule is due"),
        ('"x" = a', "line 1 has '\"x\"' where the name of a rule is due"),
        ("a / b", "'/' in line 1 is no part of the notation"),
        ('a = "x\n"', "'\"' in line 1 is no part of the notation"),
        ('a = 3*2"x"', "line 1 repeats an element '3*2' times"),
        ('a = 0"x"', "line 1 repeats an element '0' times"),
        ("a = 2", "line 1 has '2' with nothing to repeat"),
        ('a = 1*1000001"x"', "line 1 repeats an element more than 1000000 times"),
        (f'a = 1*{"9" * 5000}"x"', "line 1 repeats an element more than 1000000 times"),
        (
            "\n".join(f"r{n} = r{n + 1}" for n in range(5000)) + '\nr5000 = "x"',
            "rule 'r50' in line 51 lies more than 50 rules deep below 'r0'",
        ),
        ("a = " + "[" * 60 + '"x"' + "]" * 60, "line 1 nests brackets more than 50 deep"),
    ],
)
def test_what_is_wrong_is_said(text: str, says: str) -> None:
    with pytest.raises(GrammarError) as caught:
        Grammar(parse_rules(text))
    assert caught.value.message == says


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a = DIGIT", "there is a rule 'digit': letter case counts in the names of rules"),
        ("a = number", "define it, or use one of the shared rules of RFC 1738 section 5"),
        ('a = "x" / "y"', 'a literal stands in quotation marks, as in "/", and alternatives are divided by `|`'),
    ],
)
def test_what_to_do_about_it_is_said(text: str, hint: str) -> None:
    with pytest.raises(GrammarError) as caught:
        shared_rules().extended(text)
    assert (caught.value.hint, caught.value.line) == (hint, 1)


def test_a_shared_rule_is_not_defined_again() -> None:
    with pytest.raises(GrammarError, match="rule 'host' in line 1 is defined twice: it is one of the shared rules"):
        shared_rules().extended('host = "h"')


def test_every_shared_rule_says_its_section() -> None:
    assert not [rule.name for rule in shared_rules().rules.values() if rule.section is None]
