"""Each RFC statement, each decision and each fault of a server or a plugin has a row in its page, and a test."""

from __future__ import annotations

import re

import pytest
from proofs import PAGES, marked_tests, page

ROWS = {"rfc1738": 184, "decision": 34, "fault": 52, "plugin_fault": 40}
NOT_TESTED = {("rfc1738", 112), ("rfc1738", 172)}
"""Advice for authors, and the lifetime of objects: no code of this repository depends on them."""


@pytest.mark.parametrize("mark", PAGES)
def test_every_number_has_one_row(mark: str) -> None:
    rows = re.findall(r"^\| (\d+) \| .*\|$", PAGES[mark].read_text("utf-8"), re.MULTILINE)
    assert [*map(int, rows)] == [*range(1, ROWS[mark] + 1)]


@pytest.mark.parametrize("mark", PAGES)
def test_every_number_has_a_test(mark: str) -> None:
    expected = {(mark, number) for number in range(1, ROWS[mark] + 1)} - NOT_TESTED
    assert {(found, number) for found, number, _, _ in marked_tests() if found == mark} == expected


@pytest.mark.parametrize("mark", PAGES)
def test_the_page_names_the_tests_that_carry_the_marks(mark: str) -> None:
    assert PAGES[mark].read_text("utf-8") == page(mark), "run: python3 dev python tests/proofs.py"
