"""The algorithms of the profile, imported when one is first needed; here, one spelling for URLs of one meaning."""

from __future__ import annotations

from functools import partial

from urlschemes.grammar.part import Part, Raw
from urlschemes.rfc1738 import RFC1738
from urlschemes.rfc1738.host_messages import host_message, illegal_host_hint
from urlschemes.rfc1738.resolution import resolve
from urlschemes.url.building import is_decoded, recomposed, spelled
from urlschemes.url.value import URL

__all__ = [
    "delimiting", "host_message", "illegal_host_hint", "name_in_ascii", "normalized", "of_unknown", "resolve",
    "url_type", "warnings",
]  # fmt: skip

delimiting = "RFC 1738 Appendix"
url_type = URL
of_unknown = URL._as_long


def normalized(url: URL, level: str | None) -> str:  # noqa: ARG001  there is one level
    """Return the text of `url` with everything that does not change its meaning written in one way.

    The name of the scheme and the host are in lower case, literals as in the rules. There is no default port, and no
    zero before a number. Characters that a part may hold as they are are not encoded; but in a part that travels as it
    is written, such as the path of an http URL, a character that may be reserved stays as it was. A character that the
    record warns of is encoded. The `/` after the host is written if the record says that it may be omitted.
    """
    scheme, colon, rest = recomposed(url, partial(_plain, url)).partition(":")
    if url.syntax.slash_may_be_omitted and "/" not in rest.removeprefix("//"):
        rest += "/"
    return scheme.lower() + colon + rest


def _plain(url: URL, part: Part, raw: Raw) -> Raw | None:
    """Return `raw` with everything that does not change its meaning written in one way; None for the default port."""
    if part.number or is_decoded(part):
        text = spelled(url, part, raw)
        return None if part.name == "port" and text == str(url.default_port) else text
    text = str(raw)
    return RFC1738.normal(text) if part.as_written else text.lower()


def warnings(*_: object) -> tuple[()]:
    """Return what is legal in a URL but unwise by the rules of this profile only."""
    return ()


def name_in_ascii(_text: str, _start: int, _end: int, /) -> tuple[()]:
    """Return no pieces: domain names in all languages are younger than RFC 1738."""
    return ()
