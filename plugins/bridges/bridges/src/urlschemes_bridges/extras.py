"""The libraries of the extras of this distribution."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from urlschemes.registry.names import how_to_install

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["needs_extra"]


@contextmanager
def needs_extra(name: str) -> Iterator[None]:
    """Import the library of the extra `name`. Raises ModuleNotFoundError, which says what to install, without it."""
    try:
        yield
    except ModuleNotFoundError as error:
        remedy = how_to_install("urlschemes-bridges", name)
        raise ModuleNotFoundError(f"urlschemes_bridges.{name}: {error}; {remedy}", name=error.name) from error
