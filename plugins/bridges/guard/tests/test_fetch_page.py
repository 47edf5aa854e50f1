"""The page "Fetch a URL that a user gave you": its examples run, and its versions are those that are tested."""

from __future__ import annotations

import doctest
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from pages import blocks, run_doctest
from workspace import ROOT

from urlschemes_servers import http_server

for library in ("httpx", "requests", "aiohttp", "fastapi", "sqlalchemy"):
    pytest.importorskip(library, reason=f"needs {library}: python3 dev --group bridges pytest")
PAGE = ROOT / "docs" / "how-to" / "fetch.md"


@pytest.mark.filterwarnings("ignore::DeprecationWarning:starlette.*")
def test_the_examples_are_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # for the database
    (tmp_path / "notes.txt").write_bytes(b"Uniform Resource Locators\nname resources.\n")
    with http_server(tmp_path) as address:
        namespace: dict[str, Any] = {"__name__": "page", "http_url": f"http://{address}/notes.txt"}
        for block in blocks(PAGE):
            if ">>> " in block.body:
                test = doctest.DocTestParser().get_doctest(block.body, namespace, PAGE.name, str(PAGE), block.line)
                run_doctest(test)
                namespace.update(test.globs)
            elif block.language == "python":
                exec(compile(block.body, str(PAGE), "exec", dont_inherit=True), namespace)


def test_the_versions_are_those_that_are_tested() -> None:
    (row,) = re.findall(r"^\| tested with \|(.*)$", PAGE.read_text("utf-8"), re.MULTILINE)
    named = dict(re.findall(r"(\w+) ([\d.]+)", row))
    assert named == {name: version(name) for name in ("httpx", "httpx2", "requests", "urllib3", "aiohttp")}
