"""Script: the steps of a client and a server, in order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from urlschemes_testing.replay.steps import ClientConnects, OnConnection, Opening, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Script"]


class Script:
    """The dialogue of a client and a server, step by step. It may begin with another script: `Script(LOGIN, ...)`.

    `steps` name their connections; `written` are the steps as they were given, which `str` and `source` show.

    Raises ValueError for a step on a connection that is not open.
    """

    __slots__ = ("steps", "written")
    steps: tuple[Step, ...]
    written: tuple[Step, ...]

    def __init__(self, *steps: Step | Script) -> None:
        self.written = tuple(_flat(steps))
        self.steps = tuple(_with_connections(self.written))

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
        return "\n".join(f"{number:3} {step}" for number, step in enumerate(self.written))

    def source(self) -> str:
        """Return the script as Python source, for a test."""
        return "Script(\n" + "".join(f"    {step},\n" for step in self.written) + ")"


def _flat(steps: tuple[Step | Script, ...]) -> Iterator[Step]:
    for step in steps:
        yield from step.written if isinstance(step, Script) else (step,)


def _with_connections(steps: tuple[Step, ...]) -> Iterator[Step]:
    """Yield the steps with the names of their connections; each connection that is opened has a name of its own."""
    current = ""
    latest: dict[str, str] = {}  # the name as written, and the name made unique
    for step in steps:
        if not isinstance(step, OnConnection):
            yield step
            continue
        name = step.on or current
        if isinstance(step, Opening):
            name = step.on or "connection"
            unique, number = name, 1
            while unique in latest:
                number += 1
                unique = f"{name} {number}"
            latest[name] = latest[unique] = unique
            current = unique if isinstance(step, ClientConnects) else current
        if name not in latest:
            raise ValueError(
                f"connection {name!r} is not open at {step}" if name else f"no connection is open at {step}"
            )
        yield replace(step, on=latest[name])
