"""Rows read one by one with `registry.parse`."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from urlschemes.errors import UnknownScheme, URLError
from urlschemes.grammar.profile import authority_of
from urlschemes.url.value import LIMIT
from urlschemes_columns.part_columns import ERROR_HOST, ERROR_PART, FIXED, NORMALIZED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from urlschemes import URL, Registry
    from urlschemes_columns.part_columns import PartColumn

__all__ = ["MISSING_URL", "read_rows", "texts_of", "utf8"]

_INT64 = range(-(2**63), 2**63)
MAX_UNKNOWN = 1000
"""Names without a scheme whose row is remembered: making the error takes ten times as long as to parse a URL."""
PLUGIN_FAILED = "plugin-error"
"""The code of a row whose parts cannot be read because the plugin of its scheme fails."""
MISSING_URL = "missing-url"
"""The code of a null: a row is a URL if and only if it has no code."""
_ENDS_HOST = frozenset("\\?#")
"""What other programs take for the end of the host: `http://a.example\\@b.example/` is at a.example in browsers."""


def texts_of(array: pa.Array) -> list[str | None]:
    """Return the texts of `array`; octets that are not UTF-8 become surrogates, which no URL may hold."""
    try:
        texts: list[str | None] = array.to_pylist()
    except UnicodeDecodeError:  # the program that made the array did not check it
        octets = array.cast(pa.large_binary()).to_pylist()
        return [each if each is None else each.decode("utf-8", "surrogateescape") for each in octets]
    return texts


def _fixed(_: URLError, text: str, registry: Registry) -> str | None:
    from urlschemes_lint import fix  # late: only this column needs it

    try:
        return str(fix(text, registry=registry).url)
    except URLError:
        return None


def _host(error: URLError, text: str, registry: Registry) -> str | None:
    place = authority_of(text, registry.profile)
    if place is None or error.code in {"invalid-host", "empty-host"}:
        return None
    if not _ENDS_HOST.isdisjoint(text[place.start : place.host]):
        return None
    host = text[place.host : place.colon]
    is_wrong = error.position is not None and place.host <= error.position < place.colon
    return None if is_wrong or registry.profile.illegal.search(host) else host.lower() or None


_OF_URL: dict[str, Callable[[URL], str]] = {NORMALIZED: lambda url: str(url.normalized()), FIXED: str}
_OF_ERROR: dict[str, Callable[[URLError, str, Registry], str | None]] = {
    "scheme": lambda error, *_: error.scheme,
    ERROR_PART: lambda error, *_: error.part,
    ERROR_HOST: _host,
    FIXED: _fixed,
}
"""What a column holds for a URL that has no such part, and for a text that is not a URL; null if it is not here."""


def utf8(text: str) -> str:
    """Return `text` with the octets that are not UTF-8 replaced by U+FFFD: Arrow has no place for them."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def read_rows(
    texts: Iterable[str | None], columns: Sequence[PartColumn], registry: Registry, kind: pa.StructType
) -> pa.StructArray:
    """Return the parts and errors of `texts` as a struct array of the type `kind`."""
    parse = registry.parse
    readers: dict[type[URL], Callable[[URL], tuple[Any, ...]]] = {}
    missing = (*(None for _ in columns), MISSING_URL, None)
    of_error = [column.name for column in columns if column.name in _OF_ERROR]
    unknown: dict[str, tuple[Any, ...]] = {}
    rows: list[tuple[Any, ...]] = []
    for each in texts:
        if each is None:
            rows.append(missing)
            continue
        if unknown and len(each) <= LIMIT and (row := unknown.get(each[: each.find(":") + 1])):
            rows.append(row)
            continue
        try:
            url = parse(each)
        except URLError as error:
            known = {name: _OF_ERROR[name](error, each, registry) for name in of_error}
            row = _invalid_row(known, error.code, error.position, columns)
            rows.append(row)
            if {*of_error} <= {"scheme"} and isinstance(error, UnknownScheme) and len(unknown) < MAX_UNKNOWN:
                unknown[each[: each.find(":") + 1]] = row
            continue
        read = readers.get(type(url))
        if read is None:
            read = readers[type(url)] = _reader(type(url), columns)
        try:
            rows.append(read(url))
        except Exception:  # noqa: BLE001  an attribute that a plugin defines may raise anything
            rows.append(_invalid_row({"scheme": url.scheme}, PLUGIN_FAILED, None, columns))
    values = list(zip(*rows, strict=True)) if rows else [()] * len(missing)
    children = [_array(each, field.type) for each, field in zip(values, kind, strict=True)]
    return pa.StructArray.from_arrays(children, fields=list(kind))


def _invalid_row(
    known: Mapping[str, str | None], code: str, position: int | None, columns: Sequence[PartColumn]
) -> tuple[Any, ...]:
    return (*(known.get(column.name) for column in columns), code, position)


def _reader(kind: type[URL], columns: Sequence[PartColumn]) -> Callable[[URL], tuple[Any, ...]]:
    """Return the function that reads the columns of a URL of the type `kind`, with an empty error."""
    if len(columns) > 1 and all(column.kind == "scheme" or _has_attribute(kind, column) for column in columns):
        attributes = attrgetter(*(column.part for column in columns))
        return lambda url: (*attributes(url), None, None)
    reads = [_part_reader(kind, column) for column in columns]
    return lambda url: (*[read(url) for read in reads], None, None)


def _has_attribute(kind: type[URL], column: PartColumn) -> bool:
    return (column.kind != "raw" and column.part in kind.syntax.parts) or column.is_own_attribute(kind)


def _part_reader(kind: type[URL], column: PartColumn) -> Callable[[URL], Any]:
    name = column.part
    if column.kind == "scheme" or _has_attribute(kind, column):
        return attrgetter(name)
    if name not in kind.syntax.parts:
        return _OF_URL.get(name, lambda _: None)

    def as_written(url: URL) -> str | None:
        span = url.span(name)
        return None if span is None else str(url)[slice(*span)]

    return as_written


def _array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, UnicodeError, OverflowError):  # rare, so that looking for it would cost more
        return pa.array([_representable(value, kind) for value in values], kind)


def _representable(value: Any, kind: pa.DataType) -> Any:
    """Return the value as Arrow can hold it: as UTF-8, or in 64 bits; a larger number is None."""
    if value is None:
        return None
    if pa.types.is_integer(kind):
        return value if isinstance(value, int) and value in _INT64 else None
    if pa.types.is_list(kind):
        return [_representable(each, kind.value_type) for each in value]
    if pa.types.is_struct(kind):
        return {name: each and utf8(each) for name, each in zip(("name", "value"), value, strict=True)}
    return utf8(str(value))
