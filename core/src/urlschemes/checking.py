"""What is wrong with a text as a URL, or, of one that is valid, what is unwise in it: `check`."""

from urlschemes.contract import read_as
from urlschemes.errors import InvalidURL, UnknownScheme
from urlschemes.faults import every_fault
from urlschemes.findings import finding, of_error, warnings
from urlschemes.refusal import is_scheme_name, unfit
from urlschemes.url import URL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes.findings import Finding

__all__ = ["check"]


def check(text: str, type_of: "Callable[[str], type[URL]]", limit: int) -> "tuple[Finding, ...]":
    """Every finding, in the order of the text; none for a URL that is valid and wise.

    `type_of` gives the type for a scheme's name, or raises UnknownScheme, which becomes a finding.
    """
    fault = unfit(text, limit)
    if fault is not None:
        return (of_error(fault, str(fault.message), len(fault.text), fault.position),)
    found: list[Finding] = []
    name = text.partition(":")[0]
    kind = URL
    if len(name) < len(text) and is_scheme_name(name):
        try:
            kind = type_of(name)
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


def _unknown(error: UnknownScheme, name: str) -> "Finding":
    return finding(
        error.code,
        str(error.message),
        span=(0, len(name)),
        part="scheme",
        hint=error.hint,
        expected=("the name of a scheme that is installed",),
        rule="scheme",
    )
