"""Other processes, and the wheelhouse."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest
from workspace import ROOT, Environment, must

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


def pytest_configure() -> None:
    """The width of the terminal of whoever runs the tests does not count."""
    for name in ("COLUMNS", "LINES"):
        os.environ.pop(name, None)


@pytest.fixture(autouse=True)
def nothing_configured(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No configuration of whoever runs the tests counts."""
    folder = str(tmp_path_factory.mktemp("configuration"))
    monkeypatch.setenv("APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME", folder)
    for name in ("URLSCHEMES_GATEWAYS", "NNTPSERVER"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def child(tmp_path: Path) -> Callable[..., Any]:
    """Runs code in a new Python, with `path` in front of its `sys.path`; returns what it printed last, as JSON."""

    def start(code: str, *arguments: str | Path, path: Sequence[Path] = (), python: Path | None = None) -> Any:
        head = f"import sys\nsys.path[:0] = {[str(entry) for entry in path]!r}\n" if path else ""
        code = head + textwrap.dedent(code)
        printed = must(python or sys.executable, "-W", "error", "-c", code, *arguments, cwd=tmp_path, timeout=60)
        return json.loads(printed.splitlines()[-1])

    return start


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
