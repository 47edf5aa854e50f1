"""The examples of the README: the file is made, and each engine answers."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

import pytest
from pages import blocks, check_command, commands, run_doctest

README = Path(__file__).parents[1] / "README.md"
SECTIONS = {
    "pyarrow": "pyarrow",
    "polars": "polars",
    "pandas": "pandas",
    "DuckDB": "duckdb",
    "Dask": "dask",
    "Spark": "pyspark",
    "Ray Data": "ray",
}
LARGE = {"Spark", "Ray Data"}

pytest.importorskip("pyarrow", reason="needs pyarrow: python3 dev --group columns pytest")
pytest.importorskip("urlschemes_columns", reason="needs urlschemes-columns: python3 dev --group columns pytest")


def sections() -> dict[str, int]:
    """Return the titles of the sections for engines, each with its line."""
    lines = README.read_text("utf-8").splitlines()
    return {line.removeprefix("### "): number for number, line in enumerate(lines) if line.startswith("### ")}


def run(body: str, namespace: dict[str, Any]) -> None:
    test = doctest.DocTestParser().get_doctest(body, namespace, "README.md", "README.md", 0)
    assert test.examples
    run_doctest(test)
    namespace.update(test.globs)


@pytest.fixture
def namespace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names of the examples above the sections, which make the file."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    first = min(sections().values())
    for block in blocks(README):
        if block.language == "python" and block.line < first:
            run(block.body, names)
    return names


def test_the_page_has_the_sections_that_are_run() -> None:
    assert [*sections()] == [*SECTIONS]


def test_the_command_prints_what_the_page_shows(namespace: dict[str, Any], tmp_path: Path) -> None:
    assert namespace
    shown = [pair for block in blocks(README) if block.language == "console" for pair in commands(block)]
    assert shown
    for command, expected in shown:
        check_command(command, expected, tmp_path)


@pytest.mark.timeout(600)
@pytest.mark.filterwarnings("default")  # engines call each other in ways that are deprecated
@pytest.mark.parametrize(
    "title", [pytest.param(title, marks=pytest.mark.slow if title in LARGE else []) for title in SECTIONS]
)
def test_the_engine_answers(title: str, namespace: dict[str, Any], request: pytest.FixtureRequest) -> None:
    if title in LARGE:
        request.getfixturevalue(SECTIONS[title])  # it skips the test if the library is missing
    else:
        pytest.importorskip(SECTIONS[title], reason=f"needs {SECTIONS[title]}: python3 dev --group columns pytest")
    begins = sections()[title]
    ends = min((line for line in sections().values() if line > begins), default=10_000)
    body = "".join(block.body for block in blocks(README) if block.language == "python" and begins < block.line < ends)
    run(re.sub(r"\n\n(?=>>> )", "\n", body), namespace)
