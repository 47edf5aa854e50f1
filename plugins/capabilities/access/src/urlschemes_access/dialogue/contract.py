"""What an algorithm hands out, checked: a stranger's code made it, and callers will trust its types.

Of a text or octets of a derived class a plain copy is taken, so that no method of that class is ever called again.
"""

from __future__ import annotations

from copy import copy
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from urlschemes_access.dialogue.system_errors import breach

if TYPE_CHECKING:
    from urlschemes_access.attributes import Attributes, Entry

__all__ = ["octets", "typed"]

T = TypeVar("T", bound="Attributes | Entry")

_TEXT = frozenset({"media_type", "name", "url", "kind", "problem"})
_FIELDS = ("media_type", "name", "url", "kind", "problem", "size", "modified", "fields")
_NONE = type(None)


def octets(item: bytes) -> bytes:
    """The octets themselves."""
    return item if type(item) is bytes else memoryview(item).tobytes()


def typed(scheme: str, given: T) -> T:
    """Attributes, or an entry of a listing, whose fields are what they should be.

    Raises PluginContractError for a field of another type.
    """
    changed: dict[str, Any] = {}
    for name in _FIELDS:
        value: object = getattr(given, name, None)
        kind = type(value)
        if kind is _NONE:
            continue
        if name in _TEXT:
            if kind is not str:
                changed[name] = _text(scheme, name, value)
        elif name == "fields":
            plain = _plain(scheme, value)
            if plain is not value:
                changed[name] = plain
        elif kind is not (int if name == "size" else datetime):
            raise breach(scheme, f"{'a number' if name == 'size' else 'a datetime'} as {name}, or None", value)
    if not changed:
        return given
    same = copy(given)
    for name, value in changed.items():
        object.__setattr__(same, name, value)
    return same


def _text(scheme: str, name: str, value: object) -> str:
    if not issubclass(type(value), str):
        raise breach(scheme, f"text as {name}", value)
    return str.__str__(value)


def _plain(scheme: str, fields: object) -> dict[str, str]:
    if type(fields) is not dict:
        raise breach(scheme, "a dict of texts as fields", fields)
    if all(type(name) is str and type(value) is str for name, value in fields.items()):
        return fields
    return {_text(scheme, "fields", name): _text(scheme, "fields", value) for name, value in fields.items()}
