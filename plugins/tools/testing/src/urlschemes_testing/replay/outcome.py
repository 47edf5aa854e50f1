"""What comes of an access that is replayed: an Outcome, or a Departure where it left the dialogue."""

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
    """The algorithm left the dialogue, or broke the contract between an algorithm and its driver."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of an access.

    `kind` and `attributes` are what was opened (None where nothing was), `delivered` the pieces of content or the
    entries, `terminated` is False where the algorithm said that the content lacks its end, `error` is what ended the
    access (None where it ended well), `sent` the octets by connection, `files` what was written to files and kept, by
    their paths, None where one was removed, `forms` the questions asked, `unclosed` the connections that the algorithm
    left for the driver to close.
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
        """Whether something was opened and its end was reached, without an error."""
        return self.kind is not None and self.error is None and self.terminated

    @property
    def content(self) -> bytes:
        """The octets delivered, in one piece."""
        return b"".join(item for item in self.delivered if isinstance(item, bytes))

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries delivered."""
        return tuple(item for item in self.delivered if isinstance(item, Entry))

    @property
    def essence(self) -> tuple[object, ...]:
        """What must not depend on how the octets were cut: two outcomes with equal essence are the same."""
        error = (type(self.error), str(self.error)) if self.error else None
        opened = self.kind, self.attributes, self.session
        done = dict(self.sent), dict(self.files)
        return *opened, self.content, self.entries, self.terminated, error, *done, self.forms
