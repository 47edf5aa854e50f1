"""Fixtures for tests of registries and their plugins."""

from __future__ import annotations

import pytest

from urlschemes import Registry


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Registry:
    """A registry for which nothing is installed."""
    for function in ("installed_claims", "discover"):
        monkeypatch.setattr(f"urlschemes.registry.plugins.{function}", lambda **_: ())
    return Registry()
