"""The examples of the README."""

from __future__ import annotations

from pathlib import Path

from pages import check_readme

from urlschemes_servers.wais import wais_server


def test_the_examples_of_the_readme() -> None:
    recipes = {"rye bread": "Rye flour, water, sour dough, salt.\n", "soup": "Water, salt, and what there is.\n"}
    with wais_server({"recipes": recipes}) as address:
        check_readme(Path(__file__).parents[1], address=address)
