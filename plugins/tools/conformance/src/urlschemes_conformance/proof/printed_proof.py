"""The proof that the rules of a record derive what the printed rules of its specification derive."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from urlschemes.grammar.bnf import Grammar
from urlschemes.storage.package_data import read_from
from urlschemes_conformance.derivatives import ABNFRules
from urlschemes_conformance.proof.product import prove_rules
from urlschemes_conformance.recognizer import NodeRules, Recognizer

if TYPE_CHECKING:
    from urlschemes.grammar.profile import Profile
    from urlschemes.grammar.syntax import Syntax
    from urlschemes_conformance.derivatives import Derivatives
    from urlschemes_conformance.proof.product import Proof

__all__ = ["printed_of", "prove_printed"]


def printed_of(profile: Profile) -> tuple[str, ...]:
    """Return the shared rules of a profile, and those that it rewrites as its document prints them: they replace."""
    spec, texts = sys.modules[profile.package].__spec__, []
    for file in (profile.rules_file, "printed.abnf"):
        with suppress(FileNotFoundError):  # a profile may rewrite no rule
            texts.append(read_from(spec, file)[0])  # type: ignore[arg-type]
    return tuple(texts)


def prove_printed(syntax: Syntax) -> Proof:
    """Compare the rules of `syntax` with its `printed` ones: the same texts.

    A printed rule takes the place of that of the same name, in the shared rules as printed too. Raises NotProven;
    LookupError for a rule that is used and not defined.
    """
    return prove_rules(_printed_rules(syntax), Recognizer(syntax))


def _printed_rules(syntax: Syntax) -> Derivatives:
    notation = syntax.profile.notation
    if notation.name == "abnf":
        return ABNFRules(syntax.rule, syntax.bnf, *printed_of(syntax.profile), syntax.printed)
    grammar = Grammar({**syntax.grammar.rules, **notation(syntax.printed).rules()})
    return NodeRules(grammar, syntax.rule)
