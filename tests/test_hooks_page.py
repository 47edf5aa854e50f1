"""docs/how-to/hooks.md and the code agree about every hook, and a plugin of the workspace implements it."""

from __future__ import annotations

import importlib
import inspect
import re
from functools import cache
from typing import Any

import pytest
from workspace import ROOT, Distribution, distributions

from urlschemes.registry import hooks
from urlschemes.registry.claims import HOOK_PREFIX, OWN_HOOKS, SPECIFICATIONS
from urlschemes.registry.hooks import HookSource

PAGE = (ROOT / "docs" / "how-to" / "hooks.md").read_text("utf-8")
ENTRIES = [each.project.get("entry-points", {}).get(SPECIFICATIONS, {}) for each in distributions()]
MODULES = dict([*OWN_HOOKS, *(entry for each in ENTRIES for entry in each.items())])
"""The module that specifies each hook."""
HOOKS = sorted(f"{HOOK_PREFIX}{name}" for name in MODULES)


def specification(name: str) -> Any:
    """Return the function that specifies a hook."""
    return getattr(importlib.import_module(MODULES[name.removeprefix(HOOK_PREFIX)]), name)


@pytest.mark.parametrize("module", sorted({*MODULES.values()}))
def test_a_distribution_announces_the_hooks_that_it_specifies(module: str) -> None:
    specified = [name for name in vars(importlib.import_module(module)) if name.startswith(HOOK_PREFIX)]
    assert sorted(specified) == sorted(f"{HOOK_PREFIX}{name}" for name, place in MODULES.items() if place == module)


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


def test_plugins_implement_the_hooks_that_they_announce() -> None:
    for distribution, module, announced in implementations():
        hooks.implementations(module, HookSource(distribution.name, lambda: None, MODULES, announced))
