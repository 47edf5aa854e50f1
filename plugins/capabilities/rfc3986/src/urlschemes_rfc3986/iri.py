"""URLs in the characters of all languages (RFC 3987)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar, overload

from urlschemes import URL, default_registry
from urlschemes.errors import InvalidURL, invalid_url, require_type
from urlschemes.grammar.octets import encoded, unescape
from urlschemes.grammar.profile import authority_of
from urlschemes.url.original_text import OriginalText, Rewritten
from urlschemes_rfc3986 import profile, registry
from urlschemes_rfc3986.domain_names import Piece, check_name, decoded_host, encoded_labels
from urlschemes_rfc3986.host_findings import is_invisible
from urlschemes_rfc3986.references import RelativeReference
from urlschemes_rfc3986.resolution import components

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["from_unicode", "to_unicode"]

T = TypeVar("T")

# Section 2.2. Section 4.1 forbids the bidirectional controls, to which Unicode added the isolates later.
_PLANES = "".join(f"{chr(start)}-{chr(start + 0xFFFD)}" for start in range(0x10000, 0xE0000, 0x10000))
_UCSCHAR = f"\xa0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef{_PLANES}\U000e1000-\U000efffd"
_IPRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_BIDI = "\u200e\u200f\u202a-\u202e\u2066-\u2069"
_ALLOWED = re.compile(f"(?![{_BIDI}])[{_UCSCHAR}]")
_ALLOWED_IN_QUERY = re.compile(f"(?![{_BIDI}])[{_UCSCHAR}{_IPRIVATE}]")
_RUNS = re.compile("[\x00-\x7f]+|[^\x00-\x7f]")
_ESCAPES = re.compile("(?:%[89A-Fa-f][0-9A-Fa-f])+")


@overload
def from_unicode(text: str, parse: None = None, *, uts46: bool = False) -> URL: ...
@overload
def from_unicode(text: str, parse: Callable[[str], T], *, uts46: bool = False) -> T: ...
def from_unicode(text: str, parse: Callable[[str], Any] | None = None, *, uts46: bool = False) -> Any:
    """Return the URL that `text` writes in the characters of all languages (RFC 3987 section 3.1).

    Characters outside US-ASCII become the escapes of their UTF-8. In the host of a relative reference, and of a URL
    whose scheme is installed and has domain names, the labels are encoded by IDNA 2008 instead. `parse` reads the
    result: by default that of a registry of all installed schemes; it may be `RelativeReference`. With `uts46`, labels
    are mapped first as browsers do (Unicode Technical Standard 46), above all to lower case, and A-labels are checked:
    use it for what people type.

    Raises InvalidURL, whose positions are those of `text`; PluginError if a host needs the library `idna`, which the
    extra `idna` installs; and what `parse` raises.
    """
    read = registry.parse if parse is None else parse
    if not callable(read):
        raise TypeError(f"parse must be a function, such as RelativeReference, not {type(read).__name__}")
    if not isinstance(text, str) or (text.isascii() and not uts46):  # type: ignore[redundant-expr]  # callers without types
        return read(text)
    start, end = _unescaped_host(text)
    before = [*_escaped(text, 0, start)]
    labels = [*encoded_labels(text, start, end, uts46=uts46)]
    pieces = [*before, *labels, *_escaped(text, end, len(text))]
    written = "".join([piece.written for piece in pieces])
    try:
        found = read(written)
    except InvalidURL as error:
        raise _in_original(error, text, written, pieces) from None
    check_name(text, labels, uts46=uts46)
    return found


def to_unicode(url: URL | RelativeReference) -> str:
    """Return the text of a URL or reference in the characters of all languages, to be shown (RFC 3987 section 3.2).

    The A-labels of a domain name are decoded, and elsewhere the escapes of each character that an IRI may hold and that
    can be seen. Other escapes stay. `from_unicode` returns an equivalent URL. Raises PluginError if the host needs the
    library `idna`.
    """
    require_type("url", url, URL, RelativeReference)
    text = str(url)
    start, end = _unescaped_host(text)
    before, after = (_ESCAPES.sub(_decoded, each) for each in (text[:start], text[end:]))
    return before + decoded_host(text[start:end]) + after


def _unescaped_host(text: str) -> tuple[int, int]:
    """Return the place in the text of a URL or relative reference of a domain name or an address in brackets.

    It is empty without one. RFC 3987 section 3.1 asks for a scheme that is known to have domain names; that of a
    relative reference mostly is.
    """
    scheme = components(text).scheme
    before = "a:" if scheme is None else ""
    authority = authority_of(before + text, profile)
    if authority is None:
        return 0, 0
    start, end = authority.host - len(before), authority.colon - len(before)
    is_meant = scheme is None or text.startswith("[", start) or _has_domain_names(scheme)
    return (start, end) if is_meant else (0, 0)


def _has_domain_names(scheme: str) -> bool:
    """Return True if `scheme` is installed, for this profile or for that of RFC 1738, and its URLs name a host."""
    known = next((each for each in (registry, default_registry) if scheme in each), None)
    return known is not None and "host" in known[scheme].url_type.syntax.parts


def _escaped(text: str, start: int, end: int) -> Iterator[Piece]:
    """Yield the pieces from `start` to `end`: those outside US-ASCII are single characters. Raises InvalidURL."""
    query, fragment = text.find("?"), text.find("#")
    for run in _RUNS.finditer(text, start, end):
        written = run[0]
        if not written.isascii():
            is_in_query = 0 <= query < run.start() and not 0 <= fragment < run.start()
            if (_ALLOWED_IN_QUERY if is_in_query else _ALLOWED).match(written) is None:
                raise _forbidden(text, run.start())
            written = encoded(written.encode())
        yield Piece(*run.span(), written)


def _in_original(error: InvalidURL, text: str, written: str, pieces: list[Piece]) -> InvalidURL:
    """Return the `error` of parsing `written`, which was made of `text` in `pieces`, as an error of `text`."""
    _, explainer = error.given[:2]
    if error.text != written:  # `parse` has changed it
        return error
    starts: list[int] = []
    ends: list[int] = []
    for start, end, made in pieces:
        is_same = made == text[start:end]
        starts += range(start, end) if is_same else [start] * len(made)
        ends += range(start + 1, end + 1) if is_same else [end] * len(made)
    starts.append(len(text))
    if explainer is not None:
        return InvalidURL(text, Rewritten(explainer, written, starts, ends))
    span = error.span and OriginalText(text, starts, ends).span(*error.span)
    if span != error.span and error.code != "url-too-long":  # the message, which is made already, may name the place
        return error
    details = {name: getattr(error, name) for name in ("code", "part", "scheme", "rule", "section", "hint")}
    return invalid_url(text, error.message, span=span, **details)


def _forbidden(text: str, index: int) -> InvalidURL:
    """Return the error for the character `index`, which no IRI may hold there."""
    character, topic, hint = text[index], "2.2", "leave it out"
    if re.match(f"[{_BIDI}]", character):
        topic = "4.1"
    if not "\ud800" <= character <= "\udfff":
        hint += f", or write {encoded(character.encode())}"
    return invalid_url(
        text,
        f"invalid character U+{ord(character):04X} at position {index}: not allowed in an IRI",
        code="invalid-character",
        span=(index, index + 1),
        section=f"RFC 3987 section {topic}",
        hint=hint,
    )


def _decoded(found: re.Match[str]) -> str:
    """Return a run of escapes with those of each character decoded that an IRI may hold and that can be seen."""
    run, start, pieces = found[0], 0, []
    for character in unescape(run):
        # An octet that is not UTF-8 is a surrogate here, and none of them is allowed.
        end = start + (3 if "\ud800" <= character <= "\udfff" else 3 * len(character.encode()))
        is_seen = character.isprintable() and not is_invisible(character)
        pieces.append(character if is_seen and _ALLOWED.match(character) else run[start:end])
        start = end
    return "".join(pieces)
