"""The codes of findings: what each means, how bad it is, where it comes from, and a text that shows it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, Literal

__all__ = ["CODES", "Code"]


class Code:
    """What a finding may be. `example` is a text with such a finding, None where no short text shows it."""

    __slots__ = ("example", "meaning", "name", "section", "severity")

    def __init__(
        self, name: str, severity: "Literal['error', 'warning']", meaning: str, section: str | None, example: str | None
    ) -> None:
        self.name = name
        self.severity = severity
        self.meaning = meaning
        self.section = section
        self.example = example

    def __repr__(self) -> str:
        return f"<Code {self.name}>"


def _error(name: str, meaning: str, section: str | None, example: str | None) -> Code:
    return Code(name, "error", meaning, section, example)


def _warning(name: str, meaning: str, section: str, example: str) -> Code:
    return Code(name, "warning", meaning, section, example)


_HOSTS = "RFC 1034 section 3.1"
_INTERNET = "RFC 1738 section 3.1"
_SECURITY = "RFC 1738 section 6"
_WRITTEN = "RFC 1738 section 2.2"

CODES: "Final" = {
    code.name: code
    for code in (
        _error("invalid-url", "what was given is no text, or derives from no production of its scheme", None, None),
        _error("url-too-long", "the text is longer than the bound, and nothing else was looked at", None, None),
        _error("invalid-character", "characters that no URL may hold", _WRITTEN, "http://host.dom/~joe"),
        _error("fragment-present", "a fragment, which is no part of the URL", _WRITTEN, "http://host.dom/a#top"),
        _error("bad-escape", "a percent sign without two hexadecimal digits", _WRITTEN, "http://host.dom/100%"),
        _error("invalid-scheme", "no scheme name before the first colon", "RFC 1738 section 2.1", "host.dom/a"),
        _error(
            "unknown-scheme",
            "nobody provides the scheme; only what holds for every URL is looked at",
            "RFC 1738 section 2.1",
            "x-nobody://host.dom/",
        ),
        _error(
            "missing-authority",
            "the // of the Common Internet Scheme Syntax is missing",
            _INTERNET,
            "http:/host.dom/",
        ),
        _error(
            "invalid-userinfo",
            "an unencoded delimiter in a user name or password",
            _INTERNET,
            "ftp://joe@home@host.dom/",
        ),
        _error(
            "userinfo-not-allowed",
            "a user name or password where the scheme has none",
            _INTERNET,
            "http://joe@host.dom/",
        ),
        _error("invalid-host", "neither a domain name nor four groups of digits", _INTERNET, "http://my_host.dom/"),
        _error("empty-host", "no host", _INTERNET, "http:///a"),
        _error("invalid-port", "no decimal number where the port stands", _INTERNET, "http://host.dom:/"),
        _error(
            "invalid-part",
            "a part of the scheme does not derive from its rule, or something stands behind the last one",
            None,
            "ftp://host.dom/a;type=x",
        ),
        _warning("other-port", "a port that is not the scheme's own", _SECURITY, "http://host.dom:8080/"),
        _warning(
            "reserved-port",
            "a port below 1024 that is not the scheme's own: another protocol lives there",
            _SECURITY,
            "http://host.dom:25/",
        ),
        _warning(
            "impossible-port",
            "a port that is 0 or greater than 65535: there is no access",
            _INTERNET,
            "http://host.dom:70000/",
        ),
        _warning(
            "password", "a password, which everybody sees who sees the URL", _SECURITY, "ftp://joe:secret@host.dom/"
        ),
        _warning(
            "misleading-user",
            "a user name that looks like a host: a reader takes it for the one that is accessed",
            "RFC 3986 section 7.6",
            "ftp://ftp.good.dom@host.dom/",
        ),
        _warning(
            "control-octet",
            "an encoded control octet, which access refuses where it would reach a line of a protocol",
            _SECURITY,
            "ftp://host.dom/a%0Ab",
        ),
        _warning(
            "encoded-delimiter",
            "an encoded delimiter of the part it stands in: data to this URL, and easily taken for structure",
            _SECURITY,
            "ftp://host.dom/a%2Fb",
        ),
        _warning(
            "impossible-address",
            "a group of digits greater than 255, or with leading zeros: there is no access",
            _INTERNET,
            "http://256.1.1.1/",
        ),
        _warning(
            "long-label",
            "a label of more than 63 characters: there is no access",
            _HOSTS,
            f"http://{'a' * 64}.dom/",
        ),
        _warning(
            "long-host",
            "a host of more than 253 characters: there is no access",
            _HOSTS,
            f"http://{'a.' * 130}dom/",
        ),
    )
}
"""The codes by name. Beside them a scheme's record may list cautions with codes of its own; they are warnings."""
