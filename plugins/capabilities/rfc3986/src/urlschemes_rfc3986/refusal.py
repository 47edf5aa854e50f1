"""Errors about a text that is parsed in another form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import InvalidURL, invalid_url
from urlschemes.url.fault_messages import OriginalText
from urlschemes.url.fault_place import Fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urlschemes.grammar.syntax import Syntax

__all__ = ["refusal"]


def refusal(text: str, parsed: str, positions: Sequence[int], syntax: Syntax, scheme: str | None) -> InvalidURL:
    """Return the error for `text`, in whose place `parsed` was parsed by `syntax`, that of `scheme`.

    Character n of `parsed` stands for the one at `positions[n]`; the last position is that of the end.
    """
    original = OriginalText(text, positions)
    fault = Fault(parsed, syntax, scheme, original)
    message = fault.message  # computing it computes the span
    start, end = fault.span
    span = original.position(start), original.position(end - 1) + 1 if start < end else original.position(end)
    error = invalid_url(text, message, code=fault.code, part=fault.part, span=span, scheme=scheme)
    error.position = original.position(fault.position)
    error.rule, error.section, error.hint = fault.rule, fault.section, fault.hint
    error.expected, error.definition = fault.expected, fault.definition
    return error
