"""Ranges of octets, and the decision whether a part can be continued, or is complete."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from urlschemes_access import Attributes, Range
from urlschemes_access.errors import RemoteError
from urlschemes_access.protocol.ranges import WHOLE, Decision, decide

THEN, LATER = datetime(1994, 12, 1, tzinfo=UTC), datetime(1995, 12, 1, tzinfo=UTC)
CHANGED, UNKNOWN = "the resource has changed", "it is unknown whether the resource has changed"
LONGER = "the part is longer than the resource"


@pytest.mark.parametrize("bounds", [(1.5, 2), (True, 2), (0, "5"), (0, 5.0), (None, 5)])
def test_the_bounds_of_a_range_are_whole_numbers(bounds: Any) -> None:
    with pytest.raises(TypeError, match="the start and stop of a range must be whole numbers"):
        Range(*bounds)


@pytest.mark.parametrize("bounds", [(-1, 2), (2**63, None), (5, 5), (5, 3)])
def test_a_range_has_octets_and_no_negative_bound(bounds: Any) -> None:
    with pytest.raises(ValueError, match=r"the (start|stop) of a range must be"):
        Range(*bounds)


def facts(size: int | None = None, tag: str = "", modified: datetime | None = None) -> Attributes:
    return Attributes(size=size, modified=modified, fields={"etag": tag} if tag else {})


BY_TAG, BY_TIME = facts(10, '"a"'), facts(10, modified=THEN)
CONTINUES, COMPLETE = "continues", "complete"


@pytest.mark.parametrize("compared", [False, True], ids=["", "compared"])
@pytest.mark.parametrize(
    ("start", "before", "now", "outcome"),
    [
        (4, None, facts(10), CONTINUES),
        (4, None, facts(), CONTINUES),
        (10, None, facts(10), COMPLETE),
        (4, BY_TAG, BY_TAG, CONTINUES),
        (4, BY_TIME, BY_TIME, CONTINUES),
        (4, BY_TAG, facts(None, '"a"'), CONTINUES),
        (4, facts(None, '"a"'), BY_TAG, CONTINUES),
        (10, BY_TAG, BY_TAG, COMPLETE),
        (10, facts(None, '"a"'), BY_TAG, COMPLETE),
        (10, BY_TAG, facts(None, '"a"'), CONTINUES),  # nothing says how long the resource is now
        (4, BY_TAG, facts(4, '"a"'), CHANGED),
        (4, BY_TAG, facts(4), CHANGED),
        (10, BY_TAG, facts(10, '"b"'), CHANGED),
        (4, BY_TAG, facts(10, 'W/"a"'), CHANGED),
        (4, BY_TIME, facts(10, modified=LATER), CHANGED),
        (4, facts(10, '"a"', THEN), facts(10, '"a"', LATER), CONTINUES),  # the tag is the stronger validator
        (11, BY_TAG, BY_TAG, LONGER),
        (11, BY_TAG, facts(None, '"a"'), LONGER),
        (11, facts(None, '"a"'), BY_TAG, LONGER),
        (4, facts(10, 'W/"a"'), facts(10, 'W/"a"'), UNKNOWN),
    ],
)
def test_a_part_of_an_unchanged_resource_continues_or_is_complete(
    start: int, before: Attributes | None, now: Attributes, outcome: str, compared: bool
) -> None:
    wanted = Range(start, unchanged=before)
    expected = {CONTINUES: Decision(wanted), COMPLETE: Decision(None)}.get(outcome, Decision(WHOLE, outcome))
    assert decide(wanted, now, compared=compared) == expected


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (BY_TAG, facts(10)),
        (BY_TAG, facts(10, modified=THEN)),
        (BY_TIME, facts(10, '"a"')),
        (facts(10), facts(10)),
        (facts(10, '"a"', THEN), facts(10, modified=THEN)),
    ],
)
def test_a_missing_validator_is_the_same_only_if_the_server_compared_it(before: Attributes, now: Attributes) -> None:
    wanted = Range(4, unchanged=before)
    assert decide(wanted, now) == Decision(WHOLE, UNKNOWN)
    assert decide(wanted, now, compared=True) == Decision(wanted)


def test_a_range_without_condition_beyond_the_end_is_an_error() -> None:
    with pytest.raises(RemoteError, match="begins at octet 11, but the resource has only 10 octets"):
        decide(Range(11), facts(10))
