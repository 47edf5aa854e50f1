"""One spelling for URLs of one meaning (RFC 3986 section 6.2)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.grammar.octets import ESCAPE
from urlschemes.grammar.part import number_of
from urlschemes.grammar.profile import authority_of
from urlschemes.url.building import is_decoded, recomposed, spelled
from urlschemes.url.value import LIMIT
from urlschemes_rfc3986 import profile
from urlschemes_rfc3986.resolution import components, without_dot_segments

if TYPE_CHECKING:
    from urlschemes import URL

__all__ = ["normalized"]

_PORT = re.compile(r":([0-9]*)(?![^/?#;])")
_UNRESERVED = frozenset(map(ord, profile.unreserved))


def normalized(url: URL, level: str | None) -> str:
    """Return the text of `url` in the spelling of a level and of those before it.

    `case` writes the name of the scheme and the host in lower case, and escapes in upper case (section 6.2.2.1).
    `percent-encoding` decodes the escapes of unreserved characters (6.2.2.2). `dot-segments` removes `.` and `..` from
    the path of a scheme with a hierarchy (6.2.2.3). `scheme`, the default, leaves out an empty port and the default
    port, writes the path of a URL that may lack one as `/`, and each octet of a part that the scheme decodes before it
    uses it in one way (6.2.3).
    """
    last = len(profile.levels) if level is None else profile.levels.index(level) + 1
    levels = profile.levels[:last]
    by_scheme = "scheme" in levels
    if by_scheme and any(map(is_decoded, url.syntax.parts.values())):
        text = recomposed(url, lambda part, raw: spelled(url, part, raw) if is_decoded(part) else raw)
        url = url if text == str(url) else url.parse(text, limit=max(LIMIT, len(text)))
    text = _with_plain_escapes(url) if "percent-encoding" in levels else _with_upper_escapes(str(url))
    url = url if text == str(url) else url.parse(text, limit=max(LIMIT, len(text)))
    parts = components(_with_plain_host(url, by_scheme=by_scheme))
    parts = parts._replace(scheme=(parts.scheme or "").lower())
    if "dot-segments" in levels and url.syntax.hierarchy is not None and parts.path.startswith("/"):
        parts = parts._replace(path=without_dot_segments(parts.path))
    if by_scheme and parts.authority is not None and not parts.path and url.syntax.slash_may_be_omitted:
        parts = parts._replace(path="/")
    return str(parts)


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


def _with_plain_host(url: URL, *, by_scheme: bool) -> str:
    """Return the text with its host in lower case, but escapes in upper case; the port `by_scheme`."""
    text, parts = str(url), url.syntax.parts
    place = authority_of(text, profile)
    span = url.span("host") if "host" in parts else place and (place.host, place.colon)
    if span is None:
        return text
    start, end = span
    host, port = _with_upper_escapes(text[start:end].lower()), _PORT.match(text, end)
    if by_scheme and port is not None and ("port" in parts or "host" not in parts):
        number = number_of(port[1]) if port[1] else None
        host += "" if number in {None, url.default_port} else f":{number}"
        end = port.end()
    return text[:start] + host + text[end:]
