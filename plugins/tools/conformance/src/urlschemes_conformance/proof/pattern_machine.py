"""The meaning of a pattern, for all texts at once: what a backtracking matcher would do, one character at a time.

A backtracking matcher tries ways one after another, the preferred one first. Here all ways that are still possible
advance together, as an ordered list of threads (Pike, 1987). An atomic group keeps its first match: when a thread
leaves a group, all threads behind it that are in this group, or have left it, are dropped. A thread that has left a
group stays at risk as long as one before it is still in that group. If it leaves an outer group meanwhile, the threads
behind it wait: a verdict in its place drops them when its risks within the outer group are over, and is itself dropped
if the thread would have been.

The list has all that matters of the text so far, so that it is a state of an automaton. Positions are symbols: a proof
may replace them by others. The pattern is read as `re` reads it, by the same parser.
"""

from __future__ import annotations

import re
from functools import cache, reduce
from operator import or_
from re import _parser as reader  # type: ignore[attr-defined]
from typing import Any, NamedTuple, TypeAlias

from urlschemes_conformance.derivatives import both_cases
from urlschemes_conformance.proof.product import NotProven

__all__ = ["HERE", "Machine", "Tags", "Thread"]

HERE = -1
"""The symbol of the current position."""

Tags: TypeAlias = "tuple[int | None, ...]"
"""The symbols of the positions where each group begins and ends, None if it does not."""

_MAX_STEPS = 100_000
_END = 1 << 128
"""The end of the text, in a set of characters."""


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
    """A step. It `reads` a character of a set, or looks for one `ahead`, or for none `behind`; sets are masks.

    Or it passes a `tag`, or `enters` or `leaves` an atomic group.
    """

    after: list[int]
    reads: int | None = None
    ahead: int | None = None
    behind: int | None = None
    tag: int | None = None
    enters: bool = False
    leaves: bool = False


