"""Patterns translated into programs of the machine that reads the first URL of a process (`urlschemes.machine`).

Only what `urlschemes.pattern` writes is translated: classes, literals, groups, alternatives, repetitions that give
nothing back, and looks at one character behind or ahead.
"""

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from urlschemes.machine import Program

__all__ = ["translated"]

_CLASS = r"\[(?!\^)(?:\\[\x00-\x7f]|[\x00-\[^-\x7f])++\]"
_ONE = r"\\[^A-Za-z0-9]|[^\\()\[|]"
_TOKEN = re.compile(
    rf"""\(\?P<(?P<named>\w+)> | \(\?i:(?P<literal>[A-Za-z]+)\) | (?P<fails>\(\?!\)) | \(\?(?P<group>[:>])
      | \(\?<!(?P<behind>{_CLASS}|{_ONE})\) | \(\?=(?P<ahead>{_CLASS}|{_ONE})?(?P<end>\|?\\Z)?\)
      | (?P<class>{_CLASS}) | (?P<close>\)) | (?P<or>\|) | \\(?P<escaped>[^A-Za-z0-9])
      | (?P<plain>[^\\\[\](){{}}?*+|.^$])
    """,
    re.VERBOSE,
)
_TIMES = re.compile(r"(?:(?P<sign>[*+?])|\{(?P<least>[0-9]+)(?P<range>,(?P<most>[0-9]*))?\})(?P<kept>\+)?")
MOST = 8
"""How often at most a group is written out that is repeated a bounded number of times."""


def translated(pattern: str) -> "Program | None":
    """The program that matches what `pattern` matches; None for one that cannot be translated."""
    try:
        reader = _Translator(pattern)
        steps = reader.alternatives(0)
        if reader.at != len(pattern):
            return None
    except ValueError:
        return None
    return _linked([*steps, ("end",)])


class _Translator:
    """Reads a pattern from left to right. A step is its words; the targets of jumps are relative to the step."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def alternatives(self, depth: int, *, atomic: bool = False) -> "list[tuple[str, ...]]":
        ways = [self.series(depth, atomic=atomic)]
        while self.pattern[self.at : self.at + 1] == "|":
            self.at += 1
            ways.append(self.series(depth, atomic=atomic))
        steps = ways.pop()
        for way in reversed(ways):
            steps = [("try", f"{len(way) + 2}"), *way, ("done", f"{len(steps) + 1}"), *steps]
        return steps

    def series(self, depth: int, *, atomic: bool) -> "list[tuple[str, ...]]":
        steps: list[tuple[str, ...]] = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            steps += self.repeated(depth, atomic=atomic)
        return steps

    def repeated(self, depth: int, *, atomic: bool) -> "list[tuple[str, ...]]":
        item = self.item(depth)
        times = _TIMES.match(self.pattern, self.at)
        if times is None:
            return item
        self.at = times.end()
        if times["sign"]:
            least, most = {"*": (0, 0), "+": (1, 0), "?": (0, 1)}[times["sign"]]
        else:
            least = int(times["least"])
            most = int(times["most"] or 0) if times["range"] else least
        is_fixed = not times["sign"] and (not times["range"] or times["most"] == times["least"])
        # What may be given back is the same only where nothing behind it could ask for that.
        if not times["kept"] and not is_fixed and not (atomic and self.pattern[self.at : self.at + 1] == ")"):
            raise ValueError("gives back")
        if times["least"] and not most and (is_fixed or times["most"]):
            raise ValueError("never")
        if len(item) == 1 and item[0][0] == "one":
            return [("many", item[0][1], str(least), str(most or ""))]
        if max(least, most) > MOST:
            raise ValueError("too many")
        if most:
            options: list[tuple[str, ...]] = []
            for _ in range(most - least):
                inner = [*item, *options]
                options = [("try", f"{len(inner) + 2}"), *inner, ("done", "1")]
            return [*item * least, *options]
        return [*item * least, ("try", f"{len(item) + 2}"), *item, ("again", f"{-len(item)}")]

    def item(self, depth: int) -> "list[tuple[str, ...]]":
        token = _TOKEN.match(self.pattern, self.at)
        if token is None or depth > 100:
            raise ValueError("unknown")
        self.at = token.end()
        if token["named"]:
            name = token["named"]
            return [("open", name), *self.closed(depth), ("close", name)]
        if token["group"]:
            return self.closed(depth, atomic=token["group"] == ">")
        if token["fails"]:
            return [("fail",)]
        if token["literal"]:
            return [("literal", token["literal"].lower())]
        if token["behind"]:
            return [("behind", _characters(token["behind"]))]
        if token["class"]:
            return [("one", _characters(token["class"]))]
        if token["escaped"] or token["plain"]:
            return [("one", token["escaped"] or token["plain"])]
        if token["ahead"] or token["end"]:
            return [("ahead", _characters(token["ahead"] or ""), "end" if token["end"] else "")]
        raise ValueError("unknown")

    def closed(self, depth: int, *, atomic: bool = False) -> "list[tuple[str, ...]]":
        steps = self.alternatives(depth + 1, atomic=atomic)
        if self.pattern[self.at : self.at + 1] != ")":
            raise ValueError("open")
        self.at += 1
        return steps


def _characters(written: str) -> str:
    """The characters of a class, or the one that is written by itself."""
    pattern = re.compile(written) if written else None
    return "".join(chr(code) for code in range(128) if pattern is not None and pattern.fullmatch(chr(code)))


def _linked(steps: "list[tuple[str, ...]]") -> "Program":
    """The steps with the targets of their jumps as places in the program."""
    program = []
    for place, (order, *words) in enumerate(steps):
        target = [str(place + int(words[0]))] if order in {"try", "done", "again"} else words
        program.append([order, *target])
    return program
