"""The examples of the README: its commands and its program."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pages import blocks, check_readme_commands

FOLDER = Path(__file__).parents[1]


@pytest.mark.skipif(os.name == "nt", reason="the examples are for a POSIX shell")
def test_the_commands_print_what_the_readme_shows(tmp_path: Path) -> None:
    check_readme_commands(FOLDER, tmp_path)


def test_the_program_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (program,) = (block.body for block in blocks(FOLDER / "README.md") if block.language == "python")
    exec(compile(program, "<example>", "exec"), {"__name__": "readme"})
    assert (tmp_path / "ours" / "index.md").is_file()
