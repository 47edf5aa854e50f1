"""Mutants of the code, each a change in mutants.toml that the tests named there, of the default run, must notice."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest
from workspace import ROOT, environ


class Mutant(NamedTuple):
    """A change of one text of a file below the `src` of a distribution, and the tests that must fail then."""

    file: str
    why: str
    old: str
    new: str
    tests: list[str]

    @property
    def source(self) -> Path:
        """The folder `src` of the distribution."""
        return ROOT / self.file.partition("/src/")[0] / "src"

    def __str__(self) -> str:
        return f"{Path(self.file).parent.name}: {self.why}"


MUTANTS = [Mutant(**each) for each in tomllib.loads((ROOT / "tests" / "mutants.toml").read_text("utf-8"))["mutant"]]
every_mutant = pytest.mark.parametrize("mutant", MUTANTS, ids=str)


def run_tests(tests: list[str], *copies: Path, timeout: float) -> subprocess.CompletedProcess[str]:
    """Run those of `tests` that the default run has, with copies of the sources of distributions, up to a failure.

    Raises TimeoutExpired if they take more than `timeout` seconds.
    """
    options = ("-q", "-x", "-n", "0", "-p", "no:cacheprovider")
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, *tests],
        cwd=ROOT,
        env=environ() | {"PYTHONPATH": os.pathsep.join(map(str, copies)), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


@every_mutant
def test_the_text_that_a_mutant_changes_stands_once_in_its_file(mutant: Mutant) -> None:
    count = (ROOT / mutant.file).read_text("utf-8").count(mutant.old)
    assert count == 1, f"{mutant.file} has the text {count} times: change the entry in tests/mutants.toml"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_without_a_mutation_the_copies_pass(tmp_path: Path) -> None:
    copies = [
        shutil.copytree(source, tmp_path / str(number))
        for number, source in enumerate({mutant.source: None for mutant in MUTANTS})
    ]
    done = run_tests([*dict.fromkeys(test for mutant in MUTANTS for test in mutant.tests)], *copies, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.timeout(600)
@every_mutant
def test_no_mutant_lives(mutant: Mutant, tmp_path: Path) -> None:
    copy = shutil.copytree(mutant.source, tmp_path / "src")
    mutated = copy / (ROOT / mutant.file).relative_to(mutant.source)
    mutated.write_text(mutated.read_text("utf-8").replace(mutant.old, mutant.new), "utf-8")
    try:
        done = run_tests(mutant.tests, copy, timeout=25)
    except subprocess.TimeoutExpired:  # it hangs, which is noticed
        return
    assert done.returncode != 0, f"it lives: {mutant.tests} pass with it\n{done.stdout}"
    assert done.returncode == 1, f"the tests did not run\n{done.stdout}{done.stderr}"
