"""Rows read one by one with `registry.parse`."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from urlschemes.errors import UnknownScheme, URLError
from urlschemes.url.value import LIMIT
from urlschemes_columns.part_columns import struct_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from urlschemes import URL, Registry
    from urlschemes_columns.part_columns import PartColumn

__all__ = ["error_of", "read_rows", "texts_of", "utf8"]

_INT64 = range(-(2**63), 2**63)
MAX_UNKNOWN = 1000
"""Names without a scheme whose row is remembered: making the error takes ten times as long as to parse a URL."""
PLUGIN_FAILED = "plugin-error"
"""The code of a row whose parts cannot be read because the plugin of its scheme fails."""


def texts_of(array: pa.Array) -> list[str | None]:
    """Return the texts of `array`; octets that are not UTF-8 become surrogates, which no URL may hold."""
    try:
        texts: list[str | None] = array.to_pylist()
    except UnicodeDecodeError:  # the program that made the array did not check it
        octets = array.cast(pa.large_binary()).to_pylist()
        return [each if each is None else each.decode("utf-8", "surrogateescape") for each in octets]
    return texts


def error_of(error: URLError) -> tuple[str, int | None]:
    """Return the code and the position of an error."""
    return error.code, error.position


def utf8(text: str) -> str:
    """Return `text` with the octets that are not UTF-8 replaced by U+FFFD: Arrow has no place for them."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def read_rows(
    texts: Iterable[str | None], columns: Sequence[PartColumn], registry: Registry, text: pa.DataType
) -> pa.StructArray:
    """Return the parts and errors of `texts` as a struct array, in which texts have the type `text`."""
    parse = registry.parse
    readers: dict[type[URL], Callable[[URL], tuple[Any, ...]]] = {}
    absent = (None,) * (len(columns) + 2)
    unknown: dict[str, tuple[Any, ...]] = {}
    rows: list[tuple[Any, ...]] = []
    for each in texts:
        if each is None:
            rows.append(absent)
            continue
        if unknown and len(each) <= LIMIT and (known := unknown.get(each[: each.find(":") + 1])):
            rows.append(known)
            continue
        try:
            url = parse(each)
        except URLError as error:
            row = _invalid_row(error.scheme, *error_of(error), columns)
            rows.append(row)
            if isinstance(error, UnknownScheme) and len(unknown) < MAX_UNKNOWN:
                unknown[each[: each.find(":") + 1]] = row
            continue
        kind = type(url)
        read = readers.get(kind)
        if read is None:
            read = readers[kind] = _reader(kind, columns)
        try:
            rows.append(read(url))
        except Exception:  # noqa: BLE001  an attribute that a plugin defines may raise anything
            rows.append(_invalid_row(url.scheme, PLUGIN_FAILED, None, columns))
    kind_of_struct = struct_type(columns, text)
    values = list(zip(*rows, strict=True)) if rows else [()] * len(absent)
    children = [_array(each, field.type) for each, field in zip(values, kind_of_struct, strict=True)]
    nulls = [row is absent for row in rows]
    mask = pa.array(nulls, pa.bool_()) if any(nulls) else None
    return pa.StructArray.from_arrays(children, fields=list(kind_of_struct), mask=mask)


def _invalid_row(scheme: str | None, code: str, position: int | None, columns: Sequence[PartColumn]) -> tuple[Any, ...]:
    return (*(scheme if column.kind == "scheme" else None for column in columns), code, position)


def _reader(kind: type[URL], columns: Sequence[PartColumn]) -> Callable[[URL], tuple[Any, ...]]:
    """Return the function that reads the columns of a URL of the type `kind`, with an empty error."""
    if len(columns) > 1 and all(column.kind == "scheme" or _has_attribute(kind, column) for column in columns):
        attributes = attrgetter(*(column.part for column in columns))
        return lambda url: (*attributes(url), None, None)
    reads = [_part_reader(kind, column) for column in columns]
    return lambda url: (*[read(url) for read in reads], None, None)


def _has_attribute(kind: type[URL], column: PartColumn) -> bool:
    return column.kind != "raw" and column.part in kind.syntax.parts


def _part_reader(kind: type[URL], column: PartColumn) -> Callable[[URL], Any]:
    name = column.part
    if column.kind == "scheme" or _has_attribute(kind, column):
        return attrgetter(name)
    if name not in kind.syntax.parts:
        return lambda _: None

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
