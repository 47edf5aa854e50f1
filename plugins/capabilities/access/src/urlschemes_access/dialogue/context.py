"""The context of one operation, which the parts of its dialogue share, and checks of what an algorithm yields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from urlschemes.errors import PluginContractError

if TYPE_CHECKING:
    from urlschemes_access.attributes import Attributes, Entry
    from urlschemes_access.backends.backend import Backend
    from urlschemes_access.dialogue.deadline import Deadline
    from urlschemes_access.dialogue.trace import Trace
    from urlschemes_access.policy import Policy

__all__ = ["Context", "DialoguePart"]

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


@dataclass(slots=True)
class Context:
    """The context of one operation. `backend` is set when the operation begins to run."""

    scheme: str
    policy: Policy
    deadline: Deadline
    trace: Trace
    backend: Backend = field(init=False)

    def breach(self, expected: str, got: object) -> PluginContractError:
        """Return the error for an algorithm that broke its contract. `got` is a description, or else an object."""
        shown = got if isinstance(got, str) else type(got).__name__
        return PluginContractError(
            f"the algorithm of scheme {self.scheme!r} broke its contract: expected {expected}, got {shown}",
            scheme=self.scheme,
            wants=expected,
            has=shown,
        )

    def check_fields(self, item: Attributes | Entry) -> None:
        """Raise PluginContractError if a field of attributes or of an entry has the wrong type."""
        for name, expected in _TYPES.items():
            value = getattr(item, name, None)
            if value is not None and (not isinstance(value, expected) or isinstance(value, bool)):
                raise self.breach(f"{expected.__name__} or None as {name}", value)
        texts: object = item.fields
        if not isinstance(texts, Mapping) or not all(isinstance(text, str) for pair in texts.items() for text in pair):
            raise self.breach("a mapping of str to str as fields", texts)


class DialoguePart:
    """A part of the dialogue of one operation."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._scheme = context.scheme
        self._limits = context.policy.limits
        self._deadline = context.deadline
        self._trace = context.trace
        self._breach = context.breach
