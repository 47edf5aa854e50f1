"""One spelling for URLs of one meaning (RFC 3986 section 6.2)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.grammar.octets import ESCAPE
from urlschemes_rfc3986 import profile
from urlschemes_rfc3986.resolution import Components, components, without_dot_segments

if TYPE_CHECKING:
    from urlschemes import URL

__all__ = ["normalized"]

_UNRESERVED = frozenset(map(ord, profile.unreserved))
_PORT = re.compile(":([0-9]*)$")


def normalized(url: URL, level: str | None) -> str:
    """Return the text of `url` in the spelling of a level and of those before it.

    `case` writes the name of the scheme and the host in lower case, and escapes in upper case (section 6.2.2.1).
    `percent-encoding` decodes the escapes of unreserved characters (6.2.2.2). `dot-segments` removes `.` and `..` from
    the path of a scheme with a hierarchy (6.2.2.3). `scheme`, the default, leaves out an empty port and the default
    port, and writes the path of a URL that may lack one as `/` (6.2.3).
    """
    last = len(profile.levels) if level is None else profile.levels.index(level) + 1
    levels = profile.levels[:last]
    text = _with_plain_escapes(url) if "percent-encoding" in levels else _with_upper_escapes(str(url))
    parts = components(text)
    parts = parts._replace(scheme=(parts.scheme or "").lower(), authority=_with_lower_host(parts.authority))
    if "dot-segments" in levels and url.syntax.hierarchy is not None and parts.path.startswith("/"):
        parts = parts._replace(path=without_dot_segments(parts.path))
    return str(_by_scheme(url, parts) if "scheme" in levels else parts)


def _with_upper_escapes(text: str) -> str:
    return ESCAPE.sub(lambda found: found[0].upper(), text)


def _with_plain_escapes(url: URL) -> str:
    """Return the text with the escapes of unreserved characters decoded, except where a part must encode them."""
    spans = [(url.span(name), part.bare) for name, part in url.syntax.parts.items()]
    places = [(*span, bare) for span, bare in spans if span is not None and not bare.issuperset(_UNRESERVED)]

    def plain(found: re.Match[str]) -> str:
        octet = int(found[1], 16)
        stays = any(start <= found.start() < end and octet not in bare for start, end, bare in places)
        return found[0].upper() if stays else profile.normal(found[0])

    return ESCAPE.sub(plain, str(url)) if places else profile.normal(str(url))


def _with_lower_host(authority: str | None) -> str | None:
    """Return the authority with its host in lower case, except for escapes, which are in upper case."""
    if authority is None:
        return None
    login, at, host = authority.rpartition("@")
    return login + at + _with_upper_escapes(host.lower())


def _by_scheme(url: URL, parts: Components) -> Components:
    authority, path = parts.authority, parts.path
    if authority is None:
        return parts
    port = _PORT.search(authority)
    if port is not None:
        number = int(port[1]) if port[1] else None
        kept = "" if number in {None, url.default_port} else f":{number}"
        authority = authority[: port.start()] + kept
    if not path and url.syntax.slash_may_be_omitted:
        path = "/"
    return parts._replace(authority=authority, path=path)
