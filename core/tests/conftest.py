"""Distributions as an installer leaves them: real folders, put on `sys.path` here or in a child process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import pytest


class Install(Protocol):
    def __call__(
        self,
        name: str,
        entry_points: str | bytes | None = None,
        files: Mapping[str, str] | None = None,
        *,
        version: str = "1.0",
        site: str = "site",
        metadata: str | bytes | None = None,
    ) -> Path: ...


class Child(Protocol):
    def __call__(
        self, code: str, *path: Path | str, environ: Mapping[str, str] | None = None, folder: Path | None = None
    ) -> Any: ...


@pytest.fixture
def install(tmp_path: Path) -> Install:
    """Writes one distribution into the folder `site` of `tmp_path`, and returns that folder.

    `entry_points` is the text of entry_points.txt (without a group's header: entries of the group of schemes),
    `metadata` what stands in METADATA instead of a right one (b"": there is none). `files` are others, by their paths.
    """

    def write(
        name: str,
        entry_points: str | bytes | None = None,
        files: Mapping[str, str] | None = None,
        *,
        version: str = "1.0",
        site: str = "site",
        metadata: str | bytes | None = None,
    ) -> Path:
        folder = tmp_path / site
        info = f"{name.replace('-', '_')}-{version}.dist-info"
        content: dict[str, str | bytes] = {**(files or {})}
        if isinstance(entry_points, str) and not entry_points.startswith("["):
            entry_points = f"[urlschemes.schemes]\n{entry_points}\n"
        if entry_points is not None:
            content[f"{info}/entry_points.txt"] = entry_points
        if metadata != b"":
            content[f"{info}/METADATA"] = metadata or (
                f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nName: not-this-one\n"
            )
        (folder / info).mkdir(parents=True)
        for path, text in content.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(text if isinstance(text, bytes) else text.encode())
        return folder

    return write


@pytest.fixture
def child(tmp_path: Path) -> Child:
    """Runs `code` in a new Python with `path` behind its `sys.path`; returns what its last line printed, as JSON.

    The process must end with the exit code 0 and without a word on standard error.
    """

    def run(code: str, *path: Path | str, environ: Mapping[str, str] | None = None, folder: Path | None = None) -> Any:
        head = f"import json, sys\nsys.path += {[str(entry) for entry in path]!r}\n"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("URLSCHEMES_")}
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", head + textwrap.dedent(code)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            cwd=folder or tmp_path,
            env={**environment, **(environ or {})},
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return run
