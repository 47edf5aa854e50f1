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

__all__ = ["Found", "run"]


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
