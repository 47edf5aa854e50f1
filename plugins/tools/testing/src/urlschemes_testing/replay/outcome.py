"""The result of a replay: an Outcome, or a Departure from the script."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from urlschemes_access.attributes import Entry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from urlschemes.errors import URLError
    from urlschemes_access.attributes import Attributes
    from urlschemes_access.credentials import Form

__all__ = ["Departure", "Outcome"]


class Departure(AssertionError):
    """The algorithm did something that the script does not have, or broke its contract."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of a replay.

    `kind`, `attributes` and `session` are those of the resource, None if it was not opened; `delivered` are its pieces
    or entries. `terminated` is False if the content lacks its end mark. `error` is the error that ended the access,
    None if it succeeded. `sent` are the octets sent on each connection, `files` the contents kept by path, None for a
    removed file. `forms` are the forms asked, `unclosed` the connections that the algorithm did not close itself.
    """

    kind: str | None = None
    attributes: Attributes | None = None
    session: type[Any] | None = None
    delivered: tuple[bytes | Entry, ...] = ()
    terminated: bool = True
    error: URLError | None = None
    sent: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))
    files: Mapping[str, bytes | None] = field(default_factory=lambda: MappingProxyType({}))
    forms: tuple[Form, ...] = ()
    unclosed: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """True if a resource was opened and its end was reached without an error."""
        return self.kind is not None and self.error is None and self.terminated

    @property
    def content(self) -> bytes:
        """The octets delivered."""
        return b"".join(item for item in self.delivered if isinstance(item, bytes))

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries delivered."""
        return tuple(item for item in self.delivered if isinstance(item, Entry))

    @property
    def essence(self) -> tuple[object, ...]:
        """Everything that may not depend on how the octets were split: outcomes with equal essence are the same."""
        error = (type(self.error), str(self.error)) if self.error else None
        opened = self.kind, self.attributes, self.session
        done = dict(self.sent), dict(self.files)
        return *opened, self.content, self.entries, self.terminated, error, *done, self.forms
