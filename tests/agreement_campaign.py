"""Pattern, table and recognizer on generated and mutated texts of all schemes, and on random grammars.

`python3 dev python tests/agreement_campaign.py --seed 1 --texts 20000 --grammars 2000` prints what was tried.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from comparison import compare
from random_grammars import TOKENS, syntaxes

from urlschemes import default_registry
from urlschemes_conformance.agreement import Judges
from urlschemes_conformance.proof import NotProven, prove_pattern, prove_recognizer
from urlschemes_tables import table_of
from urlschemes_testing.generation import random_urls

if TYPE_CHECKING:
    from urlschemes.grammar.syntax import Syntax

PIECES = (
    "%2F",
    "%40",
    "%22",
    "%5C",
    "%09",
    "%4",
    "%",
    ";type=",
    "//",
    "1.2.3.4",
    "-.",
    ".-",
    "\x7f",
    "\u017f",
    "\u212a",
)
"""Pieces that mutations insert, besides the characters of the scheme's URLs."""


@dataclass
class Figures:
    """The texts that were tried, and the differences that were found."""

    texts: int = 0
    accepted: int = 0
    grammars: int = 0
    refused: int = 0
    without_table: int = 0
    proofs: int = 0
    given_up: int = 0
    differences: list[str] = field(default_factory=list)

    def judge(self, judges: Judges, text: str) -> None:
        self.texts += 1
        self.accepted += judges.syntax.fullmatch(text) is not None
        difference = judges.difference(text)
        if difference is not None:
            self.differences.append(f"{text!r}: {difference} ({judges.syntax.rule})")

    def prove(self, syntax: Syntax) -> None:
        """Prove that the three are equal for all texts."""
        table = table_of(syntax)
        if table is None:
            self.without_table += 1
            return
        for prove in (prove_pattern, prove_recognizer):
            try:
                difference = prove(syntax, table).difference
            except NotProven:
                self.given_up += 1
            else:
                self.proofs += 1
                if difference is not None:
                    self.differences.append(f"{difference!r}: {prove.__name__} ({syntax.bnf})")


def schemes(seed: int, texts: int) -> Figures:
    """Compare the three on `texts` mutated URLs of each installed scheme."""
    figures = Figures()
    for scheme in sorted(default_registry):
        syntax = default_registry.registration(scheme).syntax
        judges, random = Judges(syntax), Random(f"{seed} {scheme}")
        originals = random_urls(syntax, min(texts, 300), seed)
        pieces = [*sorted({character for text in originals for character in text}), *PIECES]
        for _ in range(texts):
            text = random.choice(originals)
            for _ in range(random.choice((0, 1, 1, 1, 2, 3, 5))):
                text = mutated(random, text, pieces, originals)
            figures.judge(judges, text)
        for count in (64, 65) if texts >= 1000 else ():  # repetitions are counted to 64
            figures.judge(judges, next((text for text in originals if "1" in text), "").replace("1", "1" * count, 1))
    return figures


def mutated(random: Random, text: str, pieces: list[str], originals: list[str]) -> str:
    """Return `text` with one change."""
    start = random.randrange(len(text) + 1)
    end = start + random.choice((0, 0, 1, 1, 4))
    replacement = random.choice((random.choice(pieces), random.choice(pieces), "", text[start:end] * 2))
    if random.random() < 0.1:
        other = random.choice(originals)
        return text[:start] + other[random.randrange(len(other) + 1) :]
    return text[:start] + replacement + text[end:]


def grammars(seed: int, count: int) -> Figures:
    """Compare the three for `count` random grammars: on all short texts, and by proof on all texts."""
    figures = Figures()
    for syntax in syntaxes(Random(seed), count):
        figures.grammars += 1
        if syntax is None:
            figures.refused += 1
            continue
        comparison = compare(Judges(syntax), "x:", TOKENS, 2)
        figures.texts += comparison.tried
        figures.accepted += len(comparison.accepted)
        if comparison.difference is not None:
            figures.differences.append(f"{comparison.difference} ({syntax.bnf})")
        figures.prove(syntax)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, number in (("--seed", 0), ("--texts", 1000), ("--grammars", 300)):
        parser.add_argument(name, type=int, default=number)
    arguments = parser.parse_args()
    for title, figures in (
        ("schemes", schemes(arguments.seed, arguments.texts)),
        ("random grammars", grammars(arguments.seed, arguments.grammars)),
    ):
        print(f"{title}, seed {arguments.seed}: {figures}")  # noqa: T201  a program for the terminal


if __name__ == "__main__":
    main()
