"""Relative references (RFC 1808), for the hierarchical schemes (RFC 1738 section 2.3).

The algorithm is that of RFC 1808 section 4. The syntax of the scheme decides what is path, parameters and query: in an
ftp URL `?` is an ordinary character of a name, in an http URL it begins the query.
"""

from __future__ import annotations

from urlschemes.grammar.automaton import bits
from urlschemes.rfc1738 import RFC1738
from urlschemes.url.hierarchy import hierarchical_part
from urlschemes.url.value import URL


def resolve(url: URL, reference: str) -> str:
    """Return the text that `reference` means relative to `url` (RFC 1808 section 4). Raises NotHierarchical."""
    syntax, whole = url.syntax, str(url)
    bare, hash_, fragment = reference.partition("#")
    fragment = hash_ + fragment
    scheme, colon, _ = bare.partition(":")
    if colon and RFC1738.is_scheme_name(scheme):
        return reference
    part = hierarchical_part(url)
    automaton = syntax.automaton
    after = automaton.following(next((marked.last for marked in automaton.marked if marked.mark == part.mark), 0))
    has_query = any(automaton.leaves[each].literal == "?" for each in bits(after))
    if not bare:
        return whole + fragment
    span = syntax.span(url._match, part.name)
    at = span[0] - 1 if span else len(whole)  # the `/` before the path is not part of it (RFC 1738 section 3.1)
    start, (path, params, query) = whole[:at], _split(whole[at:], has_query=has_query)
    if bare.startswith("///"):
        bare = bare[2:]  # without a host the one of the base stays (RFC 1808 section 4, step 3)
    elif bare.startswith("//"):
        return f"{whole.partition(':')[0]}:{bare}{fragment}"
    own_path, own_params, own_query = _split(bare, has_query=has_query)
    if own_path.startswith("/"):
        return start + bare + fragment
    if own_path:
        path = "/" + "/".join(_without_dots([*path[1:].split("/")[:-1], *own_path.split("/")]))
        return start + path + own_params + own_query + fragment
    # A `;` or `?` with nothing after it counts as absent (section 2.4).
    if len(own_params) > 1:
        return start + (path or "/") + own_params + own_query + fragment
    return start + (path or "/") + params + (own_query if len(own_query) > 1 else query) + fragment


def _split(text: str, *, has_query: bool) -> tuple[str, str, str]:
    """Return path, `;` and parameters, `?` and query (RFC 1808 section 2.4)."""
    rest, mark, query = text.partition("?") if has_query else (text, "", "")
    path, semicolon, params = rest.partition(";")
    return path, semicolon + params, mark + query


def _without_dots(segments: list[str]) -> list[str]:
    """Return the segments without `.`, and without `..` and the segment before it (RFC 1808 section 4, step 6)."""
    kept: list[str] = []
    for segment in segments:
        if segment == ".." and kept and kept[-1] != "..":
            kept.pop()
        elif segment != ".":
            kept.append(segment)
    ends_with_dots = segments[-1] == "." or (segments[-1] == ".." and not (kept and kept[-1] == ".."))
    return [*kept, ""] if ends_with_dots else kept