class Machine:
    """The machine of a pattern.

    Raises NotProven for a pattern with another construct than those that `urlschemes.grammar.pattern` writes.
    """

    def __init__(self, pattern: str) -> None:
        self.ignores_case = False
        self.steps: list[_Step] = []
        self.end = self._add(_Step([]))
        try:
            tree = reader.parse(pattern, re.ASCII)
        except re.error as error:
            raise NotProven(f"re does not read the pattern: {error}") from None
        if tree.state.flags != re.ASCII:
            raise NotProven("the pattern sets flags")
        self.groups = {name: number - 1 for name, number in tree.state.groupdict.items()}
        self.start = self._series(tree, self.end)
        self.looks_behind = self._looking_behind()
        behind: dict[tuple[int, ...], int] = {}
        looks = [step.behind for step in self.steps if step.behind is not None]
        self.behind = [behind.setdefault(tuple([mask >> code & 1 for mask in looks]), code) for code in range(128)]
        """For each character the first one that no look behind tells from it."""
        tested = {mask for step in self.steps for mask in (step.reads, step.ahead) if mask is not None}
        self._bits = {mask: 1 << number for number, mask in enumerate(sorted(tested))}
        self.tested = cache(self._tested)

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
            number, inside, at_risk, tags, drops = thread
            if dropped and not (dropped.isdisjoint(inside) and dropped.isdisjoint(at_risk)):
                continue
            if drops:
                if any(each > drops for each in _open(kept) & at_risk):
                    kept.append(thread)
                else:
                    dropped.add(drops)
                continue
            if thread[:3] in seen:
                continue
            seen.add(thread[:3])
            step = self.steps[number]
            if number == self.end:
                if character is None:
                    return (), tags
                continue
            if step.reads is not None:
                if character is not None and step.reads >> character & 1:
                    kept.append(Thread(step.after[0], inside, at_risk, tags))
                continue
            if step.ahead is not None and not step.ahead & (_END if character is None else 1 << character):
                continue
            if step.behind is not None and previous is not None and step.behind >> previous & 1:
                continue
            if step.tag is not None:
                tags = (*tags[: step.tag], HERE, *tags[step.tag + 1 :])
            elif step.enters:
                inside = (*inside, new)
                new += 1
            elif step.leaves:
                left, inside = inside[-1], inside[:-1]
                ahead.append(Thread(number, inside, at_risk, (), left))  # behind this thread's own ways
                at_risk |= {left}
            ahead += [Thread(after, inside, at_risk, tags) for after in reversed(step.after)]
        return _canonical(kept), None

    def sets_with(self, character: int) -> int:
        """Return which of the sets that steps test hold `character`, as a mask."""
        return sum(bit for mask, bit in self._bits.items() if mask >> character & 1)

    def _tested(self, number: int) -> int:
        """Return which sets are tested from a step on until the next character is read, as a mask."""
        found, seen, ahead = 0, {number}, [number]
        while ahead:
            step = self.steps[ahead.pop()]
            found |= self._bits.get(step.reads, 0) | self._bits.get(step.ahead, 0)  # type: ignore[arg-type]  # or None
            more = [] if step.reads is not None else [each for each in step.after if each not in seen]
            seen.update(more)
            ahead += more
        return found

    def _add(self, step: _Step) -> int:
        if len(self.steps) >= _MAX_STEPS:
            raise NotProven(f"the pattern has more than {_MAX_STEPS:,} steps")
        self.steps.append(step)
        return len(self.steps) - 1

    def _series(self, items: Any, after: int) -> int:
        """Add the steps of a sequence, which go on at `after`, and return the first."""
        for kind, argument in reversed(items):
            after = self._item(kind, argument, after)
        return after

    def _item(self, kind: Any, argument: Any, after: int) -> int:
        match kind, argument:
            case (reader.LITERAL | reader.IN, _):
                return self._add(_Step([after], reads=self._set(kind, argument)))
            case (reader.FAILURE, _):
                return self._add(_Step([after], reads=0))
            case (reader.ASSERT_NOT, (1, items)) if not items:  # `(?!)` before Python 3.13
                return self._add(_Step([after], reads=0))
            case (reader.BRANCH, (None, ways)):
                return self._add(_Step([self._series(way, after) for way in ways]))
            case (reader.SUBPATTERN, (None, flags, 0, items)) if flags in (0, re.IGNORECASE):
                outer, self.ignores_case = self.ignores_case, self.ignores_case or flags != 0
                first = self._series(items, after)
                self.ignores_case = outer
                return first
            case (reader.SUBPATTERN, (int(number), 0, 0, items)) if number - 1 in self.groups.values():
                end = self._add(_Step([after], tag=2 * number - 1))
                return self._add(_Step([self._series(items, end)], tag=2 * number - 2))
            case (reader.ATOMIC_GROUP, items):
                end = self._add(_Step([after], leaves=True))
                return self._add(_Step([self._series(items, end)], enters=True))
            case (reader.POSSESSIVE_REPEAT, times):
                return self._item(reader.ATOMIC_GROUP, [(reader.MAX_REPEAT, times)], after)
            case (reader.MAX_REPEAT, (least, most, items)) if items.getwidth()[0]:  # each turn reads a character
                return self._repetition(least, most, items, after)
            case (reader.ASSERT, (1, items)):
                return self._add(_Step([after], ahead=self._look(items)))
            case (reader.ASSERT_NOT, (-1, items)) if (looked_for := self._look(items)) < _END:
                return self._add(_Step([after], behind=looked_for))
        raise NotProven(f"the pattern has the construct {kind} {argument!r}")

    def _repetition(self, least: int, most: int, items: Any, after: int) -> int:
        first = after
        if most == reader.MAXREPEAT:
            first = again = self._add(_Step([]))
            self.steps[again].after.extend((self._series(items, again), after))
        else:
            for _ in range(most - least):
                first = self._add(_Step([self._series(items, first), after]))
        for _ in range(least):
            first = self._series(items, first)
        return first

    def _look(self, items: Any) -> int:
        """Return the set of the one character that a look is for; the end may be in it."""
        match [*items]:
            case [(reader.BRANCH, (None, ways))]:
                return reduce(or_, map(self._look, ways))
            case [(reader.AT, reader.AT_END_STRING)]:
                return _END
            case [(kind, argument)]:
                return self._set(kind, argument)
            case _:
                raise NotProven(f"the pattern has a look at {items!r}")

    def _set(self, kind: Any, argument: Any) -> int:
        """Return the set of characters that a literal or a class reads."""
        found = 0
        for each in argument if kind is reader.IN else [(kind, argument)]:
            match each:
                case (reader.LITERAL, code) if code < 128:
                    found |= both_cases(chr(code)) if self.ignores_case else 1 << code
                case (reader.RANGE, (low, high)) if high < 128 and not self.ignores_case:
                    found |= (1 << high + 1) - (1 << low)
                case _:
                    raise NotProven(f"the pattern has the construct {each!r}")
        return found

    def _looking_behind(self) -> frozenset[int]:
        """Return the steps from which a look at the last character is reached without reading another."""
        found = {number for number, step in enumerate(self.steps) if step.behind is not None}
        passing = {number: step.after for number, step in enumerate(self.steps) if step.reads is None}
        while more := {number for number, after in passing.items() if not found.isdisjoint(after)} - found:
            found |= more
        return frozenset(found)


def _canonical(threads: list[Thread]) -> tuple[Thread, ...]:
    """Return the threads without risks that are over, and with their groups numbered anew."""
    found: list[Thread] = []
    for thread in threads:
        at_risk = thread.at_risk and thread.at_risk & _open(found)
        # A thread that does what one before it does adds nothing, unless that one is at a risk that this one is not.
        if thread.drops or not any(
            other[:2] == thread[:2] and not other.drops and other.at_risk <= at_risk for other in found
        ):
            found.append(Thread(thread.step, thread.inside, at_risk, thread.tags, thread.drops))
    # A verdict about threads that are not there does nothing.
    while found and found[-1].drops:
        found.pop()
    every = {number for thread in found for number in (*thread.inside, *thread.at_risk, thread.drops)}
    numbers = {number: index for index, number in enumerate(sorted(every | {0}))}
    return tuple(
        [
            Thread(
                step,
                tuple([numbers[each] for each in inside]),
                frozenset([numbers[each] for each in at_risk]),
                tags,
                numbers[drops],
            )
            for step, inside, at_risk, tags, drops in found
        ]
    )


def _open(threads: list[Thread]) -> set[int]:
    """Return the groups whose threads behind `threads` may yet be dropped."""
    return {number for thread in threads for number in ([thread.drops] if thread.drops else thread.inside)}
