"""The tests of each statement of RFC 1738, each decision and each server fault, for the pages that list them.

`python3 dev python tests/proofs.py` writes the last column of their tables from the marks of the tests.
"""

from __future__ import annotations

import ast
import re
from functools import cache

from workspace import ROOT

PAGES = {
    "rfc1738": ROOT / "docs" / "reference" / "rfc1738.md",
    "decision": ROOT / "docs" / "explanation" / "decisions.md",
    "fault": ROOT / "docs" / "reference" / "faults.md",
}
"""The page of each mark."""

_ROW = re.compile(r"^(\| (\d+) \| .*\|) [^|]*\|$", re.MULTILINE)
_LINKS = re.compile(r"\n(\[\d+\]: .*\n)+\Z")


def page(mark: str) -> str:
    """Return the content of the page, with the tests that carry the mark."""
    text = _LINKS.sub("", PAGES[mark].read_text("utf-8")).rstrip("\n")
    tests = sorted((number, path, name) for found, number, path, name in marked_tests() if found == mark)
    files = {path: index for index, path in enumerate(dict.fromkeys(path for _, path, _ in tests), 1)}

    def row(match: re.Match[str]) -> str:
        links = [f"[`{name}`][{files[path]}]" for number, path, name in tests if number == int(match[2])]
        return f"{match[1]} {', '.join(links) or 'none'} |"

    definitions = "\n".join(f"[{index}]: ../../{path}" for path, index in files.items())
    return f"{_ROW.sub(row, text)}\n\n{definitions}\n"


@cache
def marked_tests() -> list[tuple[str, int, str, str]]:
    """Return the mark, number, file and name of each marked test."""
    folders = ("core/tests/**", "plugins/*/*/tests/**", "tests")
    paths = sorted(path for folder in folders for path in ROOT.glob(f"{folder}/test_*.py"))
    return [
        (mark.func.attr, ast.literal_eval(number), path.relative_to(ROOT).as_posix(), test.name)
        for path in paths
        if re.search(rf"^@pytest\.mark\.({'|'.join(PAGES)})\(", source := path.read_text("utf-8"), re.MULTILINE)
        for test in ast.parse(source).body
        if isinstance(test, ast.FunctionDef)
        for mark in test.decorator_list
        if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Attribute) and mark.func.attr in PAGES
        for number in mark.args
    ]


if __name__ == "__main__":
    for mark, path in PAGES.items():
        path.write_text(page(mark), "utf-8")
