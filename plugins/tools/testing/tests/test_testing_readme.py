"""The examples of the README are run, as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_example(number: int) -> None:
    example = EXAMPLES[number]
    if "make_certificates" in example:
        pytest.importorskip("trustme")
    # Under the name of no file: whoever looks for the source of its functions must not find another README.
    exec(compile(example, f"<example {number}>", "exec"), {"__name__": "readme"})


def test_there_are_examples() -> None:
    assert len(EXAMPLES) > 4
