"""The walk that finds errors is linear in the length of the text."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import urlschemes_lint
from urlschemes import Registry


@pytest.mark.parametrize("run", ["~a", " ", "?", "/", ";", ";s", "%0A", "%", "@", ":", ".-", "\u00e9", "[@", "_a"])
@pytest.mark.parametrize("head", ["x-album://h/?", "x-album://", "x-note:", "x-bare://h/"])
def test_the_steps_are_linear_in_the_length(registry: Registry, head: str, run: str) -> None:
    """Twice the text takes about twice the steps, counted in lines of Python."""
    counts = []
    for times in (400, 800):
        lines = 0

        def count(_: Any, event: str, __: Any) -> Any:
            nonlocal lines
            lines += event == "line"
            return count

        text = head + run * times
        urlschemes_lint.check(text, registry=registry)
        sys.settrace(count)
        try:
            urlschemes_lint.check(text, registry=registry)
        finally:
            sys.settrace(None)
        counts.append(lines)
    assert counts[1] < 2.2 * counts[0] + 500
