"""Short campaigns of the agreement of pattern, table and recognizer; the program runs long ones."""

from __future__ import annotations

import pytest
from agreement_campaign import grammars, schemes

from urlschemes_tables import Table


@pytest.mark.parametrize(("seed", "texts"), [(0, 2), pytest.param(1, 500, marks=pytest.mark.slow)])
def test_the_three_agree_on_mutated_urls(seed: int, texts: int) -> None:
    figures = schemes(seed, texts)
    assert figures.differences == []
    assert min(figures.accepted, figures.texts - figures.accepted) > figures.texts // 6, figures


@pytest.mark.parametrize(("seed", "count"), [(0, 20), pytest.param(1, 500, marks=pytest.mark.slow)])
def test_the_three_agree_for_random_grammars(seed: int, count: int) -> None:
    figures = grammars(seed, count)
    assert figures.differences == []
    accepted = count - figures.refused
    assert accepted > count // 20, figures
    assert figures.without_table <= accepted // 5, figures
    assert figures.proofs > 1.5 * (accepted - figures.without_table), figures


def test_a_table_that_differs_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Table, "spans", lambda _table, _text: None)
    assert grammars(0, 20).differences
    monkeypatch.undo()
    monkeypatch.setattr(Table, "viable", lambda _table, text: len(text))
    assert grammars(0, 3).differences
