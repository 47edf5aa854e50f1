"""The URLs of schemes that have no record: the generic syntax of RFC 3986 section 3, and what is wider."""

from __future__ import annotations

from typing import ClassVar

from urlschemes import URL, number_part, text_part
from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.url.value import LIMIT
from urlschemes_rfc3986 import FRAGMENT, profile

__all__ = ["URI", "WiderURI", "of_unknown"]

_PATHS = ["path-abempty", "path-absolute", "path-rootless", "path-empty"]


class URI(URL):
    """A URL of any scheme by the generic syntax (RFC 3986 section 3).

    It does not know which characters the scheme uses as delimiters: user information, path, query and fragment are
    as written.
    """

    syntax: ClassVar[Syntax] = Syntax(
        "",
        "URI",
        [
            Part("scheme", ["scheme"]),
            Part("userinfo", ["userinfo"], travels="as-written"),
            Part("host", ["host"]),
            Part("port", ["port"], number=True),
            Part("path", _PATHS, travels="as-written"),
            Part("query", ["query"], travels="as-written"),
            Part("fragment", ["fragment"], travels="as-written"),
        ],
        hierarchy="path-abempty",
        section="RFC 3986 section 3",
        profile=profile,
    )

    userinfo: str | None = text_part(default=None, doc="The text before the `@`, as written; None without an `@`.")
    host: str | None = text_part(default=None, lower=True, doc="The host, in lower case; None without an authority.")
    port: int | None = number_part(default=None, doc="The port in the URL; None if there is none, or an empty one.")
    path: str = text_part(default="", doc="The path, as written, with its first `/`.")
    query: str | None = text_part(default=None, doc="The text after the `?`, as written; None without a `?`.")
    fragment: str | None = FRAGMENT


class WiderURI(URL):
    """A URL that its own scheme has, but not the generic syntax, such as `stun:[::1]:3478`, where no record is known.

    All characters of RFC 3986 section 2 may follow the name of the scheme.
    """

    syntax: ClassVar[Syntax] = Syntax(
        'wider-URI = scheme ":" schemepart',
        "wider-URI",
        URL.syntax.parts.values(),
        section="RFC 3986 section 2",
        profile=profile,
        uses={"characters": "schemepart = *( unreserved / reserved / pct-encoded )"},
    )


def of_unknown(text: str) -> URL:
    """Return the URL of a scheme that is not known here: a URI, or a WiderURI. Raises InvalidURL as URI does."""
    is_wider = URI.syntax.fullmatch(text) is None and WiderURI.syntax.fullmatch(text) is not None
    return (WiderURI if is_wider else URI).parse(text, limit=max(LIMIT, len(text)))
