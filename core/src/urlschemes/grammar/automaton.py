"""The automaton of a tree: which character may come next, and what may not be decided by looking at one.

Every `Characters` of the tree is a position (Glushkov's construction); sets of positions are the bits of an int. The
automaton accepts exactly what the tree derives, except that it does not count repetitions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.grammar.rule_tree import Characters, Element, Marked, Repeated, Series, Variants, marks

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Automaton", "bits"]


def bits(number: int) -> Iterator[int]:
    """The numbers of the bits that are set."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


class Automaton:
    """The positions of a tree, and what follows each.

    `leaves[p]` is the `Characters` of position p, `follow[p]` the set of positions that may come after it;
    `uncounted[p]` are those of them that may come after it however often it was passed. `marked` are the occurrences
    of parts in the tree, outermost first, from left to right, and `counted` the repetitions with a bound.
    """

    __slots__ = ("counted", "follow", "leaves", "marked", "tree", "uncounted")

    def __init__(self, tree: Element) -> None:
        self.tree = tree
        self.leaves: list[Characters] = []
        self.follow: list[int] = []
        self.uncounted: list[int] = []
        self.counted: list[Repeated] = []
        self.marked = tuple(marks(tree))
        self._number(tree)

    def _number(self, item: Element) -> None:
        if isinstance(item, Characters):
            item.position = len(self.leaves)
            item.first = item.last = item.inside = 1 << item.position
            item.nullable = False
            self.leaves.append(item)
            self.follow.append(0)
            self.uncounted.append(0)
        elif isinstance(item, Marked):
            self._number(item.item)
            item.first, item.last, item.nullable = item.item.first, item.item.last, item.item.nullable
            item.inside = item.item.inside
        elif isinstance(item, Repeated):
            inner = item.item
            self._number(inner)
            item.first, item.last, item.inside = inner.first, inner.last, inner.inside
            item.nullable = inner.nullable or item.least == 0
            if item.most != 1:
                self._connect(inner.last, inner.first, counted=item.most is not None)
            if item.most not in {None, 1}:
                self.counted.append(item)
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
                if item.nullable:
                    item.first |= inner.first
                item.last = inner.last | (item.last if inner.nullable else 0)
                item.nullable = item.nullable and inner.nullable

    def _connect(self, before: int, after: int, *, counted: bool = False) -> None:
        for position in bits(before):
            self.follow[position] |= after
            if not counted:
                self.uncounted[position] |= after

    def characters(self, positions: int) -> int:
        """The characters that stand at any of `positions`, as a mask."""
        return _union(self.leaves[position].mask for position in bits(positions))

    def clash(self, item: Element, instead: int, *, again: int, guard: int | None = None, ends: bool = False) -> bool:
        """Whether it would be wrong, or costly, to take `item` wherever it matches, and never to go on with `instead`.

        It is wrong if a text that derives by going on with `instead` also begins with something that `item` derives
        (with a `guard`: only where a character of that mask, or the end if it `ends`, stands behind it). It is costly
        if, while `item` is still being tried, the other way could come to one of the positions `again`, where it is
        tried anew: each of many tries could then run far ahead.
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
        """Whether every text that `smaller` derives derives from `larger` too, as far as that shows without counting.

        Where a repetition without bound is around both, `larger` may take several turns for it.
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
        """The sets of `positions` that one character of `mask` can reach, each with the characters that reach it."""
        by_reached: dict[int, int] = {}
        for code in bits(mask):
            reached = _union(1 << position for position in bits(positions) if self.leaves[position].mask >> code & 1)
            by_reached[reached] = by_reached.get(reached, 0) | 1 << code
        yield from by_reached.items()

    def following(self, positions: int) -> int:
        """The positions that may come after one of `positions`."""
        return _union(self.follow[position] for position in bits(positions))

    def step(self, expected: int, character: str, within: int = -1) -> tuple[int, int]:
        """Of the positions `expected`, those that `character` can stand at; and those that may come next.

        Only positions of the set `within` may come next (-1: any).
        """
        code = ord(character)
        reached = _union(1 << p for p in bits(expected) if code < 128 and self.leaves[p].mask >> code & 1)
        return reached, self.following(reached) & within

    def taken(self, expected: int, text: str) -> int:
        """The positions that the last character of `text` stands at, where `text` goes on at `expected`; 0 if not."""
        reached = 0
        for character in text:
            reached, expected = self.step(expected, character)
        return reached

    def begun(self, expected: int) -> Characters | None:
        """The literal whose beginning stands just before `expected`, if nothing but its rest may follow."""
        leaves = [self.leaves[position] for position in bits(expected)]
        if not leaves or leaves[0].literal is None or leaves[0].offset == 0:
            return None
        alike = all((leaf.literal, leaf.offset) == (leaves[0].literal, leaves[0].offset) for leaf in leaves)
        return leaves[0] if alike else None

    def reach(self, text: str, without: int = 0) -> tuple[int, int, int]:
        """How far `text` derives: the first index that cannot be, what was expected there, what came before.

        The first number is the length of the text where all of it can begin a URL; the second is a set of positions of
        the automaton, the third the set that the last character stood at. The positions `without` are passed over.
        """
        return self._reach(text, self.tree.first & ~without, ~without)

    def derivation(self, text: str, without: int = 0) -> list[int]:
        """Return for each character of `text` the positions that it stands at in a derivation of the whole text.

        The positions `without` are left out. The list is empty if `text` cannot be derived.
        """
        expected, sets = self.tree.first & ~without, []
        known: dict[tuple[int, str], tuple[int, int]] = {}
        for character in text:
            step = known.get((expected, character))
            if step is None:
                step = known[expected, character] = self.step(expected, character, ~without)
            reached, expected = step
            if not reached:
                return []
            sets.append(reached)
        here = self.tree.last
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
        """Whether `text` derives from `item`, an element of the tree, as far as that shows without counting."""
        if not text:
            return item.nullable
        end, _, reached = self._reach(text, item.first, item.inside)
        return end == len(text) and bool(reached & item.last)

    def _reach(self, text: str, expected: int, within: int) -> tuple[int, int, int]:
        reached = 0
        known: dict[tuple[int, str], tuple[int, int]] = {}
        for index, character in enumerate(text):
            step = known.get((expected, character))
            if step is None:
                step = known[expected, character] = self.step(expected, character, within)
            if not step[0]:
                return index, expected, reached
            reached, expected = step
        return len(text), expected, reached


def _union(sets: Iterator[int]) -> int:
    whole = 0
    for one in sets:
        whole |= one
    return whole
