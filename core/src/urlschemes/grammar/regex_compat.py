"""Regular expressions that mean the same to every supported interpreter.

Before CPython 3.11.5 a possessive repetition of a group, `(?:...)*+`, does not return to the beginning of its last,
failed turn. For these interpreters it is written as an atomic group around a greedy repetition, which means the same.
"""

import re
import sys

_SOUND = sys.version_info >= (3, 11, 5)
_POSSESSIVE = re.compile(r"(?:[*+?]|\{[0-9]*,?[0-9]*\})\+")


def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return the compiled `pattern`."""
    return re.compile(pattern if _SOUND else portable(pattern), flags)


def portable(pattern: str) -> str:
    """Return `pattern` without possessive repetitions of groups."""
    out: list[str] = []
    opened: list[int] = []  # the beginnings in `out` of the groups that are open
    index, in_class, first = 0, False, 0  # `first`: the first member of the open class, which may be `]`
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
