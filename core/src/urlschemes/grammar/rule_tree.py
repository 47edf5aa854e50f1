"""The rules of a scheme as one tree of character sets, with the occurrences of its parts marked.

The rules of URLs are not recursive, so references can be replaced by the rules. A percent sign and two hexadecimal
digits are one element, an escape. The common beginning of alternatives is factored out (`a | a b` becomes `a [ b ]`).
If the decoded octets of a part must derive from a second rule, that rule replaces the first, with every octet written
as the first allows: as it is, encoded, or both.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from os.path import commonprefix

from urlschemes.errors import GrammarError
from urlschemes.grammar.bnf import Choice, Grammar, Literal, Node, Octets, Reference, Repeat, Sequence
from urlschemes.grammar.octets import HEX, mask
from urlschemes.grammar.part import Part

MAX_ELEMENTS = 10_000
"""The maximum number of elements that a rule is expanded to, with each character of a literal; and of characters, if
those of a counted repetition count as often as it may repeat them."""


class Element:
    """A node of the tree, made of `items` from left to right; if there is only one, it is the `item`.

    `nullable` is True if it derives the empty text; `marks` are those of the parts within it, and its own. `first`,
    `last` and `inside` are sets of positions (bits of an int) that the automaton fills in: those that may begin and end
    a text of the element, and all of them.
    """

    first: int
    inside: int
    last: int

    def __init__(self, items: list[Element], *, nullable: bool) -> None:
        self.items = items
        self.marks: frozenset[str] = frozenset().union(*[each.marks for each in items])
        self.nullable = nullable

    @property
    def item(self) -> Element:
        """The only one of its elements."""
        return self.items[0]


class Characters(Element):
    """One character of a set. `mask` has bit N for the character with code N; `path` names the rules down to here.

    A character of a literal has the whole text as `literal` and its index there as `offset`.
    """

    def __init__(self, mask: int, path: tuple[str, ...], literal: str | None = None, offset: int = 0) -> None:
        super().__init__([], nullable=False)
        self.mask = mask
        self.path = path
        self.literal = literal
        self.offset = offset


class Series(Element):
    """A sequence of elements; without any it derives the empty text."""

    def __init__(self, items: list[Element]) -> None:
        super().__init__(items, nullable=all(each.nullable for each in items))


class Escape(Series):
    """An escape of one of the `octets`; `path` names the rules down to here."""

    def __init__(self, items: list[Element], octets: frozenset[int], path: tuple[str, ...]) -> None:
        super().__init__(items)
        self.octets = octets
        self.path = path


class Variants(Element):
    """Alternatives, at least two."""

    def __init__(self, items: list[Element]) -> None:
        super().__init__(items, nullable=any(each.nullable for each in items))


class Repeated(Element):
    """`item`, `least` to `most` times (None: without bound). `least` is 0 or 1."""

    def __init__(self, item: Element, least: int, most: int | None) -> None:
        super().__init__([item], nullable=least == 0 or item.nullable)
        self.least = least
        self.most = most


class Marked(Element):
    """An occurrence of a part; `mark` is the same for all occurrences of one part. `rule` is what it derives from."""

    def __init__(self, item: Element, mark: str, rule: str) -> None:
        super().__init__([item], nullable=item.nullable)
        self.marks |= {mark}
        self.mark = mark
        self.rule = rule


def variants(item: Element) -> list[Element]:
    """Return the alternatives that `item` is; itself if there is one only."""
    return item.items if isinstance(item, Variants) else [item]


def _mask_of(character: str) -> int:
    """Return the set of `character` in both its letter cases."""
    return 1 << ord(character.lower()) | 1 << ord(character.upper())


_HEX = mask(HEX)
_HEX_DIGITS = tuple(_mask_of(f"{digit:x}") for digit in range(16))
_PERCENT = 1 << ord("%")


def expand(
    grammar: Grammar, node: Node, parts: Collection[Part], excluded: Mapping[str, frozenset[int]], *path: str
) -> Element:
    """Return the tree of `node`, below the rules of `path`, with `parts`; a mark must not hold octets of `excluded`."""
    return _Expander(grammar, parts, excluded).element(node, path)


class _Expander:
    def __init__(self, grammar: Grammar, parts: Collection[Part], excluded: Mapping[str, frozenset[int]]) -> None:
        self.rules = grammar.rules
        self.excluded = excluded
        self.ending: dict[str | None, list[Part]] = {}
        """The parts that what derives from a rule may be, or an element of which it may be."""
        for part in parts:
            for name in {part.element, *(at[-1] for at in part.at)}:
                self.ending.setdefault(name, []).append(part)
        self.sets: dict[str, tuple[Characters, int, int]] = {}
        self.passed = 0
        self.size = 0

    def element(self, node: Node, path: tuple[str, ...]) -> Element:
        self.grow(len(node.text) if isinstance(node, Literal) else 1, path)
        if isinstance(node, Reference):
            inner = (*path, node.name)
            return self.marked(self.rule(node.name, inner), inner)
        if isinstance(node, Literal):
            mask_of, text = mask if node.sensitive else _mask_of, node.text
            spelled = [Characters(mask_of(character), path, text, offset) for offset, character in enumerate(text)]
            return self.marked(_series([*spelled]), (*path, node.quoted))
        if isinstance(node, Octets):
            return Characters(sum(1 << octet for octet in range(node.low, node.high + 1)), path)
        if isinstance(node, Repeat):
            return _repeat(node, lambda: self.element(node.item, path))
        if isinstance(node, Sequence):
            return _series([self.element(item, path) for item in node.items])
        assert isinstance(node, Choice)
        return _variants([self.element(item, path) for item in node.items], path)

    def rule(self, name: str, path: tuple[str, ...]) -> Element:
        """Return the tree of a rule; a set of characters within which no part can end is expanded only once."""
        if name in self.sets:
            known, depth, size = self.sets[name]
            self.grow(size, path)
            return Characters(known.mask, path + known.path[depth:], known.literal, known.offset)
        passed, size = self.passed, self.size
        item = self.element(self.rules[name].node, path)
        if isinstance(item, Characters) and self.passed == passed:
            self.sets[name] = item, len(path), self.size - size
        return item

    def grow(self, elements: int, path: tuple[str, ...]) -> None:
        self.size += elements
        if self.size > MAX_ELEMENTS:
            raise too_large(path[0])

    def marked(self, item: Element, path: tuple[str, ...]) -> Element:
        ending = self.ending.get(path[-1], [])
        self.passed += len(ending)
        part = next((each for each in ending if any(path[-len(at) :] == at for at in each.at)), None)
        if part is not None and (octets := self.excluded.get(part.mark)):
            item = _excluding(item, octets)
        rule = next((each.decoded for each in ending if each.decodes(path)), None)
        if rule is not None:
            item = self.decodes(item, rule, path)
        if part is None:
            return item
        if part.number and isinstance(item, Repeated) and not (item.least or item.item.nullable):
            some = item.item if item.most == 1 else Repeated(item.item, 1, item.most)
            return Repeated(Marked(some, part.mark, path[-1]), 0, 1)  # an empty number is a part that is absent
        return Marked(item, part.mark, path[-1])

    def decodes(self, item: Element, rule: str, path: tuple[str, ...]) -> Element:
        """Return `item` restricted to texts whose decoded octets derive from `rule`."""
        octets = self.element(Reference(rule), path)
        written = item.item if isinstance(item, Repeated) and item.most is None else item
        if written is item or not all(isinstance(each, Characters | Escape) for each in variants(written)):
            problem = f"the rule {path[-1]!r}, whose decoded octets are {rule!r}, must be a repetition of characters"
            hint = "let it repeat one rule, a choice of characters and escapes, any number of times"
            raise GrammarError(problem, rule=path[-1], hint=hint)
        if octets.nullable and not item.nullable:
            problem = f"the rule {rule!r} may be empty, but {path[-1]!r} may not"
            raise GrammarError(problem, rule=rule, hint="let both or neither be empty")
        return _encoded(octets, *octets_held(item))


def too_large(rule: str) -> GrammarError:
    """Return the error for a rule with too many elements."""
    hint = "leave out a bound of its repetitions"
    return GrammarError(f"rule {rule!r} has more than {MAX_ELEMENTS:,} elements", rule=rule, hint=hint)


def _repeat(node: Repeat, make: Callable[[], Element]) -> Element:
    least, most = node.least, node.most
    if least > 1:
        copies = [make() for _ in range(least)]
        if most == least:
            return _series(copies)
        return _series([*copies, Repeated(make(), 0, None if most is None else most - least)])
    return make() if (least, most) == (1, 1) else Repeated(make(), least, most)


def _series(items: list[Element]) -> Element:
    flat: list[Element] = []
    for item in items:
        for inner in _in_series(item):
            if not (flat and _joined(flat, inner)):
                flat.append(inner)
            for length in (3, 2):
                if escape := _escape_in(flat[-length:]):
                    flat[-length:] = [escape]
    return flat[0] if len(flat) == 1 else Series(flat)


def _in_series(item: Element) -> list[Element]:
    """Return the elements that `item` adds to a series that it stands in."""
    return item.items if isinstance(item, Series) and not isinstance(item, Escape) else [item]


def _escape_in(items: list[Element]) -> Escape | None:
    """Return the escape that a percent sign and one or more pairs of hexadecimal digits are; else None."""
    match items:
        case [Characters(mask=mask, path=path), *digits] if mask == _PERCENT:
            ways = [_in_series(way) for way in variants(digits[0])] if len(digits) == 1 else [digits]
            octets = [_octets_of(way) for way in ways]
            return Escape(items, frozenset().union(*octets), path) if all(octets) else None
    return None


def _octets_of(digits: list[Element]) -> frozenset[int]:
    """Return the octets that two hexadecimal digits write; none if `digits` are anything else."""
    match digits:
        case [Characters(mask=first), Characters(mask=second)] if not (first | second) & ~_HEX:
            highs, lows = ([n for n, each in enumerate(_HEX_DIGITS) if each & digit] for digit in (first, second))
            return frozenset(high * 16 + low for high in highs for low in lows)
    return frozenset()


def _escape(octets: frozenset[int], path: tuple[str, ...]) -> Element:
    """Return the escape of one of `octets`; without any, what derives no text."""
    by_second: dict[int, int] = {}
    for high, first in enumerate(_HEX_DIGITS):
        second = sum(each for low, each in enumerate(_HEX_DIGITS) if high * 16 + low in octets)
        by_second[second] = by_second.get(second, 0) | first
    ways = [
        [Characters(mask, path) for mask in (_PERCENT, first, second)] for second, first in by_second.items() if second
    ]
    if len(ways) == 1:
        return Escape([*ways[0]], octets, path)
    return Escape([Variants([Series([*way]) for way in ways])], octets, path) if ways else Characters(0, path)


def _joined(before: list[Element], item: Element) -> bool:
    """Merge `item` with the end of `before` if they are `r *[ s r ]`; return True if they are.

    r is any number of characters, s is one, and no part tells them apart.
    """
    match before[-1], item:
        case (
            Repeated(least=0, most=None) as run,
            Repeated(item=Series(items=[Characters() as separator, Repeated() as again]), least=0, most=None),
        ) if _same(run, again) and not run.marks and isinstance(first := variants(run.item)[0], Characters):
            ways = [Characters(first.mask | separator.mask, first.path), *variants(run.item)[1:]]
            before[-1] = Repeated(Variants(ways) if len(ways) > 1 else ways[0], 0, None)
            return True
    return False


def _variants(items: list[Element], path: tuple[str, ...]) -> Element:
    merged: list[Element] = []
    characters: Characters | None = None
    for item in _flat(items):
        if not isinstance(item, Characters):
            merged.append(item)
        elif characters is None:
            # A copy: a character of a literal stays one only as long as it is the only one.
            characters = Characters(item.mask, item.path, item.literal, item.offset)
            merged.append(characters)
        else:
            characters.mask |= item.mask
            characters.path, characters.literal, characters.offset = path, None, 0
    return _factored(merged)


def _flat(items: list[Element]) -> list[Element]:
    return [each for item in items for each in variants(item)]


def _factored(items: list[Element]) -> Element:
    """Return `items` as alternatives, with the common beginning of several of them factored out."""
    sequences = [_in_series(item) for item in items]
    groups: list[list[list[Element]]] = []
    for sequence in filter(None, sequences):
        group = next((each for each in groups if _same(each[0][0], sequence[0])), None)
        if group is None:
            groups.append(group := [])
        group.append(sequence)
    ways = [
        _series(group[0] if len(group) == 1 else [group[0][0], _factored([_series(each[1:]) for each in group])])
        for group in groups
    ]
    if not ways:
        return Series([])
    whole = ways[0] if len(ways) == 1 else Variants(ways)
    return whole if all(sequences) else Repeated(whole, 0, 1)


def _same(one: Element, other: Element) -> bool:
    """Return True if both derive the same texts by the same steps, part by part."""
    if type(one) is not type(other):
        return False
    if any(
        getattr(one, name, None) != getattr(other, name, None) for name in ("mask", "mark", "least", "most", "octets")
    ):
        return False
    return len(one.items) == len(other.items) and all(map(_same, one.items, other.items))


def _rebuilt(item: Element, change: Callable[[Element], Element]) -> Element:
    """Return `item` with the elements that it is made of as `change` returns them."""
    inner = [change(each) for each in item.items]
    if isinstance(item, Marked):
        return Marked(inner[0], item.mark, item.rule)
    if isinstance(item, Repeated):
        return Repeated(inner[0], item.least, item.most)
    return _factored(_flat(inner)) if isinstance(item, Variants) else _series(inner)


def _excluding(item: Element, octets: frozenset[int]) -> Element:
    """Return `item` restricted to texts without `octets`, neither as they are nor encoded."""
    if isinstance(item, Escape):
        return _escape(item.octets - octets, item.path) if item.octets & octets else item
    if isinstance(item, Characters):
        mask = item.mask
        for octet in octets:
            mask &= ~(1 << octet)
        # A letter that lacks one of its cases, or both, is no longer a literal.
        return item if mask == item.mask else Characters(mask, item.path)
    return _rebuilt(item, lambda inner: _excluding(inner, octets))


def octets_held(item: Element) -> tuple[int, frozenset[int]]:
    """Return the octets that texts of `item` may hold as they are, as a mask, and those that they may hold encoded."""
    if isinstance(item, Escape):
        return 0, item.octets
    if isinstance(item, Characters):
        return item.mask, frozenset()
    bare, escapes = 0, frozenset[int]()
    for inner in item.items:
        more_bare, more_escapes = octets_held(inner)
        bare |= more_bare
        escapes |= more_escapes
    return bare, escapes


def _encoded(item: Element, bare: int, escapes: frozenset[int]) -> Element:
    """Return `item`, which derives octets, with those of `bare` as they are and those of `escapes` encoded."""
    if isinstance(item, Characters):
        whole = item.mask & ~bare == 0
        plain = Characters(item.mask & bare, item.path, item.literal if whole else None, item.offset if whole else 0)
        escape = _escape(frozenset(octet for octet in escapes if item.mask >> octet & 1), (*item.path, "escape"))
        return _factored([each for each in (plain, escape) if not isinstance(each, Characters) or each.mask] or [plain])
    return _rebuilt(item, lambda inner: _encoded(inner, bare, escapes))


def common_path(paths: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the rules that all `paths` begin with."""
    return tuple(commonprefix([*paths]))  # noqa: RUF071  of tuples


def occurrences(item: Element) -> Iterator[Marked]:
    """Yield every marked occurrence within `item`, outermost first, from left to right."""
    if isinstance(item, Marked):
        yield item
    for inner in item.items:
        yield from occurrences(inner)
