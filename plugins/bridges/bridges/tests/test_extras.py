"""Each module imports its own library, and says what to install without it."""

from __future__ import annotations

import importlib
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
from workspace import distributions

from urlschemes.registry.names import how_to_install

if TYPE_CHECKING:
    from collections.abc import Callable

(BRIDGES,) = (each for each in distributions() if each.name == "urlschemes-bridges")
EXTRAS = sorted(BRIDGES.project["optional-dependencies"])


def library(extra: str) -> str:
    return "urlschemes_access" if extra == "urllib" else extra


@pytest.mark.parametrize("extra", EXTRAS)
def test_without_its_library_a_module_says_what_to_install(extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [library(extra), *sys.modules]:
        if f"{name}.".startswith(f"{library(extra)}."):
            monkeypatch.setitem(sys.modules, name, None)  # as if it were not installed
    monkeypatch.delitem(sys.modules, f"urlschemes_bridges.{extra}", raising=False)
    advice = re.escape(how_to_install("urlschemes-bridges", extra))
    with pytest.raises(
        ModuleNotFoundError, match=rf"^urlschemes_bridges\.{extra}: .*\b{library(extra)}\b.*; {advice}$"
    ):
        importlib.import_module(f"urlschemes_bridges.{extra}")


def test_the_package_and_the_module_of_argparse_import_no_library(child: Callable[..., Any]) -> None:
    code = "import urlschemes_bridges.argparse\nprint(json.dumps(sorted(sys.modules)))"
    assert {*map(library, EXTRAS)} & {*child(code)} == set()
