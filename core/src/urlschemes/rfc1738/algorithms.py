"""The algorithms of the profile, imported when one of them is first needed."""

from __future__ import annotations

from urlschemes.rfc1738.host_messages import host_message, illegal_host_hint
from urlschemes.rfc1738.normalization import normalized
from urlschemes.rfc1738.resolution import resolve
from urlschemes.url.value import URL

__all__ = [
    "delimiting", "host_message", "illegal_host_hint", "name_in_ascii", "normalized", "of_unknown", "resolve",
    "url_type", "warnings",
]  # fmt: skip

delimiting = "RFC 1738 Appendix"
url_type = URL
of_unknown = URL._as_long


def warnings(*_: object) -> tuple[()]:
    """Return what is legal in a URL but unwise by the rules of this profile only."""
    return ()


def name_in_ascii(_text: str, _start: int, _end: int, /) -> tuple[()]:
    """Return no pieces: domain names in all languages are younger than RFC 1738."""
    return ()
