"""docs/how-to/hooks.md and the code agree about every hook, and a plugin of the workspace implements it."""

from __future__ import annotations

import importlib
import inspect
import re
from functools import cache
from typing import Any

import pytest
from workspace import ROOT, Distribution, distributions

from urlschemes.registry.claims import HOOK_NAMES, HOOK_PREFIX
from urlschemes.registry.hooks import HookSource, check_implementation

PAGE = (ROOT / "docs" / "how-to" / "hooks.md").read_text("utf-8")
SPECIFICATIONS = ("urlschemes.registry.hooks", "urlschemes_access.hooks")
HOOKS = sorted(f"{HOOK_PREFIX}{name}" for name in HOOK_NAMES)


def specification(name: str) -> Any:
    """Return the function that specifies a hook; there is one."""
    (function,) = (
        getattr(module, name) for module in map(importlib.import_module, SPECIFICATIONS) if hasattr(module, name)
    )
    return function


def section(name: str) -> str:
    found = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None, f"docs/how-to/hooks.md has no section {name}"
    return found[1]


def plain(text: str) -> str:
    """Return the words of a text, however it is laid out."""
    return " ".join(re.sub(r"^- ", "", text.replace("**", ""), flags=re.MULTILINE).split())


@cache
def implementations() -> list[tuple[Distribution, Any, frozenset[str]]]:
    """Return each module that implements hooks, with its distribution and the hooks that its entries announce."""
    found = []
    for distribution in distributions():
        entries = distribution.project.get("entry-points", {}).get("urlschemes", {})
        for place in sorted({*entries.values()}):
            announced = frozenset(name for name, other in entries.items() if other == place)
            found.append((distribution, importlib.import_module(place), announced))
    return found


def test_the_page_has_a_section_for_each_hook_and_no_other() -> None:
    assert sorted(re.findall(r"^## (urlschemes_\w+)$", PAGE, re.MULTILINE)) == HOOKS


@pytest.mark.parametrize("name", HOOKS)
def test_the_page_describes_a_hook_as_the_code_does(name: str) -> None:
    specified = specification(name)
    signature = name + re.sub(r"'([^']*)'", r"\1", str(inspect.signature(specified)))
    words = section(name)
    assert f"\n```text\n{signature}\n```\n" in words
    assert plain(inspect.getdoc(specified) or "") in plain(words)


def test_the_life_of_an_access_names_every_hook() -> None:
    (life,) = re.findall(r"^## The life of an access\n\n```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert {*re.findall(r"urlschemes_\w+", life)} == {*HOOKS}


@pytest.mark.parametrize("name", HOOKS)
def test_the_page_names_the_plugin_that_implements_a_hook(name: str) -> None:
    having = [distribution for distribution, module, _ in implementations() if hasattr(module, name)]
    shipped = re.findall(
        r"^Shipped: \[(urlschemes-[\w-]+)\]\(\.\./\.\./(plugins/[\w/-]+)/README\.md\)", section(name), re.MULTILINE
    )
    assert shipped == [(each.name, each.folder.relative_to(ROOT).as_posix()) for each in having]
    assert having


def test_plugins_implement_the_hooks_that_they_announce() -> None:
    for distribution, module, announced in implementations():
        check_implementation(module, HookSource(distribution.name, lambda: None, announced))
