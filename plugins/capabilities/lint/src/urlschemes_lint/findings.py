"""Findings of `check`: errors, which break the syntax, and warnings about what is legal but unwise.

Every finding has a stable code: one of `finding_codes`, or one of the cautions in the record of its scheme.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from urlschemes_lint.finding_codes import CODES

if TYPE_CHECKING:
    from urlschemes import InvalidURL

__all__ = ["Finding", "error_finding", "new_finding"]


class Finding(NamedTuple):
    """An error or a warning.

    `code` identifies it. `severity` is "error" or "warning". `span` is its place in the text, `part` the part of the
    URL there. For errors, `expected` lists what is allowed there, and `rule` names the rule that is broken; for
    warnings they are () and None. `section` says where the rule is written, `hint` what to do.
    """

    code: str
    severity: Literal["error", "warning"]
    message: str
    span: tuple[int, int] | None = None
    part: str | None = None
    section: str | None = None
    hint: str | None = None
    expected: tuple[str, ...] = ()
    rule: str | None = None

    def __repr__(self) -> str:
        return f"Finding({self.code!r}, {self.message!r}, span={self.span})"


def new_finding(
    code: str,
    message: str,
    *,
    span: tuple[int, int] | None = None,
    part: str | None = None,
    section: str | None = None,
    hint: str | None = None,
    expected: tuple[str, ...] = (),
    rule: str | None = None,
) -> Finding:
    """Return a finding with the severity of its code, and by default with its section."""
    known = CODES.get(code)
    severity: Literal["error", "warning"] = known.severity if known else "warning"
    section = section or (known.section if known else None)
    return Finding(code, severity, message, span, part, section, hint, expected, rule)


def error_finding(
    error: InvalidURL, length: int, *, position: int | None = None, end: int | None = None, hint: str | None = None
) -> Finding:
    """Return the finding for an error of a text of `length` characters.

    It spans the text from `position` (default: the error's) to `end` (default: one character, or none at the end).
    `hint` is advice beyond that of the error.
    """
    start = error.position if position is None else position
    return new_finding(
        error.code,
        str(error.message),
        span=None if start is None else (start, min(start + 1 if end is None else end, length)),
        part=error.part,
        section=error.section,
        hint=hint or error.hint,
        expected=error.expected,
        rule=error.rule,
    )
