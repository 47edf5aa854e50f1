"""The examples of the README."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pages import check_readme

from urlschemes_servers import FtpUser, ftp_server


@pytest.mark.skipif(os.name == "nt", reason="the owner of a file is not checked there")
def test_the_examples_of_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "environ", os.environ.copy())
    (tmp_path / "notes.txt").write_text("For me.\n")
    with ftp_server(tmp_path, {"myname": FtpUser("mine")}, anonymous=False) as address:
        check_readme(Path(__file__).parents[1], address=address)
