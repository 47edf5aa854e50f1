"""What a check is, and all of them in the order in which they are made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_conformance.review.subject import Subject
    from urlschemes_conformance.review.verdicts import Judgement

__all__ = ["Check", "asks", "checks"]

ROOMS = ("record", "name", "syntax", "types", "laws", "speed", "code", "access")
"""The rooms that have checks. What a check reads of the plugin stands before it."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check.

    `asks` says what it asks, `section` where that comes from. `judge` finds out, in a process that runs the plugin's
    code: where it is `alone`, in one where nothing has run before.
    """

    name: str
    asks: str
    section: str
    judge: Callable[[Subject], Judgement]
    alone: bool = False


_made: dict[str, Check] = {}


def asks(
    name: str, section: str, *, alone: bool = False
) -> Callable[[Callable[[Subject], Judgement]], Callable[[Subject], Judgement]]:
    """Make a function the check `name`; the first line of its docstring says what it asks."""

    def made(judge: Callable[[Subject], Judgement]) -> Callable[[Subject], Judgement]:
        _made[name] = Check(name, (judge.__doc__ or "").partition("\n")[0], section, judge, alone)
        return judge

    return made


@cache
def checks() -> tuple[Check, ...]:
    """All checks, in the order in which they are made and shown."""
    modules = [import_module(f"{__package__}.{room}").__name__ for room in ROOMS]
    # A room may have been imported by itself, before the others.
    return tuple(sorted(_made.values(), key=lambda check: modules.index(check.judge.__module__)))
