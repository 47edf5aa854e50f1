"""A tree of rules as one regular expression with named parts, linear by construction.

The expression never backtracks. If the next character decides between alternatives, it is followed. If it does not
(`user@` or a host?), one alternative is tried once and kept if it matches: the automaton has shown before that no URL
derives by the other one then. If neither holds for elements without parts, only their language counts: others that
derive the same texts, each in one way, take their place. A grammar for which that does not help is refused.

Three things make the expression fast: single characters merge into a class; a repeated choice of a class and an element
that begins outside it (`*[ unreserved | escape ]`) is unrolled; a run that must end in certain characters looks back
once (host labels).
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from copy import copy
from itertools import product

from urlschemes.errors import GrammarError
from urlschemes.grammar import bnf
from urlschemes.grammar.automaton import Automaton, States, bits, union
from urlschemes.grammar.rule_tree import Characters, Element, Marked, Repeated, Series, Variants, common_path, expand


def compile_tree(automaton: Automaton) -> tuple[str, Element]:
    """Return the regular expression (for `re.ASCII`) of a tree, and the tree whose order it follows.

    That one derives the same texts with the same parts, and each in one way. A group has the name of its mark, a second
    one of that mark `mark__2`. Raises GrammarError for a grammar that cannot be decided from left to right.
    """
    _marks_of(automaton.tree)
    while True:
        try:
            return _Compiler(automaton).expression(automaton.tree, 0, True), automaton.tree
        except _Replaced as replaced:
            automaton = Automaton(_with(automaton.tree, *replaced.args))


class _Replaced(Exception):
    """Elements that stand side by side, and the one to put in their place."""


def _with(item: Element, old: Sequence[Element] = (), new: Element | None = None) -> Element:
    """Return a copy of `item` with `new` in the place of the elements `old`."""
    if new is not None and item is old[0]:
        return new
    item = copy(item)
    item.items = [_with(each, old, new) for each in item.items if each not in old[1:]]
    return item


class _Determined(Series):
    """The element in the place of others that had a `problem`: it derives the same texts, and each in one way."""

    problem: GrammarError


def _node_of(states: States) -> bnf.Node:
    """Return what the states derive: they are taken out one after the other, each replaced by the ways through it."""
    ways: dict[tuple[int, int], bnf.Node] = {(-1, 0): bnf.Sequence(())}  # from the start, -1, to the end, -2
    for number, (ends, after) in enumerate(states):
        ways |= {(number, -2): bnf.Sequence(())} if ends else {}
        for to in {*after.values()}:
            ways[number, to] = bnf.Choice(tuple(bnf.Octets(code, code) for code in after if after[code] == to))
    for _ in states:
        degree = Counter(number for pair in ways for number in pair if number >= 0)
        number = min(degree, key=degree.__getitem__)
        again = [bnf.Repeat(ways.pop((number, number)), 0, None)] if (number, number) in ways else []
        into = [(pair[0], ways.pop(pair)) for pair in [*ways] if pair[1] == number]
        out = [(pair[1], ways.pop(pair)) for pair in [*ways] if pair[0] == number]
        for (before, one), (behind, other) in product(into, out):
            way = bnf.Sequence((one, *again, other))
            ways[before, behind] = bnf.Choice((ways[before, behind], way)) if (before, behind) in ways else way
    return ways.get((-1, -2), bnf.Octets(1, 0))  # no octet, if there is no text


class _Compiler:
    """The compiler of one tree. `after` is always the set of positions that may follow, `ends` says if the end may."""

    def __init__(self, automaton: Automaton, *, replaces: bool = True) -> None:
        self.automaton = automaton
        self.replaces = replaces
        self.groups: dict[str, int] = {}

    def expression(self, item: Element, after: int, ends: bool) -> str:
        try:
            if isinstance(item, _Determined):
                return _Compiler(self.automaton, replaces=False).series(item.items, after, ends)
            return self.text_of(item, after, ends)
        except GrammarError as problem:
            if isinstance(item, _Determined):
                raise item.problem from None
            self.replace([item], item, problem)
            raise

    def replace(self, items: list[Element], whole: Element, problem: GrammarError) -> None:
        """Replace `items`, which `whole` derives, if there is no part within: only the language counts then."""
        if whole.marks or not self.replaces:
            return
        *_, rule = path = _path(whole)
        same: list[Element] = whole.items if isinstance(whole, Variants) else []
        try:
            states = Automaton(_with(whole)).deterministic()
            same = [each for each in map(_with, same) if Automaton(each).deterministic() == states]
            new = same[0] if same else _Determined([expand(bnf.Grammar({}), _node_of(states), (), {}, *path)])
        except GrammarError:
            what = f"rule {rule!r} derives a text in more than one way, and takes too many states to be read in one"
            hint = "let its alternatives begin with different characters, or write their common beginning once"
            raise GrammarError(what, rule=rule, hint=hint) from None
        if isinstance(new, _Determined):
            new.problem = problem
        raise _Replaced(items, Marked(new, part.mark, part.rule) if isinstance(part := items[0], Marked) else new)

    def text_of(self, item: Element, after: int, ends: bool) -> str:
        if isinstance(item, Characters):
            return _class(item.mask)
        if isinstance(item, Marked):
            count = self.groups[item.mark] = self.groups.get(item.mark, 0) + 1
            name = item.mark if count == 1 else f"{item.mark}__{count}"
            return f"(?P<{name}>{self.expression(item.item, after, ends)})"
        if isinstance(item, Series):
            return self.series(item.items, after, ends)
        if isinstance(item, Variants):
            return self.variants(item.items, after, ends)
        assert isinstance(item, Repeated)
        return self.option(item.item, after, ends) if item.most == 1 else self.repetition(item, after, ends)

    def series(self, items: list[Element], after: int, ends: bool) -> str:
        following = [(after, ends)]
        for item in reversed(items[1:]):
            behind, end = following[0]
            following.insert(0, (item.first | (behind if item.nullable else 0), end and item.nullable))
        out: list[str] = []
        index = 0
        while index < len(items):
            length, text = _literal(items, index)
            if not text:
                length, text = self.ended_run(items, index, following)
            if not text:
                length, text = 1, self.in_series(items, index, *following[index])
            out.append(text)
            index += length
        return "".join(out)

    def in_series(self, items: list[Element], index: int, after: int, ends: bool) -> str:
        """Return the expression of one of `items`; those without parts that stand side by side are one language."""
        try:
            return self.expression(items[index], after, ends)
        except GrammarError as problem:
            first = max((each + 1 for each in range(index + 1) if items[each].marks), default=0)
            last = min((each for each in range(index, len(items)) if items[each].marks), default=len(items))
            if last - first > 1:
                self.replace(items[first:last], Series(items[first:last]), problem)
            raise

    def ended_run(self, items: list[Element], index: int, following: list[tuple[int, bool]]) -> tuple[int, str]:
        """Compile `*y x`, or `[ *y x ]` after an x, if x is within y and no y follows: a run of y that ends in x."""
        match items[index : index + 2]:
            case [Repeated(item=Characters() as run, least=least, most=None), Characters() as end]:
                length, text = 2, _class(run.mask) * least + _class(run.mask) + "++"
            case [
                Characters() as before,
                Repeated(
                    item=Series(items=[Repeated(item=Characters() as run, least=0, most=None), Characters() as end]),
                    most=1,
                ),
            ] if not before.mask & ~end.mask:
                length, text = 2, f"{_class(before.mask)}{_class(run.mask)}*+"
            case _:
                return 0, ""
        if end.mask & ~run.mask or self.automaton.characters(following[index + 1][0]) & run.mask:
            return 0, ""
        not_last = run.mask & ~end.mask
        return length, text + (f"(?<!{_class(not_last)})" if not_last else "")

    def option(self, item: Element, after: int, ends: bool) -> str:
        text = self.expression(item, after, ends)
        if item.nullable:
            return text  # an option that may be empty is present and empty
        return f"(?:{text}{self.commitment(item, after, ends, after)})?+"

    def variants(self, items: list[Element], after: int, ends: bool) -> str:
        if len(items) == 1:
            return self.expression(items[0], after, ends)
        # The variant that may be empty comes last: it always matches.
        items = sorted(items, key=lambda item: item.nullable)
        out: list[str] = []
        committed = False
        for index, item in enumerate(items):
            others = union(other.first | (after if other.nullable else 0) for other in items[index + 1 :])
            text = self.expression(item, after, ends)
            try:
                if item.nullable and index < len(items) - 1:
                    raise _ambiguous(_path(item), _path(items[-1]))
                out.append(text + self.commitment(item, others, ends, after))
            except GrammarError as problem:
                self.merge(items[index:], problem)
                raise
            committed = committed or self.overlap(item.first, others)
        return f"(?{'>' if committed else ':'}{'|'.join(out)})"

    def merge(self, items: list[Element], problem: GrammarError) -> None:
        """Replace the first of these alternatives, and those that begin like it, if they are the same part, or none."""
        one, marks = items[0], [item.mark if isinstance(item, Marked) else bool(item.marks) for item in items]
        same = [item for item, mark in zip(items, marks, strict=True) if mark == marks[0]]
        alike = [item for item in same if (item.nullable and one.nullable) or self.overlap(item.first, one.first)]
        if len(alike) > 1:
            inner = [item.item if isinstance(item, Marked) else item for item in alike]
            self.replace(alike, Variants(inner), problem)

    def repetition(self, item: Repeated, after: int, ends: bool) -> str:
        inner = item.item
        around = after | inner.first
        guard = self.commitment(inner, after, ends, around, is_repeated=True)
        if inner.nullable:
            raise _ambiguous(_path(inner), _path(inner))
        if item.most is None and not guard and isinstance(inner, Variants):
            unrolled = self.unrolled(inner.items, item.least, around, ends)
            if unrolled:
                return unrolled
        text = self.expression(inner, around, ends) + guard
        times = "*+" if item.least == 0 else "++"
        if item.most is not None:
            times = f"{{{item.least},{item.most}}}+"
        return f"{text}{times}" if isinstance(inner, Characters) and not guard else f"(?:{text}){times}"

    def unrolled(self, items: list[Element], least: int, around: int, ends: bool) -> str:
        plain = next((item for item in items if isinstance(item, Characters)), None)
        others = [item for item in items if item is not plain]
        if plain is None or not others or any(self.overlap(item.first, plain.first) for item in others):
            return ""
        run = f"{_class(plain.mask)}*+"
        other = self.variants(others, around, ends)
        tail = f"{run}(?:{other}{run})*+"
        return f"(?:{_class(plain.mask)}|{other}){tail}" if least else tail

    def overlap(self, one: int, other: int) -> bool:
        return bool(self.automaton.characters(one) & self.automaton.characters(other))

    def commitment(self, item: Element, instead: int, ends: bool, behind: int, *, is_repeated: bool = False) -> str:
        """Return a lookahead after which `item` can be kept wherever it matches; mostly it is empty.

        `instead` are the positions where the alternatives begin, `behind` those that may follow `item`. Raises
        GrammarError if one character of lookahead is not enough.
        """
        automaton = self.automaton
        if not self.overlap(item.first, instead) or not automaton.clash(item, instead, again=item.first):
            return ""
        guard = automaton.characters(behind)
        if automaton.clash(item, instead, again=item.first, guard=guard, ends=ends):
            leaves = (automaton.leaves[position] for position in bits(instead))
            leaf = next(each for each in leaves if each.mask & automaton.characters(item.first))
            raise _ambiguous(_path(item), leaf.path, literal=leaf.literal if is_repeated else None)
        choices = ([_class(guard)] if guard else []) + ([r"\Z"] if ends else [])
        return f"(?={'|'.join(choices)})"


def _marks_of(item: Element) -> dict[str, str]:
    """Return the marks within `item`, each with its rule. Raises GrammarError if one URL could hold a mark twice."""
    found = {item.mark: item.rule} if isinstance(item, Marked) else {}
    for more in map(_marks_of, item.items):
        for mark in more if isinstance(item, Repeated) and item.most != 1 else ():
            problem = f"the part {mark.partition('__')[0]!r} is within a repetition: it would have many values"
            hint = "make the rule around the repetition the part, and the repeated rule its `element`"
            raise GrammarError(problem, rule=more[mark], hint=hint)
        for mark in found.keys() & more.keys() if not isinstance(item, Variants) else ():
            problem = f"the part {mark.partition('__')[0]!r} occurs twice in one URL: it would have two values"
            hint = 'name the occurrence by the path of rules that leads to it, as in `at = "outer/inner"`'
            hint += ", or give it a rule of its own"
            raise GrammarError(problem, rule=more[mark], hint=hint)
        found |= more
    return found


def _path(item: Element) -> tuple[str, ...]:
    """Return the names of the rules that derive all of `item`, from the outermost one on; none if it is empty."""
    if isinstance(item, Characters):
        return item.path
    return common_path(path for inner in item.items if (path := _path(inner)))


def _ambiguous(*paths: tuple[str, ...], literal: str | None = None) -> GrammarError:
    """Return the error for what derives by rules of these paths: each is named by its first rule that is not common."""
    common = common_path(filter(None, paths))
    names = [repr(path[len(common)]) for path in paths if len(path) > len(common)]
    if literal is not None and len(names) == 1:
        problem = f"ambiguous rule {common[-1]!r}: {names[0]} may hold {literal!r}, which ends it"
        return GrammarError(problem, rule=common[-1], hint=f"let {names[0]} hold {literal!r} only encoded")
    what = f"rules {' and '.join(names)}" if len(names) == len(paths) else "alternatives"
    return GrammarError(
        f"ambiguous {what} in rule {common[-1]!r}: reading from left to right does not tell them apart",
        rule=common[-1],
        hint="put a literal between them, exclude the octets that both may hold, or write their common beginning once",
    )


def _literal(items: list[Element], index: int) -> tuple[int, str]:
    """Return how many of `items` spell a literal from `index` on, and its expression."""
    pieces: list[list[str]] = []
    for item in items[index:]:
        if not isinstance(item, Characters) or item.literal is None:
            break
        character = item.literal[item.offset]
        flag = "i" if item.mask.bit_count() > 1 else ""
        if pieces and pieces[-1][0] == flag:
            pieces[-1][1] += character
        else:
            pieces.append([flag, character])
    expression = "".join(f"(?i:{text})" if flag else re.escape(text) for flag, text in pieces)
    return sum(len(text) for _, text in pieces), expression


def _class(mask: int) -> str:
    """Return the characters of `mask` as a class, or as one character."""
    codes = list(bits(mask))
    if not codes:
        return r"(?!)"
    if len(codes) == 1:
        return re.escape(chr(codes[0]))
    return in_brackets(mask, re.escape)


def in_brackets(mask: int, escaped: Callable[[str], str]) -> str:
    """Return the characters of `mask` in square brackets, as ranges; `escaped` returns one as it is written there."""
    ranges: list[list[int]] = []
    for code in bits(mask):
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    pieces: list[str] = []
    for low, high in ranges:
        pieces.append(escaped(chr(low)))
        if high > low:
            pieces.append(("-" if high - low > 1 else "") + escaped(chr(high)))
    return f"[{''.join(pieces)}]"
