"""The public names of the package, pinned."""

import importlib
import pkgutil
import pydoc
import sys

import pytest

import urlschemes

TYPES = [
    "URL",
    "Encoded",
    "InternetURL",
    "InvalidURL",
    "Listed",
    "LoginURL",
    "PluginError",
    "Registration",
    "RegistrationError",
    "Registry",
    "Scheme",
    "URLError",
    "UnknownScheme",
    "UnsafeURL",
]
NAMES = [
    "__version__",
    "decimal_part",
    "default_registry",
    "is_valid",
    "list_part",
    "number_part",
    "pairs_part",
    "parse",
    "parse_generic",
    "text_part",
]


def test_the_public_names_are_these() -> None:
    assert urlschemes.__all__ == NAMES
    assert all(hasattr(urlschemes, name) for name in NAMES)
    assert sorted(name for name, each in vars(urlschemes).items() if isinstance(each, type)) == sorted(TYPES)


@pytest.mark.skipif(sys.flags.optimize == 2, reason="Python keeps no docstrings")
def test_help_begins_with_parse_and_is_short() -> None:
    shown = pydoc.plain(pydoc.render_doc(urlschemes))
    description = shown.partition("DESCRIPTION\n")[2]
    assert description.lstrip().startswith("urlschemes.parse(")
    assert "\n    parse(" in shown
    assert len(shown.splitlines()) < 200


@pytest.mark.parametrize("module", [each.name for each in pkgutil.walk_packages(urlschemes.__path__, "urlschemes.")])
def test_a_module_has_the_names_in_its_all(module: str) -> None:
    names = getattr(importlib.import_module(module), "__all__", [])
    assert all(hasattr(importlib.import_module(module), name) for name in names)
    assert len(set(names)) == len(names)
