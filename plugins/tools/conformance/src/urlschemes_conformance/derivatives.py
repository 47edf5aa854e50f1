"""Derivatives of rules by characters (Brzozowski, 1964).

The derivative of a rule by a character is what must follow the character. A text derives from a rule if the last of its
derivatives derives the empty text. A rule has finitely many derivatives, so that they can all be tried: see
`urlschemes_conformance.proof`.

`ABNFRules` reads ABNF by itself: nothing here comes from `urlschemes.grammar`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from functools import cache, cached_property, reduce
from operator import or_
from typing import TYPE_CHECKING, Any, TypeAlias

from urlschemes_conformance.characters import both_cases, kinds

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["EMPTY", "NOTHING", "ABNFRules", "Derivatives", "State", "either", "octets", "then", "times"]

State: TypeAlias = tuple[Any, ...]
"""The rest of a derivation: a tuple with a tag.

    ("empty",)  ("nothing",)                the empty text; no text
    ("text", text)  ("exactly", text)       a literal; a sensitive one
    ("set", mask)                           one character of a set
    ("then", first, second)  ("or", states) a sequence; alternatives
    ("times", item, least, most)            a repetition
    ("turn", special, item, least, most)    a repetition with `special` in place of `item` in one turn
    ("some", state)                         all texts of a state but the empty one
    ("decoded", first, second, escape)      texts of `first` that, decoded, are of `second`; `escape` is incomplete
    ("without", first, octets, escape)      texts of `first` that, decoded, contain none of `octets`
    ("name", ...)                           what `_unfold` returns
