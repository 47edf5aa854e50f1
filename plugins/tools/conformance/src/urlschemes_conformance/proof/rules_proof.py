"""The proof that two sets of rules derive the same texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes_conformance.characters import kinds
from urlschemes_conformance.proof.product import Proof, search

if TYPE_CHECKING:
    from urlschemes_conformance.derivatives import Derivatives, State

__all__ = ["prove_rules"]


def prove_rules(one: Derivatives, other: Derivatives) -> Proof:
    """Compare two sets of rules on all texts of octets: the same texts derive. Raises NotProven."""

    def agrees(pair: tuple[State, State]) -> bool:
        return one.nullable(pair[0]) == other.nullable(pair[1])

    def after(pair: tuple[State, State], octet: int) -> tuple[State, State]:
        return one.after(pair[0], chr(octet)), other.after(pair[1], chr(octet))

    return search((one.start, other.start), kinds([*one.masks(), *other.masks()], 256), agrees, after)
