"""The examples of the README, with a registry of two more names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pages import check_readme, check_readme_commands

from urlschemes_iana.snapshot import shipped_snapshot

FOLDER = Path(__file__).parents[1]


def test_the_examples_of_the_readme() -> None:
    check_readme(FOLDER)


@pytest.mark.skipif(os.name == "nt", reason="the examples are for a POSIX shell")
def test_the_commands_print_what_the_readme_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    statuses = {each.name: each.status for each in shipped_snapshot().ledger.names}
    statuses |= {"jms": "permanent", "zz1": "permanent", "zz2": "permanent"}
    rows = "".join(f"{name},,,{status.capitalize()},-,,\n" for name, status in statuses.items())
    header = "URI Scheme,Template,Description,Status,Well-Known URI Support,Reference (RFC only),Notes\n"
    (tmp_path / "uri-schemes-1.csv").write_text(header + rows)
    check_readme_commands(FOLDER, tmp_path)
