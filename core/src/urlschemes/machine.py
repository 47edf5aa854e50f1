"""A machine that matches a text without regular expressions: what the first URL of a process is read with.

To import `re` and to compile one pattern takes longer than all else that a first URL needs. A program of this machine
says what the pattern of a syntax says (`urlschemes.program` translates one into the other), and takes some twenty times
as long for each URL, so that it is run for the first only. Like the patterns, it never goes back on a decision but to
the next of some alternatives.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Program: TypeAlias = "list[list[str]]"

__all__ = ["Found", "is_sound", "run"]

_WORDS = {
    "many": 3,
    "one": 1,
    "literal": 1,
    "open": 1,
    "close": 1,
    "try": 1,
    "done": 1,
    "again": 1,
    "behind": 1,
    "ahead": 2,
    "end": 0,
    "fail": 0,
}
"""The orders, and how many words follow each."""


class Found:
    """What a text was found to be: as much of an `re.Match` as the parts of a URL are read from."""

    __slots__ = ("_spans", "string")

    def __init__(self, string: str, spans: dict[str, tuple[int, int] | None]) -> None:
        self.string = string
        self._spans = spans

    def __getitem__(self, name: str) -> str | None:
        """The text of a group, None where it took no part. Raises IndexError where there is none of that name."""
        try:
            span = self._spans[name]
        except KeyError:
            raise IndexError("no such group") from None
        return None if span is None else self.string[span[0] : span[1]]

    def span(self, name: str) -> tuple[int, int]:
        """Where a group stands, (-1, -1) where it took no part."""
        return self._spans[name] or (-1, -1)


def is_sound(program: "Program") -> bool:
    """Whether the program can be run: each order is one, and no way and no group is closed that is not open.

    So it is with what `urlschemes.program` makes; what was kept in a file may be anything.
    """
    # How many ways and which groups are open before each step: the same, however it is come to.
    states: list[tuple[int, tuple[str, ...]] | None] = [(0, ()), *(None for _ in program)]
    for place, (order, *words) in enumerate(program):
        state = states[place]
        if state is None or len(words) != _WORDS.get(order, -1):
            return False
        ways, groups = state
        after = {place + 1: state}
        if order == "many":
            if not (words[1].isdecimal() and (words[2] or "0").isdecimal() and f"{words[1]}{words[2]}".isascii()):
                return False
        elif order == "open":
            after = {place + 1: (ways, (*groups, words[0]))}
        elif order == "close":
            if groups[-1:] != (words[0],):
                return False
            after = {place + 1: (ways, groups[:-1])}
        elif order in {"try", "done", "again"}:
            if not (words[0].isascii() and words[0].isdecimal()):
                return False
            to = int(words[0])
            if (to <= place) != (order == "again") or (order != "try" and not ways):
                return False
            after = {to: (ways - 1, groups)} if order == "done" else {to: state}
            if order == "try":
                after[place + 1] = (ways + 1, groups)
        elif order == "end":
            after = {}
        for to, then in after.items():
            if to >= len(program) or states[to] not in {None, then}:
                return False
            states[to] = then
    return bool(program)


def run(program: "Program", text: str) -> Found | None:
    """The groups of `text`, if all of it matches."""
    at, step = 0, 0
    opened: dict[str, int] = {}
    groups: list[tuple[str, int, int]] = []
    ways: list[tuple[int, int, int]] = []  # where to go on where a step fails, from where, and the groups until then
    while True:
        order, *words = program[step]
        step += 1
        good = True
        if order == "many":
            characters, least, most = words
            ahead = text[at : at + int(most)] if most else text[at:]
            count = len(ahead) - len(ahead.lstrip(characters))
            good = count >= int(least)
            at += count
        elif order == "one":
            good = at < len(text) and text[at] in words[0]
            at += 1
        elif order == "literal":
            ahead = text[at : at + len(words[0])]
            good = ahead.isascii() and ahead.lower() == words[0]
            at += len(words[0])
        elif order == "open":
            opened[words[0]] = at
        elif order == "close":
            groups.append((words[0], opened[words[0]], at))
        elif order == "try":
            ways.append((int(words[0]), at, len(groups)))
        elif order == "done":
            ways.pop()
            step = int(words[0])
        elif order == "again":
            good = at > ways[-1][1]  # once more with nothing would be for ever
            if good:
                ways[-1] = (ways[-1][0], at, len(groups))
                step = int(words[0])
        elif order == "behind":
            good = at == 0 or text[at - 1] not in words[0]
        elif order == "ahead":
            good = text[at] in words[0] if at < len(text) else words[1] == "end"
        elif order == "end":
            if at == len(text):
                names = [group for known, *rest in program if known == "open" for group in rest]
                return Found(text, {**dict.fromkeys(names), **{name: (start, end) for name, start, end in groups}})
            good = False
        else:
            good = False
        if not good:
            if not ways:
                return None
            step, at, length = ways.pop()
            del groups[length:]
