"""Mistakes that people make with URLs, and the errors that they get: `tables/mistakes.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from workspace import schemes_of_plugins

import urlschemes
from urlschemes import InvalidURL, UnknownScheme, URLError, default_registry
from urlschemes_lint import NotRepairable, explain, fix

TABLE = tomllib.loads((Path(__file__).parent / "tables" / "mistakes.toml").read_text("utf-8"))
MISTAKES: list[dict[str, Any]] = TABLE["mistake"]
PRINTED: list[dict[str, str]] = TABLE["printed"]


def text_of(row: dict[str, Any]) -> str:
    return ascii(row["text"])


def hint_of(row: dict[str, Any]) -> str:
    """Return the hint of the row; it names the other profile if that reads the text."""
    is_read = row["code"] != "unknown-scheme" and default_registry.in_profile("rfc3986").is_valid(row["text"])
    hint: str = row["hint"]
    return hint + '; Registry(profile="rfc3986") reads it' * is_read


def error_of(text: str) -> URLError:
    with pytest.raises((InvalidURL, UnknownScheme)) as caught:
        urlschemes.parse(text)
    return caught.value


@pytest.mark.parametrize("row", MISTAKES, ids=text_of)
def test_the_error_names_the_rule_and_what_to_do(row: dict[str, Any]) -> None:
    error = error_of(row["text"])
    assert error.code == row["code"]
    for field in ("part", "position", "rule", "section", "message"):
        assert getattr(error, field) == row.get(field), field
    assert error.hint == hint_of(row)


@pytest.mark.parametrize("row", MISTAKES, ids=text_of)
def test_the_error_prints_as_one_line_with_the_whole_hint(row: dict[str, Any]) -> None:
    line = str(error_of(row["text"]))
    assert line.isascii()
    assert line.isprintable()
    assert len(line) <= 300
    assert "secret" not in line
    assert line.endswith(f"; {hint_of(row)}")


@pytest.mark.parametrize("row", MISTAKES, ids=text_of)
def test_the_mistake_is_repaired_if_there_is_one_right_repair(row: dict[str, Any]) -> None:
    if "repaired" in row:
        assert str(fix(row["text"]).url) == row["repaired"]
    else:
        with pytest.raises((NotRepairable, UnknownScheme)):
            fix(row["text"])


@pytest.mark.parametrize("row", [row for row in MISTAKES if row["code"] != "unknown-scheme"], ids=text_of)
def test_explain_shows_the_place_the_rule_and_the_advice(row: dict[str, Any]) -> None:
    text, caret, *lines = explain(row["text"]).splitlines()
    assert caret.strip() == "^"
    assert len(caret) - 1 <= len(text)
    words = " ".join(" ".join(lines).split())
    assert row["message"].encode("ascii", "backslashreplace").decode() in words
    assert f"rule {row['rule']} = " in words
    assert f"section {row['section']}" in words
    assert f"help {row.get('advice', row['hint'])}" in words
    assert ("repaired" in words) == ("repaired" in row)


@pytest.mark.parametrize("printed", PRINTED, ids=text_of)
def test_explain_as_it_is_printed(printed: dict[str, str]) -> None:
    assert explain(printed["text"]) == printed["explained"].rstrip("\n")


def test_the_table_has_no_row_twice_and_a_row_for_each_scheme() -> None:
    texts = [row["text"] for row in MISTAKES]
    assert len({*texts}) == len(texts)
    assert {*schemes_of_plugins(default_registry)} - {"x-example"} <= {text.partition(":")[0] for text in texts}
    assert {row["text"] for row in PRINTED} <= {*texts}
