"""Each module imports its own library, and says what to install without it."""

from __future__ import annotations

import importlib
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
from workspace import distributions, name_in

from urlschemes.registry.names import how_to_install

if TYPE_CHECKING:
    from collections.abc import Callable

(BRIDGES,) = (each for each in distributions() if each.name == "urlschemes-bridges")
LIBRARIES = [
    (extra, name_in(each).replace("-", "_"))
    for extra, needed in BRIDGES.project["optional-dependencies"].items()
    for each in needed
]


@pytest.mark.parametrize(("extra", "library"), LIBRARIES)
def test_without_its_library_a_module_says_what_to_install(
    extra: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for other in (other for needing, other in LIBRARIES if needing == extra and other != library):
        pytest.importorskip(other)
    for name in [library, *sys.modules]:
        if f"{name}.".startswith(f"{library}."):
            monkeypatch.setitem(sys.modules, name, None)  # as if it were not installed
    for name in (extra, "reader"):
        monkeypatch.delitem(sys.modules, f"urlschemes_bridges.{name}", raising=False)
    advice = re.escape(how_to_install("urlschemes-bridges", extra))
    with pytest.raises(ModuleNotFoundError, match=rf"^urlschemes_bridges\.{extra}: .*\b{library}\b.*; {advice}$"):
        importlib.import_module(f"urlschemes_bridges.{extra}")


def test_the_package_and_the_module_of_argparse_import_no_library(child: Callable[..., Any]) -> None:
    code = "import urlschemes_bridges.argparse\nprint(json.dumps(sorted(sys.modules)))"
    assert {library for _, library in LIBRARIES} & {*child(code)} == set()
