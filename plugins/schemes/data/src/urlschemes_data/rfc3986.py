"""The data scheme (RFC 2397), in the profile of RFC 3986.

data:<type>/<subtype>;<attribute>=<value>;base64,<data>
"""

from __future__ import annotations

import re
from binascii import a2b_base64, b2a_base64
from typing import TYPE_CHECKING, Self

from urlschemes import URL, Listed, Registration, Scheme, pairs_part, text_part
from urlschemes.errors import UnsafeURL
from urlschemes.grammar.octets import octets_of
from urlschemes_rfc3986 import profile

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["DataURL", "registration", "scheme"]

registration = Registration.of("urlschemes_iana.records", profile, scheme="data")

_BASE64 = re.compile(rb"[A-Za-z0-9+/]*={0,2}")  # RFC 2045 section 6.8
_CHARACTER = re.compile("%..|.")
_TOKEN = re.compile(r"[\w!#$%&'*+.^`{|}~-]+", re.ASCII)  # RFC 2045 section 5.1
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


class DataURL(URL, registration=registration):
    """A URL that holds its content: octets with a media type."""

    type: str | None = text_part(default=None, doc="The type of the media type, such as `text`.")
    subtype: str | None = text_part(default=None, doc="The subtype of the media type, such as `plain`.")
    parameters: Listed[tuple[str, str]] = pairs_part(default=(), doc="The parameters of the media type, decoded.")
    base64: str | None = text_part(default=None, doc="`base64` if the data are in base64.")
    data: str = text_part(doc="The data as text, without escapes; `octets` is the content.")

    @classmethod
    def for_octets(
        cls, octets: bytes, media_type: str, parameters: Iterable[tuple[str, str]] = (), *, limit: int = 65_536
    ) -> Self:
        """Return the URL of `octets`, in base64, of at most `limit` characters.

        Raises UnsafeURL for what is not `type/subtype`, InvalidURL for a URL that is longer.
        """
        kind, _, subtype = media_type.partition("/")
        text = b2a_base64(octets, newline=False).decode()
        head = cls(type=kind, subtype=subtype, parameters=tuple(parameters), base64="base64", data="")
        url = cls.parse(f"{head}{text}", limit=limit)
        url.media_type  # noqa: B018  it raises
        return url

    @property
    def octets(self) -> bytes:
        """The content. Raises UnsafeURL for wrong base64."""
        octets = octets_of(self.data)
        if self.base64 is None:
            return octets
        right = _BASE64.match(octets)
        assert right is not None, "it matches nothing, too"
        end = right.end()
        if end == len(octets) and end % 4 == 0:
            return a2b_base64(octets)
        wrong = f"invalid octet 0x{octets[end]:02X} in base64" if end < len(octets) else "base64 ends too early"
        before = sum(map(len, _CHARACTER.findall(str(self.raw["data"]))[:end]))
        hint = "base64 has letters, digits, + and /, and then = up to a multiple of four characters"
        raise self._unsafe("data", wrong, before, hint)

    @property
    def media_type(self) -> str:
        """The media type with its parameters, as MIME writes it. Raises UnsafeURL for one that MIME cannot write."""
        kind, subtype, parameters = self.type or "text", self.subtype or "plain", self.parameters
        for part, token in (("type", kind), ("subtype", subtype), *(("parameters", name) for name, _ in parameters)):
            if _TOKEN.fullmatch(token) is None:
                raise self._unsafe(part, f"{token!r} is not a token of a media type (RFC 2045 section 5.1)")
        if self.type is None and not parameters:
            parameters = (("charset", "US-ASCII"),)
        return f"{kind}/{subtype}" + "".join(f";{name}={self._mime_value(value)}" for name, value in parameters)

    def _mime_value(self, value: str) -> str:
        """Return the value of a parameter; what is neither a token nor a quoted string becomes the latter."""
        if not (value.isascii() and value.isprintable()):
            raise self._unsafe("parameters", f"the value {value!r} has octets that are not printable US-ASCII")
        if _TOKEN.fullmatch(value) or _QUOTED.fullmatch(value):
            return value
        return '"' + re.sub(r'["\\]', r"\\\g<0>", value) + '"'

    def _unsafe(self, part: str, problem: str, offset: int = 0, hint: str | None = None) -> UnsafeURL:
        place = self.span(part)
        assert place is not None, "the part is there"
        position = place[0] + offset
        return UnsafeURL(f"{problem} at position {position}", scheme="data", part=part, position=position, hint=hint)


scheme = Scheme(registration, DataURL, access="urlschemes_data.access")
