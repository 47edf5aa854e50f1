"""The examples of the README are run, as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_example(example: str) -> None:
    if "make_certificates" in example:
        pytest.importorskip("trustme")
    exec(compile(example, "README.md", "exec"), {"__name__": "readme"})


def test_there_are_examples() -> None:
    assert len(EXAMPLES) > 4
