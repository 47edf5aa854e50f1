"""The examples of the README, section by section, with a server on this machine as host.dom."""

from __future__ import annotations

import doctest
import re
import urllib.request
from pathlib import Path

import pytest
from pages import BLOCK, run_doctest

from urlschemes_servers import gopher_server
from urlschemes_servers.gopher import binary, menu

README = Path(__file__).parents[1] / "README.md"
SECTIONS = dict(re.findall(r"^## (.+)\n((?:(?!## ).*\n)+)", README.read_text("utf-8"), re.MULTILINE))


@pytest.mark.parametrize("title", SECTIONS)
def test_the_examples_print_what_the_readme_says(title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body = "\n".join(match[4] for match in BLOCK.finditer(SECTIONS[title]) if match[3] == "python")
    for library in re.findall(r"^>>> (?:import|from) (\w+)", body, re.MULTILINE):
        pytest.importorskip(library, reason=f"needs {library}: python3 dev --group bridges pytest")
    monkeypatch.setattr(urllib.request, "_opener", None)
    content = b"name,price\ntea,3\ncoffee,4\n"
    tree = menu({"data": menu({"prices.csv": binary(content, plus=False)}, plus=False)})
    with gopher_server(tree) as address:
        body = body.replace("gopher://host.dom", f"gopher://{address}").replace("10.1.0.0/16", "127.0.0.0/8")
        names = {"__name__": "urlschemes_bridges"}  # Django takes it for the application
        test = doctest.DocTestParser().get_doctest(body, names, title, str(README), 0)
        assert test.examples
        run_doctest(test)
