"""The notation of section 5, and the mistakes in it."""

import pytest

from urlschemes.errors import GrammarError
from urlschemes.grammar.bnf import BNFReader, Choice, Grammar, Literal, Reference, Repeat, Sequence
from urlschemes.grammar.syntax import Syntax
from urlschemes.rfc1738 import RFC1738


def test_every_form_of_the_notation_is_read() -> None:
    rule = BNFReader('a = b | "x" [ c ] *d 1*[ e ] 2*3f 2g ( h | i ) ; words\n    | <">').rules()["a"]
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
    node = BNFReader('a = *[ "b" | "c" ]').rules()["a"].node
    assert isinstance(node, Repeat)
    assert isinstance(node.item, Choice)


def test_names_have_the_characters_that_the_rfc_uses() -> None:
    assert list(BNFReader('gopher+_string = "a"\nip-schemepart = "b"').rules()) == ["gopher+_string", "ip-schemepart"]


def test_a_comment_names_the_section() -> None:
    rules = BNFReader(
        'a = "b"   ; section 3.2.3\nc = "d"\n  | "e" ; see section 5, or not\n; section 9 is of no rule\nf = "g"'
    ).rules()
    assert [rule.section for rule in rules.values()] == ["3.2.3", "5", None]
    (other,) = BNFReader('a = "b"  ; RFC 822 section 6.1').rules().values()
    assert other.section == "RFC 822 section 6.1"


def test_octets_are_written_in_hexadecimal() -> None:
    rule = BNFReader("a = 1*[ %x22 | %X0a-1F ]").rules()["a"]
    assert str(rule) == "a = 1*[ %x22 | %x0A-1F ]"


@pytest.mark.parametrize("name", sorted(RFC1738.grammar.rules))
def test_a_rule_prints_as_it_is_read(name: str) -> None:
    rule = RFC1738.grammar.rules[name]
    assert str(BNFReader(str(rule)).rules()[name]) == str(rule)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = b", "rule 'a' in line 1 refers to 'b', which is not defined"),
        ('a = "x" b\nb = c\nc = [ a ]', "rule 'a' in line 1 refers to itself: a -> b -> c -> a"),
        ('a = "x"\na = "y"', "rule 'a' is defined twice: in line 1 and in line 2"),
        ("a = ", "unexpected end of the text in line 1: expected an element"),
        ('a = "x" | | "y"', "unexpected '|' in line 1: expected an element"),
        ('a = [ "x"', "unexpected end of the text in line 1: expected ']'"),
        ('a = "x" ]', "unexpected ']' in line 1: expected the name of a rule"),
        ('"x" = a', "unexpected '\"x\"' in line 1: expected the name of a rule"),
        ('a = "x" ~', "invalid character '~' in line 1: not part of the notation"),
        ('a = "x\n', "invalid '\"x' in line 1: not part of the notation"),
        ('a = 3*2"x"', "invalid repetition '3*2' in line 1: the maximum is less than the minimum"),
        ('a = 0"x"', "invalid repetition '0' in line 1: the maximum is 0"),
        ("a = 2", "invalid repetition '2' in line 1: expected an element after it"),
        ('a = 1*65"x"', "invalid repetition '1*65' in line 1: expected at most 64 times"),
        (f'a = {"9" * 5000}"x"', f"invalid repetition '{'9' * 20}' in line 1: expected at most 64 times"),
    ],
)
def test_a_message_names_the_mistake_and_the_line(text: str, message: str) -> None:
    with pytest.raises(GrammarError) as caught:
        Grammar(BNFReader(text).rules())
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a = DIGIT", "write 'digit': the names of rules are case-sensitive"),
        ("a = number", "define it, or use one of the shared rules"),
        ("a = usr", "did you mean 'user'?"),
        ('a = "x" ~', 'write a literal in quotation marks, as in "/"'),
        ('a = "x" / "y"', "write `|` between alternatives"),
        ('a ::= "x"', "write `=` after the name of a rule"),
        ('a := "x"', "write `=` after the name of a rule"),
        ('<a> = "x"', "write the name of a rule without `<` and `>`"),
        ("# a\n", "begin a comment with `;`"),
        ("a = 'x'", "write a literal in double quotation marks"),
        ('a = "x" | ""', "write `[ a ]` for a that may be absent"),
        ('a = "x', "end a literal in the line where it begins"),
        ("a = %d65", "write an octet in hexadecimal, as in %x41"),
        ("a = 1*[0-9]", "write ranges of characters as in %x61-7A"),
        ("a = 1*[A-Za-z]", "write ranges of characters as in `1*( %x41-5A | %x61-7A )`"),
        ('a = "a".."z"', "write ranges of characters as in %x61-7A"),
        ("a = 2-5alpha", "write `2*5a` for two to five a"),
        ('a = xchar - ":"', "list the characters that may stand there: none can be taken from a rule"),
        ('a -> "x"', "write `=` after the name of a rule"),
        ('a: "x"', "write `=` after the name of a rule"),
        ("a = .*", "write no regular expression, but characters as in `1*%x61-7A`"),
        ("a = [^/]", "write no regular expression, but characters as in `1*%x61-7A`"),
        ("a = \\d+", "write no regular expression, but characters as in `1*%x61-7A`"),
        ("a = alpha$", "write no regular expression, but characters as in `1*%x61-7A`"),
        ("a = \u201cx\u201d", 'write straight quotation marks, as in "/"'),
        ("a = alpha,", "leave out the comma"),
        ('a = "\xe9"', 'a literal holds only US-ASCII: write the escapes of the octets, as in "%C3%A9"'),
        ("a = alpha+", "write `1*alpha` for one or more"),
        ("a = alpha?", "write `1*a`, `[ a ]` or `2*5a` for a that is repeated"),
        ("a = alpha{2,5}", "write `1*a`, `[ a ]` or `2*5a` for a that is repeated"),
        ("a = alpha*", "write it before the element: `*alpha`"),
        ("a = ( alpha | digit )*", "write it before the element: `*[ alpha | digit ]`"),
        ("a = [a-z]2*5", "write it before the element: `2*5( %x61-7A )`"),
        ("a = *", None),
        ("a = 1*4000digit", "leave out the maximum: write `1*`"),
        ("a = *65digit", "leave out the maximum: write `*`"),
        ("a = 80digit", "divide the minimum, as in `64digit 16digit`"),
    ],
)
def test_a_hint_says_what_to_do(text: str, hint: str | None) -> None:
    with pytest.raises(GrammarError) as caught:
        RFC1738.extended(text)
    assert (caught.value.hint, caught.value.line) == (hint, 1)


