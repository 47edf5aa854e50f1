"""mypy accepts the Python examples of the pages that newcomers copy from, in strict mode."""

from __future__ import annotations

import re
import sys
from doctest import DocTestParser
from pathlib import Path

import pytest
from pages import blocks
from workspace import ROOT, run

for library in ("aiohttp", "django", "fastapi", "httpx", "pydantic", "requests", "sqlalchemy", "yarl"):
    pytest.importorskip(library, reason=f"needs {library}: python3 dev --group bridges pytest")
HOW_TO = ROOT / "docs" / "how-to"
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs" / "start").glob("*.md")),
    HOW_TO / "access.md",
    HOW_TO / "fetch.md",
    HOW_TO / "migrate.md",
]
GIVEN = "".join(f"{name}: str\n" for name in ("ftp_url", "http_url", "gopher_url", "folder"))
MADE_AT_RUN_TIME = r'.*: error: "URL" has no attribute "(note|memo)"  \[attr-defined\]'
"""The types of records without a class: type checkers cannot know their parts."""


def modules(page: Path) -> list[str]:
    """Return the code of a page, with the tables of migrate.md; each block that is a file begins a new module."""
    found = [GIVEN]
    for block in blocks(page):
        if block.language == "python" and not block.mark:
            examples = DocTestParser().get_examples(block.body)
            found += [] if examples else [GIVEN]
            found[-1] += "".join(each.source for each in examples) if examples else block.body
    tables = page.read_text("utf-8").partition("\n## urllib.parse\n")[2].partition("\n## Django")[0]
    found[-1] += "\n".join(re.findall(r"^\| `[^`]+` \| `([^`]+)` \|", tables, re.MULTILINE))
    return found


@pytest.mark.slow
def test_mypy_accepts_the_examples(tmp_path: Path) -> None:
    for page in PAGES:
        for number, code in enumerate(modules(page)):
            (tmp_path / f"{page.stem}_{number}.py").write_text(code, "utf-8")
    files = sorted(tmp_path.glob("*.py"))
    assert len(files) > len(PAGES)
    options = ("--strict", "--config-file=", "--cache-dir", tmp_path / "cache")
    done = run(sys.executable, "-m", "mypy", *options, *files, cwd=tmp_path)
    assert "(checked " in done.stdout, done.stderr
    errors = [line for line in done.stdout.splitlines()[:-1] if not re.fullmatch(MADE_AT_RUN_TIME, line)]
    assert errors == []
