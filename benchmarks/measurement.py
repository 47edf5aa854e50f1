"""Figures: the results of a benchmark."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Figure"]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One figure.

    `ratio` is against the reference of its table. `target` and `moonshot` bound the ratio, where there is one, or else
    the value.
    """

    table: str
    what: str
    who: str
    value: float
    unit: str
    ratio: float | None = None
    target: float | None = None
    moonshot: float | None = None
    least: bool = False
    """Whether the target is the least that is wanted, not the most."""
    note: str = ""

    @property
    def judged(self) -> float:
        """The quantity that the target limits."""
        return self.value if self.ratio is None else self.ratio

    @property
    def met(self) -> bool | None:
        """True if the target is met; None if there is none."""
        if self.target is None:
            return None
        return self.judged >= self.target if self.least else self.judged <= self.target
