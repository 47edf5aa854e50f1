"""Relative references as values (RFC 3986 section 4.2), and the shortest one from a URL to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from urlschemes import URL, InvalidURL, default_registry
from urlschemes.errors import invalid_url, require_type
from urlschemes.grammar.part import Part, number_of
from urlschemes.grammar.syntax import Syntax
from urlschemes.redaction import redact
from urlschemes.registry.registry import registry_or_default
from urlschemes.url.original_text import Rewritten
from urlschemes.url.value import LIMIT, unfit
from urlschemes_rfc3986 import profile
from urlschemes_rfc3986.generic_uri import URI
from urlschemes_rfc3986.resolution import Components, components, merged, resolve, without_dot_segments

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Self

    from urlschemes import Registry
    from urlschemes.grammar.part import Raw, Value
    from urlschemes.url.fault_place import Fault
    from urlschemes.url.original_text import OriginalText

__all__ = ["RelativeReference", "parse_reference", "relative_to"]

_SCHEME = "a:"  # makes a URI of any relative reference


class RelativeReference(str):
    """A reference without a scheme, such as `../b?c#d`: it means a URL relative to another one.

    It is a str that derives from the rule `relative-ref`, so that `url.join` takes it, and has parts, which are as
    written. The constructor raises InvalidURL for any other text.
    """

    __slots__ = ()

    syntax: ClassVar[Syntax] = Syntax(
        "",
        "relative-ref",
        [
            Part("userinfo", ["userinfo"], travels="as-written"),
            Part("host", ["host"]),
            Part("port", ["port"], number=True),
            Part("path", ["path-abempty", "path-absolute", "path-noscheme", "path-empty"], travels="as-written"),
            Part("query", ["query"], travels="as-written"),
            Part("fragment", ["fragment"], travels="as-written"),
        ],
        section="RFC 3986 section 4.2",
        profile=profile,
    )
    """The syntax of relative references."""

    def __new__(cls, text: str, *, limit: int = LIMIT) -> Self:
        """Return the reference that `text` is. Raises InvalidURL."""
        fault = unfit(text, limit)
        if fault is not None:
            raise fault
        if cls.syntax.fullmatch(text) is None:
            raise InvalidURL(text, cls)
        return super().__new__(cls, str.__str__(text))

    @classmethod
    def explanation(cls, text: str, original: OriginalText | None = None) -> Fault | InvalidURL:
        """Return the reason why `text` is not a relative reference, as the error of the constructor gives it.

        If `text` was made of an `original`, the reason counts and quotes that.
        """
        first, colon, _ = text.partition(":")
        if text.startswith("[") and cls.syntax.fullmatch(f"//{text}") is not None:
            index, hint = 0, "write `//` before a host"
        elif colon and not {*"/?#"} & {*first} and URI.syntax.begins_with(f"{_SCHEME}/{first}"):
            index, hint = len(first), "write `./` before a path whose first segment has a colon"
            if profile.is_scheme_name(first):
                hint = f"use parse_reference if this is a URL; {hint}"
        else:
            before = [0] * len(_SCHEME)
            starts, ends = [*before, *range(len(text) + 1)], [*before, *range(1, len(text) + 1)]
            reason: Fault | InvalidURL = Rewritten(URI, _SCHEME + text, starts, ends).explanation(text, original)
            return reason
        span = original.span(index, index + 1) if original else (index, index + 1)
        return invalid_url(
            text,
            f"invalid character {text[index]!r} in the first segment of the path at position {span[0]}",
            part="path",
            span=span,
            rule="segment-nz-nc",
            section=cls.syntax.section_of("segment-nz-nc"),
            hint=hint,
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({redact(_SCHEME + self).removeprefix(_SCHEME)!r})"

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, int]]:
        return (str(self),), {"limit": len(self)}

    @property
    def raw(self) -> Mapping[str, Raw | None]:
        """The parts as they are written, by name; None for one that is absent."""
        match = self.syntax.fullmatch(self)
        assert match is not None  # as it did when the reference was made
        return {name: self.syntax.raw(match, name) for name in self.syntax.parts}

    @property
    def parts(self) -> Mapping[str, Value | None]:
        """The values of the parts by name: those of the attributes."""
        return {name: getattr(self, name) for name in self.syntax.parts}

    @property
    def userinfo(self) -> str | None:
        """The text before the `@`, as written; None without an `@`."""
        return self._written("userinfo")

    @property
    def host(self) -> str | None:
        """The host, in lower case; None without an authority."""
        host = self.raw["host"]
        return None if host is None else str(host).lower()

    @property
    def port(self) -> int | None:
        """The port; None if there is none, or an empty one."""
        port = self.raw["port"]
        return None if port is None else number_of(str(port))

    @property
    def path(self) -> str:
        """The path, as written; empty if the reference means the path of the other URL."""
        return self._written("path") or ""

    @property
    def query(self) -> str | None:
        """The text after the `?`, as written; None without a `?`."""
        return self._written("query")

    @property
    def fragment(self) -> str | None:
        """The text after the `#`, as written; None without a `#`."""
        return self._written("fragment")

    def replace(self, /, *texts: Any, **parts: Any) -> Any:
        """Return the reference with these parts, as `URL.replace` does; with texts alone, what `str.replace` returns.

        Raises TypeError, InvalidURL.
        """
        if not parts:
            return super().replace(*texts)
        if texts:
            raise TypeError("give parts as keywords, or texts as str.replace has them, not both")
        changed = str(URI.parse(_SCHEME + self, limit=len(_SCHEME + self)).replace(**parts))
        return type(self)(changed.removeprefix(_SCHEME), limit=max(LIMIT, len(changed)))

    def _written(self, name: str) -> str | None:
        raw = self.raw[name]
        return None if raw is None else str(raw)


def parse_reference(text: str, *, registry: Registry | None = None) -> URL | RelativeReference:
    """Return what `text` is: a URL, which is generic if the registry has no such scheme, or a RelativeReference.

    The registry is by default that of all installed schemes in this profile. Raises InvalidURL (section 4.1).
    """
    name = components(text).scheme if isinstance(text, str) else None  # type: ignore[redundant-expr]
    if name is None or not profile.is_scheme_name(name):
        return RelativeReference(text)
    known = default_registry.in_profile(profile) if registry is None else registry_or_default(registry)
    return known.parse(text) if name in known else known.parse_generic(text)


def relative_to(url: URL, base: URL) -> URL | RelativeReference:
    """Return the shortest reference that means `url` relative to `base`, both of this profile.

    It is `url` itself if no relative reference means it, as for another scheme. Resolving removes dot segments: if
    `url` has some, the reference means the URL without them. Raises InvalidURL for a URL of another profile.
    """
    for name, each in (("url", url), ("base", base)):
        require_type(name, each, URL)
        if each.syntax.profile is not profile:
            message = f"expected a URL of the profile {profile.name}, got one of {each.syntax.profile.name}"
            raise invalid_url(str(each), message, hint="convert it: urlschemes_rfc3986.registry.convert(url)")
    meant = resolve(base, str(url))
    fitting = (text for text in _references(components(meant), components(str(base))) if resolve(base, text) == meant)
    shortest = min(filter(_is_relative, fitting), key=len, default=None)
    return url if shortest is None else RelativeReference(shortest, limit=max(LIMIT, len(shortest)))


def _is_relative(text: str) -> bool:
    return RelativeReference.syntax.fullmatch(text) is not None


def _references(url: Components, base: Components) -> Iterator[str]:
    """Yield the references that may mean `url` relative to `base`."""
    if url.query == base.query:
        yield str(Components(None, None, "", None, url.fragment))
    ending = str(Components(None, None, "", url.query, url.fragment))
    yield ending
    above, names = without_dot_segments(merged(base, "")).split("/")[:-1], url.path.split("/")
    shared = 0
    while shared < min(len(above), len(names) - 1) and above[shared] == names[shared]:
        shared += 1
    path = "../" * (len(above) - shared) + "/".join(names[shared:])
    for each in (path, f"./{path}", path.removesuffix("/"), "."):
        yield each + ending
    yield str(url._replace(scheme=None, authority=None))
    if url.scheme == base.scheme:
        yield str(url._replace(scheme=None))
