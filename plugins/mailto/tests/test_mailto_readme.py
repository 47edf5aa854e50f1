"""The examples of the README are run, as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_example(example: str) -> None:
    exec(compile(example, "<example>", "exec"), {"__name__": "readme"})


def test_what_the_examples_say_of_their_values() -> None:
    names: dict[str, object] = {}
    told = 0
    for line in "".join(EXAMPLES).splitlines():
        code, _, says = line.partition("  # ")
        if code.startswith(("import", "from", "url =")):
            exec(code, names)
        elif code.startswith(("url.", "MailtoURL.", "urlschemes.is_valid")):
            value = eval(code, names)
            assert says.startswith(repr(value)[1:-1] if isinstance(value, tuple) else str(value))
            told += 1
    assert told == 5
