"""The examples of the README, and the second record that it adds to a plugin."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pages import blocks, check_readme, check_readme_commands

from urlschemes_conformance.review import review
from urlschemes_conformance.scaffold import plan

FOLDER = Path(__file__).parents[1]
OF_A_REGISTRATION = {"reference", "considerations", "security"}  # an experiment needs none of them


def test_the_examples_of_the_readme() -> None:
    check_readme(FOLDER)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the examples are for a POSIX shell")
def test_the_commands_print_what_the_readme_shows(tmp_path: Path) -> None:
    check_readme_commands(FOLDER, tmp_path)


@pytest.mark.parametrize(
    "checks", [("record", "contract", "examples-parse"), pytest.param(None, marks=pytest.mark.slow)]
)
def test_the_second_record_of_the_readme_is_clean(tmp_path: Path, checks: tuple[str, ...] | None) -> None:
    plan("foo", contact="ann@host.dom").write(tmp_path / "x-foo")
    for block in blocks(FOLDER / "README.md"):
        if block.mark == "file":
            (tmp_path / block.argument).write_text(block.body, "utf-8")
    result = review(tmp_path / "x-foo", checks=checks, examples=50)
    assert result.profiles == ("rfc1738", "rfc3986")
    assert {each.outcome for each in result.verdicts if each.check not in OF_A_REGISTRATION} == {"passed"}
