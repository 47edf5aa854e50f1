"""The tests of each RFC statement, each decision and each fault of a server or a plugin, for the pages that list them.

`python3 dev python tests/proofs.py` writes the last column of their tables from the marks of the tests.
"""

from __future__ import annotations

import re
from functools import cache

from workspace import ROOT

PAGES = {
    "rfc1738": ROOT / "docs" / "reference" / "rfc1738.md",
    "decision": ROOT / "docs" / "explanation" / "decisions.md",
    "fault": ROOT / "docs" / "reference" / "faults.md",
    "plugin_fault": ROOT / "docs" / "reference" / "plugin-faults.md",
}
"""The page of each mark."""

SHOWN = 1
"""Tests that a row shows; `pytest -m` finds the others."""

_MARK = re.compile(rf"@pytest\.mark\.({'|'.join(PAGES)})\(([\d, ]+)\)")
_TEST = re.compile(r"def (test_\w+)\(")
_ROW = re.compile(r"^(\| (\d+) \| .*\|) [^|]*\|$", re.MULTILINE)
_LINKS = re.compile(r"\n(\[\d+\]: .*\n)+\Z")


def page(mark: str) -> str:
    """Return the content of the page, with the tests that carry the mark."""
    text = _LINKS.sub("", PAGES[mark].read_text("utf-8")).rstrip("\n")
    names: dict[int, dict[str, None]] = {}
    for found, number, _, name in sorted(marked_tests()):
        if found == mark:
            names.setdefault(number, {})[name] = None

    def row(match: re.Match[str]) -> str:
        cells = [f"`{name}`" for name in names.get(int(match[2]), ())]
        if len(cells) > SHOWN:
            cells = [*cells[:SHOWN], f"{len(cells) - SHOWN} more"]
        return f"{match[1]} {'; '.join(cells) or 'none'} |"

    return f"{_ROW.sub(row, text)}\n"


@cache
def marked_tests() -> list[tuple[str, int, str, str]]:
    """Return the mark, number, file and name of each marked test."""
    found = []
    for folder in ("core/tests/**", "plugins/*/*/tests/**", "tests"):
        for path in ROOT.glob(f"{folder}/test_*.py"):
            marks: list[tuple[str, str]] = []
            for line in path.read_text("utf-8").splitlines():
                if match := _MARK.match(line):
                    marks.append((match[1], match[2]))
                elif test := _TEST.match(line):
                    file = path.relative_to(ROOT).as_posix()
                    found += [
                        (mark, int(number), file, test[1]) for mark, numbers in marks for number in numbers.split(",")
                    ]
                    marks = []
    return found


if __name__ == "__main__":
    for mark, path in PAGES.items():
        path.write_text(page(mark), "utf-8")
