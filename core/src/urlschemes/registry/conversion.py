"""A URL as one of another profile: its text, parsed there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import InvalidURL, invalid_url
from urlschemes.registry.registry import Registry, default_registry
from urlschemes.url.value import LIMIT

if TYPE_CHECKING:
    from urlschemes.grammar.profile import Profile
    from urlschemes.url.value import URL

__all__ = ["as_profile"]


def as_profile(url: URL, target: Registry | Profile | str) -> URL:
    """Return the URL of the same text in a registry, or in the default one's profile. A generic URL stays generic.

    Raises what parsing raises there, and InvalidURL if a `?` divides parts in one profile and is data in the other.
    """
    registry = target if isinstance(target, Registry) else default_registry.in_profile(target)
    is_generic = type(url) is url.syntax.profile.algorithms.url_type
    text, document = str(url), registry.profile.document
    try:
        new = (registry.parse_generic if is_generic else registry.parse)(text, limit=max(LIMIT, len(text)))
    except InvalidURL as error:
        if error.code == "fragment-present":
            error.hint = f"{document} has no fragments: convert url.replace(fragment=None)"
        elif error.part == "host" and error.text.startswith("[", error.position):
            error.hint = f"{document} has no IPv6 addresses: name the host, or give its IPv4 address"
        raise
    before, after = (None if is_generic else _part_with_query_mark(each) for each in (url, new))
    if (before is None) == (after is None):
        return new
    place = text.index("?")
    problem = f"in {document}, " + (f"it is part of the {after}" if after else "it divides the URL")
    raise invalid_url(
        text,
        f"invalid character '?' at position {place}: {problem}",
        code="invalid-part",
        part=before or after,
        span=(place, place + 1),
        scheme=url.scheme,
        hint="leave it out, and what follows" if after else "write %3F",
    )


def _part_with_query_mark(url: URL) -> str | None:
    """Return the name of the part that holds the first `?` as data."""
    spans = {name: url.span(name) or (0, 0) for name in url.syntax.parts}
    return next((name for name, (start, end) in spans.items() if start <= str(url).find("?") < end), None)
