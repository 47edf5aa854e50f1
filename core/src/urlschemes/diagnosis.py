"""Who provides a scheme's name and why, and a claim looked at closely: what a registry answers.

Words and facts only: which claims count is decided in `urlschemes.choice`, what is in use in `urlschemes.registry`, and
both are put together in `urlschemes.inspection`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from urlschemes.choice import DISABLE
from urlschemes.display import one_line

if TYPE_CHECKING:
    from urlschemes.claims import Claim

__all__ = ["Diagnosis", "Why"]


class Why(NamedTuple):
    """Who provides a name, by which rule, who else wants it, and how to choose otherwise. Prints as several lines.

    `pins` are the distributions of which a pin would choose one, `switch` is the name that switches the scheme off
    (None where no distribution provides it), `hint` what else there is to do, in words (None where there is nothing).
    `gateway` is the gateway that its URLs are reached through, and who says so; None where there is none.
    """

    name: str
    provider: str | None
    rule: str
    claims: tuple[Claim, ...]
    pins: tuple[str, ...] = ()
    switch: str | None = None
    hint: str | None = None
    gateway: str | None = None

    @property
    def advice(self) -> str:
        """How to choose otherwise, in the words of a program."""
        if self.switch is None:
            return self.hint or "a distribution that provides it can be installed, or made: `urlschemes new`"
        pin = f"pin another: Registry(pins={{{self.name!r}: {self.pins[0]!r}}}), " if self.pins else ""
        return f"{pin}override(scheme), or switch it off: {DISABLE}={self.switch}"

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.provider or 'nobody provides it'}", f"  because {self.rule}"]
        lines += [f"  claim: {claim}" for claim in self.claims]
        lines += [f"  gateway: {self.gateway}"] if self.gateway else []
        return "\n".join(one_line(line, 1000) for line in [*lines, f"  to choose otherwise: {self.advice}"])


class Diagnosis(NamedTuple):
    """One claim, looked at closely.

    `file` is what would be imported for it, or the record where there is no code ("" where it cannot be found),
    `sha256` that file's hash, `seconds` how long the import took (None where nothing was imported). `changes` says in
    words what loading it changed for others in the process (None where it was not verified).
    """

    claim: Claim
    file: str = ""
    sha256: str = ""
    seconds: float | None = None
    changes: tuple[str, ...] | None = None

    @property
    def in_trouble(self) -> bool:
        """Whether somebody has to do something about it."""
        return self.claim.in_trouble or bool(self.changes)
