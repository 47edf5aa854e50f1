"""The automaton of a tree of rules: which characters may come next, and which choices one character cannot decide.

Every `Characters` of the tree is a position (Glushkov's construction); sets of positions are the bits of an int. The
automaton accepts exactly what the tree derives, except that it does not count repetitions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.grammar.rule_tree import Characters, Element, Marked, Repeated, Series, Variants, marks

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Automaton", "State", "bits"]

_FEW = 64


def bits(number: int) -> Iterator[int]:
    """Return the numbers of the bits that are set."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


class State:
    """A state of a walk: the positions `reached` by the last character, and those `expected` next.

    `within` are the positions that the walk may use. `counted` is True if it has come through a repetition with a small
    bound. Steps are computed once: a walk of known steps is fast.
    """

    __slots__ = ("automaton", "counted", "expected", "reached", "steps", "within")

    def __init__(self, automaton: Automaton, reached: int, expected: int, within: int, counted: bool) -> None:
        self.automaton = automaton
        self.reached = reached
        self.expected = expected & within
        self.within = within
        self.counted = counted or bool(reached & automaton.few)
        self.steps: dict[str, State | None] = {}

    def step(self, character: str) -> State | None:
        """Return the state after `character`; None if it cannot come next."""
        steps = self.steps
        if character not in steps and character.isascii():
            automaton, code = self.automaton, ord(character)
            reached = _union(1 << p for p in bits(self.expected) if automaton.leaves[p].mask >> code & 1)
            after = automaton.following(reached)
            steps[character] = automaton.state(reached, after, self.within, self.counted) if reached else None
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

    `leaves[p]` is the `Characters` of position p, `follow[p]` the set of positions that may come after it, and
    `uncounted[p]` the same without the steps back of bounded repetitions. `marked` are the occurrences of parts in the
    tree, outermost first, from left to right; `counted` are the bounded repetitions, `few` the positions inside of
    those whose bound is small.
    """

    __slots__ = ("_start", "_states", "counted", "few", "follow", "leaves", "marked", "tree", "uncounted")

    def __init__(self, tree: Element) -> None:
        self.tree = tree
        self.leaves: list[Characters] = []
        self.follow: list[int] = []
        self.uncounted: list[int] = []
        self.counted: list[Repeated] = []
        self.marked = tuple(marks(tree))
        self._start: State | None = None
        self._states: dict[tuple[int, int, int, bool], State] = {}
        self._number(tree)
        self.few = _union(item.inside for item in self.counted if (item.most or 0) <= _FEW)

    def _number(self, item: Element) -> None:
        if isinstance(item, Characters):
            item.first = item.last = item.inside = 1 << len(self.leaves)
            item.nullable = False
            self.leaves.append(item)
            self.follow.append(0)
            self.uncounted.append(0)
        elif isinstance(item, Marked | Repeated):
            inner = item.item
            self._number(inner)
            item.first, item.last, item.inside, item.nullable = inner.first, inner.last, inner.inside, inner.nullable
            if isinstance(item, Repeated):
                item.nullable = inner.nullable or item.least == 0
                if item.most != 1:
                    self._connect(inner.last, inner.first, counted=item.most is not None)
                self.counted += [item] if item.most not in {None, 1} else []
        elif isinstance(item, Variants):
            for inner in item.items:
                self._number(inner)
            item.first = _union(inner.first for inner in item.items)
            item.last = _union(inner.last for inner in item.items)
            item.inside = _union(inner.inside for inner in item.items)
            item.nullable = any(inner.nullable for inner in item.items)
        else:
            assert isinstance(item, Series)
            item.first = item.last = item.inside = 0
            item.nullable = True
            for inner in item.items:
                self._number(inner)
                item.inside |= inner.inside
                self._connect(item.last, inner.first)
                item.first |= inner.first if item.nullable else 0
                item.last = inner.last | (item.last if inner.nullable else 0)
                item.nullable = item.nullable and inner.nullable

    def _connect(self, before: int, after: int, *, counted: bool = False) -> None:
        for position in bits(before):
            self.follow[position] |= after
            self.uncounted[position] |= 0 if counted else after

    def characters(self, positions: int) -> int:
        """Return the characters at `positions`, as a mask."""
        return _union(self.leaves[position].mask for position in bits(positions))

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

    def includes(self, larger: Element, smaller: Element) -> bool:
        """Return True if `larger` derives every text of `smaller`, as far as that can be seen without counting.

        Within an unbounded repetition, `larger` may need several turns.
        """
        if smaller.nullable and not larger.nullable:
            return False
        within_larger, within_smaller = larger.inside, smaller.inside
        seen: set[tuple[int, int]] = set()
        ahead = [(position, larger.first) for position in bits(smaller.first)]
        while ahead:
            pair = ahead.pop()
            if pair in seen:
                continue
            seen.add(pair)
            position, others = pair
            mask = self.leaves[position].mask
            for reached, _ in self._split(others, mask):
                if not reached or (smaller.last >> position & 1 and not reached & larger.last):
                    return False
                following = _union(self.uncounted[other] for other in bits(reached)) & within_larger
                ahead += [(after, following) for after in bits(self.follow[position] & within_smaller)]
        return True

    def _split(self, positions: int, mask: int) -> Iterator[tuple[int, int]]:
        """Yield the sets of `positions` that one character of `mask` can reach, each with those characters."""
        by_reached: dict[int, int] = {}
        for code in bits(mask):
            reached = _union(1 << position for position in bits(positions) if self.leaves[position].mask >> code & 1)
            by_reached[reached] = by_reached.get(reached, 0) | 1 << code
        yield from by_reached.items()

    def following(self, positions: int) -> int:
        """Return the positions that may come after one of `positions`."""
        return _union(self.follow[position] for position in bits(positions))

    def begun(self, expected: int) -> Characters | None:
        """Return the literal that began just before `expected`, if only its rest may follow; else None."""
        leaves = [self.leaves[position] for position in bits(expected)]
        if not leaves or leaves[0].literal is None or leaves[0].offset == 0:
            return None
        alike = all((leaf.literal, leaf.offset) == (leaves[0].literal, leaves[0].offset) for leaf in leaves)
        return leaves[0] if alike else None

    def inside(self, *marks: str) -> int:
        """Return the positions inside of the parts of these marks."""
        return _union(marked.inside for marked in self.marked if marked.mark in marks)

    def leading_to(self, goal: int, without: int = 0) -> int:
        """Return `goal`, and the positions from which it can be reached without passing one of `without`."""
        found, ahead = 0, goal & ~without
        while ahead != found:
            found = ahead
            ahead |= _union(
                1 << position
                for position, after in enumerate(self.follow)
                if after & found and self.leaves[position].mask and not without >> position & 1
            )
        return found

    def state(self, reached: int, expected: int, within: int, counted: bool = False) -> State:
        """Return the state of these sets of positions; the same one each time."""
        key = reached, expected, within, counted
        return self._states.get(key) or self._states.setdefault(key, State(self, *key))

    def state_before(self, goal: int, without: int = 0) -> State:
        """Return the state before the first character, for walks that lead to `goal` without some positions."""
        return self.state(0, self.tree.first, self.leading_to(goal, without))

    @property
    def ending(self) -> int:
        """The positions at which a URL may end."""
        return _union(1 << position for position in bits(self.tree.last) if self.leaves[position].mask)

    @property
    def start(self) -> State:
        """The state before the first character. Every state after it can be continued to the end of a URL."""
        if self._start is None:
            self._start = self.state_before(self.ending)
        return self._start

    def reach(self, text: str) -> int:
        """Return how many characters of `text` can begin a URL."""
        return self.start.walk(text)[0]

    def derivation(self, text: str, state: State | None = None, last: int | None = None) -> list[int]:
        """Return for each character of `text` the positions that it stands at in a derivation of the whole text.

        `state` is the first state, `start` by default; `last` are the positions for the last character, by default
        those at the end of a URL. The list is empty if `text` cannot be derived.
        """
        state = self.start if state is None else state
        sets = []
        for character in text:
            after = state.step(character)
            if after is None:
                return []
            state = after
            sets.append(state.reached)
        here = self.tree.last if last is None else last
        before: dict[tuple[int, int], int] = {}
        for index in reversed(range(len(sets))):
            reached = sets[index]
            if index == len(sets) - 1:
                here &= reached
            else:
                if (reached, here) not in before:
                    before[reached, here] = sum(1 << each for each in bits(reached) if self.follow[each] & here)
                here = before[reached, here]
            sets[index] = here
        return sets

    def derives(self, item: Element, text: str) -> bool:
        """Return True if `item`, an element of the tree, derives `text`, as far as can be seen without counting."""
        if not text:
            return item.nullable
        return bool(self.state(0, item.first, item.inside).taken(text) & item.last)


def _union(sets: Iterator[int]) -> int:
    whole = 0
    for one in sets:
        whole |= one
    return whole
