"""Relative references (RFC 3986 section 5)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from urlschemes.url.hierarchy import hierarchical_part

if TYPE_CHECKING:
    from urlschemes import URL

__all__ = ["Components", "components", "merged", "resolve", "without_dot_segments"]

# Appendix B. It reads any text: what a reference means need not be a URL, nor the reference derive from a rule.
_COMPONENTS = re.compile(
    r"(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?",
    re.DOTALL,
)
_SEGMENTS = re.compile("/[^/]*")


class Components(NamedTuple):
    """The five components of a URI or a relative reference, as written; None for one that is absent."""

    scheme: str | None
    authority: str | None
    path: str
    query: str | None
    fragment: str | None

    def __str__(self) -> str:
        """Return the text (section 5.3)."""
        scheme = "" if self.scheme is None else f"{self.scheme}:"
        authority = "" if self.authority is None else f"//{self.authority}"
        # Without an authority, what follows must not be mistaken for one.
        dot = "/." if self.authority is None and self.path.startswith("//") else ""
        query = "" if self.query is None else f"?{self.query}"
        fragment = "" if self.fragment is None else f"#{self.fragment}"
        return f"{scheme}{authority}{dot}{self.path}{query}{fragment}"


def components(text: str) -> Components:
    """Return the components of any text."""
    found = _COMPONENTS.fullmatch(text)
    assert found is not None  # every text matches
    return Components(*found.groups())


def resolve(url: URL, reference: str) -> str:
    """Return the text that `reference` means relative to `url` (section 5.2.2).

    A scheme without a hierarchy has no dot segments, and no paths to refer to. Raises NotHierarchical.
    """
    base, given = components(str(url)), components(reference)
    if url.syntax.hierarchy is None and (given.scheme or "").lower() == url.scheme:
        return reference
    if url.syntax.hierarchy is None and given.scheme is None and (given.path or given.authority is not None):
        hierarchical_part(url)  # raises NotHierarchical
    if given.scheme is not None:
        return str(given._replace(path=without_dot_segments(given.path)))
    if given.authority is not None:
        return str(given._replace(scheme=base.scheme, path=without_dot_segments(given.path)))
    query = given.query
    if not given.path:
        path = base.path
        query = base.query if query is None else query
    elif given.path.startswith("/"):
        path = without_dot_segments(given.path)
    else:
        path = without_dot_segments(merged(base, given.path))
    return str(Components(base.scheme, base.authority, path, query, given.fragment))


def merged(base: Components, path: str) -> str:
    """Return the path of a reference merged with that of the base (section 5.2.3)."""
    if base.authority is not None and not base.path:
        return f"/{path}"
    return base.path[: base.path.rfind("/") + 1] + path


def without_dot_segments(path: str) -> str:
    """Return the path without `.`, and without `..` and the segment before it (section 5.2.4)."""
    if "." not in path:
        return path
    while path.startswith(("./", "../")):
        path = path.partition("/")[2]
    if path in {".", ".."}:
        return ""
    first = path.partition("/")[0]
    kept = [first] if first else []
    segments = _SEGMENTS.findall(path, len(first))
    for segment in segments:
        if segment == "/..":
            del kept[-1:]
        elif segment != "/.":
            kept.append(segment)
    if segments and segments[-1] in {"/.", "/.."}:
        kept.append("/")
    return "".join(kept)
