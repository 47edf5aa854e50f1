"""URLs that an HTTP client can request, in any profile: what their paths and queries mean."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, Self, TypeAlias, overload

from urlschemes import Encoded, InternetURL, default_registry, number_part
from urlschemes.errors import invalid_url
from urlschemes.grammar.octets import unescape
from urlschemes.url.hierarchy import written_segment

Fields: TypeAlias = Mapping[str, str | Sequence[str]] | Iterable[tuple[str, str]]

__all__ = ["RequestURL"]

_UNCHANGED: Final[Any] = ...


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

    @overload
    def replace(
        self,
        /,
        *,
        scheme: None = None,
        segments: Iterable[str] | None = ...,
        query_fields: Fields | None = ...,
        **parts: Any,
    ) -> Self: ...
    @overload
    def replace(
        self,
        /,
        *,
        scheme: str,
        segments: Iterable[str] | None = ...,
        query_fields: Fields | None = ...,
        **parts: Any,
    ) -> Any: ...
    def replace(
        self,
        /,
        *,
        scheme: str | None = None,
        segments: Iterable[str] | None = _UNCHANGED,
        query_fields: Fields | None = _UNCHANGED,
        **parts: Any,
    ) -> Any:
        """Return the URL with these parts, as `URL.replace` does.

        `segments` gives the path and `query_fields` the query, both decoded; without any, or with None, there is no
        path or no query. A segment that the URL has keeps its text. `scheme` is another scheme with the same parts: the
        type of the result is that of the scheme. Raises TypeError for a part that is given twice, UnknownScheme,
        InvalidURL.
        """
        if segments is not _UNCHANGED:
            path = None if segments is None else self._path_of(segments)
            self._add(parts, "path", "segments", path if path is None else Encoded(path))
        if query_fields is not _UNCHANGED:
            query = None if query_fields is None else _form(query_fields) or None
            self._add(parts, self._query, "query_fields", query)
        url = super().replace(**parts) if parts or scheme is None else self
        if scheme is None:
            return url
        return default_registry.in_profile(self.syntax.profile)[scheme].url_type.of(url)

    __replace__ = replace

    def _path_of(self, segments: Any) -> str | None:
        """Return the path that has these segments, None without any. Raises TypeError, InvalidURL."""
        if isinstance(segments, str | bytes) or not isinstance(segments, Iterable):
            raise TypeError(f"segments must be a list of texts, not {type(segments).__name__}")
        part, path = self.syntax.parts["path"], str(self.raw["path"] or "").removeprefix(self._root)
        as_written = dict(zip(self.segments, path.split("/"), strict=False))
        written = [as_written.get(each) or written_segment(part, each) for each in segments]
        return self._root + "/".join(written) if written else None

    @staticmethod
    def _add(parts: dict[str, Any], name: str, keyword: str, written: str | None) -> None:
        if name in parts:
            raise TypeError(f"give {name} or {keyword}, not both")
        parts[name] = written


def _form(fields: Any) -> str:
    """Return the query that has these fields: pairs, or a mapping whose values may be lists. Raises TypeError."""
    from urllib.parse import urlencode  # as above

    items = fields.items() if isinstance(fields, Mapping) else fields
    pairs = []
    for item in items if isinstance(items, Iterable) and not isinstance(items, str | bytes) else [items]:
        name, value = item if isinstance(item, tuple | list) and len(item) == 2 else (item, None)
        for each in value if isinstance(value, tuple | list) else [value]:
            if not (isinstance(name, str) and isinstance(each, str)):
                what = f"not {item!r}" if len(repr(item)) < 80 else f"not {type(item).__name__}"
                raise TypeError(f"query_fields must be pairs of texts, or a mapping of names to texts or lists, {what}")
            pairs.append((name, each))
    try:
        return urlencode(pairs, errors="surrogateescape")
    except UnicodeEncodeError:
        raise invalid_url("", "the query cannot hold a surrogate that is not an octet", part="query") from None
