"""Findings of `check`: errors, which break the syntax, and warnings about what is legal but unwise.

Every finding has a stable code: one of `CODES`, of a warning of the profile, or of a caution in the record.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from urlschemes import InvalidURL
from urlschemes.grammar.profile import Profile
from urlschemes.url.fault_place import Fault


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


def error_finding(error: InvalidURL | Fault) -> Finding:
    """Return the finding for an error, with its own hint."""
    place = error.span, error.part, error.section
    return Finding(error.code, "error", str(error.message), *place, error.hint, error.expected, error.rule)


class Code(NamedTuple):
    """A code of findings.

    `topic` is a topic of profiles, which each define it in a section of their own, or the section itself; None if the
    section is that of the rule at the place of the finding.
    """

    name: str
    severity: Literal["error", "warning"]
    meaning: str
    topic: str | None = None

    def section(self, profile: Profile) -> str | None:
        """Return the section that findings of a profile refer to; None if it is that of a rule."""
        if self.topic is None or self.topic not in profile.sections:
            return self.topic
        return profile.section(self.topic)


_SECURITY = "security"
_NAMES = "RFC 1034 section 3.1"
_USERS = "RFC 3986 section 7.6"
_CONTROL = "an encoded control octet, which access refuses where it would be sent on a protocol line"
_TEXT = "RFC 3986 section 2.5"
_NOT_UTF_8 = "escapes that are not UTF-8, which programs decode to text that JSON cannot hold"
_DELIMITER = "an encoded delimiter: data in this URL, but easily mistaken for a delimiter"

_ALL = (
    Code("invalid-url", "error", "the argument is not a string, or the text derives from no production of its scheme"),
    Code("url-too-long", "error", "the text is longer than the limit; nothing else was checked"),
    Code("invalid-character", "error", "characters that no URL may contain"),
    Code("fragment-present", "error", "a fragment, where it is not part of the URL"),
    Code("bad-escape", "error", "a percent sign without two hexadecimal digits after it"),
    Code("invalid-scheme", "error", "no scheme name before the first colon"),
    Code("unknown-scheme", "error", "no plugin provides the scheme; only the rules for all URLs are checked"),
    Code("missing-authority", "error", "the // before the host is missing"),
    Code("invalid-userinfo", "error", "an unencoded delimiter in a user name or password"),
    Code("userinfo-not-allowed", "error", "a user name or password in a scheme that has none"),
    Code("invalid-host", "error", "neither a name nor an address"),
    Code("empty-host", "error", "no host"),
    Code("invalid-port", "error", "the port is not a decimal number"),
    Code("invalid-part", "error", "a part does not derive from its rule, or text follows the last part"),
    Code("other-port", "warning", "a port other than the scheme's own", _SECURITY),
    Code("reserved-port", "warning", "a port below 1024, which belongs to another protocol", _SECURITY),
    Code("impossible-port", "warning", "port 0, or a port above 65535, which cannot be accessed"),
    Code("password", "warning", "a password, visible to everyone who sees the URL", _SECURITY),
    Code("secret-field", "warning", "a field of the query that looks like a secret, such as a token", _SECURITY),
    Code("misleading-user", "warning", "a user name that looks like a host, and may be taken for it", _USERS),
    Code("second-scheme", "warning", "a host that is the name of a scheme, and `//` after it", _USERS),
    Code("control-octet", "warning", _CONTROL, _SECURITY),
    Code("encoded-delimiter", "warning", _DELIMITER, _SECURITY),
    Code("not-utf-8", "warning", _NOT_UTF_8, _TEXT),
    Code("impossible-address", "warning", "a group of digits above 255 or with leading zeros"),
    Code("long-label", "warning", "a label of more than 63 characters", _NAMES),
    Code("long-host", "warning", "a host of more than 253 characters", _NAMES),
)

CODES: Final = {code.name: code for code in _ALL}
"""The codes by name. Profiles add warnings of their own, and records the codes of their cautions."""
