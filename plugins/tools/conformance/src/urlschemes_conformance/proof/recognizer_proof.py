"""The proof that the independent recognizer of a BNF and a table accept the same texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes_conformance.proof.product import Proof, prove_rules
from urlschemes_conformance.proof.table_reading import TableReading
from urlschemes_conformance.recognizer import Recognizer

if TYPE_CHECKING:
    from urlschemes.grammar.syntax import Syntax
    from urlschemes_tables import Table

__all__ = ["prove_recognizer"]


def prove_recognizer(syntax: Syntax, table: Table) -> Proof:
    """Compare the independent recognizer of the BNF with the table: the same texts. Raises NotProven."""
    return prove_rules(Recognizer(syntax), TableReading(table))
