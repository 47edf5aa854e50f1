"""An operation as its dialogue knows it, and the context that the parts of the dialogue share."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from time import monotonic

from urlschemes.errors import PluginContractError, URLError
from urlschemes.url.value import URL
from urlschemes_access.attributes import Attributes, Entry, Gateway
from urlschemes_access.backends.backend import Backend
from urlschemes_access.backends.connection_pool import ConnectionPool
from urlschemes_access.dialogue.deadline import Deadline
from urlschemes_access.dialogue.trace import Trace
from urlschemes_access.settings import Settings
from urlschemes_access.trace_event import Outcome

KINDS = ("document", "listing", "session", "attributes")
"""The kinds of resources that an algorithm may open."""

_TYPES: dict[str, type] = {
    "media_type": str,
    "name": str,
    "url": str,
    "kind": str,
    "problem": str,
    "size": int,
    "start": int,
    "modified": datetime,
    "precision": str,
}


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation on a URL, whose type has a registration, with the settings and the content of its caller."""

    url: URL
    settings: Settings
    content: bytes | Iterable[bytes] | AsyncIterable[bytes] | None = None
    kinds: tuple[str, ...] = KINDS
    """The kinds of resources that the algorithm may open."""
    gateway: Gateway | None = None
    """The gateway that led to `url`."""
    provider: Callable[[], str | None] | None = None
    """Returns the distribution of the algorithm, for errors."""
    redirect: Callable[[URL, str], URL] | None = None
    """Returns the URL that a location means relative to another URL; without it, no redirect is followed."""
    parse: Callable[[str], URL] | None = None
    """Returns the URL of a listing's entry."""
    observe: Callable[[Outcome, URLError | None], None] | None = None
    """Called with the outcome: "opened", and at the end another, with the error if it failed."""
    clock: Callable[[], float] = monotonic
    """Returns the time in seconds."""


@dataclass(slots=True)
class Context:
    """The context of one operation. `url` is the current URL, after redirects.

    `backend` and `pool` are set when the operation begins to run. `pool` holds the connections that earlier operations
    on the same backend kept; without it, none is kept.
    """

    operation: Operation
    url: URL
    scheme: str
    deadline: Deadline
    trace: Trace
    backend: Backend = field(init=False)
    pool: ConnectionPool | None = None

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
        self._limits = context.operation.settings.policy.limits
        self._deadline = context.deadline
        self._trace = context.trace
        self._breach = context.breach
