"""A check: what it is, and the mark that makes a function one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from urlschemes_conformance.review.verdicts import CannotCheck

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_conformance.review.reviewed_scheme import ReviewedScheme
    from urlschemes_conformance.review.verdicts import Verdict

    CheckFunction: TypeAlias = Callable[[ReviewedScheme], Verdict]

__all__ = ["CHECKS", "Check", "check"]


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


CHECKS: dict[str, Check] = {}
"""The checks of the modules that were imported, by name."""


def check(name: str, section: str, *, first: bool = False) -> Callable[[CheckFunction], CheckFunction]:
    """Make a function the check `name`; the first line of its docstring is the requirement."""

    def register(function: CheckFunction) -> CheckFunction:
        CHECKS[name] = Check(name, (function.__doc__ or "").partition("\n")[0], section, function, first)
        return function

    return register
