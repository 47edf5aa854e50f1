"""Derivatives of rules by characters (Brzozowski, 1964).

The derivative of a rule by a character is what must follow the character. A text derives from a rule if the last of its
derivatives derives the empty text. A rule has finitely many derivatives, so that they can all be tried: see
`urlschemes_conformance.proof`. All of a state are found at once, for the sets of characters that it tells apart (Owens,
Reppy and Turon, 2009).

`ABNFRules` reads ABNF by itself: nothing here comes from `urlschemes.grammar`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from functools import cache, reduce
from operator import or_
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "EMPTY",
    "NOTHING",
    "ABNFRules",
    "Derivatives",
    "Row",
    "State",
    "both_cases",
    "either",
    "octets",
    "state",
    "then",
    "times",
]


class State(tuple[Any, ...]):
    """The rest of a derivation: a tuple with a tag. `state` makes it: equal states are one object.

    ("empty",)  ("nothing",)                the empty text; no text
    ("text", text)  ("exactly", text)       a literal; a sensitive one
    ("set", mask)                           one character of a set
    ("then", first, second)  ("or", states) a sequence; alternatives
    ("times", item, least, most)            a repetition
    ("turn", special, item, least, most)    a repetition with `special` in place of `item` in one turn
    ("some", state)                         all texts of a state but the empty one
    ("decoded", first, second, escape)      texts of `first` that, decoded, are of `second`; `escape` is incomplete
    ("name", ...)                           what `_unfold` returns
    """

    __slots__ = ()
    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__


@cache
def state(*fields: Any) -> State:
    """Return the state with these fields."""
    return State(fields)


Row: TypeAlias = dict[State, int]
"""The states after one character, each with the characters that lead to it, as a mask; the others lead to none."""

EMPTY = state("empty")
NOTHING = state("nothing")


def both_cases(letter: str) -> int:
    """Return the set of `letter` in both its letter cases, as a mask."""
    return 1 << ord(letter.lower()) | 1 << ord(letter.upper())


_OCTETS = (1 << 256) - 1
_PERCENT = 1 << ord("%")
_DIGITS = [both_cases(digit) for digit in "0123456789abcdef"]


class Derivatives(ABC):
    """The derivatives of states. Subclasses unfold the names of rules."""

    start: State
    dead = NOTHING

    def __init__(self) -> None:
        self.unfold = cache(self._unfold)
        self.row = cache(self._row)
        self.nullable = cache(self._nullable)

    def accepts(self, text: str, start: State | None = None) -> bool:
        """Return True if `text` derives, from `start` if it is given."""
        reached = self.start if start is None else start
        for character in text:
            reached = self.after(reached, character)
        return self.nullable(reached)

    def after(self, before: State, character: str) -> State:
        """Return the derivative of a state by `character`."""
        code = ord(character)
        return next((reached for reached, mask in self.row(before).items() if mask >> code & 1), NOTHING)

    @abstractmethod
    def _unfold(self, named: State) -> State:
        """Return the state that the state `("name", ...)` stands for."""

    def _nullable(self, of: State) -> bool:
        match of:
            case ("name", *_):
                return self.nullable(self.unfold(of))
            case ("or", states):
                return any(map(self.nullable, states))
            case ("then", first, second):
                return self.nullable(first) and self.nullable(second)
            case ("times", item, least, _):
                return least == 0 or self.nullable(item)
            case ("turn", special, item, least, _):
                return self.nullable(special) and (least <= 1 or self.nullable(item))
            case ("decoded", first, second, escape):
                return not escape and self.nullable(first) and self.nullable(second)
            case _:
                return of is EMPTY

    def _row(self, of: State) -> Row:
        match of:
            case ("name", *_):
                return self.row(self.unfold(of))
            case ("text" | "exactly" as kind, text):
                rest = state(kind, text[1:]) if text[1:] else EMPTY
                return {rest: both_cases(text[0]) if kind == "text" else 1 << ord(text[0])}
            case ("set", mask):
                return {EMPTY: mask}
            case ("or", states):
                return _together(map(self.row, states))
            case ("then", first, second):
                row = _followed(self.row(first), second)
                return _together((row, self.row(second))) if self.nullable(first) else row
            case ("some", inner):
                return self.row(inner)
            case ("times", item, least, most):
                return _followed(self.row(item), times(item, least - 1, None if most is None else most - 1))
            case ("turn", special, item, least, most):
                left = max(least - 1, 0), None if most is None else most - 1
                now = self.row(then(special, times(item, *left)))
                return (
                    now
                    if most == 1
                    else _together((now, _followed(self.row(item), state("turn", special, item, *left))))
                )
            case ("decoded", first, second, escape):
                return self._decoded(first, second, escape)
            case _:
                return {}

    def _decoded(self, first: State, second: State, escape: str) -> Row:
        """Derive the first of two by the character, and the second by the octet once its escape is complete."""
        row = {
            state("decoded", reached, decoded, partial): mask & characters
            for reached, mask in self.row(first).items()
            for characters, decoded, partial in self._octets(second, escape)
            if mask & characters
        }
        # Marks stand between octets: see Divider.
        of_first = {state("decoded", each, second, escape): mask & ~_OCTETS for each, mask in self.row(first).items()}
        of_second = {state("decoded", first, each, ""): mask & ~_OCTETS for each, mask in self.row(second).items()}
        return _together((row, of_first, {} if escape else of_second))

    def _octets(self, second: State, escape: str) -> Iterator[tuple[int, State, str]]:
        """Yield the characters that go on with `escape`, with the state after the octet and the escape after them.

        One digit stands for all of which `second` tells no octets apart.
        """
        row = self.row(second)
        if not escape:
            yield _PERCENT, second, "%"
            for reached, mask in row.items():
                yield mask & _OCTETS & ~_PERCENT, reached, ""
        elif escape == "%":
            alike: dict[tuple[int, ...], int] = {}
            for digit in range(16):
                told = tuple([mask >> 16 * digit & 0xFFFF for mask in row.values()])
                if any(told):
                    alike[told] = alike.get(told, 0) | 1 << digit
            for digits in alike.values():
                yield _written(digits), second, f"%{(digits & -digits).bit_length() - 1:x}"
        else:
            for reached, mask in row.items():
                yield _written(mask >> 16 * int(escape[1], 16)), reached, ""


def _written(digits: int) -> int:
    """Return the characters that write some of the sixteen digits."""
    return reduce(or_, [characters for digit, characters in enumerate(_DIGITS) if digits >> digit & 1], 0)


def _followed(row: Row, second: State) -> Row:
    """Return the row of a sequence, from that of its first state, which is not empty."""
    return {then(reached, second): mask for reached, mask in row.items()}


def _together(rows: Iterable[Row]) -> Row:
    """Return the row of alternatives."""
    ways: list[tuple[int, tuple[State, ...]]] = [(-1, ())]
    for row in rows:
        finer = []
        for mask, states in ways:
            rest = mask
            for reached, characters in row.items():
                if mask & characters:
                    finer.append((mask & characters, (*states, reached)))
                    rest &= ~characters
            if rest:
                finer.append((rest, states))
        ways = finer
    found: Row = {}
    for mask, states in ways:
        if states:
            reached = either(states)
            found[reached] = found.get(reached, 0) | mask
    return found


def then(first: State, second: State) -> State:
    """Return the state of `first` and `second`, one after the other."""
    if first is NOTHING or second is NOTHING:
        return NOTHING
    if first is EMPTY:
        return second
    if second is EMPTY:
        return first
    if first[0] == "then":
        return state("then", first[1], then(first[2], second))
    return state("then", first, second)


def octets(low: int, high: int) -> State:
    """Return the state of one octet from `low` to `high`."""
    return state("set", (1 << high + 1) - (1 << low))


def times(item: State, least: int, most: int | None) -> State:
    """Return the state of `item`, `least` to `most` times; None is without bound."""
    if most == 0:
        return EMPTY
    return item if (least, most) == (1, 1) else state("times", item, max(least, 0), most)


def either(states: Iterable[State]) -> State:
    """Return the state of alternatives. Sets of characters become one."""
    flat: set[State] = set()
    for each in states:
        flat |= each[1] if each[0] == "or" else {each}
    flat.discard(NOTHING)
    sets = [each for each in flat if each[0] == "set"]
    if len(sets) > 1:
        flat = flat.difference(sets) | {state("set", reduce(or_, [mask for _, mask in sets]))}
    if not flat:
        return NOTHING
    return flat.pop() if len(flat) == 1 else state("or", frozenset(flat))


_TOKEN = re.compile(r';.*|"[^"]*"|<[^>]*>|%[a-zA-Z](?:"[^"]*"|[0-9A-Fa-f.-]+)|[A-Za-z][A-Za-z0-9-]*|[0-9]+|\S')
_CORE = """
ALPHA = %x41-5A / %x61-7A   BIT = "0" / "1"   CHAR = %x01-7F   CR = %x0D   LF = %x0A   CRLF = CR LF
CTL = %x00-1F / %x7F   DIGIT = %x30-39   DQUOTE = %x22   HEXDIG = DIGIT / "A" / "B" / "C" / "D" / "E" / "F"
HTAB = %x09   SP = %x20   WSP = SP / HTAB   LWSP = *(WSP / CRLF WSP)   OCTET = %x00-FF   VCHAR = %x21-7E
"""


class ABNFRules(Derivatives):
    """The texts that derive from the rule `start` of ABNF texts, which the core has read before without complaint.

    Definitions in a text replace those of earlier texts and of the core rules. One in words is not a definition, but
    `<id, encoded as written>` stands for the texts of the rule `written` that, decoded, derive from the rule `id`.
    """

    def __init__(self, start: str, *texts: str) -> None:
        super().__init__()
        self.start = state("name", start.lower())
        self.rules: dict[str, State] = {}
        for text in (_CORE, *texts):
            self._read([token for token in _TOKEN.findall(text) if token[0] != ";"])

    def _unfold(self, named: State) -> State:
        """Return the definition of a rule. Raises LookupError if there is none."""
        return self.rules[named[1]]

    def _read(self, tokens: list[str]) -> None:
        tokens.reverse()
        while tokens:
            name, mark = tokens.pop().lower(), tokens.pop()
            if mark == "=" and tokens[-1] == "/":
                mark += tokens.pop()
            words = (
                tokens[-1].startswith("<")
                and ", encoded as " not in tokens[-1]
                and (len(tokens) == 1 or tokens[-3:-2] == ["="])
            )
            definition = self._alternatives(tokens)
            if not words:
                self.rules[name] = either((self.rules[name], definition)) if mark == "=/" else definition

    def _alternatives(self, tokens: list[str]) -> State:
        found = [self._series(tokens)]
        while tokens and tokens[-1] == "/":
            tokens.pop()
            found.append(self._series(tokens))
        return either(found)

    def _series(self, tokens: list[str]) -> State:
        items: list[State] = []
        while tokens and tokens[-1] not in {"/", ")", "]"} and tokens[-2:-1] != ["="]:
            items.append(self._repeated(tokens))
        return reduce(lambda rest, item: then(item, rest), reversed(items), EMPTY)

    def _repeated(self, tokens: list[str]) -> State:
        least = tokens.pop() if tokens[-1].isdigit() else ""
        if tokens[-1] != "*":
            return times(self._element(tokens), int(least or 1), int(least or 1))
        tokens.pop()
        most = int(tokens.pop()) if tokens[-1].isdigit() else None
        return times(self._element(tokens), int(least or 0), most)

    def _element(self, tokens: list[str]) -> State:
        token = tokens.pop()
        if token in {"(", "["}:
            inner = self._alternatives(tokens)
            return times(inner, 0, 1) if tokens.pop() == "]" else inner
        if token[0] == "<":
            name, _, words = token[1:-1].lower().partition(",")
            written = words.strip().removeprefix("encoded as ")
            if written == words.strip():
                return state("name", name)
            return state("decoded", state("name", written), state("name", name), "")
        if '"' in token:
            literal = token.partition('"')[2][:-1]
            if not literal:
                return EMPTY
            return state("exactly", literal) if token[:2].lower() == "%s" else state("text", literal.lower())
        if token[0] != "%":
            return state("name", token.lower())
        base = {"x": 16, "d": 10, "b": 2}[token[1].lower()]
        low, dash, high = token[2:].partition("-")
        if dash:
            return octets(int(low, base), int(high, base))
        return state("exactly", "".join(chr(int(each, base)) for each in low.split(".")))
