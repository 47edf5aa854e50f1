"""What is due at a place of a text, in words; and the part and the rule that the place belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.grammar.automaton import bits

if TYPE_CHECKING:
    from collections.abc import Iterable

    from urlschemes.grammar.automaton import Automaton
    from urlschemes.grammar.syntax import Syntax

__all__ = ["due", "innermost", "listed", "octet_named", "part_of", "rule_of", "shortest"]

FEW = 8
"""A set of no more characters is listed in words."""

END = "the end of the URL"
ESCAPE = "an encoded octet"

_SETS = frozenset(
    {
        "alpha",
        "alphadigit",
        "digit",
        "escape",
        "extra",
        "hex",
        "hialpha",
        "lowalpha",
        "reserved",
        "safe",
        "uchar",
        "unreserved",
        "xchar",
    }
)
"""The shared rules that are sets of characters: an error names the rule that uses them."""

_OCTETS = {
    0x00: "NUL",
    0x09: "tab",
    0x0A: "line feed",
    0x0D: "carriage return",
    0x20: "blank",
    0x22: "quotation mark",
    0x5B: "opening bracket",
    0x5D: "closing bracket",
}
_PERCENT = 1 << ord("%")

_DIGITS = "0123456789"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CLASSES = {
    sum(1 << ord(character) for character in characters): name
    for characters, name in (
        (_DIGITS, "a digit"),
        (_DIGITS + "ABCDEFabcdef", "a hexadecimal digit"),
        (_LETTERS, "a letter"),
        (_LETTERS + _DIGITS, "a letter or digit"),
        (_LETTERS + _DIGITS + "-", "a letter, digit or hyphen"),
    )
}
_WIDER = (
    ("a letter, digit or hyphen", ("a letter or digit", "a letter", "a digit")),
    ("a letter or digit", ("a letter", "a digit")),
)


def due(syntax: Syntax, positions: int) -> tuple[str, ...]:
    """What may stand at any of `positions`, in words."""
    found: dict[str, None] = {}
    automaton = syntax.automaton
    plain = automaton.characters(positions)
    for position in bits(positions):
        leaf = automaton.leaves[position]
        if leaf.mask == _PERCENT and (octets := _escaped(automaton, position)):
            # An octet that may stand there as it is needs no word more.
            words = [f'"%{octet:02X}"{octet_named(octet)}' for octet in octets if not plain >> octet & 1]
        elif leaf.mask == _PERCENT:
            words = [ESCAPE]
        elif leaf.literal is not None:
            words = [f'"{leaf.literal}"']
        elif leaf.mask in _CLASSES:
            words = [_CLASSES[leaf.mask]]
        elif leaf.mask.bit_count() <= FEW:
            words = [f'"{chr(code)}"' for code in bits(leaf.mask)]
        else:
            words = [f"a character of {innermost(syntax, (leaf.path,))}"]
        found.update(dict.fromkeys(words))
    for wide, narrow in _WIDER:
        if wide in found:
            found = {word: None for word in found if word not in narrow}
    if any(word.startswith("a character of ") for word in found):
        found.pop(ESCAPE, None)  # it is one of these characters
    return tuple(found)


def _escaped(automaton: Automaton, position: int) -> tuple[int, ...]:
    """The one octet, or the one letter in both its cases, that an escape beginning at `position` spells; else none."""
    octets: set[int] = set()
    for first in bits(automaton.follow[position]):
        for second in bits(automaton.follow[first]):
            high, low = automaton.leaves[first].mask, automaton.leaves[second].mask
            if high.bit_count() > 4 or low.bit_count() > 2:
                return ()
            octets.update(int(chr(one) + chr(two), 16) for one in bits(high) for two in bits(low))
    return tuple(sorted(octets)) if len({chr(octet).lower() for octet in octets}) == 1 else ()


def octet_named(octet: int) -> str:
    """What is said of an octet beside its number: its name or its character in parentheses; "" where it has none."""
    name = _OCTETS.get(octet) or (f"`{chr(octet)}`" if 0x21 <= octet <= 0x7E else "")
    return f" ({name})" if name else ""


def listed(words: tuple[str, ...], last: str = "or") -> str:
    """`words` as a sentence lists alternatives, or with `last` before the last one."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}" if words else ""


def shortest(automaton: Automaton, expected: int) -> int:
    """Those of the positions `expected` from which the fewest characters lead to the end of a URL."""
    steps, ahead = 0, automaton.tree.last
    while ahead & expected == 0 and steps < len(automaton.leaves):
        ahead |= sum(1 << position for position, after in enumerate(automaton.follow) if after & ahead)
        steps += 1
    return ahead & expected or expected


def part_of(syntax: Syntax, positions: int, after: int = 0) -> str | None:
    """The part that all of `positions` lie in, or None.

    Of parts within parts: the outermost that begins there, where the character before stands at one of `after`; else
    the innermost.
    """
    around = [marked for marked in syntax.automaton.marked if positions and not positions & ~marked.inside]
    around.sort(key=lambda marked: -marked.inside.bit_count())
    begins = [marked for marked in around if after and not after & marked.inside]
    if not around:
        return None
    mark = (begins[0] if begins else around[-1]).mark
    return next(part.name for part in reversed(tuple(syntax.parts.values())) if part.mark == mark)


def rule_of(syntax: Syntax, positions: int) -> str | None:
    """The innermost rule that all of `positions` derive from, but for sets of characters."""
    return innermost(syntax, [syntax.automaton.leaves[position].path for position in bits(positions)])


def innermost(syntax: Syntax, paths: Iterable[tuple[str, ...]]) -> str | None:
    """The innermost rule that all of `paths` go through, but for sets of characters."""
    common: tuple[str, ...] | None = None
    for path in paths:
        if common is None:
            common = path
        pairs = enumerate(zip(common, path, strict=False))
        same = next((index for index, (one, other) in pairs if one != other), min(len(common), len(path)))
        common = common[:same]
    own = [name for name in common or () if name in syntax.grammar.rules]
    return next((name for name in reversed(own) if name not in _SETS), own[-1] if own else None)
