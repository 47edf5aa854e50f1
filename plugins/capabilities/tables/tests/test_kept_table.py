"""A table is built when it is first asked for, and kept with what else is cached of the syntax."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from urlschemes import Registration
from urlschemes.record.registration import _from_text
from urlschemes_tables import kept_table, table_builder, table_of


@pytest.fixture
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Return the number of files in the cache, which is empty at first."""
    monkeypatch.setenv("URLSCHEMES_CACHE", str(tmp_path))
    return lambda: len([*tmp_path.iterdir()])


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The trees whose tables were built."""
    build, trees = table_builder.build_table, list[object]()
    monkeypatch.setattr(table_builder, "build_table", lambda tree: [trees.append(tree), build(tree)][1])
    return trees


def read(text: str) -> Registration:
    """Return the record as another process reads it."""
    _from_text.cache_clear()
    return Registration.from_text(text)


def in_another_process(text: str) -> tuple[bytes, tuple[str, ...]] | None:
    """Return the table as a process has it that has just read the record."""
    syntax = read(text).syntax
    table = table_of(syntax)
    assert table_of(syntax) is table
    return None if table is None else (table.blob, table.marks)


@pytest.mark.parametrize("rule", ["1*uchar", '1*64[ 1*64digit "/" ]'])
def test_a_table_is_built_once_and_so_is_the_answer_that_there_is_none(
    record: Callable[..., str], cached: Callable[[], int], builds: list[object], rule: str
) -> None:
    text = record("x-kept").replace("1*uchar", rule)
    read(text).syntax.compile()
    assert (cached(), len(builds)) == (1, 0)
    first = in_another_process(text)
    assert (first is None) == (rule != "1*uchar")
    assert in_another_process(text) == first
    assert (cached(), len(builds)) == (1, 1)


def test_another_state_of_the_code_that_builds_builds_again(
    record: Callable[..., str], cached: Callable[[], int], builds: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = in_another_process(record("x-kept"))
    monkeypatch.setattr(kept_table, "_state", lambda: "another")
    assert in_another_process(record("x-kept")) == first
    assert (cached(), len(builds)) == (1, 2)
