"""The deadline: working time, extended by the octets transferred."""

from __future__ import annotations

from urlschemes_access.dialogue.deadline import Deadline


def test_the_deadline_counts_working_time_and_grows_with_octets() -> None:
    now = 100.0
    deadline = Deadline(60, 16 * 1024, lambda: now)
    assert deadline.left() == 60
    deadline.resume()
    now += 10
    assert deadline.left() == 50
    deadline.pause()
    now += 1000
    assert deadline.left() == 50
    deadline.pause()
    deadline.moved += 16 * 1024 * 7
    assert deadline.left() == 57
    deadline.resume()
    now += 57
    assert deadline.left() == 0
