"""docs/hooks.md and the code say the same of every hook, and a plugin of the workspace has it."""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

import pytest
from workspace import ROOT, Distribution, distributions

from urlschemes.registry.registry import hooks

PAGE = (ROOT / "docs" / "hooks.md").read_text("utf-8")
HOOKS = sorted(name for name in vars(hooks) if name.startswith("urlschemes_"))


def section(name: str) -> str:
    found = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None, f"docs/hooks.md has no section {name}"
    return found[1]


def plain(text: str) -> str:
    """The words of a text, however it is laid out."""
    return " ".join(re.sub(r"^- ", "", text.replace("**", ""), flags=re.MULTILINE).split())


def modules(distribution: Distribution) -> list[Any]:
    """Those of a distribution that implement hooks."""
    entries = distribution.project.get("entry-points", {}).get("urlschemes", {})
    return [importlib.import_module(module) for module in entries.values()]


def test_the_page_has_a_section_for_each_hook_and_no_other() -> None:
    assert sorted(re.findall(r"^## (urlschemes_\w+)$", PAGE, re.MULTILINE)) == HOOKS
    assert {*HOOKS} == {name for name in hooks.__all__ if name.startswith("urlschemes_")}


@pytest.mark.parametrize("name", HOOKS)
def test_the_page_says_what_the_code_says(name: str) -> None:
    specified = getattr(hooks, name)
    signature = name + re.sub(r"'([^']*)'", r"\1", str(inspect.signature(specified)))
    words = section(name)
    assert f"\n```text\n{signature}\n```\n" in words
    assert plain(inspect.getdoc(specified) or "") in plain(words)


def test_the_life_of_an_access_names_every_hook() -> None:
    (life,) = re.findall(r"^## The life of an access\n\n```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert {*re.findall(r"urlschemes_\w+", life)} == {*HOOKS}


@pytest.mark.parametrize("name", HOOKS)
def test_a_plugin_of_the_workspace_has_the_hook_and_the_page_names_it(name: str) -> None:
    having = [each for each in distributions() if any(hasattr(module, name) for module in modules(each))]
    shipped = re.findall(
        r"^Shipped: \[(urlschemes-[\w-]+)\]\(\.\./(plugins/[\w-]+)/README\.md\)", section(name), re.MULTILINE
    )
    assert shipped == [(each.name, each.folder.relative_to(ROOT).as_posix()) for each in having]
    assert having


@pytest.mark.parametrize("distribution", [each for each in distributions() if modules(each)], ids=str)
def test_a_plugin_with_hooks_keeps_to_them_and_is_light(distribution: Distribution) -> None:
    entries = distribution.project["entry-points"]["urlschemes"]
    for module in modules(distribution):
        announced = {f"urlschemes_{name}" for name, place in entries.items() if place == module.__name__}
        hooks.check(module, distribution.name, announced)
        assert any(hasattr(module, name) for name in HOOKS)
        assert {name for name in module.__all__ if name.startswith("urlschemes_")} <= {*HOOKS}
    readme = (distribution.folder / "README.md").read_text("utf-8")
    assert "(../../docs/hooks.md)" in readme
