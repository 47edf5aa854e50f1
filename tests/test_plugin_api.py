"""What plugins build on is what docs/versioning.md promises them."""

from __future__ import annotations

import ast
import importlib
import re
from typing import TYPE_CHECKING

import pytest
from workspace import ROOT, Distribution, distributions

if TYPE_CHECKING:
    from collections.abc import Iterator

KITS = {"urlschemes", "urlschemes-testing"}
"""The core, and the kit that looks into it."""
PAGE = ROOT / "docs" / "versioning.md"


def rooms() -> set[str]:
    """The rooms of the core that the page calls public."""
    table = PAGE.read_text("utf-8").partition("| room | for |")[2].partition("\n\n")[0]
    return {name for row in table.splitlines()[2:] for name in re.findall(r"`([\w.]+)`", row.split("|")[1])}


def imports(plugin: Distribution) -> Iterator[tuple[str, str, str]]:
    """What the code of a plugin imports of the core: file, room, name."""
    for path in sorted(plugin.folder.glob("src/**/*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            where = f"{path.relative_to(ROOT).as_posix()}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "urlschemes":
                yield from ((where, str(node.module), alias.name) for alias in node.names)
            elif isinstance(node, ast.Import):
                yield from ((where, alias.name, "") for alias in node.names if alias.name.split(".")[0] == "urlschemes")


def test_the_page_names_rooms_that_are_there() -> None:
    assert {"urlschemes", "urlschemes_access.protocol", "urlschemes.errors"} <= rooms()
    for room in rooms():
        assert getattr(importlib.import_module(room), "__all__", None), room


@pytest.mark.parametrize(
    "plugin", [each for each in distributions() if each.name not in KITS and each.has_code], ids=str
)
def test_a_plugin_uses_what_is_public(plugin: Distribution) -> None:
    public = rooms()
    for where, room, name in imports(plugin):
        if f"{room}.{name}" in public:  # the room itself
            continue
        assert room in public, f"{where}: {room}"
        offered = {*importlib.import_module(room).__all__, "__version__"}
        assert not name or name in offered, f"{where}: {room}.{name}"
