"""The laws of the mutation campaign, on as many inputs as a test may take; `campaign.py` runs any number."""

from __future__ import annotations

import pytest
from campaign import Corpus, Figures, broken_law, run

from urlschemes import default_registry as REGISTRY  # noqa: N812  it does not change here

pytestmark = pytest.mark.slow

INPUTS = 3_000


def test_mutated_inputs_break_no_law(capsys: pytest.CaptureFixture[str]) -> None:
    corpus = Corpus.made()
    assert corpus.schemes == sorted(REGISTRY)
    figures = run(corpus, 0, range(INPUTS))
    shares = [f"{100 * each / INPUTS:.0f} %" for each in (figures.valid, figures.repaired, figures.found)]
    with capsys.disabled():
        print(f"\n{INPUTS} inputs: {shares[0]} valid, {shares[1]} repaired, {shares[2]} with a URL in them", end=" ")  # noqa: T201
    assert figures.broken == []
    assert figures.inputs == INPUTS
    assert min(figures.valid, figures.repaired, figures.found, INPUTS - figures.valid - figures.repaired) > INPUTS // 20


def test_an_input_has_a_number_and_comes_again() -> None:
    corpus = Corpus({"http": ["http://host.dom/a"], "news": ["news:*"]})
    assert [corpus.mutated(7, number) for number in range(50)] == [corpus.mutated(7, number) for number in range(50)]
    assert len({corpus.mutated(7, number) for number in range(200)}) > 120
    assert {corpus.mutated(7, number) for number in range(200)} != {corpus.mutated(8, number) for number in range(200)}


def test_a_broken_law_is_told_with_a_short_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlschemes.is_valid", lambda text: "~" in text)
    figures = run(Corpus({"http": ["http://host.dom/~a" * 9]}), 1, range(20))
    assert {text for _, _, text in figures.broken} >= {"~"}
    assert all("is_valid" in words for _, words, _ in figures.broken)
    assert "laws broken: 0" in Figures(inputs=1).report(1.0)
    monkeypatch.setattr("urlschemes_lint.check", lambda _: 1 // 0)
    assert "ZeroDivisionError" in str(broken_law("", Figures()))
