"""A table of URLs with what each of them is, taken apart: `tables/urls.jsonl`.

A row says whether the text is a URL of its scheme (`generic`: of any), and what its parts are, decoded and as written.
A row with a `decision` is one where the RFC leaves room; docs/decisions.md says how it is decided.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import urlschemes
from urlschemes import InvalidURL
from urlschemes import default_registry as REGISTRY  # noqa: N812  it does not change here

ROWS = [json.loads(line) for line in (Path(__file__).parent / "tables" / "urls.jsonl").read_text("utf-8").splitlines()]


def parse(row: dict[str, Any]) -> urlschemes.URL:
    return urlschemes.parse_generic(row["url"]) if row["scheme"] == "generic" else urlschemes.parse(row["url"])


def listed(value: object) -> object:
    """What JSON makes of a value: its tuples are lists."""
    return [*map(listed, value)] if isinstance(value, tuple) else value


@pytest.mark.parametrize("row", [row for row in ROWS if row["valid"]], ids=lambda row: row["id"])
def test_a_valid_url(row: dict[str, Any]) -> None:
    url = parse(row)
    assert str(url) == row["url"]
    for name, value in row["parts"].items():
        assert listed(getattr(url, name)) == value, name
    for name, value in row["raw"].items():
        assert listed(url.raw[name]) == value, name


@pytest.mark.parametrize("row", [row for row in ROWS if not row["valid"]], ids=lambda row: row["id"])
def test_an_invalid_url(row: dict[str, Any]) -> None:
    # A text without a registered scheme is refused for that, before its other faults are looked at.
    with pytest.raises((InvalidURL, urlschemes.UnknownScheme)) as caught:
        parse(row)
    assert isinstance(caught.value, InvalidURL) or row["scheme"] not in REGISTRY
    assert str(caught.value)


def test_the_table_has_rows_of_every_kind() -> None:
    specified = {record.scheme for record in REGISTRY.registrations() if record.status != "experimental"}
    for scheme in {*specified, "generic"} - {"https"}:
        assert {row["valid"] for row in ROWS if row["scheme"] == scheme} == {True, False}
