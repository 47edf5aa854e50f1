"""The page docs/reference/rfc1738.md and the marks `rfc1738` of the tests name the same tests for each statement of RFC 1738."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from workspace import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = "tests/test_rfc1738_"


@cache
def links() -> dict[int, list[tuple[str, str]]]:
    """Return the names and files of the tests on the page, by the number of the statement."""
    page = (ROOT / "docs" / "reference" / "rfc1738.md").read_text("utf-8")
    return {
        int(number): re.findall(r"\[`(test_\w+)`\]\(\.\./\.\./([\w/.-]+)\)", tests)
        for number, tests in re.findall(r"^\| (\d+) \|.*\| ([^|]*) \|$", page, re.MULTILINE)
    }


def marked_tests() -> Iterator[tuple[int, str, str]]:
    """Yield each number of a mark, with its test and the file."""
    for path in sorted(Path(__file__).parent.glob("test_rfc1738_*.py")):
        functions = [node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)]
        for test, mark in ((function, mark) for function in functions for mark in function.decorator_list):
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.rfc1738":
                for number in mark.args:
                    yield int(ast.literal_eval(number)), test.name, path.relative_to(ROOT).as_posix()


def test_every_statement_has_one_row() -> None:
    assert list(links()) == [*range(1, 185)]


def test_every_test_on_the_page_exists() -> None:
    tests: dict[str, set[str]] = {}
    for name, path in (link for row in links().values() for link in row):
        if path not in tests:
            tree = ast.parse((ROOT / path).read_text("utf-8"))
            tests[path] = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert name in tests[path], f"{path}: {name}"


def test_the_page_and_the_marks_name_the_same_tests() -> None:
    linked = {(number, *link) for number, row in links().items() for link in row if link[1].startswith(TESTS)}
    assert linked == {*marked_tests()}
