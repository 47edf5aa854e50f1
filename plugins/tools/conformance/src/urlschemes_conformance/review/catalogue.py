"""The checks: what one is, and the list of all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from urlschemes_conformance.review.verdicts import CannotCheck

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_conformance.review.reviewed_scheme import ReviewedScheme
    from urlschemes_conformance.review.verdicts import Verdict

    CheckFunction: TypeAlias = Callable[[ReviewedScheme], Verdict]

__all__ = ["Check", "all_checks", "check"]

_MODULES = ("record", "name", "grammar", "type", "law", "import", "access")
"""The modules of checks, in the order in which they are shown: those that run no code of the plugin come first."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check.

    `requirement` is what it requires, `section` the source of that. `function` makes the check, in a worker process,
    `first` of all if it must see what the plugin imports.
    """

    name: str
    requirement: str
    section: str
    function: CheckFunction
    first: bool = False

    def verdict(self, scheme: ReviewedScheme) -> Verdict:
        """Make the check. Raises what the plugin raises."""
        try:
            return self.function(scheme)
        except CannotCheck as reason:
            return reason.verdict_of(self.name)


_checks: dict[str, Check] = {}


def check(name: str, section: str, *, first: bool = False) -> Callable[[CheckFunction], CheckFunction]:
    """Make a function the check `name`; the first line of its docstring is the requirement."""

    def register(function: CheckFunction) -> CheckFunction:
        _checks[name] = Check(name, (function.__doc__ or "").partition("\n")[0], section, function, first)
        return function

    return register


@cache
def all_checks() -> tuple[Check, ...]:
    """Return all checks, in the order in which they are shown."""
    modules = [import_module(f"{__package__}.checks.{name}_checks").__name__ for name in _MODULES]
    # Sorted, because a module may have been imported before the others.
    return tuple(sorted(_checks.values(), key=lambda each: modules.index(each.function.__module__)))
