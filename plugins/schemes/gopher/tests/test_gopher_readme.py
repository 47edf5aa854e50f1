"""The examples of the README."""

from __future__ import annotations

from pathlib import Path

from pages import check_readme

from urlschemes_servers.gopher import gopher_server, menu, text


def test_the_examples_of_the_readme() -> None:
    tree = menu({"about": text("Hello.\n", title="About", abstract="A greeting.")})
    with gopher_server(tree) as address:
        check_readme(Path(__file__).parents[1], address=address)
