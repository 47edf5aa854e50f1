"""The examples of the README and of the page about clusters: the file is made, and each engine answers."""

from __future__ import annotations

import doctest
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pages import blocks, check_command, commands, run_doctest

README = Path(__file__).parents[1] / "README.md"
CLUSTERS = Path(__file__).parents[4] / "docs" / "how-to" / "clusters.md"
SECTIONS = {
    README: {"pyarrow": "pyarrow", "polars": "polars", "pandas": "pandas", "DuckDB": "duckdb"},
    CLUSTERS: {"Dask": "dask", "Spark": "pyspark", "Ray Data": "ray"},
}
NO_EXAMPLES = ["Dask, Spark and Ray"]
LARGE = {"Spark", "Ray Data"}

pytest.importorskip("pyarrow", reason="needs pyarrow: python3 dev --group columns pytest")
pytest.importorskip("urlschemes_columns", reason="needs urlschemes-columns: python3 dev --group columns pytest")


def sections(page: Path) -> dict[str, int]:
    """Return the titles of the sections for engines, each with its line."""
    lines = enumerate(page.read_text("utf-8").splitlines())
    mark = "### " if page == README else "## "
    return {line.removeprefix(mark): number for number, line in lines if line.startswith(mark)}


def run(body: str, namespace: dict[str, Any]) -> None:
    test = doctest.DocTestParser().get_doctest(body, namespace, "README.md", "README.md", 0)
    assert test.examples
    run_doctest(test)
    namespace.update(test.globs)


def make_file(page: Path) -> dict[str, Any]:
    """Run the examples above the sections, which make the file; return their names."""
    names: dict[str, Any] = {}
    first = min(sections(page).values())
    for block in blocks(page):
        if block.language == "python" and block.line < first:
            run(block.body, names)
    return names


@pytest.mark.parametrize("page", SECTIONS, ids=lambda page: page.stem)
def test_the_page_has_the_sections_that_are_run(page: Path) -> None:
    assert [title for title in sections(page) if title not in NO_EXAMPLES] == [*SECTIONS[page]]


def test_the_pages_name_the_libraries_of_the_extras() -> None:
    extras = tomllib.loads((README.parent / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    libraries = {each for name, extra in extras.items() if name != "cli" for each in extra}
    shown = {page: {*re.findall(r"'([^']+>=[^']+)'", page.read_text("utf-8").partition("```")[0])} for page in SECTIONS}
    assert shown[CLUSTERS] < shown[README] == {"pyarrow>=18", *libraries}


def test_the_command_prints_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_file(README)
    shown = [pair for block in blocks(README) if block.language == "console" for pair in commands(block)]
    assert shown
    for command, expected in shown:
        check_command(command, expected, tmp_path)


@pytest.mark.timeout(600)
@pytest.mark.filterwarnings("default")  # engines call each other in ways that are deprecated
@pytest.mark.parametrize(
    ("page", "title"),
    [
        pytest.param(page, title, marks=pytest.mark.slow if title in LARGE else [], id=title)
        for page, titles in SECTIONS.items()
        for title in titles
    ],
)
def test_the_engine_answers(
    page: Path, title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)  # before Ray begins: its workers stay where it began
    engine = SECTIONS[page][title]
    if title in LARGE:
        request.getfixturevalue(engine)  # it skips the test if the library is missing
    else:
        pytest.importorskip(engine, reason=f"needs {engine}: python3 dev --group columns pytest")
    namespace, begins = make_file(page), sections(page)[title]
    ends = min((line for line in sections(page).values() if line > begins), default=10_000)
    body = "".join(block.body for block in blocks(page) if block.language == "python" and begins < block.line < ends)
    run(re.sub(r"\n\n(?=>>> )", "\n", body), namespace)
