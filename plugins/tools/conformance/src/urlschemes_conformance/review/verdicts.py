"""What a check says, and what a review is."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from urlschemes.errors import URLError
from urlschemes.redaction import one_line, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "OUTCOMES", "Judgement", "Outcome", "Review", "ReviewError", "Verdict", "failed", "passed", "skipped", "warned",
]  # fmt: skip

Outcome: TypeAlias = Literal["passed", "warned", "failed", "skipped"]
"""`warned`: what is asked holds, as far as it can be told; somebody should look. `skipped`: it could not be told."""

OUTCOMES: tuple[Outcome, ...] = ("passed", "warned", "failed", "skipped")

LINE = 400
"""Characters of a reason, and of a detail, at most."""
DETAILS = 20
"""Details that are kept, at most."""
_BREAKS = str.maketrans({"\n": "\\n", "\t": "\\t"})


class ReviewError(URLError):
    """The review itself is at fault, and not what it reviews."""

    code = "review-error"

    def __init__(self, message: str, *, hint: str = "report it, with the scheme", **details: Any) -> None:
        super().__init__(message, hint=hint, **details)


class Judgement(NamedTuple):
    """What a check finds: the outcome, why, what to do next, and what else there is to know."""

    outcome: Outcome
    reason: str
    help: str = ""
    details: tuple[str, ...] = ()


def passed(reason: str, *details: str) -> Judgement:
    """All is as it should be; `reason` says what was seen."""
    return Judgement("passed", reason, "", details)


def warned(reason: str, help: str, *details: str) -> Judgement:  # noqa: A002  the word that people read
    """Nothing is wrong that a program can tell, and somebody should look."""
    return Judgement("warned", reason, help, details)


def failed(reason: str, help: str, *details: str) -> Judgement:  # noqa: A002  as above
    """Something is wrong; `help` says what to do next."""
    return Judgement("failed", reason, help, details)


def skipped(reason: str) -> Judgement:
    """It could not be told."""
    return Judgement("skipped", reason)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one check found. All texts are single lines of printable ASCII.

    `reason` says why the outcome is what it is, `details` show it, `help` says what to do next; `seconds` is how long
    the check took.
    """

    check: str
    outcome: Outcome
    reason: str
    details: tuple[str, ...] = ()
    help: str = ""
    seconds: float = 0.0

    @classmethod
    def of(cls, check: str, judgement: Judgement, seconds: float = 0.0) -> Verdict:
        """The verdict of the check of that name. What is too long or too much is cut."""
        details = [_detail(each) for each in judgement.details[:DETAILS]]
        if len(judgement.details) > DETAILS:
            details.append(f"... and {len(judgement.details) - DETAILS} more")
        reason, advice = one_line(judgement.reason, LINE), one_line(judgement.help, LINE)
        return cls(check, judgement.outcome, reason, tuple(details), advice, round(seconds, 3))


def _detail(text: str) -> str:
    """One safe line. A password stays: who wants to try a URL again needs all of it, and it was made up."""
    line = shown(text).translate(_BREAKS).encode("ascii", "backslashreplace").decode("ascii")
    return line if len(line) <= LINE else line[: LINE - 3] + "..."


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A scheme, reviewed.

    `target` is what was asked for, `kind` what that is, `origin` where it lies. The laws were tried on `examples` URLs,
    made with `seed`. `scheme` and `title` are empty where no record could be read.
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
    verdicts: tuple[Verdict, ...]

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[Verdict, ...]:
        """The verdicts of the checks that failed."""
        return tuple(each for each in self.verdicts if each.outcome == "failed")

    @property
    def counts(self) -> Mapping[Outcome, int]:
        """How many checks had which outcome."""
        counted = Counter(each.outcome for each in self.verdicts)
        return {outcome: counted[outcome] for outcome in OUTCOMES}

    def as_dict(self) -> dict[str, Any]:
        """The review as a program reads it: what `urlschemes review --json` writes."""
        return {**asdict(self), "passed": self.passed, "counts": dict(self.counts)}
