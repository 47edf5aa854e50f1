"""Warnings about what is legal in a URL but unwise: unusual hosts, and spellings that normalization changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from urlschemes.errors import Hint, Remedy
from urlschemes.grammar.octets import encoded, octets_of, unescape
from urlschemes.grammar.profile import authority_of
from urlschemes.grammar.regex_compat import compiled
from urlschemes_rfc3986 import profile
from urlschemes_rfc3986.host_findings import form_findings, name_findings

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

    from urlschemes.grammar.syntax import Syntax

__all__ = ["CODES", "Code", "Warned", "warnings"]


class Code(NamedTuple):
    """The fields that the warnings of one code share: their meaning, the section that they refer to, and what to do."""

    meaning: str
    section: str
    hint: str | None = None


class Warned(NamedTuple):
    """A warning about the text from `start` to `end`."""

    start: int
    end: int
    code: str
    message: str
    section: str
    hint: str | None


_NORMALIZED = Remedy("does it", "normalized()")
CODES = {
    "unusual-name": Code(
        "a name that no host of the DNS has",
        "RFC 1123 section 2.1",
        "the labels of a name hold letters, digits and hyphens, and begin and end with a letter or digit",
    ),
    "escaped-host": Code(
        "a host with escapes, which cannot be accessed",
        "RFC 3986 section 3.2.2",
        "write the characters themselves; those of other languages in US-ASCII form, with labels that begin with xn--",
    ),
    "numeric-host": Code(
        "a name that many programs read as an IPv4 address",
        "RFC 3986 section 7.4",
        "write an address as four numbers from 0 to 255",
    ),
    "address-spelling": Code("an IPv6 address in an unusual spelling", "RFC 5952 section 4"),
    "mapped-address": Code(
        "an IPv4 address written as an IPv6 address", "RFC 4291 section 2.5.5.2", "write the IPv4 address"
    ),
    "future-address": Code("an address of a version of IP that no program knows", "RFC 3986 section 3.2.2"),
    "invalid-a-label": Code(
        "a label that begins with xn-- and encodes no name of IDNA 2008",
        "RFC 5890 section 2.3.2.1",
        "find out which name is meant, and encode it by IDNA 2008",
    ),
    "invisible-character": Code(
        "an invisible character in the host",
        "RFC 3987 section 8",
        "names that differ only in it look the same: find out which one is meant",
    ),
    "mixed-scripts": Code(
        "a label of several scripts, which may look like another",
        "RFC 5890 section 4.4",
        "letters of different scripts can look alike: find out which name is meant",
    ),
    "empty-port": Code(
        "a colon without a port",
        "RFC 3986 section 6.2.3",
        "leave out the colon; if the text before it is the name of a scheme, leave out the scheme before that",
    ),
    "needless-escape": Code(
        "an encoded character that needs no escape",
        "RFC 3986 section 6.2.2.2",
        Hint("write the characters themselves", _NORMALIZED),
    ),
    "dot-segment": Code(
        "a segment `.` or `..`, which most programs resolve",
        "RFC 3986 section 6.2.2.3",
        Hint("write the path without it", _NORMALIZED),
    ),
}
"""The codes of the warnings."""

_DOT_SEGMENT = compiled(r"(?<=/)(?:\.|%2[Ee]){1,2}(?![^/])")
# Adjacent escapes of unreserved characters, in either letter case.
_NEEDLESS_ESCAPES = compiled(f"(?i:{'|'.join(encoded(each.encode()) for each in profile.unreserved)})++")
_MAX_QUOTED = 30


def warnings(syntax: Syntax, match: re.Match[str], hosts: Iterable[tuple[int, int]]) -> Iterator[Warned]:
    """Return the warnings about a URL that matched the pattern of `syntax`.

    `hosts` are the places of names and of addresses in brackets, not of IPv4 addresses.
    """
    text = match.string
    for start, end in hosts:
        host = text[start:end]
        for code, message in (*form_findings(host), *name_findings(host)):
            yield _warned(start, end, code, message)
    yield from _needless_escapes(syntax, match)
    authority = authority_of(text, profile)
    if syntax.hierarchy is not None:
        start = text.index(":") + 1 if authority is None else authority.end
        ends = (text.find(each, start) for each in profile.authority_ends if each != "/")
        end = min((end for end in ends if end >= 0), default=len(text))
        for segment in _DOT_SEGMENT.finditer(text, start, end) if text.startswith("/", start) else ():
            message = f"{segment[0]!r} is a dot segment, which most programs resolve before they use the path"
            yield _warned(*segment.span(), "dot-segment", message)
    if authority is not None and authority.colon + 1 == authority.end:
        yield _warned(authority.colon, authority.end, "empty-port", "there is a colon, and no port after it")


def _needless_escapes(syntax: Syntax, match: re.Match[str]) -> Iterator[Warned]:
    """Return the warnings about escapes of unreserved characters, but not of those that a part has to encode.

    A host has a warning about all its escapes.
    """
    places = [(syntax.place(match, name), part) for name, part in syntax.parts.items() if name != "host"]
    for escapes in _NEEDLESS_ESCAPES.finditer(match.string):
        octets = octets_of(unescape(escapes[0]))
        around = [part for place, part in places if place is not None and place[0] <= escapes.start() < place[1]]
        if around and all(part.bare.issuperset(octets) for part in around):
            is_secret = any(part.name == "password" for part in around)
            subject = "this" if is_secret else escapes[0][:_MAX_QUOTED]
            message = f"{subject} is a needless escape: the characters mean the same without it"
            yield _warned(*escapes.span(), "needless-escape", message)


def _warned(start: int, end: int, code: str, message: str) -> Warned:
    return Warned(start, end, code, message, CODES[code].section, CODES[code].hint)
