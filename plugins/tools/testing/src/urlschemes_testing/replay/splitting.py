"""split_everywhere: replays a script with the server's octets split in every way; the outcome must be the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes_testing.replay import steps
from urlschemes_testing.replay.backend import ReplayBackend
from urlschemes_testing.replay.replaying import Replay

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_access.protocol import Algorithm
    from urlschemes_testing.replay.outcome import Outcome
    from urlschemes_testing.replay.script import Script

__all__ = ["assert_same", "split_everywhere"]

PIECE = 32
"""Octets after which a message that was cut is cut again: a long one takes no more replays than one of 33 octets."""


def split_everywhere(make_algorithm: Callable[[], Algorithm[None]], script: Script) -> Outcome:
    """Replay the script with the server's octets split in every way; assert that the Outcome is always the same.

    Each message arrives as written; octet by octet; joined with the next ones, if they can arrive together; and cut at
    each octet, at the same one as the others, and again every 32 octets. Of several connections, each is the first to
    be read once. Datagrams are not split.
    """

    def run(backend: ReplayBackend) -> Outcome:
        return Replay(backend).run(make_algorithm())

    good = run(ReplayBackend(script))
    opening = [step for step in script if isinstance(step, steps.Opening)]
    orders: list[str | None] = [None, *(step.on for step in opening)]
    for first in orders if len(opening) > 1 else orders[:1]:
        assert_same(good, run(ReplayBackend(script, first=first)), f"{first} first")
        assert_same(good, run(ReplayBackend(script, chunk=1, first=first)), "octet by octet")
        assert_same(good, run(ReplayBackend(script, joined=True, first=first)), "joined")
    datagrams = {step.on for step in opening if isinstance(step, steps.ClientConnects) and step.transport == "udp"}
    sent = {
        number: step
        for number, step in enumerate(script)
        if isinstance(step, steps.LocalFile) or (isinstance(step, steps.ServerSends) and step.on not in datagrams)
    }
    longest = max((len(step.octets) for step in sent.values()), default=0)
    for offset in range(1, min(longest, PIECE + 1)):
        cuts = {number: range(offset, len(step.octets), PIECE) for number, step in sent.items()}
        outcome = run(ReplayBackend(script, cuts=cuts))
        if outcome.essence != good.essence:
            for number, step in sent.items():
                for place in cuts[number]:
                    alone = run(ReplayBackend(script, cuts={number: [place]}))
                    assert_same(good, alone, f"step {number} split at octet {place}: {step}")
            assert_same(good, outcome, f"every step split at octet {offset}, and again every {PIECE} octets")
    return good


def assert_same(good: Outcome, other: Outcome, how: str) -> None:
    """Raise AssertionError if two outcomes differ in essence; `how` describes the difference between the replays."""
    if good.essence != other.essence:
        raise AssertionError(f"another outcome, {how}:\n  {other.essence!r}\ninstead of\n  {good.essence!r}")
