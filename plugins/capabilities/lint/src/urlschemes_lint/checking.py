"""`check`: the errors in a text that should be a URL, or warnings about a valid URL."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

from urlschemes import InvalidURL, UnknownScheme
from urlschemes.registry.registry import registry_or_default
from urlschemes.scheme.scheme import read_as
from urlschemes.url.algorithms import algorithms_of
from urlschemes.url.value import LIMIT, unfit
from urlschemes_lint.advice import advice
from urlschemes_lint.all_errors import all_errors
from urlschemes_lint.findings import Finding, error_finding
from urlschemes_lint.fixing import repair_of
from urlschemes_lint.warning_checks import warnings

if TYPE_CHECKING:
    from urlschemes import URL, Registry
    from urlschemes.grammar.profile import Profile

__all__ = ["check"]


def check(
    text: str, *, registry: Registry | None = None, profile: Profile | str | None = None, limit: int = LIMIT
) -> tuple[Finding, ...]:
    """Return the errors in `text`, and warnings about what is legal but unwise in the order of the text.

    The first error is that of `parse`; at most 100 are reported, and fewer of a text of more than 10,000 characters. An
    unknown scheme is an error too; the text is then checked by the rules for all URLs. Raises PluginError.
    """
    schemes = registry_or_default(registry, profile)
    unreadable = unfit(text, limit)
    if unreadable is not None:
        return (error_finding(unreadable),)
    findings: list[Finding] = []
    name = text.partition(":")[0]
    url_type: type[URL] = algorithms_of(schemes.profile).url_type
    if len(name) < len(text) and schemes.profile.is_scheme_name(name):
        try:
            url_type = schemes[name].url_type
        except UnknownScheme as error:
            findings.append(_unknown_scheme(error, name, schemes.profile))
    try:
        url = read_as(url_type, text, limit)
    except InvalidURL as error:
        hint = advice(error, url_type, cache(partial(repair_of, text, schemes, limit)))
        findings += all_errors(text, url_type, error, hint)
    else:
        match = url.syntax.fullmatch(text)
        assert match is not None
        findings += warnings(url_type, match, range(len(text) + 1))
    findings.sort(key=lambda each: each.span or (0, 0))
    return tuple(findings)


def _unknown_scheme(error: UnknownScheme, name: str, profile: Profile) -> Finding:
    return Finding(
        error.code,
        "error",
        str(error.message),
        span=(0, len(name)),
        part="scheme",
        section=profile.section("scheme"),
        hint=error.hint,
        expected=("the name of an installed scheme",),
        rule="scheme",
    )
