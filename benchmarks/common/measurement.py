"""Figures: the results of a benchmark. Some come from processes of their own."""

from __future__ import annotations

import resource
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ROOT", "Figure", "peak"]

ROOT = Path(__file__).parents[1]
"""The folder from which the modules of other processes are run."""


def peak() -> int:
    """Return the most memory that this process ever held, in bytes."""
    try:
        status = Path("/proc/self/status").read_text("ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024
    except (OSError, IndexError):  # elsewhere than on Linux, where this counts what stood before exec as well
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


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
    """True if the target is a minimum, False if it is a maximum."""
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
