"""The automaton of a tree of rules: which characters may come next, and which choices one character cannot decide.

Every `Characters` of the tree is a position (Glushkov's construction), and each turn of a bounded repetition has
positions of its own. Sets of positions are the bits of an int. The automaton accepts exactly what the tree derives.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TypeAlias

from urlschemes.grammar.rule_tree import (
    MAX_ELEMENTS,
    Characters,
    Element,
    Escape,
    Repeated,
    Variants,
    occurrences,
    too_large,
)

MAX_STATES = 80
"""The maximum number of states of a deterministic automaton."""

States: TypeAlias = "list[tuple[bool, dict[int, int]]]"
"""For each state, if a text may end there, and the state after each character."""


def bits(number: int) -> Iterator[int]:
    """Return the numbers of the bits that are set."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


class State:
    """A state of a walk: the positions `reached` by the last character, and those `expected` next.

    `within` are the positions that the walk may use. The states after this one are computed once: a walk of known
    states is fast.
    """

    __slots__ = ("automaton", "expected", "reached", "steps", "within")

    def __init__(self, automaton: Automaton, reached: int, expected: int, within: int) -> None:
        self.automaton = automaton
        self.reached = reached
        self.expected = expected & within
        self.within = within
        self.steps: dict[str, State | None] = {}

    def step(self, character: str) -> State | None:
        """Return the state after `character`; None if it cannot come next."""
        steps = self.steps
        if character not in steps and character.isascii():
            automaton, code = self.automaton, ord(character)
            reached = union(1 << each for each in bits(self.expected) if automaton.leaves[each].mask >> code & 1)
            steps[character] = automaton.state_after(reached, self.within) if reached else None
        return steps.get(character)

    def walk(self, text: str) -> tuple[int, State]:
        """Return how much of `text` can come next, and the state after it."""
        state = self
        for index, character in enumerate(text):
            steps = state.steps
            after = steps[character] if character in steps else state.step(character)
            if after is None:
                return index, state
            state = after
        return len(text), state

    def taken(self, text: str) -> int:
        """Return the positions of the last character of `text`, if `text` can come next; 0 if it cannot."""
        index, state = self.walk(text)
        return state.reached if index == len(text) else 0

    @property
    def ends(self) -> bool:
        """True if the URL may end here."""
        return bool(self.automaton.tree.last & self.reached)

    @property
    def characters(self) -> int:
        """The characters that can come next, as a mask."""
        return self.automaton.characters(self.expected)