"""

EMPTY: State = ("empty",)
NOTHING: State = ("nothing",)

_ESCAPES = {1 << ord("%"), *map(both_cases, "0123456789abcdef")}
"""The sets of octets that a reader of escapes tells from others."""


class Derivatives(ABC):
    """The derivatives of states. Subclasses unfold the names of rules."""

    start: State
    dead = NOTHING

    def __init__(self) -> None:
        self.unfold = cache(self._unfold)
        self.after = cache(self._after)
        self.nullable = cache(self._nullable)

    def accepts(self, text: str, start: State | None = None) -> bool:
        """Return True if `text` derives, from `start` if it is given."""
        state = self.start if start is None else start
        for character in text:
            state = self.after(state, self.kind.get(character, character))
            if state == NOTHING:
                return False
        return self.nullable(state)

    @cached_property
    def kind(self) -> dict[str, str]:
        """For each character of US-ASCII the one that stands for those which the rules do not tell apart."""
        return {chr(code): chr(other) for code, other in kinds(self.masks()).items()}

    def masks(self) -> set[int]:
        """Return the sets of octets that the rules tell from others, as masks."""
        return self.masks_of(self.start)

    def masks_of(self, state: State) -> set[int]:
        """Return the sets of octets that `state`, and all within it, tells from others."""
        found: set[int] = set()
        unfolded: set[State] = set()
        ahead = [state]
        while ahead:
            state = ahead.pop()
            if state[0] == "name":
                ahead += [] if state in unfolded else [self.unfold(state)]
                unfolded.add(state)
            elif state[0] == "set":
                found.add(state[1])
            elif state[0] == "exactly":
                found |= {1 << ord(each) for each in state[1]}
            elif state[0] == "text":
                found |= set(map(both_cases, state[1]))
            else:
                found |= _ESCAPES if state[0] in {"decoded", "without"} else set()
                found |= {1 << octet for octet in state[2]} if state[0] == "without" else set()
                inner = state[1] if state[0] == "or" else state[1:]
                ahead += [each for each in inner if isinstance(each, tuple)]
        return found

    @abstractmethod
    def _unfold(self, state: State) -> State:
        """Return the state that the state `("name", ...)` stands for."""

    def _nullable(self, state: State) -> bool:
        kind = state[0]
        if kind == "name":
            return self.nullable(self.unfold(state))
        if kind == "or":
            return any(map(self.nullable, state[1]))
        if kind == "then":
            return self.nullable(state[1]) and self.nullable(state[2])
        if kind == "times":
            return state[2] == 0 or self.nullable(state[1])
        if kind == "turn":
            return self.nullable(state[1]) and (state[3] <= 1 or self.nullable(state[2]))
        if kind == "without":
            return self.nullable(state[1])
        if kind == "decoded":
            return not state[3] and self.nullable(state[1]) and self.nullable(state[2])
        return state == EMPTY

    def _after(self, state: State, character: str) -> State:
        kind = state[0]
        if kind == "name":
            return self.after(self.unfold(state), character)
        if kind == "text":
            same = character.isascii() and character.lower() == state[1][0]
            return (("text", state[1][1:]) if state[1][1:] else EMPTY) if same else NOTHING
        if kind == "exactly":
            return (("exactly", state[1][1:]) if state[1][1:] else EMPTY) if character == state[1][0] else NOTHING
        if kind == "set":
            return EMPTY if state[1] >> ord(character) & 1 else NOTHING
        if kind == "or":
            return either(self.after(item, character) for item in state[1])
        if kind == "then":
            first = then(self.after(state[1], character), state[2])
            return either((first, self.after(state[2], character))) if self.nullable(state[1]) else first
        if kind == "some":
            return self.after(state[1], character)
        if kind == "times":
            _, item, least, most = state
            return then(self.after(item, character), times(item, least - 1, None if most is None else most - 1))
        if kind == "turn":
            _, special, item, least, most = state
            left = max(least - 1, 0), None if most is None else most - 1
            now = self.after(then(special, times(item, *left)), character)
            later = NOTHING if most == 1 else ("turn", special, item, *left)
            return either((now, then(self.after(item, character), later)))
        if kind == "without":
            return self._without(state, character)
        return self._decoded(state, character) if kind == "decoded" else NOTHING

    def _without(self, state: State, character: str) -> State:
        _, inner, excluded, partial = state
        inner = self.after(inner, character)
        if inner == NOTHING:
            return NOTHING
        octet, partial = octet_of(partial + character)
        return NOTHING if octet in excluded else ("without", inner, excluded, partial)

    def _decoded(self, state: State, character: str) -> State:
        """Derive the first of two by the character, and the second by the octet once its escape is complete."""
        _, inner, second, partial = state
        if ord(character) > 255:  # a mark, which stands between octets: see Divider
            second = NOTHING if partial else self.after(second, character)
        else:
            inner = self.after(inner, character)
            if inner == NOTHING:
                return NOTHING
            octet, partial = octet_of(partial + character)
            if octet is not None:
                second = self.after(second, chr(octet))
        return NOTHING if second == NOTHING else ("decoded", inner, second, partial)


def octet_of(written: str) -> tuple[int | None, str]:
    """Return the octet that `written` encodes and "", or None and an escape that is incomplete; a mark is left out."""
    if ord(written[-1]) > 255:
        return None, written[:-1]
    if written[0] != "%":
        return ord(written), ""
    if len(written) < 3:
        return None, written
    return int(written[1:], 16), ""


def then(first: State, second: State) -> State:
    """Return the state of `first` and `second`, one after the other."""
    if NOTHING in (first, second):
        return NOTHING
    if first == EMPTY:
        return second
    if second == EMPTY:
        return first
    if first[0] == "then":
        return ("then", first[1], then(first[2], second))
    return ("then", first, second)


def octets(low: int, high: int) -> State:
    """Return the state of one octet from `low` to `high`."""
    return ("set", (1 << high + 1) - (1 << low))


def times(item: State, least: int, most: int | None) -> State:
    """Return the state of `item`, `least` to `most` times; None is without bound."""
    return EMPTY if most == 0 else ("times", item, max(least, 0), most)


def either(states: Iterable[State]) -> State:
    """Return the state of alternatives. Sets of characters become one."""
    flat: set[State] = set()
    for state in states:
        flat |= state[1] if state[0] == "or" else {state}
    flat.discard(NOTHING)
    sets = [state for state in flat if state[0] == "set"]
    if len(sets) > 1:
        flat = flat.difference(sets) | {("set", reduce(or_, [mask for _, mask in sets]))}
    if not flat:
        return NOTHING
    return flat.pop() if len(flat) == 1 else ("or", frozenset(flat))


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
        self.start = ("name", start.lower())
        self.rules: dict[str, State] = {}
        for text in (_CORE, *texts):
            self._read([token for token in _TOKEN.findall(text) if token[0] != ";"])

    def _unfold(self, state: State) -> State:
        """Return the definition of a rule. Raises LookupError if there is none."""
        return self.rules[state[1]]

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
        state = EMPTY
        for item in reversed(items):
            state = then(item, state)
        return state

    def _repeated(self, tokens: list[str]) -> State:
        least = tokens.pop() if tokens[-1].isdigit() else ""
        if tokens[-1] != "*":
            return self._times(self._element(tokens), int(least or 1), int(least or 1))
        tokens.pop()
        most = int(tokens.pop()) if tokens[-1].isdigit() else None
        return self._times(self._element(tokens), int(least or 0), most)

    def _times(self, item: State, least: int, most: int | None) -> State:
        if (least, most) == (1, 1):
            return item
        return EMPTY if most == 0 else ("times", item, least, most)

    def _element(self, tokens: list[str]) -> State:
        token = tokens.pop()
        if token in {"(", "["}:
            inner = self._alternatives(tokens)
            return self._times(inner, 0, 1) if tokens.pop() == "]" else inner
        if token[0] == "<":
            name, _, words = token[1:-1].lower().partition(",")
            written = words.strip().removeprefix("encoded as ")
            if written == words.strip():
                return ("name", name)
            return ("decoded", ("name", written), ("name", name), "")
        if '"' in token:
            literal = token.partition('"')[2][:-1]
            if not literal:
                return EMPTY
            return ("exactly", literal) if token[:2].lower() == "%s" else ("text", literal.lower())
        if token[0] != "%":
            return ("name", token.lower())
        base = {"x": 16, "d": 10, "b": 2}[token[1].lower()]
        low, dash, high = token[2:].partition("-")
        if dash:
            return octets(int(low, base), int(high, base))
        return ("exactly", "".join(chr(int(each, base)) for each in low.split(".")))
