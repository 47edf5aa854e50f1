"""The examples of the README."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pages import check_readme


def test_the_examples_of_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "environ", os.environ.copy())
    check_readme(Path(__file__).parents[1])
