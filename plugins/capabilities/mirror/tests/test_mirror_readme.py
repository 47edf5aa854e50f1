"""The examples of the README."""

from __future__ import annotations

from pathlib import Path

from pages import check_readme

from urlschemes_servers import ftp_server


def test_the_examples_of_the_readme(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Hello.\n")
    with ftp_server(tmp_path) as address:
        check_readme(Path(__file__).parents[1], address=address)
