"""The mistakes that people make with URLs, and what they are told: `tables/mistakes.toml`.

A row has a text, the mistake in it, and the error exactly as it is raised: not only where the text stops being a URL,
but the rule at fault, and what to do. Some are there as they are printed, too.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import urlschemes
import urlschemes_lint
from urlschemes import InvalidURL, UnknownScheme, URLError
from urlschemes_lint import NotRepairable

TABLE = tomllib.loads((Path(__file__).parent / "tables" / "mistakes.toml").read_text("utf-8"))
MISTAKES: list[dict[str, Any]] = TABLE["mistake"]
PRINTED: list[dict[str, str]] = TABLE["printed"]
SCHEMES = ("ftp", "http", "https", "gopher", "mailto", "news", "nntp", "telnet", "wais", "file", "prospero")


def told(text: str) -> URLError:
    with pytest.raises((InvalidURL, UnknownScheme)) as caught:
        urlschemes.parse(text)
    return caught.value


@pytest.mark.parametrize("row", MISTAKES, ids=lambda row: ascii(row["text"]))
def test_a_mistake_is_told_by_its_rule(row: dict[str, Any]) -> None:
    error = told(row["text"])
    assert type(error).__name__ == row["kind"]
    for field in ("part", "position", "rule", "section", "message", "hint"):
        assert getattr(error, field) == row.get(field), field


@pytest.mark.parametrize("row", MISTAKES, ids=lambda row: ascii(row["text"]))
def test_a_mistake_is_repaired_where_one_repair_is_right(row: dict[str, Any]) -> None:
    if "repaired" in row:
        assert str(urlschemes_lint.fix(row["text"]).url) == row["repaired"]
    else:
        with pytest.raises((NotRepairable, UnknownScheme)):
            urlschemes_lint.fix(row["text"])


@pytest.mark.parametrize("row", MISTAKES, ids=lambda row: ascii(row["text"]))
def test_the_error_is_one_line_that_teaches(row: dict[str, Any]) -> None:
    error = told(row["text"])
    said = str(error)
    assert said.isascii()
    assert said.isprintable()
    assert len(said) <= 300
    assert "secret" not in said
    assert said.endswith(f"; {row['hint']}"), "the whole of what to do"


@pytest.mark.parametrize(
    "row", [row for row in MISTAKES if row["kind"] != "UnknownScheme"], ids=lambda row: ascii(row["text"])
)
def test_explain_shows_the_place_and_the_rule(row: dict[str, Any]) -> None:
    text, caret, *said = urlschemes_lint.explain(row["text"]).splitlines()
    assert caret.strip() == "^"
    assert len(caret) - 1 <= len(text)
    words = " ".join(" ".join(said).split())
    assert row["message"] in words
    assert f"rule {row['rule']} = " in words
    assert f"section {row['section']}" in words
    assert f"help {row.get('advice', row['hint'])}" in words
    assert ("repaired" in words) == ("repaired" in row)


@pytest.mark.parametrize("printed", PRINTED, ids=lambda printed: ascii(printed["text"]))
def test_explain_as_it_is_printed(printed: dict[str, str]) -> None:
    assert urlschemes_lint.explain(printed["text"]) == printed["explained"].rstrip("\n")


def test_the_table_has_fifty_mistakes_and_all_schemes() -> None:
    assert len({row["text"] for row in MISTAKES}) == len(MISTAKES) >= 50
    counts = Counter(row["text"].partition(":")[0] for row in MISTAKES)
    assert all(counts[scheme] for scheme in SCHEMES), counts
    assert {row["text"] for row in PRINTED} <= {row["text"] for row in MISTAKES}
