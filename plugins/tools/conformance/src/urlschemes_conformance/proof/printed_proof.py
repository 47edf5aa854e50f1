"""The proof that the rules of a record derive what the printed rules of its specification derive."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from urlschemes.grammar.bnf import Grammar
from urlschemes.storage.package_data import read_from
from urlschemes_conformance.derivatives import ABNFRules
from urlschemes_conformance.proof.product import prove_rules
from urlschemes_conformance.proof.table_reading import reading_of
from urlschemes_conformance.recognizer import NodeRules

if TYPE_CHECKING:
    from urlschemes.grammar.profile import Profile
    from urlschemes.grammar.syntax import Syntax
    from urlschemes_conformance.derivatives import Derivatives
    from urlschemes_conformance.proof.product import Proof

__all__ = ["printed_of", "prove_printed"]


def printed_of(profile: Profile) -> str:
    """Return the text of the shared rules of a profile, as its document prints them."""
    return read_from(sys.modules[profile.package].__spec__, profile.rules_file)[0]  # type: ignore[arg-type]


def prove_printed(syntax: Syntax) -> Proof:
    """Compare the rules of `syntax` with its `printed` ones: the same texts.

    The table stands for the rules of `syntax`, if there is one: see `prove_recognizer`. A printed rule takes the place
    of that of the same name. Raises NotProven; LookupError for a rule that is used
    and not defined.
    """
    return prove_rules(_printed_rules(syntax), reading_of(syntax))


def _printed_rules(syntax: Syntax) -> Derivatives:
    notation = syntax.profile.notation
    if notation.name == "abnf":
        return ABNFRules(syntax.rule, printed_of(syntax.profile), *syntax.uses.values(), syntax.bnf, syntax.printed)
    grammar = Grammar({**syntax.grammar.rules, **notation(syntax.printed).rules()})
    return NodeRules(grammar, syntax.rule)
