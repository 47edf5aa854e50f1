"""The verdict of one check, and the review that holds all of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from urlschemes.errors import URLError
from urlschemes.redaction import one_line, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "OUTCOMES",
    "CannotCheck",
    "Outcome",
    "Review",
    "ReviewError",
    "Verdict",
    "counted",
    "failed",
    "passed",
    "skipped",
    "warned",
]

Outcome: TypeAlias = Literal["passed", "warned", "failed", "skipped"]
"""The outcome of a check. `warned`: no rule is broken, but a person should look. `skipped`: it could not be made."""

OUTCOMES: tuple[Outcome, ...] = ("passed", "warned", "failed", "skipped")

MAX_LINE = 400
"""Characters of a reason, or of a detail."""
MAX_DETAILS = 20
"""Details of one verdict."""
_ESCAPED_BREAKS = str.maketrans({"\n": "\\n", "\t": "\\t"})


class ReviewError(URLError):
    """The review itself failed; the scheme may be correct."""

    code = "review-error"

    def __init__(self, message: str, *, hint: str = "report this bug, with the scheme", **details: Any) -> None:
        super().__init__(message, hint=hint, **details)


def counted(number: int, noun: str) -> str:
    """Return a number of things in words, such as "1 rule"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of one check.

    `reason` explains the outcome, `details` give evidence, `help` says what to do next; their texts are single lines of
    printable ASCII. `seconds` is how long the check took. `profile` is that of the record that was checked.
    """

    check: str
    outcome: Outcome
    reason: str
    details: tuple[str, ...] = ()
    help: str = ""
    seconds: float = 0.0
    profile: str = ""

    def of_check(self, check: str, seconds: float = 0.0) -> Verdict:
        """Return this verdict as that of `check`, with long texts cut."""
        details = [_detail(each) for each in self.details[:MAX_DETAILS]]
        if len(self.details) > MAX_DETAILS:
            details.append(f"... and {len(self.details) - MAX_DETAILS} more")
        reason, advice = one_line(self.reason, MAX_LINE), one_line(self.help, MAX_LINE)
        return Verdict(check, self.outcome, reason, tuple(details), advice, round(seconds, 3))


def _detail(text: str) -> str:
    """Return one safe line. Passwords stay: they are generated, and the user needs the whole URL to try it again."""
    line = shown(text).translate(_ESCAPED_BREAKS).encode("ascii", "backslashreplace").decode("ascii")
    return line if len(line) <= MAX_LINE else line[: MAX_LINE - 3] + "..."


# The functions of the checks return these; the worker adds the name of the check.


def passed(reason: str, *details: str) -> Verdict:
    """Return the verdict that the requirement is met; `reason` gives the evidence."""
    return Verdict("", "passed", reason, details)


def warned(reason: str, help: str, *details: str) -> Verdict:  # noqa: A002  the name of the field
    """Return the verdict that a person should look."""
    return Verdict("", "warned", reason, details, help)


def failed(reason: str, help: str, *details: str) -> Verdict:  # noqa: A002  the name of the field
    """Return the verdict that the requirement is not met; `help` says what to do next."""
    return Verdict("", "failed", reason, details, help)


def skipped(reason: str) -> Verdict:
    """Return the verdict that the check could not be made."""
    return Verdict("", "skipped", reason)


class CannotCheck(Exception):
    """A piece of the scheme cannot be had: `verdict` is that of the check `check`, and the others are skipped.

    Without `check`, it is the verdict of each check that needs the piece.
    """

    def __init__(self, verdict: Verdict, check: str = "") -> None:
        super().__init__(verdict.reason)
        self.verdict = verdict
        self.check = check

    def verdict_of(self, check: str) -> Verdict:
        """Return the verdict of a check that needs the piece."""
        if self.check in {"", check}:
            return self.verdict
        return skipped(f"the check {self.check} failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """The review of one scheme, with each of its records, which are of `profiles`.

    `target` is the argument of `review`, `kind` says what it is, `origin` is its folder or file. `scheme` and `title`
    are empty if the record could not be read. The laws were tested with `examples` URLs, generated from `seed`.
    """

    target: str
    kind: Literal["installed", "folder", "record"]
    scheme: str
    title: str
    distribution: str
    version: str
    origin: str
    examples: int
    seed: int
    profiles: tuple[str, ...]
    verdicts: tuple[Verdict, ...]

    @property
    def passed(self) -> bool:
        """Return True if no check failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[Verdict, ...]:
        """The verdicts of the checks that failed."""
        return tuple(each for each in self.verdicts if each.outcome == "failed")

    @property
    def counts(self) -> Mapping[Outcome, int]:
        """The number of checks with each outcome."""
        counted = Counter(each.outcome for each in self.verdicts)
        return {outcome: counted[outcome] for outcome in OUTCOMES}

    def as_dict(self) -> dict[str, Any]:
        """Return the review as the JSON object that `urlschemes review --json` writes."""
        return {**asdict(self), "passed": self.passed, "counts": dict(self.counts)}
