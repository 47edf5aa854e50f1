"""The codes of findings: what each means, how severe it is, and the section that it is about."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

__all__ = ["CODES", "Code"]


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
