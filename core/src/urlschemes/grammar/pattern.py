"""A tree of rules as one regular expression with named parts, linear by construction.

The expression never backtracks. If the next character decides between alternatives, it is followed. If it does not
(`user@` or a host?), one alternative is tried once and kept if it matches: the automaton has shown before that no URL
derives by the other one then. A grammar for which neither holds is refused, because it would be ambiguous or slow.

Three things make the expression fast: single characters merge into a class; a repeated choice of a class and an element
that begins outside it (`*[ unreserved | escape ]`) is unrolled; a run that must end in certain characters looks back
once (host labels).
"""

import re
from collections.abc import Callable

from urlschemes.errors import GrammarError
from urlschemes.grammar.automaton import Automaton, bits
from urlschemes.grammar.rule_tree import Characters, Element, Marked, Repeated, Series, Variants, children, occurrences


def compile_tree(automaton: Automaton) -> str:
    """Return the regular expression (for `re.ASCII`) of a tree.

    A group has the name of its mark, a second one of that mark `mark__2`. Raises GrammarError for a grammar that cannot
    be decided from left to right.
    """
    _marks_of(automaton.tree)
    return _Compiler(automaton).expression(automaton.tree, 0, True)


class _Compiler:
    """The compiler of one tree. `after` is always the set of positions that may follow, `ends` says if the end may."""

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self.groups: dict[str, int] = {}

    def expression(self, item: Element, after: int, ends: bool) -> str:
        if isinstance(item, Characters):
            return _class(item.mask)
        if isinstance(item, Marked):
            count = self.groups[item.mark] = self.groups.get(item.mark, 0) + 1
            name = item.mark if count == 1 else f"{item.mark}__{count}"
            return f"(?P<{name}>{self.expression(item.item, after, ends)})"
        if isinstance(item, Series):
            return self.series(item.items, after, ends)
        if isinstance(item, Variants):
            return self.variants(self.necessary(item.items), after, ends)
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
                length, text = 1, self.expression(items[index], *following[index])
            out.append(text)
            index += length
        return "".join(out)

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
        nullable = [item for item in items if item.nullable]
        if len(nullable) > 1:
            raise _ambiguous(_rule(nullable[0]), _rule(nullable[1]))
        # The variant that may be empty comes last: it always matches.
        items = [*(item for item in items if not item.nullable), *nullable]
        out: list[str] = []
        committed = False
        for index, item in enumerate(items):
            others = 0
            for other in items[index + 1 :]:
                others |= other.first | (after if other.nullable else 0)
            text = self.expression(item, after, ends)
            out.append(text + self.commitment(item, others, ends, after))
            committed = committed or self.overlap(item.first, others)
        return f"(?{'>' if committed else ':'}{'|'.join(out)})"

    def repetition(self, item: Repeated, after: int, ends: bool) -> str:
        inner = item.item
        if inner.nullable:
            raise GrammarError(
                f"a repetition in rule {_rule(inner)!r} repeats an element that may be empty",
                rule=_rule(inner),
                hint="let the repeated element have at least one character",
            )
        for marked in occurrences(inner):
            raise GrammarError(
                f"the part {marked.mark!r} is within a repetition: it would have many values",
                rule=marked.rule,
                hint="make the rule around the repetition the part, and the repeated rule its `element`",
            )
        around = after | inner.first
        guard = self.commitment(inner, after, ends, around)
        if item.most is None and not guard and isinstance(inner, Variants):
            unrolled = self.unrolled(self.necessary(inner.items), item.least, around, ends)
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

    def necessary(self, items: list[Element]) -> list[Element]:
        """Return `items` without those whose every text derives from an earlier one, for the same part."""
        kept: list[Element] = []
        for item in items:
            part, inner = _as_a_whole(item)
            if not any(
                (part, False) == (_as_a_whole(earlier)[0], bool(inner.marks | _as_a_whole(earlier)[1].marks))
                and self.automaton.includes(earlier, item)
                for earlier in kept
            ):
                kept.append(item)
        return kept

    def overlap(self, one: int, other: int) -> bool:
        return bool(self.automaton.characters(one) & self.automaton.characters(other))

    def commitment(self, item: Element, instead: int, ends: bool, behind: int) -> str:
        """Return a lookahead after which `item` can be kept wherever it matches; mostly it is empty.

        `instead` are the positions where the alternatives begin, `behind` those that may follow `item`. Raises
        GrammarError if one character of lookahead is not enough.
        """
        automaton = self.automaton
        if not self.overlap(item.first, instead) or not automaton.clash(item, instead, again=item.first):
            return ""
        guard = automaton.characters(behind)
        if automaton.clash(item, instead, again=item.first, guard=guard, ends=ends):
            other = next(p for p in bits(instead) if automaton.leaves[p].mask & automaton.characters(item.first))
            raise _ambiguous(_rule(item), automaton.leaves[other].path[-1])
        choices = ([_class(guard)] if guard else []) + ([r"\Z"] if ends else [])
        return f"(?={'|'.join(choices)})"


def _marks_of(item: Element) -> dict[str, str]:
    """Return the marks within `item`, each with its rule. Raises GrammarError if one URL could hold a mark twice."""
    found = {item.mark: item.rule} if isinstance(item, Marked) else {}
    for more in map(_marks_of, children(item)):
        for mark in found.keys() & more.keys() if not isinstance(item, Variants) else ():
            raise GrammarError(
                f"the part {mark.partition('__')[0]!r} occurs twice in one URL: it would have two values",
                rule=more[mark],
                hint='name the occurrence by the path of rules that leads to it, as in `at = "outer/inner"`',
            )
        found |= more
    return found


def _as_a_whole(item: Element) -> tuple[str | None, Element]:
    return (item.mark, item.item) if isinstance(item, Marked) else (None, item)


def _rule(item: Element) -> str:
    """Return the innermost rule that derives all of `item`."""
    if isinstance(item, Marked):
        return item.rule
    while not isinstance(item, Characters):
        if not (inner := children(item)):
            return "nothing"
        item = inner[0]
    return item.path[-1]


def _ambiguous(one: str, other: str) -> GrammarError:
    what = f"alternatives in rule {one!r}" if one == other else f"rules {one!r} and {other!r}"
    return GrammarError(
        f"ambiguous {what}: reading from left to right does not tell them apart",
        rule=one,
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
