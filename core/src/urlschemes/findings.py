"""What is wrong with a text as a URL, and what is legal but unwise: `check`.

Every finding has a stable code. Errors break the syntax; warnings are what RFC 1738 section 6 warns of, and what
access refuses.
"""

import re

from urlschemes.errors import InvalidURL
from urlschemes.octets import octets_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Final, Literal

    from urlschemes.url import URL

__all__ = ["CODES", "Finding", "check"]

CODES: "Final" = {
    "invalid-url": "the text derives from no production of its scheme",
    "url-too-long": "the text is longer than the bound",
    "invalid-character": "a character that no URL may hold",
    "fragment-present": "a fragment, which is no part of the URL",
    "bad-escape": "a percent sign without two hexadecimal digits",
    "invalid-scheme": "no scheme name before the first colon",
    "missing-authority": "the // of the Common Internet Scheme Syntax is missing",
    "invalid-userinfo": "an unencoded delimiter in a user name or password",
    "userinfo-not-allowed": "a user name or password where the scheme has none",
    "invalid-host": "neither a domain name nor four groups of digits",
    "empty-host": "no host",
    "invalid-port": "no decimal number where the port stands",
    "invalid-part": "a part of the scheme does not derive from its rule",
    "other-port": "a port that is not the scheme's own",
    "reserved-port": "a port below 1024 that is not the scheme's own",
    "impossible-port": "a port that is 0 or greater than 65535",
    "password": "a password, which everybody sees who sees the URL",
    "control-octet": "an encoded control octet, which access refuses where it would reach a protocol line",
    "encoded-delimiter": "an encoded delimiter: data to this URL, and easily taken for structure",
    "impossible-address": "a group of digits greater than 255, or with leading zeros",
    "long-label": "a label of more than 63 characters",
    "long-host": "a host of more than 253 characters",
}
"""The code of every finding, and what it means."""

_CONTROL = re.compile("%(?:[01][0-9A-Fa-f]|7[Ff])")
_DELIMITER = re.compile("%(?:2[Ff]|3[AaBbFf]|40|23|26|3[Dd])")
_WRONG = re.compile(r"[^A-Za-z0-9$\-_.+!*'(),;/?:@&=%]|%(?![0-9A-Fa-f]{2})")


class Finding:
    """One finding. `code` is one of CODES, `severity` is "error" or "warning", `span` where it stands in the text."""

    __slots__ = ("code", "hint", "message", "part", "section", "severity", "span")

    def __init__(
        self,
        code: str,
        message: str,
        *,
        severity: "Literal['error', 'warning']" = "warning",
        span: tuple[int, int] | None = None,
        part: str | None = None,
        section: str | None = "RFC 1738 section 6",
        hint: str | None = None,
    ) -> None:
        self.code = code
        self.severity = severity
        self.message = message
        self.span = span
        self.part = part
        self.section = section
        self.hint = hint

    def __repr__(self) -> str:
        return f"Finding({self.code!r}, {self.message!r}, span={self.span})"


def check(text: str, parse: "Callable[[str], URL]") -> tuple[Finding, ...]:
    """Every finding, in the order of the text; none for a URL that is valid and wise.

    `parse` reads a URL of a registered scheme. Raises UnknownScheme.
    """
    try:
        url = parse(text)
    except InvalidURL as error:
        return tuple(_errors(text, error))
    return tuple(sorted(_warnings(url), key=lambda finding: finding.span or (0, 0)))


def _errors(text: str, error: InvalidURL) -> "Iterator[Finding]":
    """The finding of `error`, and with it every further character or escape that is wrong by itself."""
    first = error.position
    yield Finding(
        error.code,
        str(error.message),
        severity="error",
        span=None if first is None else (first, min(first + 1, len(text))),
        part=error.part,
        section=error.section,
        hint=error.hint,
    )
    if first is None or error.code not in {"invalid-character", "fragment-present", "bad-escape"}:
        return
    for found in _WRONG.finditer(text):
        if found.start() != first and (error.code != "fragment-present" or found.start() < first):
            code = {"%": "bad-escape", "#": "fragment-present"}.get(found[0], "invalid-character")
            yield Finding(
                code,
                f"{CODES[code]}: {found[0]!a}",
                severity="error",
                span=found.span(),
                section="RFC 1738 section 2.2",
            )


def _warnings(url: "URL") -> "Iterator[Finding]":
    syntax, text = url.syntax, str(url)
    for part in syntax.parts.values():
        span = syntax.span(url._match, part.name)
        if span is None or (part.take == "last"):
            continue
        written = text[slice(*span)]
        if part.name == "password":
            yield Finding(
                "password",
                "a password in a URL is no secret",
                span=span,
                part=part.name,
                hint="leave it out: the program asks for it",
            )
        elif part.name == "port":
            yield from _port(url, written, span)
        elif part.name == "host":
            yield from _host(written, span)
        for pattern, code in ((_CONTROL, "control-octet"), (_DELIMITER, "encoded-delimiter")):
            for found in pattern.finditer(written):
                where = (span[0] + found.start(), span[0] + found.end())
                yield Finding(code, f"{found[0]} is {CODES[code]}", span=where, part=part.name)


def _port(url: "URL", written: str, span: tuple[int, int]) -> "Iterator[Finding]":
    default = url.registration.default_port if url.registration else None
    port = int(written)
    if not 0 < port < 65536:
        yield Finding(
            "impossible-port",
            f"there is no port {written[:20]}",
            span=span,
            part="port",
            section="RFC 1738 section 3.1",
        )
    elif port != default:
        code = "reserved-port" if port < 1024 else "other-port"
        yield Finding(code, f"port {port} is not {default}, the port of {url.scheme}", span=span, part="port")


def _host(written: str, span: tuple[int, int]) -> "Iterator[Finding]":
    labels = written.split(".")
    if written.replace(".", "").isdigit():
        for label in labels:
            if len(label) > 3 or int(label) > 255 or (len(label) > 1 and label[0] == "0"):
                yield Finding(
                    "impossible-address",
                    f"{label[:20]} is no group of an address as everybody reads it",
                    span=span,
                    part="host",
                    section="RFC 1738 section 3.1",
                )
        return
    if len(written) > 253:
        yield Finding(
            "long-host", "no name has more than 253 characters", span=span, part="host", section="RFC 1034 section 3.1"
        )
    for label in labels:
        if len(octets_of(label)) > 63:
            yield Finding(
                "long-label",
                "no label has more than 63 characters",
                span=span,
                part="host",
                section="RFC 1034 section 3.1",
            )
