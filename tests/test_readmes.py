"""The examples in the READMEs of plugins that hook into every scheme are run, as they stand.

What schemes, the site and the testing kit show is run by their own tests: it needs their servers.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from pages import blocks
from workspace import Distribution, distributions, must

if TYPE_CHECKING:
    from pathlib import Path

HOOKS = [each for each in distributions() if "urlschemes" in each.project.get("entry-points", {})]


def test_there_are_such_plugins() -> None:
    assert {"urlschemes-iana", "urlschemes-netrc"} <= {each.name for each in HOOKS}


@pytest.mark.parametrize("distribution", HOOKS, ids=str)
def test_the_examples_of_a_readme_are_true(distribution: Distribution, tmp_path: Path) -> None:
    page = distribution.folder / "README.md"
    examples = [block for block in blocks(page) if block.language == "python"]
    assert examples, "a README shows how its plugin is used"
    for block in examples:
        assert not block.mark
        must(sys.executable, "-c", "\n" * block.line + block.body, cwd=tmp_path)
