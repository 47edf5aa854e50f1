"""A check: what it is, and the mark that makes a function one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from urlschemes.redaction import described
from urlschemes_conformance.review.reviewed_scheme import places
from urlschemes_conformance.review.verdicts import CannotCheck, failed, skipped

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
    `first` of all if it must see what the plugin imports. A check of what is asked `of_new` schemes only warns about
    registered ones. It is skipped if one of the checks `after` which it comes fails: that names the cause.
    """

    name: str
    requirement: str
    section: str
    function: CheckFunction
    first: bool = False
    of_new: bool = False
    after: tuple[str, ...] = ()

    def verdict(self, scheme: ReviewedScheme) -> Verdict:
        """Make the check, once for each scheme. Raises what the review's own code raises by mistake."""
        if self.name not in scheme.verdicts:
            scheme.verdicts[self.name] = self._made(scheme)
        return scheme.verdicts[self.name]

    def _made(self, scheme: ReviewedScheme) -> Verdict:
        for before in self.after:
            verdict = CHECKS[before].verdict(scheme)
            if verdict.outcome in {"failed", "skipped"}:
                return skipped(verdict.reason if verdict.outcome == "skipped" else f"the check {before} failed")
        try:
            verdict = self.function(scheme)
        except CannotCheck as reason:
            return reason.verdict_of(self.name)
        except BaseException as error:
            foreign = places(error)
            if not foreign:
                raise
            return failed(
                f"the plugin raised {described(error)}, which is not an error of urlschemes",
                "raise only errors that urlschemes.errors or urlschemes_access.errors defines",
                *foreign,
            )
        status = scheme.record.status
        if self.of_new and verdict.outcome == "failed" and (status in {"permanent", "historical"} or scheme.listed):
            return replace(verdict, outcome="warned", help=f"new schemes must not; this one is {status}")
        return verdict


CHECKS: dict[str, Check] = {}
"""The checks of the modules that were imported, by name."""


def check(
    name: str, section: str, *, first: bool = False, of_new: bool = False, after: tuple[str, ...] = ()
) -> Callable[[CheckFunction], CheckFunction]:
    """Make a function the check `name`; the first line of its docstring is the requirement."""

    def register(function: CheckFunction) -> CheckFunction:
        requirement = (function.__doc__ or "").partition("\n")[0]
        CHECKS[name] = Check(name, requirement, section, function, first, of_new, after)
        return function

    return register
