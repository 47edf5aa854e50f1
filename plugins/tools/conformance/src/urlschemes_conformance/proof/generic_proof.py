"""The proof that every URL of a scheme follows the generic syntax of its profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.url.algorithms import algorithms_of
from urlschemes_conformance.proof.product import Proof, prove_rules
from urlschemes_conformance.proof.table_reading import reading_of

if TYPE_CHECKING:
    from urlschemes.grammar.syntax import Syntax

__all__ = ["prove_generic"]


def prove_generic(syntax: Syntax) -> Proof:
    """Compare a syntax with the generic one: each of its texts derives from it. Raises NotProven."""
    generic = algorithms_of(syntax.profile).url_type.syntax
    return prove_rules(reading_of(syntax), reading_of(generic), contained=True)
