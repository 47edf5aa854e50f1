"""The plugin of pytest: each check of the review is a test."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from bad_plugins import bad_plugin
from workspace import run

from urlschemes_conformance.review import all_checks

if TYPE_CHECKING:
    from pathlib import Path

    from plugin_fixtures import Child


Nested = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run_pytest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Nested:
    """Run pytest in this process, in the temporary folder; return its exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> tuple[int, str, str]:
        code = pytest.main(["-p", "no:cacheprovider", "--import-mode=importlib", "-rA", *words])
        return int(code), *capsys.readouterr()

    return call


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
    words = ("-p", "no:cacheprovider", "-rA", "-k", "contact or record or test_own")
    done = run(sys.executable, "-m", "pytest", *words, cwd=project)
    output = done.stdout
    assert done.returncode == 1
    assert "PASSED test_own.py::test_own" in output
    assert "PASSED review[x-example]::record" in output
    assert "FAILED review[./plugin]::contact" in output
    assert "the contact 'Your Name <you@example.com>' is not the name of a person or a group" in output
    assert "help     name the person or the group responsible for the scheme" in output
    assert "Traceback" not in output
    assert ".py:" not in output.partition("FAILURES")[2].partition("short test summary")[0]


@pytest.mark.usefixtures("project")
def test_a_session_that_collects_single_files_reviews_nothing(run_pytest: Nested) -> None:
    exit_code, output, _ = run_pytest("test_own.py")
    assert (exit_code, "review[" in output) == (0, False)


@pytest.mark.usefixtures("project")
def test_a_session_that_collects_a_folder_collects_all_checks(run_pytest: Nested) -> None:
    exit_code, output, _ = run_pytest("--collect-only", "-q")
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
def test_an_invalid_number_of_urls_is_a_usage_error(tmp_path: Path, run_pytest: Nested, number: str) -> None:
    options = f"urlschemes_review = gopher\nurlschemes_review_examples = {number}\n"
    (tmp_path / "pytest.ini").write_text(f"[pytest]\n{options}")
    exit_code, output, errors = run_pytest()
    assert exit_code == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: invalid urlschemes_review_examples '{number}': expected a number from 1 on" in errors
    assert "Traceback" not in errors + output


def test_an_unknown_scheme_fails_each_check(tmp_path: Path, run_pytest: Nested) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nurlschemes_review = x-nobody\n")
    exit_code, output, _ = run_pytest("-k", "contact")
    assert exit_code == 1
    assert "it cannot be reviewed: no scheme is registered as 'x-nobody'" in output
