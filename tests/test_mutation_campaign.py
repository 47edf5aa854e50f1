"""A short mutation campaign, and the program that runs long ones."""

from __future__ import annotations

import pytest
from mutation_campaign import Corpus, Figures, broken_law, run

from urlschemes import default_registry


@pytest.mark.parametrize(("generated", "inputs"), [(3, 60), pytest.param(60, 2_000, marks=pytest.mark.slow)])
def test_mutated_urls_keep_the_laws(generated: int, inputs: int) -> None:
    corpus = Corpus.generated(generated)
    assert corpus.schemes == sorted(default_registry)
    figures = run(corpus, 0, range(inputs))
    assert figures.broken == []
    assert figures.inputs == inputs
    invalid = inputs - figures.valid - figures.repaired
    assert min(figures.valid, figures.repaired, figures.found, invalid) > inputs // 20


def test_the_seed_and_the_number_determine_an_input() -> None:
    corpus = Corpus({"http": ["http://host.dom/a"], "news": ["news:*"]})
    inputs = [corpus.mutated(7, number) for number in range(200)]
    assert [corpus.mutated(7, number) for number in range(200)] == inputs
    assert len(set(inputs)) > 120
    assert {corpus.mutated(8, number) for number in range(200)} != set(inputs)


def test_a_broken_law_is_reported_with_a_short_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(default_registry, "is_valid", lambda text: "~" in text)
    figures = run(Corpus({"http": ["http://host.dom/~a" * 9]}), 1, range(20))
    assert {text for _, _, text in figures.broken} >= {"~"}
    assert all("is_valid" in law for _, law, _ in figures.broken)
    assert "broken laws: 0" in Figures(inputs=1).report(1.0)
    monkeypatch.setattr("urlschemes_lint.check", lambda *_, **__: 1 // 0)
    assert "ZeroDivisionError" in str(broken_law("", Figures()))
