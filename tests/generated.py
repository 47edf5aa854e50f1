"""Texts that a Hypothesis strategy gives, where a test needs many of them at once, and the same ones every time."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st


def generated(strategy: st.SearchStrategy[str], count: int, first: int = 0) -> list[str]:
    """`count` texts, of which few are alike; `first` is what they are chosen by."""
    found: list[str] = []

    @seed(first)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(text: str) -> None:
        found.append(text)

    collect()
    return found
