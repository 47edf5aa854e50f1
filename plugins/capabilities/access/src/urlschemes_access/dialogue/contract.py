"""Checks of what an algorithm yields; a breach of its contract is a PluginContractError."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from urlschemes.errors import PluginContractError

if TYPE_CHECKING:
    from urlschemes_access.attributes import Attributes, Entry

__all__ = ["breach", "check_fields", "has_type"]

_TYPES: dict[str, type] = {
    "media_type": str,
    "name": str,
    "url": str,
    "kind": str,
    "problem": str,
    "size": int,
    "start": int,
    "modified": datetime,
}


def breach(scheme: str, expected: str, got: object) -> PluginContractError:
    """Return the error for an algorithm that broke its contract. `got` is a description, or else an object."""
    shown = got if isinstance(got, str) else type(got).__name__
    return PluginContractError(
        f"the algorithm of scheme {scheme!r} broke its contract: expected {expected}, got {shown}",
        scheme=scheme,
        wants=expected,
        has=shown,
    )


def has_type(kind: type, value: object) -> bool:
    """Return True if a field of a request has the type that the request declares."""
    return isinstance(value, kind) and not isinstance(value, bool)


def check_fields(scheme: str, item: Attributes | Entry) -> None:
    """Raise PluginContractError if a field of attributes or of an entry has the wrong type."""
    for name, expected in _TYPES.items():
        value = getattr(item, name, None)
        if value is not None and not isinstance(value, expected):
            raise breach(scheme, f"{expected.__name__} or None as {name}", value)
    texts: object = item.fields
    if not isinstance(texts, Mapping) or not all(isinstance(text, str) for pair in texts.items() for text in pair):
        raise breach(scheme, "a mapping of str to str as fields", texts)
