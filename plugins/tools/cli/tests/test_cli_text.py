"""What a terminal is shown of a text in UTF-16."""

from __future__ import annotations

import io
import sys

import pytest
from test_resource import document

from urlschemes_cli.output.delivery import deliver


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    "octets", ["gr\u00fcn".encode("utf-16-be"), "gr\u00fcn".encode("utf-16")], ids=["bare", "marked"]
)
def test_utf_16_without_its_mark_is_shown_too(monkeypatch: pytest.MonkeyPatch, octets: bytes) -> None:
    screen = _Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    assert deliver(document(octets, media_type="text/plain; charset=utf-16"), None) == len(octets)
    assert screen.getvalue() == "gr\u00fcn\n"
