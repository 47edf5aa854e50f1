"""A dialogue: its steps in order, each on a connection that is there."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from urlschemes_testing.replay.descriptions import describe, source
from urlschemes_testing.replay.steps import CALLERS, OPENING, Connect, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Dialogue"]


class Dialogue:
    """What happens between a client and the other side, in order. Given dialogues are taken in: `Dialogue(LOGIN, ...)`.

    Raises ValueError for a step on a connection that is not there.
    """

    __slots__ = ("steps",)
    steps: tuple[Step, ...]

    def __init__(self, *steps: Step | Dialogue) -> None:
        current = ""
        latest: dict[str, str] = {}  # the name as written -> the name made unique
        seen: Counter[str] = Counter()
        resolved: list[Step] = []
        for step in _flat(steps):
            if isinstance(step, OPENING):
                name = step.on or "connection"
                seen[name] += 1
                unique = name if seen[name] == 1 else f"{name} {seen[name]}"
                latest[name] = latest[unique] = unique
                if isinstance(step, Connect):
                    current = unique
                resolved.append(replace(step, on=unique))
            elif not isinstance(step, CALLERS):
                name = step.on or current
                if name not in latest:
                    raise ValueError(f"no connection {name or 'at all'!r} is open above {step}")
                resolved.append(replace(step, on=latest[name]))
            else:
                resolved.append(step)
        self.steps = tuple(resolved)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __eq__(self, other: object) -> bool:
        return self.steps == other.steps if isinstance(other, Dialogue) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.steps)

    def then(self, *steps: Step | Dialogue) -> Dialogue:
        """A longer dialogue: this one, and then `steps`."""
        return Dialogue(self, *steps)

    def __str__(self) -> str:
        return "\n".join(f"{number:3} {describe(step)}" for number, step in enumerate(self.steps))

    def source(self) -> str:
        """The dialogue as Python source, to be pasted into a test."""
        return "Dialogue(\n" + "".join(f"    {source(step)},\n" for step in self.steps) + ")"


def _flat(steps: tuple[Step | Dialogue, ...]) -> Iterator[Step]:
    for step in steps:
        if isinstance(step, Dialogue):
            yield from step
        else:
            yield step
