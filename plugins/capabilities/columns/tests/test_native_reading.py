"""The native reader gives the same columns as the loop over `parse`."""

from __future__ import annotations

import pytest

import urlschemes
from urlschemes import Registry

pytest.importorskip("pyarrow", reason="needs pyarrow: python3 dev --group columns pytest")
pytest.importorskip("urlschemes_columns", reason="needs urlschemes-columns: python3 dev --group columns pytest")

import pyarrow as pa

from urlschemes_columns import Parser
from urlschemes_columns.native_reading import SAMPLE
from urlschemes_columns.part_columns import part_columns
from urlschemes_columns.row_reading import read_rows

if not hasattr(urlschemes.default_registry.reader, "columns"):
    pytest.skip(
        "needs urlschemes-native: python3 dev --group columns --group native pytest",
        allow_module_level=True,
    )

MODERN = Registry(profile="rfc3986")


def parts_of(registry: Registry) -> tuple[str, ...]:
    """Return the names of all columns that there are."""
    names = sorted({name for record in registry.registrations() for name in record.syntax.parts})
    return ("scheme", *names, *(f"{name}.raw" for name in names), "error.part", "error.host", "url.fixed")


@pytest.mark.parametrize(
    ("registry", "text"),
    [
        (urlschemes.default_registry, pa.string()),
        (urlschemes.default_registry, pa.large_string()),
        (urlschemes.default_registry, pa.string_view()),
        (MODERN, pa.string()),
    ],
    ids=lambda each: each.profile.name if isinstance(each, urlschemes.Registry) else str(each),
)
def test_the_native_reader_and_parse_agree_on_every_part_of_every_text(
    corpus: list[str | None], registry: Registry, text: object
) -> None:
    array = pa.array(corpus, text)
    parser = Parser(parts_of(registry), registry)
    parsed = parser.parse(array)
    parsed.validate(full=True)
    columns = part_columns(parts_of(registry), registry)
    expected = read_rows(corpus, columns, parser.registry, parsed.type)
    for number, (row, wanted) in enumerate(zip(parsed.to_pylist(), expected.to_pylist(), strict=True)):
        assert row == wanted, corpus[number]


def test_schemes_are_loaded_when_their_first_rows_come() -> None:
    registry = Registry()
    parser = Parser(registry=registry)
    for text in ("http://h/", "ftp://h/", "x-no:a", "http://h/"):
        (row,) = parser.parse(pa.array([text])).to_pylist()
        assert row["code"] == (None if text != "x-no:a" else "unknown-scheme")


@pytest.mark.parametrize("rows", [SAMPLE, SAMPLE + 1, 2 * SAMPLE])
def test_schemes_are_loaded_wherever_they_stand_in_a_long_array(rows: int) -> None:
    texts = ["http://h/"] * (rows - 2) + ["ftp://h/", "x-no:a"]
    parsed = Parser(registry=Registry()).parse(pa.array(["before:x", *texts])[1:])
    assert parsed.field("scheme").to_pylist() == [text.partition(":")[0] for text in texts]
    assert parsed.field("code").to_pylist() == [None] * (rows - 1) + ["unknown-scheme"]