class Automaton:
    """The positions of a tree, and the positions that may follow each.

    `leaves[p]` is the `Characters` of position p, `follow[p]` the set of positions that may come after it. `marked` are
    the occurrences of parts in the tree, outermost first, from left to right; `counted` are the bounded repetitions,
    `escapes` the escapes. Raises GrammarError for a tree with too many positions.
    """

    def __init__(self, tree: Element) -> None:
        self.tree = tree
        self.leaves: list[Characters] = []
        self.counted: list[Repeated] = []
        self.escapes: list[Escape] = []
        self.marked = tuple(occurrences(tree))
        self.follow: list[int] = []
        self._states: dict[tuple[int, int, int], State] = {}
        self._number(tree)

    def _number(self, item: Element, *, is_first_turn: bool = True) -> tuple[int, int]:
        """Number the positions of `item`, or of a turn of it, and return those that begin and end it."""
        start = len(self.leaves)
        if isinstance(item, Characters):
            if start == MAX_ELEMENTS:
                raise too_large(item.path[0])
            self.leaves.append(item)
            self.follow.append(0)
            first = last = 1 << start
        else:
            first, last = self._number_items(item, is_first_turn=is_first_turn)
        if is_first_turn:
            item.first = item.last = item.inside = 0
            self.escapes += [item] if isinstance(item, Escape) else []
            self.counted += [item] if isinstance(item, Repeated) and (item.most or 0) > 1 else []
        item.first |= first
        item.last |= last
        item.inside |= (1 << len(self.leaves)) - (1 << start)
        return first, last

    def _number_items(self, item: Element, *, is_first_turn: bool) -> tuple[int, int]:
        first = last = 0
        is_series, begins = not isinstance(item, Variants), True  # one element is a series, too
        for inner in item.items:
            begin, end = self._number(inner, is_first_turn=is_first_turn)
            if is_series:
                self._connect(last, begin)
            first |= begin if begins or not is_series else 0
            last = end | (last if inner.nullable or not is_series else 0)
            begins = begins and inner.nullable
        if isinstance(item, Repeated) and item.most is None:
            self._connect(last, first)
        before = last
        for _ in range((item.most or 1) - 1 if isinstance(item, Repeated) else 0):
            begin, end = self._number(item.item, is_first_turn=False)
            self._connect(before, begin)
            before = end
            last |= end
        return first, last

    def _connect(self, before: int, after: int) -> None:
        for position in bits(before):
            self.follow[position] |= after

    def characters(self, positions: int) -> int:
        """Return the characters at `positions`, as a mask."""
        return union(self.leaves[position].mask for position in bits(positions))

    def clash(self, item: Element, instead: int, *, again: int, guard: int | None = None, ends: bool = False) -> bool:
        """Return True if committing to `item` wherever it matches, and never to `instead`, is wrong or costly.

        It is wrong if a text that derives through `instead` begins with a text that `item` derives. With a `guard` this
        counts only if a character of that mask, or the end if it `ends`, follows. It is costly if, while `item` is
        being tried, the other way could reach one of the positions `again`, where `item` is tried anew: each of many
        tries could run far ahead.
        """
        inside = item.inside
        seen: set[tuple[int, int]] = set()
        ahead = [(one, other) for one in bits(item.first) for other in bits(instead)]
        while ahead:
            pair = ahead.pop()
            one, other = pair
            if pair in seen or not self.leaves[one].mask & self.leaves[other].mask:
                continue
            seen.add(pair)
            if again >> other & 1:
                return True
            if item.last >> one & 1 and (
                guard is None or (ends and self.tree.last >> other & 1) or guard & self.characters(self.follow[other])
            ):
                return True
            ahead += [
                (next_one, next_other)
                for next_one in bits(self.follow[one] & inside)
                for next_other in bits(self.follow[other])
            ]
        return False

    def deterministic(self) -> States:
        """Return the smallest deterministic automaton, the first state first: the same one for the same texts.

        Raises GrammarError if it may have too many states.
        """
        order, rows, numbers = [self.start], list[list[int]](), {(self.start.expected, self.tree.nullable): 0}
        for state in order:  # grows
            rows.append([])
            for code in range(128):
                after = state.step(chr(code))
                rows[-1].append(-1 if after is None else numbers.setdefault((after.expected, after.ends), len(order)))
                if after is not None and rows[-1][-1] == len(order):
                    order.append(after)
            if len(order) > MAX_STATES:
                raise too_large(self.leaves[0].path[0])
        # Merge the states that no text tells apart (Moore, 1956). The last one, -1, is where no text goes on.
        rows.append([-1] * 128)
        block, count = [*(int(ends) for _, ends in numbers), 2], 0
        while count < len({*block}):
            count, known = len({*block}), dict[object, int]()
            block = [known.setdefault((block[n], *[block[to] for to in row]), len(known)) for n, row in enumerate(rows)]
        found: dict[int, tuple[bool, dict[int, int]]] = {}
        for number, row, (_, ends) in zip(block, rows, numbers, strict=False):
            found.setdefault(number, (ends, {code: block[to] for code, to in enumerate(row) if to >= 0}))
        return [*found.values()]

    def following(self, positions: int) -> int:
        """Return the positions that may come after one of `positions`."""
        return union(self.follow[position] for position in bits(positions))

    def begun(self, expected: int) -> Characters | None:
        """Return the literal that began just before `expected`, if only its rest may follow; else None."""
        leaves = [self.leaves[position] for position in bits(expected)]
        if not leaves or leaves[0].literal is None or leaves[0].offset == 0:
            return None
        alike = all((leaf.literal, leaf.offset) == (leaves[0].literal, leaves[0].offset) for leaf in leaves)
        return leaves[0] if alike else None

    def literals(self, position: int) -> list[str]:
        """Return the literals that a character of a literal may be of: those that begin alike share it."""
        leaf, found = self.leaves[position], list[str]()
        if leaf.literal is not None and len(leaf.literal) == leaf.offset + 1:
            found.append(leaf.literal)
        for after in bits(self.follow[position]):
            if self.leaves[after].literal is not None and self.leaves[after].offset == leaf.offset + 1:
                found += self.literals(after)
        return found or [leaf.literal or ""]

    def preceding(self, positions: int) -> int:
        """Return the positions that one of `positions` may come after."""
        return union(1 << position for position, after in enumerate(self.follow) if after & positions)

    def inside(self, *marks: str) -> int:
        """Return the positions inside of the parts of these marks."""
        return union(marked.inside for marked in self.marked if marked.mark in marks)

    def beginning(self, mark: str | None) -> int:
        """Return the positions where the part of that mark may begin."""
        return union(marked.first for marked in self.marked if marked.mark == mark)

    def leading_to(self, goal: int, without: int = 0) -> int:
        """Return `goal`, and the positions from which it can be reached without passing one of `without`."""
        possible = union(1 << position for position, leaf in enumerate(self.leaves) if leaf.mask) & ~without
        found, ahead = 0, goal & possible
        while ahead != found:
            found, ahead = ahead, ahead | self.preceding(ahead) & possible
        return found

    def state(self, reached: int, expected: int, within: int) -> State:
        """Return the state after the positions `reached`, and before `expected`; the same one each time."""
        key = reached, expected, within
        return self._states.get(key) or self._states.setdefault(key, State(self, *key))

    def state_after(self, reached: int, within: int) -> State:
        """Return the state after one of the positions `reached`."""
        return self.state(reached, self.following(reached), within)

    def state_before(self, goal: int, without: int = 0) -> State:
        """Return the state before the first character, for walks that lead to `goal` without some positions."""
        return self.state(0, self.tree.first, self.leading_to(goal, without))

    def nearest_to_end(self, positions: int) -> int:
        """Return those of `positions` that are the fewest characters away from the end of a URL."""
        return next((near & positions for near in self._near_end if near & positions), positions)

    @cached_property
    def _near_end(self) -> list[int]:
        """The positions that are at most 0, 1, 2, ... characters away from the end of a URL."""
        found, ahead = [0], self.tree.last
        while ahead != found[-1]:
            found.append(ahead)
            ahead |= self.preceding(ahead)
        return found

    @cached_property
    def start(self) -> State:
        """The state before the first character. Every state after it can be continued to the end of a URL."""
        return self.state_before(self.tree.last)

    def reach(self, text: str) -> int:
        """Return how many characters of `text` can begin a URL."""
        return self.start.walk(text)[0]

    def derives(self, item: Element, text: str) -> bool:
        """Return True if `item`, an element of the tree, derives `text`."""
        if not text:
            return item.nullable
        return bool(self.state(0, item.first, item.inside).taken(text) & item.last)


def union(sets: Iterator[int]) -> int:
    """Return the members of all `sets`."""
    whole = 0
    for one in sets:
        whole |= one
    return whole
