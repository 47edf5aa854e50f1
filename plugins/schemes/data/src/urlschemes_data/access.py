"""Access to data URLs (RFC 2397 section 2). The content is in the URL: nothing is connected to, no file is opened."""

from __future__ import annotations

import re
from binascii import a2b_base64
from typing import TYPE_CHECKING, Any

from urlschemes.errors import UnsafeURL
from urlschemes.grammar.octets import octets_of
from urlschemes_access.attributes import Attributes
from urlschemes_access.protocol import Algorithm, Deliver, Open

if TYPE_CHECKING:
    from collections.abc import Mapping

    from urlschemes import URL

__all__ = ["access"]

_BASE64 = re.compile(rb"[A-Za-z0-9+/]*={0,2}")  # RFC 2045 section 6.8
_CHARACTER = re.compile("%..|.")
_TOKEN = re.compile(r"[\w!#$%&'*+.^`{|}~-]+", re.ASCII)  # RFC 2045 section 5.1
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


def access(url: URL) -> Algorithm[None]:
    """Deliver the content. Raises UnsafeURL for wrong base64, and for a media type that MIME cannot write."""
    parts: Mapping[str, Any] = url.parts
    media_type, content = _media_type(url, parts), octets_of(parts["data"])
    if parts["base64"]:
        content = _decoded(url, content)
    yield from Open("document", Attributes(media_type=media_type, size=len(content)))
    yield from Deliver(content)


def _decoded(url: URL, base64: bytes) -> bytes:
    right = _BASE64.match(base64)
    assert right is not None, "it matches nothing, too"
    end = right.end()
    if end == len(base64) and end % 4 == 0:
        return a2b_base64(base64)
    wrong = f"invalid octet 0x{base64[end]:02X} in base64" if end < len(base64) else "base64 ends too early"
    before = sum(map(len, _CHARACTER.findall(str(url.raw["data"]))[:end]))
    hint = "base64 has letters, digits, + and /, and then = up to a multiple of four characters"
    raise _unsafe(url, "data", wrong, before, hint)


def _media_type(url: URL, parts: Mapping[str, Any]) -> str:
    kind, subtype, parameters = parts["type"] or "text", parts["subtype"] or "plain", parts["parameters"]
    for part, token in (("type", kind), ("subtype", subtype), *(("parameters", name) for name, _ in parameters)):
        if _TOKEN.fullmatch(token) is None:
            raise _unsafe(url, part, f"{token!r} is not a token of a media type (RFC 2045 section 5.1)")
    if parts["type"] is None and not parameters:
        parameters = [("charset", "US-ASCII")]
    return f"{kind}/{subtype}" + "".join(f";{name}={_value(url, value)}" for name, value in parameters)


def _value(url: URL, value: str) -> str:
    """Return the value of a parameter; what is neither a token nor a quoted string becomes the latter."""
    if not value.isascii():
        raise _unsafe(url, "parameters", f"the value {value!r} is not US-ASCII (RFC 2045 section 5.1)")
    if _TOKEN.fullmatch(value) or _QUOTED.fullmatch(value):
        return value
    return '"' + re.sub(r'["\\]', r"\\\g<0>", value) + '"'


def _unsafe(url: URL, part: str, problem: str, offset: int = 0, hint: str | None = None) -> UnsafeURL:
    place = url.span(part)
    assert place is not None, "the part is there"
    position = place[0] + offset
    return UnsafeURL(f"{problem} at position {position}", scheme="data", part=part, position=position, hint=hint)
