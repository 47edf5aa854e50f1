"""The examples of the README."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pages import check_readme_commands


@pytest.mark.skipif(os.name == "nt", reason="the examples are for a POSIX shell")
def test_the_commands_print_what_the_readme_shows(tmp_path: Path) -> None:
    check_readme_commands(Path(__file__).parents[1], tmp_path)
