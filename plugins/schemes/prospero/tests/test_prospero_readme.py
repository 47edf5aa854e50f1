"""The examples of the README."""

from __future__ import annotations

from pathlib import Path

from pages import check_readme

from urlschemes_servers.prospero import directory, file, prospero_server


def test_the_examples_of_the_readme() -> None:
    by_ftp = ("AFTP", "INTERNET-D", "ftp.dom", "ASCII", "/pub/rfc 1738.txt", "TEXT")
    tree = directory({"notes": file(b"Where things are.\n", methods=[by_ftp]), "old": directory({})})
    with prospero_server(tree) as address:
        check_readme(Path(__file__).parents[1], address=address)
