"""Ranges: parts of resources, for clients and for the algorithms of schemes that can deliver them."""

from __future__ import annotations

from dataclasses import dataclass

from urlschemes_access.attributes import Attributes
from urlschemes_access.errors import RemoteError

__all__ = ["WHOLE", "Decision", "Range", "decide", "difference"]

_CHANGED = "the resource has changed"
_UNKNOWN = "it is unknown whether the resource has changed"

MOST = 2**63 - 1
"""The last octet that a range may begin at: systems count no further."""


@dataclass(frozen=True, slots=True)
class Range:
    """The octets of a resource from `start` up to but not including `stop`; None: up to its end.

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


@dataclass(frozen=True, slots=True)
class Decision:
    """The part of a resource that an access delivers: the result of `decide`.

    `range` is the range to deliver: the one that was asked for, or WHOLE if the resource is not the unchanged one; None
    if the octets before the range are the complete resource. `reason` says why it is WHOLE.
    """

    range: Range | None
    reason: str | None = None


def decide(wanted: Range, now: Attributes, *, compared: bool = False) -> Decision:
    """Return what to deliver for the range `wanted` of a resource; `now` are the attributes of the whole resource.

    `compared` says that the server itself compares it with `wanted.unchanged`: then `now` may lack an attribute, but
    none may differ. Raises RemoteError if a range without `unchanged` begins after the end of the resource.
    """
    before, size = wanted.unchanged, now.size
    if before is not None:
        reason = difference(before, now, compared=compared)
        known = before.size if size is None else size
        if reason is None and known is not None and wanted.start > known:
            reason = "the part is longer than the resource"
        if reason is not None:
            return Decision(WHOLE, reason)
    if size is None or wanted.start < size or wanted.is_whole:
        return Decision(wanted)
    if wanted.start == size:
        return Decision(None)
    raise RemoteError(f"the range begins at octet {wanted.start}, but the resource has only {size} octets")


def difference(before: Attributes, now: Attributes, *, compared: bool = False) -> str | None:
    """Return why the attributes `before` and `now` do not show that a resource is unchanged; None if they do.

    `compared` is that of `decide`.
    """
    if None not in (before.size, now.size) and before.size != now.size:
        return _CHANGED
    tag = before.fields.get("etag")
    for earlier, later in ((tag, now.fields.get("etag")), (before.modified, now.modified)):
        if earlier is None or (later is None and compared):
            continue
        if later is None:
            return _UNKNOWN
        if earlier != later:
            return _CHANGED
        return _UNKNOWN if earlier is tag and tag.startswith("W/") else None
    return None if compared else _UNKNOWN
