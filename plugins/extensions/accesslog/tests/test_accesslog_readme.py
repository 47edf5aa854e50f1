"""The examples of the README."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from pages import check_readme

from urlschemes_servers import http_server
from urlschemes_servers.http import echo


def test_the_examples_of_the_readme(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("URLSCHEMES_ACCESSLOG", raising=False)
    log = logging.getLogger("urlschemes_access.access")
    monkeypatch.setattr(log, "handlers", [])
    monkeypatch.setattr(log, "level", logging.NOTSET)
    try:
        with http_server(handler=echo) as address:
            check_readme(Path(__file__).parents[1], address=address)
    finally:
        log.setLevel(logging.NOTSET)  # clears the cache of enabled levels, too
