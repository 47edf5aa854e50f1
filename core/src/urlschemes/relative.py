"""Relative references (RFC 1808), for the hierarchical schemes (RFC 1738 section 2.3).

The algorithm is that of RFC 1808 section 4. What of a URL is path, parameters and query is told by its scheme's own syntax: in an
ftp URL `?` is an ordinary character of a name, in an http URL it begins the query.
"""

import re

from urlschemes.automaton import bits
from urlschemes.errors import NotHierarchical
from urlschemes.expansion import marks
from urlschemes.explanation import refusal
from urlschemes.url import LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from urlschemes.syntax import Part, Syntax
    from urlschemes.url import URL

__all__ = ["join", "resolve"]

_SCHEME = re.compile(r"([A-Za-z0-9+.\-]++):", re.ASCII)


def join(base: "URL", reference: str) -> "URL":
    """The URL that `reference` means where `base` is read. A fragment of the reference is left out: it is no part of a URL.

    User name and password of `base` are never carried to another host. Raises NotHierarchical where the scheme of `base` has no
    hierarchy, InvalidURL where the result is no URL (`fix` may repair it), UnknownScheme.
    """
    text = resolve(base, reference).partition("#")[0]
    if text.partition(":")[0].lower() == base.scheme:
        return base.parse(text)
    from urlschemes.default import parse  # noqa: PLC0415  only for a reference to another scheme

    return parse(text)


def resolve(base: "URL", reference: str) -> str:
    """The text that `reference` means where `base` is read, as RFC 1808 section 4 says; it need not be a URL of RFC 1738.

    Raises NotHierarchical, and InvalidURL for a reference that is no text or too long.
    """
    if not isinstance(reference, str) or len(reference) > LIMIT:
        raise refusal(reference, type(base), LIMIT)
    bare, hash_, fragment = reference.partition("#")
    fragment = hash_ + fragment
    if _SCHEME.match(bare):
        return reference
    part = _hierarchy(base)
    has_query = _follows(base.syntax, part, "?")
    if not bare:
        return str(base) + fragment
    start, path, params, query = _divided(base, part, has_query=has_query)
    if bare.startswith("//"):
        return f"{str(base).partition(':')[0]}:{bare}{fragment}"
    own_path, own_params, own_query = _split(bare, has_query=has_query)
    if own_path.startswith("/"):
        return start + bare + fragment
    if own_path:
        path = "/" + "/".join(_without_dots([*path[1:].split("/")[:-1], *own_path.split("/")]))
        return start + path + own_params + own_query + fragment
    if own_params:
        return start + (path or "/") + own_params + own_query + fragment
    return start + (path or "/") + params + own_query + fragment


def _hierarchy(base: "URL") -> "Part":
    """The part whose `/` divide levels."""
    for part in base.syntax.parts.values():
        if base.syntax.hierarchy is not None and part.at[0][-1] == base.syntax.hierarchy:
            return part
    raise NotHierarchical(
        f"{base.scheme} URLs have no hierarchy that a relative reference could follow",
        scheme=base.scheme,
        section="RFC 1738 section 2.3",
        hint="give the whole URL",
    )


def _follows(syntax: "Syntax", part: "Part", character: str) -> bool:
    """Whether `character` begins what may stand behind `part`."""
    automaton = syntax.automaton
    for marked in marks(automaton.tree):
        if marked.mark == part.mark:
            after = [automaton.follow[position] for position in bits(marked.last)]
            return any(automaton.leaves[p].literal == character for each in after for p in bits(each))
    return False


def _divided(base: "URL", part: "Part", *, has_query: bool) -> tuple[str, str, str, str]:
    """What stands before the path of `base`, the path with its first `/`, its parameters, its query."""
    text = str(base)
    span = base.syntax.span(base._match, part.name)
    if span is None:
        return text, "", "", ""
    start = span[0] - 1  # the `/` before the path is no part of it (section 3.1)
    return (text[:start], *_split(text[start:], has_query=has_query))


def _split(text: str, *, has_query: bool) -> tuple[str, str, str]:
    """Path, `;` and parameters, `?` and query (RFC 1808 section 2.4)."""
    query = mark = ""
    if has_query:
        text, mark, query = text.partition("?")
    path, semicolon, params = text.partition(";")
    return path, semicolon + params, mark + query


def _without_dots(segments: list[str]) -> list[str]:
    """Step 6 of RFC 1808 section 4: `.` goes, `..` takes the segment before it along; those without one stay."""
    kept: list[str] = []
    for segment in segments:
        if segment == "..":
            if kept and kept[-1] != "..":
                kept.pop()
            else:
                kept.append(segment)
        elif segment != ".":
            kept.append(segment)
    ends_with_dots = segments[-1] == "." or (segments[-1] == ".." and not (kept and kept[-1] == ".."))
    return [*kept, ""] if ends_with_dots else kept
