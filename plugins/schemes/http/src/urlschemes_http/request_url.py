"""URLs that an HTTP client can request, in any profile: what their paths and queries mean."""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Final, Self, TypeAlias, TypeVar, overload

from urlschemes import Encoded, InternetURL, default_registry, number_part
from urlschemes.errors import invalid_url
from urlschemes.grammar.octets import unescape
from urlschemes.url.hierarchy import written_segment

Fields: TypeAlias = Mapping[str, str | Sequence[str]] | Iterable[tuple[str, str]]

T = TypeVar("T")

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
        path or no query. Segments and fields that the URL has keep their text; a new segment is neither `.` nor `..`.
        `scheme` is another scheme with the same parts: the type of the result is that of the scheme. Raises TypeError
        for a part that is given twice, UnknownScheme, InvalidURL.
        """
        if segments is not _UNCHANGED:
            path = None if segments is None else self._path_of(segments)
            self._add(parts, "path", "segments", path)
        if query_fields is not _UNCHANGED:
            query = None if query_fields is None else self._query_of(query_fields)
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
        path = str(self.raw["path"] or "").removeprefix(self._root)
        write = partial(written_segment, self.syntax.parts["path"])
        written = _written(segments, self.segments, path.split("/"), write)
        return self._root + "/".join(written) if written else None

    def _query_of(self, fields: Any) -> str | None:
        """Return the query that has these fields, None without any. Raises TypeError, InvalidURL."""
        query, pairs = str(self.raw[self._query] or ""), (*_pairs(fields),)
        if pairs and pairs == self.query_fields:
            return query
        own = filter(None, query.split("&"))
        return "&".join(_written(pairs, self.query_fields, own, _written_field)) or None

    @staticmethod
    def _add(parts: dict[str, Any], name: str, keyword: str, written: str | None) -> None:
        if name in parts:
            raise TypeError(f"give {name} or {keyword}, not both")
        parts[name] = None if written is None else Encoded(written)


def _written(values: Iterable[T], own: Sequence[T], texts: Iterable[str], write: Callable[[T], str]) -> list[str]:
    """Return the text of each value: the one that it has in the URL, which has the values `own`, or a new one."""
    kept: defaultdict[T, deque[str]] = defaultdict(deque)
    for each, text in zip(own, texts, strict=False):
        kept[each].append(text)
    return [kept[each].popleft() if kept[each] else write(each) for each in values]


def _pairs(fields: Any) -> Iterator[tuple[str, str]]:
    """Yield the fields: pairs, or a mapping whose values may be lists. Raises TypeError."""
    items = fields.items() if isinstance(fields, Mapping) else fields
    for item in items if isinstance(items, Iterable) and not isinstance(items, str | bytes) else [items]:
        name, value = item if isinstance(item, tuple | list) and len(item) == 2 else (item, None)
        for each in value if isinstance(value, tuple | list) else [value]:
            if not (isinstance(name, str) and isinstance(each, str)):
                what = f"not {item!r}" if len(repr(item)) < 80 else f"not {type(item).__name__}"
                raise TypeError(f"query_fields must be pairs of texts, or a mapping of names to texts or lists, {what}")
            yield name, each


def _written_field(pair: tuple[str, str]) -> str:
    """Return a field as forms write it. Raises InvalidURL."""
    from urllib.parse import urlencode  # as above

    try:
        return urlencode([pair], errors="surrogateescape")
    except UnicodeEncodeError:
        raise invalid_url("", "the query cannot hold a surrogate that is not an octet", part="query") from None
