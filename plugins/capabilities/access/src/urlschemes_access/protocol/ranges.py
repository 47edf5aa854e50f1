"""Ranges: parts of resources, for clients and for the algorithms of schemes that can deliver them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from urlschemes_access.errors import RemoteError

if TYPE_CHECKING:
    from urlschemes_access.attributes import Attributes

__all__ = ["WHOLE", "Range", "beyond_end", "is_same"]

MOST = 2**63 - 1
"""The last octet that a range may begin at: systems count no further."""


@dataclass(frozen=True, slots=True)
class Range:
    """The octets of a resource from `start` up to, and without, `stop`; None: up to its end.

    With `unchanged`, the attributes of the whole resource as it was, this part is delivered only if the resource is
    still the same, and otherwise all of it: `Attributes.start` tells which. A resource that has neither a strong ETag
    nor a time of modification counts as changed. `Range(unchanged=Attributes())` gets the whole resource, and all
    attributes that a later range needs. Raises TypeError, ValueError.
    """

    start: int = 0
    stop: int | None = None
    unchanged: Attributes | None = None

    def __post_init__(self) -> None:
        for bound in (self.start, 0 if self.stop is None else self.stop):
            if isinstance(bound, bool) or not isinstance(bound, int):
                raise TypeError(f"the start and stop of a range must be whole numbers, not {bound!r}")
        if not 0 <= self.start <= MOST:
            raise ValueError(f"the start of a range must be from 0 to {MOST}, not {self.start}")
        if self.stop is not None and self.stop <= self.start:
            raise ValueError(f"the stop of a range must be greater than its start: {self.stop} and {self.start}")

    @property
    def is_whole(self) -> bool:
        """True for the whole resource."""
        return self.start == 0 and self.stop is None

    def length(self, size: int) -> int:
        """Return the number of octets in the range of a resource of `size` octets."""
        return max((size if self.stop is None else min(self.stop, size)) - self.start, 0)


WHOLE = Range()
"""The range of a whole resource: the default of the option `range` of algorithms."""


def is_same(before: Attributes, now: Attributes) -> bool:
    """Return True if the attributes of a whole resource, `before` and `now`, show that it is unchanged."""
    if before.size is not None and now.size is not None and before.size != now.size:
        return False
    tag = before.fields.get("etag")
    if tag is not None:
        return not tag.startswith("W/") and tag == now.fields.get("etag")
    return before.modified is not None and before.modified == now.modified


def beyond_end(start: int, size: int) -> RemoteError:
    """Return the error for a range that begins after the end of a resource of `size` octets."""
    return RemoteError(f"the range begins at octet {start}, but the resource has only {size} octets")
