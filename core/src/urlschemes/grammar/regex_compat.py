"""Regular expressions, compiled so that every supported interpreter reads them alike.

Before CPython 3.11.5 a group that is repeated possessively, `(?:...)*+`, does not go back to where its last, failed
turn began. There it is written as an atomic group around a greedy one, which means the same.
"""

import re
import sys

__all__ = ["compiled", "portable"]

_SOUND = sys.version_info >= (3, 11, 5)
_POSSESSIVE = re.compile(r"(?:[*+?]|\{[0-9]*,?[0-9]*\})\+")


def compiled(pattern: str, flags: int = 0) -> "re.Pattern[str]":
    """The compiled `pattern`."""
    return re.compile(pattern if _SOUND else portable(pattern), flags)


def portable(pattern: str) -> str:
    """`pattern` without possessive repetitions of groups."""
    out: list[str] = []
    opened: list[int] = []  # where in `out` each group that is open begins
    index, in_class, first = 0, False, 0  # `first`: where the class that is open has its first member, which may be `]`
    while index < len(pattern):
        piece = pattern[index : index + 2] if pattern[index] == "\\" else pattern[index]
        index += len(piece)
        out.append(piece)
        if in_class:
            in_class = piece != "]" or index - 1 == first
        elif piece == "[":
            in_class, first = True, index + pattern.startswith("^", index)
        elif piece == "(":
            opened.append(len(out) - 1)
        elif piece == ")":
            start = opened.pop()
            times = _POSSESSIVE.match(pattern, index)
            if times is not None:
                out[start:] = ["(?>", *out[start:], times[0][:-1], ")"]
                index = times.end()
    return "".join(out)
