"""The examples of the README."""

from __future__ import annotations

from pathlib import Path

from pages import check_readme

from urlschemes_servers.http import http_server


def test_the_examples_of_the_readme(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Hello.\n")
    with http_server(tmp_path, writable=True) as address:
        check_readme(Path(__file__).parents[1], address=address)
