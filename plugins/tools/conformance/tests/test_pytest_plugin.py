"""The plugin of pytest: each check of the review is a test."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest
from bad_plugins import bad_plugin
from workspace import run

from urlschemes_conformance.review import all_checks

if TYPE_CHECKING:
    from pathlib import Path

    from plugin_fixtures import Child


def run_pytest(folder: Path, *words: str) -> tuple[int, str, str]:
    done = run(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", *words, cwd=folder)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a test of its own, in which an installed scheme and a bad plugin are reviewed."""
    bad_plugin(tmp_path, "contact")
    (tmp_path / "test_own.py").write_text("def test_own():\n    pass\n")
    (tmp_path / "pyproject.toml").write_text(
        "[tool.pytest.ini_options]\nurlschemes_review = 'x-example ./plugin'\nurlschemes_review_examples = '5'\n"
        "testpaths = ['.']\nnorecursedirs = ['plugin']\n"
    )
    return tmp_path


def test_each_check_is_a_test(project: Path) -> None:
    exit_code, output, _ = run_pytest(project, "-k", "contact or builds or own")
    assert exit_code == 1
    assert "PASSED test_own.py::test_own" in output
    assert "PASSED review[x-example]::builds-back" in output
    assert "FAILED review[./plugin]::contact" in output
    assert "the contact 'Your Name <you@example.com>' is not the name of a person or a group" in output
    assert "help     name the person or the group responsible for the scheme" in output
    assert "Traceback" not in output
    assert ".py:" not in output.partition("FAILURES")[2].partition("short test summary")[0]


def test_a_session_that_collects_single_files_reviews_nothing(project: Path) -> None:
    exit_code, output, _ = run_pytest(project, "test_own.py")
    assert (exit_code, "review[" in output) == (0, False)


def test_a_session_that_collects_a_folder_collects_all_checks(project: Path) -> None:
    exit_code, output, _ = run_pytest(project, "--collect-only", "-q")
    assert exit_code == 0
    collected = re.findall(r"^review\[x-example\].*$", output, re.MULTILINE)
    assert collected == [f"review[x-example]::{check.name}" for check in all_checks()]


def test_loading_the_plugin_imports_nothing_of_the_review(child: Child) -> None:
    imported = set(child("import urlschemes_conformance.pytest_plugin\nprint(json.dumps(sorted(sys.modules)))"))
    assert {each for each in imported if each.startswith("urlschemes")} == {
        "urlschemes_conformance",
        "urlschemes_conformance.pytest_plugin",
    }
    assert "hypothesis" not in imported


@pytest.mark.parametrize("number", ["many", "0", "1.5"])
def test_an_invalid_number_of_urls_is_a_usage_error(tmp_path: Path, number: str) -> None:
    options = f"urlschemes_review = gopher\nurlschemes_review_examples = {number}\n"
    (tmp_path / "pytest.ini").write_text(f"[pytest]\n{options}")
    exit_code, output, errors = run_pytest(tmp_path)
    assert exit_code == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: invalid urlschemes_review_examples '{number}': expected a number from 1 on" in errors
    assert "Traceback" not in errors + output


def test_an_unknown_scheme_fails_each_check(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nurlschemes_review = x-nobody\n")
    exit_code, output, _ = run_pytest(tmp_path, "-k", "contact")
    assert exit_code == 1
    assert "it cannot be reviewed: no scheme is registered as 'x-nobody'" in output
