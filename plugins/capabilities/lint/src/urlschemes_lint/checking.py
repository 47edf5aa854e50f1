"""`check`: the errors in a text that should be a URL, or warnings about a valid URL."""

from __future__ import annotations

from urlschemes import URL, InvalidURL, Registry, UnknownScheme
from urlschemes.grammar.profile import Profile, authority_of
from urlschemes.registry.registry import registry_or_default
from urlschemes.scheme.scheme import read_as
from urlschemes.url.algorithms import algorithms_of
from urlschemes.url.value import LIMIT, unfit
from urlschemes_lint.advice import advice_on_name, is_path
from urlschemes_lint.all_errors import all_errors
from urlschemes_lint.findings import CODES, Finding, error_finding
from urlschemes_lint.fixing import repair_of
from urlschemes_lint.warning_checks import Warnings


def check(
    text: str, *, registry: Registry | None = None, profile: Profile | str | None = None, limit: int = LIMIT
) -> tuple[Finding, ...]:
    """Return the errors in `text`, and warnings about what is legal but unwise in the order of the text.

    The first error is that of `parse`; at most 100 are reported, and each run of the same error is one. An unknown
    scheme is an error too; the text is then checked by the rules for all URLs. Raises PluginError.
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
            hint = advice_on_name(error, text, repair_of(text, schemes, limit))
            about = "scheme", schemes.profile.section("scheme"), hint, ("the name of an installed scheme",), "scheme"
            findings.append(Finding(error.code, "error", str(error.message), (0, len(name)), *about))
            if is_path(text):
                return tuple(findings)
    try:
        url = read_as(url_type, text, limit)
    except InvalidURL as error:
        findings += all_errors(text, url_type, error, repair_of(text, schemes, limit))
    else:
        match = url.syntax.fullmatch(text)
        assert match is not None
        findings += Warnings(url_type, match, range(len(text) + 1))
        authority = authority_of(text, schemes.profile)
        name = "" if authority is None else text[authority.host : authority.end]
        if authority is not None and name in schemes and text.startswith("//", authority.end):
            message = f"the host {name!r} has the name of a scheme, and `//` follows"
            hint = f"if that is the scheme of the URL, begin with `{name}://`"
            place = (authority.host, authority.end), "host", CODES["second-scheme"].section(schemes.profile)
            findings.append(Finding("second-scheme", "warning", message, *place, hint))
    findings.sort(key=lambda each: each.span or (0, 0))
    return tuple(findings)
