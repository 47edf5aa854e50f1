"""Fixtures: a folder to serve, and a check that no socket is left open."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def no_open_sockets() -> Iterator[None]:
    """Fail a test that leaves sockets or files to the garbage collector."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResourceWarning)
        yield
        gc.collect()
    assert [str(warning.message) for warning in caught] == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with files of several kinds."""
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/motd").write_bytes(b"of the machine\n")
    (tmp_path / "home/joe/etc").mkdir(parents=True)
    (tmp_path / "home/joe/etc/motd").write_bytes(b"of joe\n")
    (tmp_path / "pub").mkdir()
    (tmp_path / "pub/all.bin").write_bytes(bytes(range(256)) * 400)
    (tmp_path / "pub/read me.txt").write_bytes(b"Hello,\n.world\n")
    (tmp_path / "pub/page.html").write_bytes(b"<p>Hello</p>\n")
    (tmp_path / "pub/dot.gif").write_bytes(b"GIF89a")
    return tmp_path
