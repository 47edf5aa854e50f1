"""Proofs that the pattern, the table and the BNF of a scheme agree on every text.

    from urlschemes_conformance.proof import prove_pattern, prove_recognizer

    proof = prove_pattern(syntax, table_of(syntax))
    assert proof.difference is None

Each searches the product of two automata wholly; tests of texts can only find a difference. If neither finds one, and
the table `proves_positions`, it also refuses each text at the end of the longest prefix that some URL begins with.
`prove_rules` compares two sets of rules, whoever reads them; `prove_printed` those of a record with the printed ones,
`prove_generic` with the generic syntax.

| module | content |
| --- | --- |
| `pattern_proof` | the pattern against the table: the same texts, and the same parts at the same places |
| `rules_proof` | two sets of rules: those of a record, its recognizer, its table, the printed and the generic ones |
| `product` | the search of two automata that read the same text |
| `table_reading` | a table as an automaton, and the place where it refuses a text |
| `pattern_machine` | a pattern as an automaton: what a backtracking matcher would do |

A proof of a table covers all texts of US-ASCII, of any length. Other characters are in no class of either. It covers
the meaning of what the parser of `re` reads, as the documentation of `re` defines it, and the reading of a table as
`urlschemes_tables.table` defines it; not the programs that match and run them. A proof of two sets of rules covers
all texts of octets.
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
