"""The tests of each RFC statement, each decision and each fault of a server or a plugin, for the pages that list them.

`python3 dev python tests/proofs.py` writes the last column of their tables from the marks of the tests.
"""

from __future__ import annotations

import re
from functools import cache

from workspace import ROOT

PAGES = {
    "rfc1738": ROOT / "maintainers" / "rfc1738.md",
    "decision": ROOT / "maintainers" / "decisions.md",
    "fault": ROOT / "maintainers" / "server-faults.md",
    "plugin_fault": ROOT / "maintainers" / "plugin-faults.md",
}
"""The page of each mark."""

SHOWN = 1
"""Tests that a row shows; `pytest -m` finds the others."""

_MARK = re.compile(rf"\b({'|'.join(PAGES)})\(([\d, ]+)\)")
_TEST = re.compile(r"(?:def (test_\w+)\(|(test_\w+) = url_tests\()")
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
    """Return the mark, number, file and name of each marked test, and of each table with a marked row."""
    found = []
    for folder in ("core/tests/**", "plugins/*/*/tests/**", "tests"):
        for path in ROOT.glob(f"{folder}/test_*.py"):
            file, name, decorators = path.relative_to(ROOT).as_posix(), "", []
            for line in path.read_text("utf-8").splitlines():
                marks = _MARK.findall(line)
                if line.startswith("@"):
                    decorators += marks
                    continue
                if test := _TEST.match(line):
                    name, marks, decorators = test[1] or test[2], decorators, []
                found += [(mark, int(number), file, name) for mark, numbers in marks for number in numbers.split(",")]
    return found


if __name__ == "__main__":
    for mark, path in PAGES.items():
        path.write_text(page(mark), "utf-8")
