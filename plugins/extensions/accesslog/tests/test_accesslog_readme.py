"""The examples of the README."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest
from pages import check_readme, check_readme_commands

from urlschemes_servers import http_server
from urlschemes_servers.http import echo

FOLDER = Path(__file__).parents[1]


def test_the_examples_of_the_readme(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("URLSCHEMES_ACCESSLOG", raising=False)
    log = logging.getLogger("urlschemes_access.access")
    monkeypatch.setattr(log, "handlers", [])
    monkeypatch.setattr(log, "level", logging.NOTSET)
    try:
        with http_server(handler=echo) as address:
            check_readme(FOLDER, address=address)
    finally:
        log.setLevel(logging.NOTSET)  # clears the cache of enabled levels, too


@pytest.mark.skipif(os.name == "nt", reason="the examples are for a POSIX shell")
def test_the_commands_print_what_the_readme_shows(tmp_path: Path) -> None:
    with http_server(handler=echo) as address:
        check_readme_commands(FOLDER, tmp_path, address=address)
