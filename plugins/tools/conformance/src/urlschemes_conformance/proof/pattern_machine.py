"""The meaning of a pattern, for all texts at once: what a backtracking matcher would do, one character at a time.

A backtracking matcher tries ways one after another, the preferred one first. Here all ways that are still possible
advance together, as an ordered list of threads (Pike, 1987). An atomic group keeps its first match: when a thread
leaves a group, all threads behind it that are in this group, or have left it, are dropped. A thread that has left a
group stays at risk as long as one before it is still in that group. If it leaves an outer group meanwhile, the threads
behind it wait: a verdict in its place drops them when its risks within the outer group are over, and is itself dropped
if the thread would have been.

The list has all that matters of the text so far, so that it is a state of an automaton. Positions are symbols: only
which of them are the same matters.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from urlschemes_conformance.proof.pattern_reader import (
    Ahead,
    Atomic,
    Behind,
    Chain,
    Choice,
    Group,
    Node,
    One,
    Times,
    UnknownConstruct,
    read_by,
)

__all__ = ["HERE", "Machine", "Tags", "Thread"]

HERE = -1
"""The symbol of the current position."""

Tags: TypeAlias = "tuple[int | None, ...]"
"""The symbols of the positions where each group begins and ends, None if it does not."""

_MAX_STEPS = 100_000


class Thread(NamedTuple):
    """A way through the pattern: the next step, the atomic groups it is in, those it has left and is at risk of.

    A group has a number for each time it is entered, which is greater than those of the groups entered before. If
    `drops` is not 0, this is a verdict, that drops the threads of that group behind it.
    """

    step: int
    inside: tuple[int, ...]
    at_risk: frozenset[int]
    tags: Tags
    drops: int = 0


class _Step(NamedTuple):
    """A step: `node` is a One, Ahead or Behind; `tag` is passed; `enters` or `leaves` an atomic group."""

    after: list[int]
    node: One | Ahead | Behind | None = None
    tag: int | None = None
    enters: bool = False
    leaves: bool = False


class Machine:
    """The machine of a pattern. Repetitions of up to `longest` turns or more have no bound.

    That changes nothing for texts without a longer run of the characters that they repeat, since each turn has one.
    """

    def __init__(self, tree: Node, longest: int) -> None:
        self.longest = longest
        self.groups: dict[str, int] = {}
        self.masks: set[int] = set()
        self.uncounted = 0
        """The characters of the repetitions that are not counted, as a mask."""
        self.steps: list[_Step] = []
        self.end = self._add(_Step([]))
        self.start = self._graph(tree, self.end)
        self.looks_behind = self._looking_behind()

    def begin(self) -> tuple[Thread, ...]:
        """Return the threads before the first character."""
        return (Thread(self.start, (), frozenset(), (None,) * (2 * len(self.groups))),)

    def advance(
        self, threads: tuple[Thread, ...], previous: int | None, character: int | None
    ) -> tuple[tuple[Thread, ...], Tags | None]:
        """Return the threads after `character` and None; or, at the end (None), none and the tags of the match.

        `previous` is the character before it; None at the beginning.
        """
        kept: list[Thread] = []
        dropped: set[int] = set()
        seen: set[tuple[int, tuple[int, ...], frozenset[int]]] = set()
        new = 1 + max((number for thread in threads for number in (*thread.inside, *thread.at_risk)), default=0)
        ahead = [*reversed(threads)]
        while ahead:
            thread = ahead.pop()
            if not dropped.isdisjoint(thread.inside) or not dropped.isdisjoint(thread.at_risk):
                continue
            if thread.drops:
                if any(number > thread.drops for number in _open(kept) & thread.at_risk):
                    kept.append(thread)
                else:
                    dropped.add(thread.drops)
                continue
            if thread[:3] in seen:
                continue
            seen.add(thread[:3])
            step = self.steps[thread.step]
            if thread.step == self.end:
                if character is None:
                    return (), thread.tags
                continue
            if step.node is not None and not _holds(step.node, previous, character):
                continue
            if isinstance(step.node, One):
                kept.append(thread._replace(step=step.after[0]))
                continue
            if step.tag is not None:
                tags = [*thread.tags]
                tags[step.tag] = HERE
                thread = thread._replace(tags=tuple(tags))
            elif step.enters:
                thread = thread._replace(inside=(*thread.inside, new))
                new += 1
            elif step.leaves:
                *inside, left = thread.inside
                thread = thread._replace(inside=tuple(inside))
                ahead.append(thread._replace(tags=(), drops=left))  # behind this thread's own ways
                thread = thread._replace(at_risk=thread.at_risk | {left})
            ahead += [thread._replace(step=after) for after in reversed(step.after)]
        return _canonical(kept), None

    def _add(self, step: _Step) -> int:
        if len(self.steps) >= _MAX_STEPS:
            raise UnknownConstruct(f"the pattern has more than {_MAX_STEPS:,} steps")
        self.steps.append(step)
        return len(self.steps) - 1

    def _graph(self, node: Node, after: int) -> int:
        """Add the steps of `node`, which go on at `after`, and return the first."""
        if isinstance(node, One | Ahead | Behind):
            self.masks.add(node.mask)
            return self._add(_Step([after], node=node))
        if isinstance(node, Chain):
            for item in reversed(node.items):
                after = self._graph(item, after)
            return after
        if isinstance(node, Choice):
            return self._add(_Step([self._graph(item, after) for item in node.items]))
        if isinstance(node, Atomic):
            return self._add(_Step([self._graph(node.item, self._add(_Step([after], leaves=True)))], enters=True))
        if isinstance(node, Group):
            number = self.groups.setdefault(node.name, len(self.groups))
            inner = self._graph(node.item, self._add(_Step([after], tag=2 * number + 1)))
            return self._add(_Step([inner], tag=2 * number))
        return self._repetition(node, after)

    def _repetition(self, node: Times, after: int) -> int:
        most = node.most
        if most is not None and most >= self.longest:
            self.uncounted |= read_by(node.item)
            most = None
        if most is None:
            again = self._add(_Step([]))
            self.steps[again].after.extend((self._graph(node.item, again), after))
            first = again
        else:
            first = after
            for _ in range(most - node.least):
                first = self._add(_Step([self._graph(node.item, first), after]))
        for _ in range(node.least):
            first = self._graph(node.item, first)
        return first

    def _looking_behind(self) -> frozenset[int]:
        """Return the steps from which a look at the last character is reached without reading another."""
        before: dict[int, list[int]] = {}
        for number, step in enumerate(self.steps):
            if not isinstance(step.node, One):
                for after in step.after:
                    before.setdefault(after, []).append(number)
        found = {number for number, step in enumerate(self.steps) if isinstance(step.node, Behind)}
        ahead = [*found]
        while ahead:
            for number in before.get(ahead.pop(), ()):
                if number not in found:
                    found.add(number)
                    ahead.append(number)
        return frozenset(found)


def _holds(node: One | Ahead | Behind, previous: int | None, character: int | None) -> bool:
    if isinstance(node, Behind):
        return previous is None or not node.mask >> previous & 1
    if character is None:
        return isinstance(node, Ahead) and node.may_end
    return bool(node.mask >> character & 1)


def _canonical(threads: list[Thread]) -> tuple[Thread, ...]:
    """Return the threads without risks that are over, and with their groups numbered anew."""
    found: list[Thread] = []
    for thread in threads:
        at_risk = thread.at_risk & _open(found)
        # A thread that does what one before it does adds nothing, unless that one is at a risk that this one is not.
        if thread.drops or not any(
            other[:2] == thread[:2] and not other.drops and other.at_risk <= at_risk for other in found
        ):
            found.append(thread._replace(at_risk=at_risk))
    # A verdict about threads that are not there does nothing.
    while found and found[-1].drops:
        found.pop()
    every = {number for thread in found for number in (*thread.inside, *thread.at_risk, thread.drops)}
    numbers = {number: index for index, number in enumerate(sorted(every | {0}))}
    return tuple(
        thread._replace(
            inside=tuple([numbers[each] for each in thread.inside]),
            at_risk=frozenset([numbers[each] for each in thread.at_risk]),
            drops=numbers[thread.drops],
        )
        for thread in found
    )


def _open(threads: list[Thread]) -> set[int]:
    """Return the groups whose threads behind `threads` may yet be dropped."""
    return {number for thread in threads for number in ([thread.drops] if thread.drops else thread.inside)}
