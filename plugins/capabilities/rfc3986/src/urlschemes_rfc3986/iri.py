"""URLs in the characters of all languages (RFC 3987)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar, overload

from urlschemes import URL
from urlschemes.errors import InvalidURL, invalid_url, require_type
from urlschemes.grammar.octets import encoded, unescape
from urlschemes.grammar.profile import authority_of
from urlschemes.url.fault_place import Fault
from urlschemes_rfc3986 import profile, registry
from urlschemes_rfc3986.domain_names import check_length, decoded_host, encoded_label
from urlschemes_rfc3986.host_findings import is_invisible
from urlschemes_rfc3986.references import RelativeReference
from urlschemes_rfc3986.refusal import refusal
from urlschemes_rfc3986.resolution import components

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["from_unicode", "to_unicode"]

T = TypeVar("T")

# Section 2.2. Section 4.1 forbids the bidirectional controls, to which Unicode added the isolates later.
_PLANES = "".join(f"{chr(start)}-{chr(start + 0xFFFD)}" for start in range(0x10000, 0xE0000, 0x10000))
_UCSCHAR = f"\xa0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef{_PLANES}\U000e1000-\U000efffd"
_IPRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_BIDI = "\u200e\u200f\u202a-\u202e\u2066-\u2069"
_ALLOWED = re.compile(f"(?![{_BIDI}])[{_UCSCHAR}]")
_ALLOWED_IN_QUERY = re.compile(f"(?![{_BIDI}])[{_UCSCHAR}{_IPRIVATE}]")
_ESCAPES = re.compile("(?:%[89A-Fa-f][0-9A-Fa-f])+")


@overload
def from_unicode(text: str, parse: None = None, *, uts46: bool = False) -> URL: ...
@overload
def from_unicode(text: str, parse: Callable[[str], T], *, uts46: bool = False) -> T: ...
def from_unicode(text: str, parse: Callable[[str], Any] | None = None, *, uts46: bool = False) -> Any:
    """Return the URL that `text` writes in the characters of all languages (RFC 3987 section 3.1).

    The labels of a host are encoded by IDNA 2008, every other character outside US-ASCII by the escapes of its UTF-8.
    `parse` reads the result: by default that of a registry of all installed schemes; it may be `RelativeReference`.
    With `uts46`, labels are mapped first as browsers do (Unicode Technical Standard 46), above all to lower case: use
    it for what people type.

    Raises InvalidURL, whose positions are those of `text`; PluginError if a host needs the library `idna`, which the
    extra `idna` installs; and what `parse` raises.
    """
    read = registry.parse if parse is None else parse
    if not callable(read):
        raise TypeError(f"parse must be a function, such as Registry.parse or RelativeReference, not {read!r}")
    if not isinstance(text, str) or text.isascii():  # type: ignore[redundant-expr]  # callers without types
        return read(text)
    written = _written(text, uts46=uts46)
    ascii_text = "".join(written)
    try:
        return read(ascii_text)
    except InvalidURL as error:
        explainer = error.given[1]
        fault = None if explainer is None else explainer.explanation(ascii_text)
        if not isinstance(fault, Fault):
            raise
        positions = [index for index, piece in enumerate(written) for _ in piece] + [len(text)]
        raise refusal(text, ascii_text, positions, fault.syntax, fault.scheme) from None


def to_unicode(url: URL | RelativeReference) -> str:
    """Return the text of a URL or reference in the characters of all languages, to be shown (RFC 3987 section 3.2).

    A-labels of its host are decoded, and the escapes of each character that an IRI may hold and that can be seen.
    Other escapes stay. `from_unicode` returns an equivalent URL. Raises PluginError if the host needs the library
    `idna`.
    """
    require_type("url", url, URL, RelativeReference)
    text = str(url)
    start, end = _host(text)
    before, after = (_ESCAPES.sub(_decoded, each) for each in (text[:start], text[end:]))
    return before + decoded_host(text[start:end]) + after


def _host(text: str) -> tuple[int, int]:
    """Return where the host begins and ends in the text of a URL or relative reference; an empty place without one."""
    scheme = "" if components(text).scheme is not None else "a:"
    authority = authority_of(scheme + text, profile)
    return (0, 0) if authority is None else (authority.host - len(scheme), authority.colon - len(scheme))


def _written(text: str, *, uts46: bool) -> list[str]:
    """Return how each character of `text` is written in US-ASCII; an A-label stands at its first character."""
    start, end = _host(text)
    query, fragment = text.find("?"), text.find("#")
    pieces = []
    for index, character in enumerate(text):
        if start <= index < end or character.isascii():
            pieces.append(character)
            continue
        is_in_query = 0 <= query < index and not 0 <= fragment < index
        if (_ALLOWED_IN_QUERY if is_in_query else _ALLOWED).match(character) is None:
            raise _forbidden(text, index)
        pieces.append(encoded(character.encode()))
    if not text[start:end].isascii():
        for label in re.finditer(r"[^.]+", text[start:end]):
            first, last = start + label.start(), start + label.end()
            pieces[first:last] = [encoded_label(text, first, last, uts46=uts46)] + [""] * (last - first - 1)
        check_length(text, start, end, unescape("".join(pieces[start:end])))
    return pieces


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
