"""Every statement of RFC 1738 has a row in docs/reference/rfc1738.md and a test."""

from __future__ import annotations

import re

from rfc1738_page import PAGE, STATEMENTS, marked_tests, page

NOT_TESTED = {112, 172}
"""Advice for authors, and the lifetime of objects: nothing here could break them."""


def test_every_statement_has_one_row() -> None:
    rows = re.findall(r"^\| (\d+) \|.*\|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert [*map(int, rows)] == [*STATEMENTS]


def test_every_statement_has_a_test() -> None:
    assert {number for number, _, _ in marked_tests()} == {*STATEMENTS} - NOT_TESTED


def test_the_page_names_the_tests_that_carry_the_marks() -> None:
    assert PAGE.read_text("utf-8") == page(), "run: python3 dev python tests/rfc1738_page.py"
