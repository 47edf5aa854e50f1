"""The page "Migrate from another type of URLs": its examples run, and both sides of each row give the same."""

from __future__ import annotations

import doctest
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from pages import BLOCK, run_doctest
from workspace import ROOT

from urlschemes_rfc3986 import parse

for library in ("django", "pydantic", "yarl"):
    pytest.importorskip(library, reason=f"needs {library}: python3 dev --group bridges pytest")
PAGE = ROOT / "docs" / "how-to" / "migrate.md"


def plain(value: object) -> object:
    """Return the value; a URL of any type as its text."""
    return value if isinstance(value, str | int | list | tuple | None) else str(value)


def test_both_sides_of_each_row_give_the_same() -> None:
    names: dict[str, Any] = {"__name__": "urlschemes_bridges"}  # Django takes it for the application
    compared = 0
    for section in re.split(r"^(?=## )", PAGE.read_text("utf-8"), flags=re.MULTILINE):
        for match in BLOCK.finditer(section):
            test = doctest.DocTestParser().get_doctest(match[4], names, PAGE.name, str(PAGE), 0)
            run_doctest(test)
            names.update(test.globs)
        for before, after in re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", section, re.MULTILINE):
            if section.startswith("## "):
                assert plain(eval(before, names)) == plain(eval(after, names)), before
                compared += 1
    assert compared > 35


def test_the_table_of_texts_is_true() -> None:
    import yarl
    from django.core.exceptions import ValidationError
    from django.core.validators import URLValidator
    from pydantic import AnyUrl

    def validated(text: str) -> str:
        URLValidator()(text)
        return text

    readers: list[Callable[[str], object]] = [lambda text: urlsplit(text).geturl(), yarl.URL, AnyUrl, validated, parse]
    rows = re.findall(r"^\| `(\S+)` ((?:\|(?:[^|\n]|\\\|)*){5})\|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(rows) == 10
    for text, cells in rows:
        given = text.replace("\\|", "|").replace("\\n", "\n")
        for read, cell in zip(readers, re.split(r"(?<!\\)\|", cells)[1:], strict=True):
            try:
                shown = str(read(given))
            except (ValueError, ValidationError):
                shown = "refused"
            expected = cell.partition(": ")[0].strip().strip("`")
            assert ("as it is" if shown == given else shown) == expected, (text, cell)
