"""The author's guide, followed to the letter, where nothing is installed and nothing can be but from wheels.

Its blocks are read as tests/test_docs.py says. Here they run in one shell, from the top to the bottom of the page:
where a command goes, and what it sets, the next one finds.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pages import blocks, commands, prints, without_blanks
from workspace import ROOT, environ

PAGE = ROOT / "docs" / "tutorial" / "your-first-scheme.md"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(os.name == "nt", reason="the commands are for a POSIX shell"),
]


class Shell:
    """A shell that remembers, from one command to the next, where it is and what was set."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._notes = folder / "notes"
        self._notes.mkdir()
        self.folder = folder / "work"
        self.folder.mkdir()
        self._environment = environment

    def run(self, command: str) -> str:
        """The output of the command, errors included."""
        keep = f"\nended=$?\npwd > {self._notes}/folder\nenv -0 > {self._notes}/environment\nexit $ended"
        done = subprocess.run(
            ["bash", "-a", "-c", command + keep],  # all that is set is exported, functions, too
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        self.folder = Path((self._notes / "folder").read_text().removesuffix("\n"))
        pairs = (self._notes / "environment").read_text().split("\0")
        self._environment = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
        return without_blanks(done.stdout)


def test_the_guide_can_be_followed(release: Path, tmp_path: Path) -> None:
    tools = tmp_path / "tools"  # what `python3` is, on the reader's machine
    tools.mkdir()
    (tools / "python3").symlink_to(getattr(sys, "_base_executable", sys.executable))
    environment = {
        **environ(),
        "COLUMNS": "100",
        "DIR": str(release),
        "HOME": str(tmp_path),
        "PATH": os.pathsep.join([str(tools), "/usr/bin", "/bin"]),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_FIND_LINKS": str(release),  # what builds the wheel is from an index elsewhere
        "PIP_NO_COMPILE": "1",
        "PIP_NO_INDEX": "1",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    shell = Shell(tmp_path, environment)
    start = shell.folder
    ran = 0
    for block in blocks(PAGE):
        if block.mark == "file":
            path = start / block.argument
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.body, "utf-8")
        elif block.language == "console" and block.mark != "not run":
            for command, expected in commands(block):
                got = shell.run(command)
                ran += 1
                assert prints(expected, got), f"line {block.line}: {command}\nprints\n{got}\nand not\n{expected}"
    assert ran >= 10


def test_what_is_not_run_would_leave_this_machine() -> None:
    for block in blocks(PAGE):
        if block.mark == "not run":
            assert block.argument.startswith(("it publishes", "it downloads")), f"line {block.line}: {block.argument}"