@pytest.mark.parametrize(
    "rule",
    ["1*( %x41-5A | %x61-7A )", "2*5alpha", "1*%x61-7A", '"%C3%A9"', "*[ alpha | digit ]", "2*5( %x61-7A )", "*alpha"],
)
def test_what_a_hint_says_to_write_is_accepted(rule: str) -> None:
    assert Syntax(f'a = "x-a:" {rule}', "a", profile=RFC1738).compile()


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (
            'a ::= "x" b\nb = "y" / "z"\nc = d *\n# e\nf = alpha',
            [
                "invalid '::=' in line 1: not part of the notation (write `=` after the name of a rule)",
                "invalid character '/' in line 2: not part of the notation (write `|` between alternatives)",
                "invalid repetition '*' in line 3: expected an element after it (write it before the element: `*d`)",
                "invalid '# e' in line 4: not part of the notation (begin a comment with `;`)",
            ],
        ),
        (
            "a = b c\nc = alhpa b",
            [
                "rule 'a' in line 1 refers to 'b', which is not defined (define it, or use one of the shared rules)",
                "rule 'c' in line 2 refers to 'alhpa', which is not defined (did you mean 'alpha'?)",
                "rule 'c' in line 2 refers to 'b', which is not defined (define it, or use one of the shared rules)",
            ],
        ),
        ("a = b\nb = c", ["rule 'b' in line 2 refers to 'c', which is not defined"]),
        (
            "# a\na = b Alpha\nc = ,",
            [
                "invalid '# a' in line 1: not part of the notation (begin a comment with `;`)",
                "rule 'a' in line 2 refers to 'b', which is not defined (define it, or use one of the shared rules)",
                "invalid character ',' in line 3: not part of the notation (leave out the comma)",
            ],
        ),
        ("~\n~", [f"invalid character '~' in line {line}: not part of the notation" for line in (1, 2)]),
    ],
)
def test_all_mistakes_are_told_at_once(text: str, messages: list[str]) -> None:
    with pytest.raises(GrammarError) as caught:
        RFC1738.extended(text)
    assert caught.value.message == "; ".join(messages)


def test_a_shared_rule_is_defined_again_for_all_that_refer_to_it() -> None:
    syntax = Syntax('u = "x:" hostport\nhost = "h"', "u", profile=RFC1738)
    assert [bool(syntax.fullmatch(text)) for text in ("x:h:1", "x:a:1")] == [True, False]
    assert [syntax.section_of(rule) for rule in ("host", "port")] == ["", "RFC 1738 section 3.1"]


def test_every_shared_rule_names_its_section() -> None:
    assert not [rule.name for rule in RFC1738.grammar.rules.values() if rule.section is None]
