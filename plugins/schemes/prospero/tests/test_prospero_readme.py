"""The examples of the README are run, as they stand."""

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("number", range(2))
def test_example(number: int) -> None:
    # Under the name of no file: whoever looks for the source of its functions must not find another README.
    exec(compile(EXAMPLES[number], f"<example {number}>", "exec"), {"__name__": "readme"})
