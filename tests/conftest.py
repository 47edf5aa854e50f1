"""A release, and environments that install from it."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import pytest
from workspace import ROOT, Environment, must

if TYPE_CHECKING:
    from pathlib import Path


PATIENCE = 600
"""Seconds that a test waits for the release that another process makes."""


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The folder that `dev release` fills, made once for all processes that run tests."""
    temporary = tmp_path_factory.getbasetemp()
    if worker_id != "master":
        temporary = temporary.parent
    folder, unfinished = temporary / "release", temporary / "release.part"
    try:
        (temporary / "release.lock").mkdir()  # it stays: only one process makes the release
    except FileExistsError:
        deadline = time.monotonic() + PATIENCE
        while not folder.exists() and time.monotonic() < deadline:
            time.sleep(0.2)
        assert folder.exists(), "the process that makes the release has failed or is too slow"
    else:
        unfinished.mkdir()
        must(sys.executable, ROOT / "dev", "release", unfinished, cwd=temporary, timeout=PATIENCE)
        unfinished.rename(folder)
    return folder


@pytest.fixture
def empty(release: Path, tmp_path: Path) -> Environment:
    """An empty virtual environment."""
    return Environment.make(tmp_path, release)
