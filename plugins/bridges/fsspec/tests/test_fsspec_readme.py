"""The examples of the README, with a server on this machine as host.dom."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest
from pages import blocks, run_doctest

pytest.importorskip("fsspec", reason="needs fsspec: python3 dev --group bridges pytest")
pytest.importorskip("pandas", reason="needs pandas: python3 dev --group bridges pytest")

from urlschemes_servers import gopher_server
from urlschemes_servers.gopher import binary, menu

README = Path(__file__).parents[1] / "README.md"


def test_the_examples_print_what_the_readme_says() -> None:
    content = b"name,price\ntea,3\ncoffee,4\n"
    tree = menu({"data": menu({"prices.csv": binary(content, plus=False)}, plus=False)})
    with gopher_server(tree) as address:
        body = "\n".join(block.body for block in blocks(README) if block.language == "python")
        body = body.replace("host.dom", str(address)).replace("10.1.0.0/16", "127.0.0.0/8")
        test = doctest.DocTestParser().get_doctest(body, {}, "README.md", "README.md", 0)
        assert test.examples
        run_doctest(test)
