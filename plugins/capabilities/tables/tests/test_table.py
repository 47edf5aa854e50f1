"""The table of a syntax: its octets, its answers, and the grammars without one."""

import struct

import pytest

from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.rfc1738 import RFC1738
from urlschemes_tables import Table, table_of
from urlschemes_tables.table import ABSENT, HEADER, MAGIC, POSITION


def syntax(bnf: str, *parts: Part) -> Syntax:
    return Syntax(bnf, bnf.split(maxsplit=1)[0], parts, profile=RFC1738)


def built(bnf: str, *parts: Part) -> Table:
    table = table_of(syntax(bnf, *parts))
    assert table is not None
    return table


def by_pattern(syn: Syntax, text: str) -> dict[str, tuple[int, int]] | None:
    match = syn.fullmatch(text)
    if match is None:
        return None
    spans = {part.mark: syn.span(match, name) for name, part in syn.parts.items()}
    return {mark: span for mark, span in spans.items() if span is not None}


def test_the_octets_are_those_of_the_format() -> None:
    table = built('u = "a" [ n ] "b"\nn = 1*digit', Part("n", ["n"]))
    class_of = bytearray(128)
    for characters, number in (("0123456789", 1), ("Aa", 2), ("Bb", 3)):
        for character in characters:
            class_of[ord(character)] = number
    # 1: the beginning; 2: after "a"; 3: after digits; 4 and 5: the end, without n and with it
    header = HEADER.pack(MAGIC, 6, 4, 2, 2, 2, 2, 2, bytes(class_of))
    assert (table.blob[: HEADER.size], table.marks) == (header, ("n",))
    numbers = struct.unpack_from("<24H", table.blob, HEADER.size)
    rows = [numbers[4 * state : 4 * state + 4] for state in range(6)]
    assert rows == [(0, 0, 0, 0), (0, 0, 2, 0), (0, 6, 0, 4), (0, 3, 0, 7), (0, 0, 0, 0), (0, 0, 0, 0)]
    at = HEADER.size + 48
    assert struct.unpack_from("<8H", table.blob, at) == (3, 0, 1, 0, 5, 1, 1, 0)
    assert struct.unpack_from("<24H", table.blob, at + 16) == (*[0] * 16, 1, 0, 2, 0, 1, 2, 0, 0)
    assert table.blob[at + 64 :] == bytes([0, POSITION, 1, POSITION, 0, ABSENT, 1, ABSENT])


@pytest.mark.parametrize(
    ("bnf", "at", "texts"),
    [
        ('u = [ n "@" ] m\nn = *uchar\nm = *uchar', ["n"], ["a@b", "@", "a", "", "a@b@c", "%41@%4", "%41@%42", "a%4"]),
        ('u = "a" [ n ]\nn = *digit', ["n"], ["a", "a1", "b"]),
        ('u = n | 1*alpha "/"\nn = 1*alpha', ["n"], ["ab", "ab/", "/"]),
        ('u = [ "a" ] n\nn = "a" "b"', ["n"], ["ab", "aab", "aaab", "b"]),
        ("u = n\nn = 2*3digit", ["n"], ["1", "12", "123", "1234"]),
        # The part that has begun is known later: registers are copied ...
        (
            'u = "aaa" n "@" | "aa" n "/" | "a" n ":" | n\nn = *alpha',
            ["n"],
            ["aaab@", "aaab/", "aaab:", "aaab", "aaaa", "aab@"],
        ),
        # ... and exchanged when the first alternative is over.
        (
            'u = "a" n1 "@" | n2 "/" | ( "a" | "b" ) n3 ":"\nn1 = *digit\nn2 = *alphadigit\nn3 = *alphadigit',
            ["n1", "n2", "n3"],
            ["a1@", "a1/", "a1:", "a1b/", "a1b:", "a1b@", "b1:", "b1/", "ab:", "ab/"],
        ),
    ],
)
def test_it_says_what_the_pattern_says(bnf: str, at: list[str], texts: list[str]) -> None:
    syn = syntax(bnf, Part("n", at))
    table = built(bnf, Part("n", at))
    for text in texts:
        assert table.spans(text) == by_pattern(syn, text), text


def test_the_longest_prefix_that_begins_a_url_ends_before_the_first_character_that_cannot_follow() -> None:
    table = built('u = "ab" [ "/" 1*digit ] *"%41"')
    for text, length in (
        ("ab", 2),
        ("AB/1", 4),
        ("ab/", 3),
        ("abc", 2),
        ("ab/1%4x", 6),
        ("\u212a", 0),
        ("ab\u0661", 2),
    ):
        assert table.viable(text) == length, text


def test_no_state_is_left_from_which_no_url_can_end() -> None:
    table = built('u = "x" [ "y" n ]\nn = "a"', Part("n", ["n"], exclude=b"aA"))
    assert (table.viable("xy"), table.spans("x")) == (1, {})


def test_repetitions_are_counted() -> None:
    table = built("u = 1*64uchar")
    assert (table.spans("a" * 64), table.spans("a" * 65)) == ({}, None)


@pytest.mark.parametrize(
    "bnf",
    [
        'u = *[ "a" | "b" ] "a" 20[ "a" | "b" ]',  # no pattern
        'u = 1*64[ 1*64digit "/" ]',  # too many states
    ],
)
def test_a_grammar_may_have_no_table(bnf: str) -> None:
    assert table_of(syntax(bnf)) is None


def test_a_grammar_without_urls_has_no_table() -> None:
    assert table_of(syntax('u = "x" n\nn = "a"', Part("n", ["n"], exclude=b"aA"))) is None


@pytest.mark.parametrize(
    "blob", [b"", b"URLTAB\x01\x00" + bytes(500), MAGIC + bytes(200), MAGIC + b"\x01" + bytes(300)]
)
def test_a_malformed_blob_is_refused(blob: bytes) -> None:
    with pytest.raises(ValueError, match="malformed table"):
        Table(blob, ()).spans("a")
