"""The examples of the README."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import check_readme

pytest.importorskip("httpx", reason="needs httpx: python3 dev --group bridges pytest")


def test_the_examples_print_what_the_readme_says() -> None:
    check_readme(Path(__file__).parents[1])
