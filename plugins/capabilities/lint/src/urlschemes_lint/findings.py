"""Findings of `check`: errors, which break the syntax, and warnings about what is legal but unwise.

Every finding has a stable code: one of `CODES`, or of a caution in the record of its scheme.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from urlschemes import InvalidURL
    from urlschemes.url.fault_place import Fault

__all__ = ["CODES", "Code", "Finding", "error_finding", "new_finding"]


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


def error_finding(error: InvalidURL | Fault, hint: str | None = None) -> Finding:
    """Return the finding for an error, with `hint` as better advice than its own."""
    return new_finding(
        error.code,
        str(error.message),
        span=error.span,
        part=error.part,
        section=error.section,
        hint=hint or error.hint,
        expected=error.expected,
        rule=error.rule,
    )


class Code(NamedTuple):
    """A code of findings; `section` is None if it is the section of the rule that the finding names."""

    name: str
    severity: Literal["error", "warning"]
    meaning: str
    section: str | None = None


_SCHEME = "RFC 1738 section 2.1"
_CHARACTERS = "RFC 1738 section 2.2"
_INTERNET = "RFC 1738 section 3.1"
_SECURITY = "RFC 1738 section 6"
_HOSTS = "RFC 1034 section 3.1"

_ALL = (
    Code("invalid-url", "error", "the argument is not a string, or the text derives from no production of its scheme"),
    Code("url-too-long", "error", "the text is longer than the limit; nothing else was checked"),
    Code("invalid-character", "error", "characters that no URL may contain", _CHARACTERS),
    Code("fragment-present", "error", "a fragment, which is not part of the URL", _CHARACTERS),
    Code("bad-escape", "error", "a percent sign without two hexadecimal digits after it", _CHARACTERS),
    Code("invalid-scheme", "error", "no scheme name before the first colon", _SCHEME),
    Code("unknown-scheme", "error", "no plugin provides the scheme; only the rules for all URLs are checked", _SCHEME),
    Code("missing-authority", "error", "the // of the Common Internet Scheme Syntax is missing", _INTERNET),
    Code("invalid-userinfo", "error", "an unencoded delimiter in a user name or password", _INTERNET),
    Code("userinfo-not-allowed", "error", "a user name or password in a scheme that has none", _INTERNET),
    Code("invalid-host", "error", "neither a domain name nor four groups of digits", _INTERNET),
    Code("empty-host", "error", "no host", _INTERNET),
    Code("invalid-port", "error", "the port is not a decimal number", _INTERNET),
    Code("invalid-part", "error", "a part does not derive from its rule, or text follows the last part"),
    Code("other-port", "warning", "a port other than the scheme's own", _SECURITY),
    Code(
        "reserved-port",
        "warning",
        "a port below 1024 other than the scheme's own: that of another protocol",
        _SECURITY,
    ),
    Code("impossible-port", "warning", "port 0, or a port above 65535, which cannot be accessed", _INTERNET),
    Code("password", "warning", "a password, which everyone sees who sees the URL", _SECURITY),
    Code(
        "misleading-user",
        "warning",
        "a user name that looks like a host, and that readers take for the host",
        "RFC 3986 section 7.6",
    ),
    Code(
        "control-octet",
        "warning",
        "an encoded control octet, which access refuses where it would be sent on a protocol line",
        _SECURITY,
    ),
    Code(
        "encoded-delimiter",
        "warning",
        "an encoded delimiter of its part: data in this URL, but easily mistaken for a delimiter",
        _SECURITY,
    ),
    Code(
        "impossible-address",
        "warning",
        "a group of digits above 255 or with leading zeros, which cannot be accessed",
        _INTERNET,
    ),
    Code("long-label", "warning", "a label of more than 63 characters, which cannot be accessed", _HOSTS),
    Code("long-host", "warning", "a host of more than 253 characters, which cannot be accessed", _HOSTS),
)

CODES: Final = {code.name: code for code in _ALL}
"""The codes by name. A record may add warnings of its own: the codes of its cautions."""
