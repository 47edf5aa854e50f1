"""URLs that an HTTP client can request, in any profile: what their paths and queries mean."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from urlschemes import Encoded, InternetURL, default_registry, number_part
from urlschemes.grammar.octets import escape, octets_of, unescape

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Self, TypeAlias

    Fields: TypeAlias = Mapping[str, str | Sequence[str]] | Iterable[tuple[str, str]]

__all__ = ["RequestURL"]

_SLASH = frozenset(b"/")


class RequestURL(InternetURL):
    """A URL that designates a resource accessible by HTTP, in any profile."""

    tls: ClassVar[bool] = False
    """True if the protocol is spoken over TLS."""

    port: int = number_part(default=None, doc="The port to connect to: the one in the URL, or the default.")

    _root: ClassVar[str]
    """The path of a URL that ends with the `/` after its host."""
    _query: ClassVar[str]
    """The name of the part after the `?`."""

    @property
    @abstractmethod
    def target(self) -> str:
        """The request target (RFC 9112 section 3.2.1): path and query as written, `/` without a path."""

    @property
    def segments(self) -> tuple[str, ...]:
        """The segments of the path, each decoded: `("a", "b/c")` of `/a/b%2Fc`, `("",)` of `/`, `()` without a path."""
        path = self.raw["path"]
        if not isinstance(path, str) or not path.startswith(self._root):
            return ()
        return tuple(map(unescape, path.removeprefix(self._root).split("/")))

    @property
    def name(self) -> str:
        """The last segment; empty if the path is absent or ends with `/`."""
        return self.segments[-1] if self.segments else ""

    @property
    def suffix(self) -> str:
        """The end of the name from its last dot, as of a path in `pathlib`; empty if it has none."""
        stem, dot, end = self.name.rpartition(".")
        return dot + end if stem and end else ""

    @property
    def query_fields(self) -> tuple[tuple[str, str], ...]:
        """The fields of the query as forms write them (`application/x-www-form-urlencoded`), decoded.

        `&` divides them and `+` is a blank; a field without a `=` has an empty value.
        """
        from urllib.parse import parse_qsl  # it takes longer to import than all types of URLs

        query = self.raw[self._query] or ""
        return tuple(parse_qsl(str(query), keep_blank_values=True, errors="surrogateescape"))

    @property
    def origin(self) -> str:
        """Scheme, host and port (RFC 6454 section 6.2), without a default port."""
        port = "" if self.port == self.default_port else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}"

    def replace(
        self,
        /,
        *,
        scheme: str | None = None,
        segments: Iterable[str] | None = None,
        query_fields: Fields | None = None,
        **parts: Any,
    ) -> Self:
        """Return the URL with these parts, as `URL.replace` does.

        `segments` gives the path and `query_fields` the query, both decoded; without any, the path or the query is
        absent. `scheme` is another scheme with the same parts: the type of the result is that of the scheme. Raises
        TypeError for a part that is given twice, UnknownScheme, InvalidURL.
        """
        if segments is not None:
            if isinstance(segments, str):
                raise TypeError("segments must be a list of texts, not a str")
            bare = self.syntax.parts["path"].bare - _SLASH
            written = [escape(octets_of(segment), bare) for segment in segments]
            self._add(parts, "path", "segments", self._root + "/".join(written) if written else None)
        if query_fields is not None:
            query = _form(query_fields)
            self._add(parts, self._query, "query_fields", query or None)
        url = super().replace(**parts) if parts or scheme is None else self
        if scheme is None:
            return url
        schemes = default_registry.in_profile(self.syntax.profile)
        return schemes[scheme].url_type.of(url)  # type: ignore[return-value]  # a type of the same shape

    __replace__ = replace

    @staticmethod
    def _add(parts: dict[str, Any], name: str, keyword: str, written: str | None) -> None:
        if name in parts:
            raise TypeError(f"give {name} or {keyword}, not both")
        parts[name] = written if written is None else Encoded(written)


def _form(fields: Fields) -> str:
    """Return the query that has these fields: pairs, or a mapping whose values may be lists. Raises TypeError."""
    from urllib.parse import urlencode  # as above

    items = fields.items() if hasattr(fields, "items") else fields
    try:
        pairs = [(name, each) for name, value in items for each in ((value,) if isinstance(value, str) else value)]
        return urlencode(pairs, errors="surrogateescape")
    except (TypeError, ValueError):
        raise TypeError(
            "query_fields must be pairs of texts, or a mapping of names to texts or lists of them"
        ) from None
