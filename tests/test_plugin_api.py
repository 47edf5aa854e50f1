"""Plugins build on what docs/reference/versioning.md promises them, and on public names."""

from __future__ import annotations

import importlib
import re

import pytest
from source_code import distribution_of, modules_of, target
from workspace import ROOT, Distribution, distributions

PAGE = ROOT / "docs" / "reference" / "versioning.md"


def promised_modules() -> set[str]:
    """Return the modules that the page calls public."""
    table = PAGE.read_text("utf-8").partition("| module | for |")[2].partition("\n\n")[0]
    return {name for row in table.splitlines()[2:] for name in re.findall(r"`([\w.]+)`", row.split("|")[1])}


def is_public(name: str, module: str) -> bool:
    """Return True if a module lists the name; one that lists none has private names only that begin with `_`."""
    found = importlib.import_module(module)
    listed = getattr(found, "__all__", None)
    if listed is None:
        return not name.startswith("_")
    return name in {*listed, "__version__"} or (module == "urlschemes" and isinstance(getattr(found, name), type))


def test_the_page_names_modules_that_have_public_names() -> None:
    assert {"urlschemes", "urlschemes_access.protocol", "urlschemes.errors"} <= promised_modules()
    assert [module for module in promised_modules() if not importlib.import_module(module).__all__] == []


@pytest.mark.parametrize("distribution", [each for each in distributions() if each.has_code], ids=str)
def test_a_distribution_uses_public_names_of_others(distribution: Distribution) -> None:
    wrong = [
        f"{module}, line {each.line}: {each.module}.{each.name}"
        for module in modules_of(distribution.name)
        for each in module.imports
        if distribution_of(each) not in {None, distribution.name}
        and each.name
        and target(each) == each.module  # a name, not a module
        and not is_public(each.name, each.module)
    ]
    assert wrong == []


@pytest.mark.parametrize("kind", ["schemes", "extensions"])
def test_plugins_use_the_modules_that_are_promised_to_them(kind: str) -> None:
    plugins = [each for each in distributions() if each.folder.parent.name == kind]
    own = {each.name for each in plugins}  # a scheme may share the algorithms of another
    used = {
        target(each)
        for plugin in plugins
        for module in modules_of(plugin.name)
        for each in module.imports
        if distribution_of(each) not in {None, *own}
    }
    packages = {module for module in used if any(other.startswith(f"{module}.") for other in promised_modules())}
    assert used - packages - promised_modules() == set()


@pytest.mark.parametrize("distribution", [each for each in distributions() if each.has_code], ids=str)
def test_a_distribution_that_uses_other_modules_bounds_the_version(distribution: Distribution) -> None:
    promised = promised_modules() | {each.name.replace("-", "_") for each in distributions()}
    used = {
        distribution_of(each)
        for module in modules_of(distribution.name)
        for each in module.imports
        if distribution_of(each) not in {None, distribution.name}
        and not any(f"{name}.".startswith(f"{target(each)}.") for name in promised)
    }
    needed = distribution.project.get("dependencies", [])
    bounded = {each.partition(">=")[0] for each in needed if ",<" in each}
    assert (used & distribution.requirements) - bounded == set()
