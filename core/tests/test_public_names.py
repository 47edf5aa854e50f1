"""The public names of the package, pinned."""

import importlib
import pkgutil

import pytest

import urlschemes

NAMES = [
    "URL",
    "Encoded",
    "InternetURL",
    "InvalidURL",
    "LoginURL",
    "PluginError",
    "Registration",
    "RegistrationError",
    "Registry",
    "Scheme",
    "URLError",
    "UnknownScheme",
    "UnsafeURL",
    "__version__",
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


@pytest.mark.parametrize("module", [each.name for each in pkgutil.walk_packages(urlschemes.__path__, "urlschemes.")])
def test_a_module_has_the_names_in_its_all(module: str) -> None:
    names = getattr(importlib.import_module(module), "__all__", [])
    assert all(hasattr(importlib.import_module(module), name) for name in names)
    assert len(set(names)) == len(names)
