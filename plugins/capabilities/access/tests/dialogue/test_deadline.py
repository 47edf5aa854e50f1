"""The deadline of an operation, and the bounds on waiting for content."""

from __future__ import annotations

import pytest
from talk_scheme import Clock

from urlschemes_access.dialogue.deadline import Deadline
from urlschemes_access.errors import DeadlineExceeded
from urlschemes_access.policy import Limits


@pytest.fixture
def clock() -> Clock:
    return Clock()


def running(clock: Clock, **limits: float) -> Deadline:
    """Return a deadline that has begun."""
    deadline = Deadline(Limits(**limits), clock)  # type: ignore[arg-type]  # whole numbers are floats
    deadline.resume()
    return deadline


def test_a_named_deadline_is_a_wall_that_nothing_moves(clock: Clock) -> None:
    deadline = running(clock, deadline=10)
    for _ in range(10):
        assert deadline.time_for("content") == 110 - clock.now
        deadline.add_delivered(10**9)
        deadline.begin_sending()
        deadline.add_sent(10**9)
        deadline.end_sending()
        clock.now += 1
    with pytest.raises(DeadlineExceeded, match="the deadline passed while waiting for content"):
        deadline.time_for("content")


def test_pauses_do_not_count(clock: Clock) -> None:
    deadline = running(clock, deadline=10)
    clock.now += 4
    deadline.pause()
    clock.now += 1000
    assert deadline.left() == 6
    deadline.resume()
    clock.now += 5
    assert deadline.left() == 1


def test_only_content_ends_the_idle_time(clock: Clock) -> None:
    deadline = running(clock, idle=5)
    clock.now += 4
    deadline.add_delivered(1)
    clock.now += 4
    deadline.add_sent(1)
    assert deadline.left() == 5
    clock.now += 5
    with pytest.raises(DeadlineExceeded, match="5 seconds passed without content while waiting for response") as late:
        deadline.time_for("response")
    assert (late.value.phase, late.value.hint) == ("response", "Limits(idle=...) changes it")
    assert deadline.time_for("response", idle=False) > 5


@pytest.mark.parametrize("direction", ["delivered", "sent"])
def test_each_window_must_be_fast_enough_by_itself(clock: Clock, direction: str) -> None:
    deadline = running(clock, idle=1000, lowest_rate=100, rate_window=10)
    add = deadline.add_delivered if direction == "delivered" else deadline.add_sent
    if direction == "sent":
        deadline.begin_sending()
    add(1)  # the window begins
    clock.now += 9
    add(1_000_000)
    add(1)
    assert deadline.left() == 11
    clock.now += 1
    add(1)
    clock.now += 9
    assert deadline.left() == 1
    clock.now += 1
    with pytest.raises(DeadlineExceeded, match="10 seconds passed with less than 100 octets per second"):
        deadline.time_for("content")


def test_what_is_sent_has_no_rate_once_it_is_sent(clock: Clock) -> None:
    deadline = running(clock, idle=1000, lowest_rate=100, rate_window=10)
    deadline.begin_sending()
    deadline.add_sent(1)
    deadline.end_sending()
    clock.now += 100
    assert deadline.left() == 900
