"""The tests in docs/reference/rfc1738.md, written from the marks `rfc1738` of the tests.

`python3 dev python tests/rfc1738_page.py` writes them.
"""

from __future__ import annotations

import ast
import re
from functools import cache

from workspace import ROOT

PAGE = ROOT / "docs" / "reference" / "rfc1738.md"
STATEMENTS = range(1, 185)

_ROW = re.compile(r"^(\| (\d+) \| [^|]+ \|(?: [^|]+)? \|) .*\|$", re.MULTILINE)
_LINKS = re.compile(r"\n(\[\d+\]: .*\n)+\Z")


def page() -> str:
    """Return the content of the page, with the tests that carry the marks."""
    text = _LINKS.sub("", PAGE.read_text("utf-8")).rstrip("\n")
    files = {
        path: number for number, path in enumerate(dict.fromkeys(path for _, path, _ in sorted(marked_tests())), 1)
    }

    def row(match: re.Match[str]) -> str:
        tests = [f"[`{name}`][{files[path]}]" for number, path, name in marked_tests() if number == int(match[2])]
        return f"{match[1]} {', '.join(tests) or 'none'} |"

    links = "\n".join(f"[{number}]: ../../{path}" for path, number in files.items())
    return f"{_ROW.sub(row, text)}\n\n{links}\n"


@cache
def marked_tests() -> list[tuple[int, str, str]]:
    """Return the number of the statement, the file and the name of each marked test."""
    folders = ("core/tests/**", "plugins/*/*/tests/**", "tests")
    paths = sorted(path for folder in folders for path in ROOT.glob(f"{folder}/test_*.py"))
    return [
        (ast.literal_eval(number), path.relative_to(ROOT).as_posix(), test.name)
        for path in paths
        if "@pytest.mark.rfc1738(" in (source := path.read_text("utf-8"))
        for test in ast.parse(source).body
        if isinstance(test, ast.FunctionDef)
        for mark in test.decorator_list
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.rfc1738"
        for number in mark.args
    ]


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
