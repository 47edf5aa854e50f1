"""The proofs find every difference."""

from __future__ import annotations

from itertools import product as sequences

import pytest

from urlschemes import Registry
from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.rfc1738 import RFC1738
from urlschemes_conformance.agreement import Judges
from urlschemes_conformance.proof import NotProven, product, prove_pattern, prove_recognizer, proves_positions
from urlschemes_tables import Table, table_of
from urlschemes_tables.table import HEADER

BNF = 'u = "x:" [ n "@" ] m [ ":" 1*64digit ]\nn = 1*uchar\nm = 1*[ alpha | "-" ] alpha'


def made(bnf: str = BNF, parts: str = "nm", **arguments: bytes) -> tuple[Syntax, Table]:
    syntax = Syntax(bnf, "u", [Part(name, [name], **arguments) for name in parts], profile=RFC1738)
    table = table_of(syntax)
    assert table is not None
    return syntax, table


def test_equal_ones_are_proven_equal() -> None:
    syntax, table = made()
    for prove in (prove_pattern, prove_recognizer):
        proof = prove(syntax, table)
        assert proof.difference is None
        assert proof.pairs >= table.content.states - 1


@pytest.mark.parametrize(
    "abnf",
    [
        'l = %s"a" *DIGIT',
        'l = 1*64(%s"a") [ ":" 1*DIGIT ]',
        'l = ( "" / "b" ) *DIGIT',
        'l = "1" / "b" / 1*( "a" / "b" )',
        'l = *( ":" / DIGIT ) DIGIT *( ":" / DIGIT ) [ "," *%s"a" *ALPHA ]',
        'l = e *( "," e )\ne = *( %x61-62 / "1" / "@" / pct-encoded )\nd = *%s"a" "@" 1*%x42-43',
    ],
)
def test_rules_in_abnf_are_proven_equal_and_begin_alike(abnf: str) -> None:
    element = {"element": "e", "decoded": "d"} if "\nd = " in abnf else {}
    syntax = Syntax(
        f'u = "x:" l\n{abnf}', "u", [Part("l", ["l"], **element)], profile=Registry(profile="rfc3986").profile
    )
    table = table_of(syntax)
    assert table is not None
    assert [prove(syntax, table).difference for prove in (prove_pattern, prove_recognizer)] == [None, None]
    judges = Judges(syntax)
    tokens = ("a", "A", "b", "1", ":", ",", "@", "%41", "%42", "%61")
    assert [text for each in sequences(tokens, repeat=3) if judges.difference(text := "x:" + "".join(each))] == []


@pytest.mark.parametrize(
    "bnf",
    [
        BNF.replace('"-" ]', '"-" | "+" ]'),
        BNF.replace("1*uchar", "*uchar"),
        BNF.replace("1*uchar", "1*alpha"),
        BNF.replace("m = 1*", "m = *"),
        BNF.replace('"x:"', '"xx:"'),
        BNF.replace("1*64digit", "*64digit"),
        BNF.replace("1*64digit", "1*63digit"),
        BNF.replace("1*64digit", "1*digit"),
    ],
)
def test_another_language_is_a_difference(bnf: str) -> None:
    (syntax, table), (other, _) = made(), made(bnf)
    for prove in (prove_pattern, prove_recognizer):
        text = prove(other, table).difference
        assert text is not None
        assert (other.fullmatch(text) is None) != (table.spans(text) is None)
        assert (syntax.fullmatch(text) is None) != (other.fullmatch(text) is None)


def test_another_division_is_a_difference_for_the_pattern() -> None:
    (syntax, _), (other, table) = (
        made('u = n "-" m\nn = *alpha\nm = *alpha'),
        made('u = n m\nn = *alpha "-"\nm = *alpha'),
    )
    assert prove_recognizer(syntax, table).difference is None
    text = prove_pattern(syntax, table).difference
    assert text is not None
    assert syntax.fullmatch(text)
    assert other.fullmatch(text)


def test_every_change_of_a_table_is_found() -> None:
    """Each octet of the transitions, edges and ops in turn, as far as the table can still be run."""
    syntax, table = made('u = [ n "@" ] m\nn = 1*digit\nm = 1*digit')
    content, found = table.content, 0
    for at in range(HEADER.size, len(table.blob)):
        blob = bytearray(table.blob)
        blob[at] ^= 1
        changed = Table(bytes(blob), table.marks)
        try:
            proof = prove_pattern(syntax, changed)
        except (IndexError, NotProven):
            continue
        if proof.difference is None:
            assert _means_the_same(changed, table), at
        else:
            assert Judges(syntax).difference(proof.difference) is None
            found += 1
    assert found > content.states


def _means_the_same(one: Table, other: Table) -> bool:
    """Return True if two tables with one layout differ only in what nobody reads: padding, dead states."""
    texts = ["", "1", "12", "@", "1@", "1@2", "1@2@", "12@34", "a", "1a", "1@a"]
    return all(one.spans(text) == other.spans(text) for text in texts)


def test_a_proof_that_would_take_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(product, "MAX_STEPS", 10)
    with pytest.raises(NotProven, match="more than 10 steps"):
        prove_pattern(*made())


def test_the_positions_of_a_built_table_are_proven() -> None:
    _, table = made()
    assert proves_positions(table)


def test_a_state_that_leads_nowhere_proves_no_positions() -> None:
    _, table = made('u = "x:" ( "a" | "b" "c" )', "")
    content = table.content
    blob = bytearray(table.blob)
    ends = HEADER.size + (2 * content.states * content.classes + 3) // 4 * 4 + 8 * len(content.edges)
    for state in range(content.states):
        blob[ends + 8 * state] = 0
    assert not proves_positions(Table(bytes(blob), table.marks))
