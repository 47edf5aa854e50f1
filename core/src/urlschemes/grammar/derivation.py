"""Positions of the automaton in words: the texts expected there, and the part and the rule that they belong to."""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_letters, digits

from urlschemes.grammar.automaton import bits
from urlschemes.grammar.octets import ALPHADIGIT, HEX, mask
from urlschemes.grammar.rule_tree import common_path
from urlschemes.grammar.syntax import Syntax

_FEW = 8
"""The size up to which a set of characters is listed."""

END = "the end of the URL"
_ESCAPE = "an encoded octet"

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

_CLASSES = {
    mask(digits): "a digit",
    mask(HEX): "a hexadecimal digit",
    mask(ascii_letters): "a letter",
    mask(ALPHADIGIT): "a letter or digit",
    mask(ALPHADIGIT + "-"): "a letter, digit or hyphen",
}
_WIDER = (
    ("a letter, digit or hyphen", ("a letter or digit", "a letter", "a digit")),
    ("a letter or digit", ("a letter", "a digit")),
)


def expected_words(syntax: Syntax, positions: int) -> tuple[str, ...]:
    """Return in words what may stand at `positions`."""
    found: dict[str, None] = {}
    automaton = syntax.automaton
    plain = automaton.characters(positions)
    for position in bits(positions):
        leaf = automaton.leaves[position]
        escape = next((each for each in automaton.escapes if each.first >> position & 1), None)
        if escape is not None and len(escape.octets) <= _FEW and max(escape.octets) < 0x80:
            # An octet that may stand there as it is needs no second word.
            octets = (octet for octet in sorted(escape.octets) if not plain >> octet & 1)
            words = [f'"%{octet:02X}"{octet_name(octet)}' for octet in octets]
        elif escape is not None:
            words = [_ESCAPE]
        elif leaf.literal is not None:
            words = [f'"{literal}"' for literal in automaton.literals(position)]
        elif leaf.mask in _CLASSES:
            words = [_CLASSES[leaf.mask]]
        elif leaf.mask.bit_count() <= _FEW:
            words = [f'"{chr(code)}"' for code in bits(leaf.mask)]
        else:
            words = [f"a character of the rule {_innermost_rule(syntax, (leaf.path,))}"]
        found.update(dict.fromkeys(words))
    for wide, narrow in _WIDER:
        if wide in found:
            found = {word: None for word in found if word not in narrow}
    if any(word.startswith("a character of ") for word in found):
        found.pop(_ESCAPE, None)  # it is one of these characters
    return tuple(found)


def octet_name(octet: int) -> str:
    """Return the name or the character of an octet in parentheses, to follow its number; "" if it has none."""
    name = _OCTETS.get(octet) or (f"`{chr(octet)}`" if 0x21 <= octet <= 0x7E else "")
    return f" ({name})" if name else ""


def listed(words: tuple[str, ...], last: str = "or") -> str:
    """Return `words` as a list in a sentence, with `last` before the last one."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}" if words else ""


def part_of(syntax: Syntax, positions: int, after: int = 0) -> str | None:
    """Return the part that all of `positions` lie in, or None.

    Of parts within parts it is the outermost that begins there, if the character before stands at one of `after`; else
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
    """Return the innermost rule that all of `positions` derive from, except for sets of characters."""
    return _innermost_rule(syntax, [syntax.automaton.leaves[position].path for position in bits(positions)])


def _innermost_rule(syntax: Syntax, paths: Iterable[tuple[str, ...]]) -> str | None:
    """Return the innermost rule that all of `paths` go through, except for sets of characters."""
    own = [name for name in common_path(paths) if name in syntax.grammar.rules]
    return next((name for name in reversed(own) if name not in syntax.profile.character_sets), own[-1] if own else None)
