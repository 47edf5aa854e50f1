"""Proofs that the pattern, the table and the BNF of a scheme agree on every text.

    from urlschemes_conformance.proof import prove_pattern, prove_recognizer

    proof = prove_pattern(syntax, table_of(syntax))
    assert proof.difference is None

A proof searches the whole product of two automata, so that it finds a difference if there is one; tests of single texts
may miss it. If the function `proves_positions` returns True for a table, the table also refuses each text at the right
place: the end of its longest prefix that some URL begins with. `prove_rules` compares two sets of rules,
`prove_printed` the rules of a record with those that its specification prints, and `prove_generic` a syntax with the
generic one.

| module | content |
| --- | --- |
| `pattern_proof` | the pattern against the table: the same texts, and the same parts at the same places |
| `rules_proof` | two sets of rules: those of a record, its recognizer, its table, the printed and the generic ones |
| `product` | the search of two automata that read the same text |
| `table_reading` | a table as an automaton, and the place where it refuses a text |
| `pattern_machine` | a pattern as an automaton: what a backtracking matcher would do |

A proof about a table covers all texts of US-ASCII, of any length; no URL holds other characters. It is about the
pattern as the parser of `re` reads it and as the documentation of `re` defines it, and about the table as
`urlschemes_tables.table` defines it. It does not cover the programs that match patterns and run tables. A proof about
two sets of rules covers all texts of octets.
"""

from __future__ import annotations

from urlschemes_conformance.proof.pattern_proof import prove_pattern
from urlschemes_conformance.proof.product import NotProven, Proof
from urlschemes_conformance.proof.rules_proof import (
    printed_of,
    prove_generic,
    prove_printed,
    prove_recognizer,
    prove_rules,
)
from urlschemes_conformance.proof.table_reading import proves_positions

__all__ = [
    "NotProven",
    "Proof",
    "printed_of",
    "prove_generic",
    "prove_pattern",
    "prove_printed",
    "prove_recognizer",
    "prove_rules",
    "proves_positions",
]
