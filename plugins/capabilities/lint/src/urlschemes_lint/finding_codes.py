"""The codes of findings: what each means, how bad it is, and where it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Final, Literal

__all__ = ["CODES", "Code"]


class Code:
    """What a finding may be. `section` is None where it is that of the rule at fault."""

    __slots__ = ("meaning", "name", "section", "severity")

    def __init__(
        self, name: str, severity: Literal["error", "warning"], meaning: str, section: str | None = None
    ) -> None:
        self.name = name
        self.severity = severity
        self.meaning = meaning
        self.section = section

    def __repr__(self) -> str:
        return f"<Code {self.name}>"


_SCHEME = "RFC 1738 section 2.1"
_WRITTEN = "RFC 1738 section 2.2"
_INTERNET = "RFC 1738 section 3.1"
_SECURITY = "RFC 1738 section 6"
_HOSTS = "RFC 1034 section 3.1"

CODES: Final = {
    code.name: code
    for code in (
        Code("invalid-url", "error", "what was given is no text, or derives from no production of its scheme"),
        Code("url-too-long", "error", "the text is longer than the bound, and nothing else was looked at"),
        Code("invalid-character", "error", "characters that no URL may hold", _WRITTEN),
        Code("fragment-present", "error", "a fragment, which is no part of the URL", _WRITTEN),
        Code("bad-escape", "error", "a percent sign without two hexadecimal digits", _WRITTEN),
        Code("invalid-scheme", "error", "no scheme name before the first colon", _SCHEME),
        Code(
            "unknown-scheme", "error", "nobody provides the scheme; only what holds for every URL is looked at", _SCHEME
        ),
        Code("missing-authority", "error", "the // of the Common Internet Scheme Syntax is missing", _INTERNET),
        Code("invalid-userinfo", "error", "an unencoded delimiter in a user name or password", _INTERNET),
        Code("userinfo-not-allowed", "error", "a user name or password where the scheme has none", _INTERNET),
        Code("invalid-host", "error", "neither a domain name nor four groups of digits", _INTERNET),
        Code("empty-host", "error", "no host", _INTERNET),
        Code("invalid-port", "error", "no decimal number where the port stands", _INTERNET),
        Code(
            "invalid-part",
            "error",
            "a part of the scheme does not derive from its rule, or something stands behind the last one",
        ),
        Code("other-port", "warning", "a port that is not the scheme's own", _SECURITY),
        Code(
            "reserved-port",
            "warning",
            "a port below 1024 that is not the scheme's own: another protocol lives there",
            _SECURITY,
        ),
        Code("impossible-port", "warning", "a port that is 0 or greater than 65535: there is no access", _INTERNET),
        Code("password", "warning", "a password, which everybody sees who sees the URL", _SECURITY),
        Code(
            "misleading-user",
            "warning",
            "a user name that looks like a host: a reader takes it for the one that is accessed",
            "RFC 3986 section 7.6",
        ),
        Code(
            "control-octet",
            "warning",
            "an encoded control octet, which access refuses where it would reach a line of a protocol",
            _SECURITY,
        ),
        Code(
            "encoded-delimiter",
            "warning",
            "an encoded delimiter of the part it stands in: data to this URL, and easily taken for structure",
            _SECURITY,
        ),
        Code(
            "impossible-address",
            "warning",
            "a group of digits greater than 255, or with leading zeros: there is no access",
            _INTERNET,
        ),
        Code("long-label", "warning", "a label of more than 63 characters: there is no access", _HOSTS),
        Code("long-host", "warning", "a host of more than 253 characters: there is no access", _HOSTS),
    )
}
"""The codes by name. Beside them a scheme's record may list cautions with codes of its own; they are warnings."""
