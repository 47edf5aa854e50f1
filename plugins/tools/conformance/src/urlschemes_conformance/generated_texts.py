"""Texts from a Hypothesis strategy, many at once and the same ones each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import hypothesis

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["generate"]


def generate(strategy: SearchStrategy[str], count: int, seed: int = 0) -> list[str]:
    """Return `count` texts of the strategy, chosen by `seed`."""
    texts: list[str] = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=max(count, 1),
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(strategy)
    def collect(text: str) -> None:
        texts.append(text)

    collect()
    return texts
