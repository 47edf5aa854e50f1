"""The examples of the README."""

from __future__ import annotations

from pathlib import Path

from pages import check_readme


def test_the_examples_of_the_readme() -> None:
    check_readme(Path(__file__).parents[1])
