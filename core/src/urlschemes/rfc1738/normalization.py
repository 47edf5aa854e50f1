"""One spelling for URLs of one meaning (RFC 1738 section 2.2)."""

from __future__ import annotations

from urlschemes.grammar.octets import ESCAPE, escape, octets_of, unescape
from urlschemes.grammar.part import Part, Raw
from urlschemes.rfc1738 import RFC1738
from urlschemes.url.building import outermost, text_by_mark
from urlschemes.url.value import URL


def normalized(url: URL, level: str | None) -> str:  # noqa: ARG001  there is one level
    """Return the text of `url` with everything that does not change its meaning written in one way.

    The name of the scheme and the host are in lower case, literals as in the rules. There is no default port, and no
    zero before a number. Characters that a part may hold as they are are not encoded; but in a part that travels as it
    is written, such as the path of an http URL, a character that may be reserved stays as it was. A character that the
    record warns of is encoded. The `/` after the host is written if the record says that it may be omitted.
    """
    syntax, registration = url.syntax, url.registration
    raw = syntax.present(url._match)
    plain = {name: _plain(url, syntax.parts[name], each) for name, each in raw.items()}
    options = syntax.composer.options_taken(url._match.string, outermost(syntax, text_by_mark(syntax, raw)))
    if registration is not None and plain.get("port") == str(registration.default_port):
        del plain["port"]
    text = syntax.composer.compose(outermost(syntax, text_by_mark(syntax, plain)), options) or str(url)
    scheme, colon, rest = text.partition(":")
    if syntax.slash_may_be_omitted and "/" not in rest.removeprefix("//"):
        rest += "/"
    return scheme.lower() + colon + rest


def _plain(url: URL, part: Part, raw: Raw) -> Raw:
    """Return `raw` with everything that does not change its meaning written in one way."""
    if isinstance(raw, tuple):
        return tuple(_plain(url, part, each) for each in raw)  # type: ignore[return-value]  # as `raw`: texts or pairs
    if part.number:
        return raw.lstrip("0") or "0"
    if part.name in {"host", "scheme"}:
        return raw.lower()
    if part.travels == "as-written" or not part.escapes:
        return RFC1738.normal(raw)
    cautions = url.registration.cautions if url.registration else ()
    misread = (each.holds for each in cautions if each.part == part.name and each.holds and len(each.holds) == 1)
    bare = part.bare - frozenset(octets_of("".join(misread)))
    written = escape(octets_of(unescape(raw)), bare)
    if part.element is not None or url.syntax.derives(part.name, written):
        return written
    # A character may divide the part where it stands as it is, as `@` does an article, and be data where it is encoded.
    text = RFC1738.normal(raw)
    for digits in dict.fromkeys(ESCAPE.findall(text)):
        encoded = f"%{digits}"
        plainer = text.replace(encoded, escape(octets_of(unescape(encoded)), bare))
        if plainer != text and url.syntax.derives(part.name, plainer):
            text = plainer
    return text
