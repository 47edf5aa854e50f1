"""What is wrong with a text as a URL, or, of one that is valid, what is unwise in it: `check`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import default_registry
from urlschemes.errors import InvalidURL, UnknownScheme
from urlschemes.scheme.scheme import read_as
from urlschemes.url.fault_kind import is_scheme_name, unfit
from urlschemes.url.value import LIMIT, URL
from urlschemes_lint.every_fault import every_fault
from urlschemes_lint.findings import finding, of_error, warnings

if TYPE_CHECKING:
    from urlschemes.registry.registry import Registry
    from urlschemes_lint.findings import Finding

__all__ = ["check"]


def check(text: str, *, registry: Registry | None = None, limit: int = LIMIT) -> tuple[Finding, ...]:
    """Return what is wrong with `text` as a URL, and what is legal but unwise (section 6), in the order of the text.

    A scheme that no plugin provides is a finding too. Raises PluginError.
    """
    schemes = default_registry if registry is None else registry
    fault = unfit(text, limit)
    if fault is not None:
        return (of_error(fault, str(fault.message), len(fault.text), fault.position),)
    found: list[Finding] = []
    name = text.partition(":")[0]
    kind = URL
    if len(name) < len(text) and is_scheme_name(name):
        try:
            kind = schemes[name].url_type
        except UnknownScheme as error:
            found.append(_unknown(error, name))
    try:
        url = read_as(kind, text, limit)
    except InvalidURL as error:
        found += every_fault(text, kind, error)
    else:
        found += warnings(kind, url._match, range(len(text) + 1))
    found.sort(key=lambda each: each.span or (0, 0))
    return tuple(found)


def _unknown(error: UnknownScheme, name: str) -> Finding:
    return finding(
        error.code,
        str(error.message),
        span=(0, len(name)),
        part="scheme",
        hint=error.hint,
        expected=("the name of a scheme that is installed",),
        rule="scheme",
    )
