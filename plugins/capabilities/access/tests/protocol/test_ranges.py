"""Valid and invalid ranges of octets."""

from __future__ import annotations

from typing import Any

import pytest

from urlschemes_access import Range


@pytest.mark.parametrize("bounds", [(1.5, 2), (True, 2), (0, "5"), (0, 5.0), (None, 5)])
def test_the_bounds_of_a_range_are_whole_numbers(bounds: Any) -> None:
    with pytest.raises(TypeError, match="the start and stop of a range must be whole numbers"):
        Range(*bounds)


@pytest.mark.parametrize("bounds", [(-1, 2), (2**63, None), (5, 5), (5, 3)])
def test_a_range_has_octets_and_no_negative_bound(bounds: Any) -> None:
    with pytest.raises(ValueError, match=r"the (start|stop) of a range must be"):
        Range(*bounds)
