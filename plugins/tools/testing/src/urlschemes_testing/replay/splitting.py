"""A dialogue whose words come in other pieces: the outcome must be the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes_testing.replay import steps
from urlschemes_testing.replay.descriptions import describe
from urlschemes_testing.replay.player import Player

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_access.protocol import Algorithm
    from urlschemes_testing.replay.outcome import Outcome
    from urlschemes_testing.replay.script import Dialogue

__all__ = ["assert_same", "split_everywhere"]


def split_everywhere(make_algorithm: Callable[[], Algorithm[None]], dialogue: Dialogue) -> Outcome:
    """Run the dialogue with its server's words cut in every way, and assert that the Outcome is always the same.

    The ways: each message as written; octet by octet; messages that can arrive together, together; each message cut in
    two at each octet; and where there are several connections, each of them always the first to be heard. Datagrams are
    not cut.
    """
    good = Player(dialogue).run(make_algorithm())
    connections = {step.on: step for step in dialogue if isinstance(step, steps.OPENING)}
    orders: list[str | None] = [None, *(connections if len(connections) > 1 else ())]
    for first in orders:
        assert_same(good, Player(dialogue, first=first).run(make_algorithm()), f"{first} first")
        assert_same(good, Player(dialogue, chunk=1, first=first).run(make_algorithm()), "octet by octet")
        assert_same(good, Player(dialogue, joined=True, first=first).run(make_algorithm()), "joined")
    for number, step in enumerate(dialogue):
        if not isinstance(step, (steps.Server, steps.OnDisk)):
            continue
        opening = connections.get(step.on)
        if isinstance(opening, steps.Connect) and opening.transport == "udp":
            continue
        for offset in range(1, len(step.octets)):
            outcome = Player(dialogue, cut=(number, offset)).run(make_algorithm())
            assert_same(good, outcome, f"step {number} cut at octet {offset}: {describe(step)}")
    return good


def assert_same(good: Outcome, other: Outcome, how: str) -> None:
    """Raises AssertionError where two outcomes differ in essence; `how` says what was done otherwise."""
    if good.essence != other.essence:
        raise AssertionError(f"another outcome, {how}:\n  {other.essence!r}\ninstead of\n  {good.essence!r}")
