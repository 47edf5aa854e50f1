"""Script: the steps of a client and a server, in order."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from urlschemes_testing.replay.descriptions import describe, source
from urlschemes_testing.replay.steps import OPENING, WITHOUT_CONNECTION, ClientConnects, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Script"]


class Script:
    """The dialogue of a client and a server, step by step. It may begin with another script: `Script(LOGIN, ...)`.

    Raises ValueError for a step on a connection that is not open.
    """

    __slots__ = ("steps",)
    steps: tuple[Step, ...]

    def __init__(self, *steps: Step | Script) -> None:
        current = ""
        latest: dict[str, str] = {}  # the name as written, and the name made unique
        seen: Counter[str] = Counter()
        resolved: list[Step] = []
        for step in _flat(steps):
            if isinstance(step, OPENING):
                name = step.on or "connection"
                seen[name] += 1
                unique = name if seen[name] == 1 else f"{name} {seen[name]}"
                latest[name] = latest[unique] = unique
                if isinstance(step, ClientConnects):
                    current = unique
                resolved.append(replace(step, on=unique))
            elif not isinstance(step, WITHOUT_CONNECTION):
                name = step.on or current
                if name not in latest:
                    raise ValueError(
                        f"connection {name!r} is not open at {step}" if name else f"no connection is open at {step}"
                    )
                resolved.append(replace(step, on=latest[name]))
            else:
                resolved.append(step)
        self.steps = tuple(resolved)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __eq__(self, other: object) -> bool:
        return self.steps == other.steps if isinstance(other, Script) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.steps)

    def then(self, *steps: Step | Script) -> Script:
        """Return a longer script: this one, then `steps`."""
        return Script(self, *steps)

    def __str__(self) -> str:
        return "\n".join(f"{number:3} {describe(step)}" for number, step in enumerate(self.steps))

    def source(self) -> str:
        """Return the script as Python source, for a test."""
        return "Script(\n" + "".join(f"    {source(step)},\n" for step in self.steps) + ")"


def _flat(steps: tuple[Step | Script, ...]) -> Iterator[Step]:
    for step in steps:
        if isinstance(step, Script):
            yield from step
        else:
            yield step
