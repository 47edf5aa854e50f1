"""URLs written in one way: what may differ between two URLs that mean the same by RFC 1738."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.grammar.octets import ESCAPE, escape, normal, octets_of, unescape
from urlschemes.url.building import outermost, text_by_mark

if TYPE_CHECKING:
    from urlschemes.grammar.part import Part, Raw
    from urlschemes.url.value import URL

__all__ = ["normalized_text"]


def normalized_text(url: URL) -> str:
    """Return the text of `url` with everything that does not change its meaning written in one way."""
    syntax, registration = url.syntax, url.registration
    raw = syntax.present(url._match)
    plain = {name: _plain(url, syntax.parts[name], each) for name, each in raw.items()}
    options = syntax.options_taken(url._match, outermost(syntax, text_by_mark(syntax, raw)))
    if registration is not None and plain.get("port") == str(registration.default_port):
        del plain["port"]
    text = syntax.compose(outermost(syntax, text_by_mark(syntax, plain)), options) or str(url)
    scheme, colon, rest = text.partition(":")
    if syntax.slash_may_be_omitted and "/" not in rest.removeprefix("//"):
        rest += "/"
    return scheme.lower() + colon + rest


def _plain(url: URL, part: Part, raw: Raw) -> Raw:
    """Return `raw` with everything that does not change its meaning written in one way."""
    if isinstance(raw, tuple):
        return tuple(_plain(url, part, each) for each in raw)  # type: ignore[return-value]  # as `raw`: texts or pairs
    if part.number:
        return str(int(raw))
    if part.name in {"host", "scheme"}:
        return raw.lower()
    if part.travels == "as-written" or not part.escapes:
        return normal(raw)
    # A character that the record warns of is encoded.
    cautions = url.registration.cautions if url.registration else ()
    misread = (each.holds for each in cautions if each.part == part.name and each.holds and len(each.holds) == 1)
    bare = part.bare - frozenset(octets_of("".join(misread)))
    written = escape(octets_of(unescape(raw)), bare)
    if part.element is not None or url.syntax.derives(part.name, written):
        return written
    # A character may divide the part where it stands as it is, as `@` does an article, and be data where it is encoded.
    text = normal(raw)
    for digits in dict.fromkeys(ESCAPE.findall(text)):
        encoded = f"%{digits}"
        plainer = text.replace(encoded, escape(octets_of(unescape(encoded)), bare))
        if plainer != text and url.syntax.derives(part.name, plainer):
            text = plainer
    return text
