"""A table of texts, valid and invalid, with the parts of the valid ones: `tables/urls.jsonl`.

A row with the scheme `generic` is parsed as a URL of any scheme. A row with a `decision` is a case that RFC 1738 leaves
open; maintainers/decisions.md gives the decision.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from workspace import schemes_of_plugins

import urlschemes
from urlschemes import InvalidURL, UnknownScheme, default_registry

TABLE = Path(__file__).parent / "tables" / "urls.jsonl"
SCHEMES = sorted({*schemes_of_plugins(default_registry), "generic"} - {"https", "x-example"})


@cache
def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in TABLE.read_text("utf-8").splitlines()]


def rows_of(scheme: str, *, valid: bool) -> list[dict[str, Any]]:
    return [row for row in rows() if row["scheme"] == scheme and row["valid"] is valid]


def parse(row: dict[str, Any]) -> urlschemes.URL:
    return urlschemes.parse_generic(row["url"]) if row["scheme"] == "generic" else urlschemes.parse(row["url"])


def as_json(value: object) -> object:
    """Return the value with lists in place of tuples, as JSON has them."""
    return [*map(as_json, value)] if isinstance(value, tuple) else value


def test_the_table_has_only_rows_of_these_schemes() -> None:
    assert {row["scheme"] for row in rows()} == set(SCHEMES)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_valid_url_has_the_parts_of_the_table(scheme: str) -> None:
    for row in (found := rows_of(scheme, valid=True)):
        url = parse(row)
        assert str(url) == row["url"], row["id"]
        for name, value in row["parts"].items():
            assert as_json(getattr(url, name)) == value, (row["id"], name)
        for name, value in row["raw"].items():
            assert as_json(url.raw[name]) == value, (row["id"], name)
    assert found


@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_invalid_text_is_refused_with_a_message(scheme: str) -> None:
    for row in (found := rows_of(scheme, valid=False)):
        with pytest.raises((InvalidURL, UnknownScheme)) as caught:
            parse(row)
        assert str(caught.value), row["id"]
    assert found
