"""The wheelhouse, and environments that install from it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from workspace import ROOT, Environment, must

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def wheelhouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `dev wheelhouse` fills, made once."""
    folder = tmp_path_factory.mktemp("wheelhouse")
    must(sys.executable, ROOT / "dev", "wheelhouse", folder, cwd=folder)
    return folder


@pytest.fixture
def empty(wheelhouse: Path, tmp_path: Path) -> Environment:
    """An empty virtual environment."""
    return Environment.make(tmp_path, wheelhouse)
