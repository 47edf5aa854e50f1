"""Fixtures for tests of registries and their plugins."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from urlschemes import Registry


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Registry:
    """A registry for which nothing is installed."""
    for function in ("installed_claims", "discover"):
        monkeypatch.setattr(f"urlschemes.registry.plugins.{function}", lambda **_: ())
    return Registry()


@pytest.fixture(autouse=True)
def forget_plugins() -> Iterator[None]:
    """Remove the plugins that a test imports from `sys.modules`."""
    yield
    for module in [name for name in sys.modules if name.startswith("x_")]:
        del sys.modules[module]
