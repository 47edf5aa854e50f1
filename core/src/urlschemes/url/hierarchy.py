"""The levels of a hierarchical URL: the one that holds it, and what is below it."""

from __future__ import annotations

from urlschemes.errors import NotHierarchical, invalid_url, require_type
from urlschemes.grammar.octets import escape, octets_of
from urlschemes.grammar.part import Part
from urlschemes.grammar.profile import authority_of
from urlschemes.url.fields import URLBase

__all__ = ["below", "hierarchical_part", "parent_of", "written_segment"]

_SLASH = frozenset(b"/")


def hierarchical_part(url: URLBase) -> Part:
    """Return the part of `url` whose levels are divided by `/`. Raises NotHierarchical."""
    syntax, (scheme, _, schemepart) = url.syntax, str(url).partition(":")
    for part in syntax.parts.values():
        if part.at[0][-1] == syntax.hierarchy and schemepart.startswith("/"):
            return part
    name, section = scheme.lower(), syntax.profile.section("hierarchy")
    message = f"{name} URLs have no hierarchy for relative references"
    raise NotHierarchical(message, scheme=name, section=section, hint="give the whole URL")


def parent_of(url: URLBase) -> str:
    """Return the text of the level that holds `url`; the first level holds itself. Raises NotHierarchical."""
    first, levels = _levels(url)
    kept, slash, _ = levels.removesuffix("/").rpartition("/")
    return first + kept + slash


def below(url: URLBase, segment: str) -> str:
    """Return the text of `segment`, decoded, in the level of `url`. Raises NotHierarchical, InvalidURL, TypeError."""
    written = written_segment(hierarchical_part(url), segment)
    first, levels = _levels(url)
    return first + levels + ("/" if levels and not levels.endswith("/") else "") + written


def written_segment(part: Part, segment: str) -> str:
    """Return `segment`, decoded, as it is written in the hierarchical `part`. Raises InvalidURL, TypeError."""
    require_type("segment", segment, str)
    if segment in {".", ".."}:
        message = f"{segment!r} is a reference, not the name of a segment"
        raise invalid_url("", message, part=part.name, hint=f"use join({segment!r})")
    try:
        return escape(octets_of(segment), part.bare - _SLASH)
    except UnicodeEncodeError:
        message = f"the {part.called} cannot hold a surrogate that is not an octet"
        raise invalid_url("", message, part=part.name) from None


def _levels(url: URLBase) -> tuple[str, str]:
    """Return the text to the `/` of the first level, written if it is absent, and the path after it."""
    text, syntax, part = str(url), url.syntax, hierarchical_part(url)
    authority = authority_of(text, syntax.profile)
    start = text.index(":") + 1 if authority is None else authority.end
    if not text.startswith("/", start):
        return f"{text[:start]}/", ""
    _, end = syntax.span(url._match, part.name) or (0, 0)
    return text[: start + 1], text[start + 1 : end]
