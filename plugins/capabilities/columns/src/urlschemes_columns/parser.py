"""Arrow arrays of texts, parsed into struct arrays; and tables that get such an array as one more column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from urlschemes.registry.registry import registry_or_default
from urlschemes_columns.native_reading import NativeReading, reads_columns
from urlschemes_columns.part_columns import NORMALIZED, PARTS, part_columns, struct_type
from urlschemes_columns.row_reading import MISSING_URL, read_rows, texts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from urlschemes import Registry

__all__ = ["COLUMN", "INTO", "Parser", "add_parts", "check_column", "check_names", "parse", "parse_table"]

Rows = TypeVar("Rows", pa.Table, pa.RecordBatch)

COLUMN = "url"
"""The column of URLs, if no other is named."""
INTO = "parsed"
"""The column of their parts, if no other is named."""
SLICE, NATIVE_SLICE = 65_536, 1_048_576
"""Rows that are read at a time: the memory needed besides the result does not grow with the array."""
_OCTETS = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}
"""The types of texts, each with that of its octets."""
_MOST_OCTETS, _LONGEST_CODE = 2**31 - 1, 32
"""The most octets of all texts in one array of the type string, and of the code of an error."""


def parse(array: Any, parts: Iterable[str] = PARTS, registry: Registry | None = None) -> pa.Array | pa.ChunkedArray:
    """Return the parts and errors of the URLs in `array`, as an Arrow struct array with the same number of rows.

    `array` is an Arrow array of strings of any type, also dictionary-encoded or chunked, from pyarrow or from any
    library with the Arrow PyCapsule interface. The struct has a field for each of `parts`, then `code` and `position`
    of the error, which are null if the row is a URL. A part is decoded; `"host.raw"` is the host as it is written.
    Lists such as the directories of an ftp URL are lists, numbers are int64. A part that the URL lacks is null, or the
    default of its scheme, as its attribute is. Octets that are not UTF-8 become U+FFFD, and a number that does not fit
    in 64 bits null. The scheme is also given for invalid rows that name one, unless they are longer than the limit.

    No row raises an error: a null, an unknown scheme and a failing plugin have codes too. Texts of the
    result have the type string if those of `array` do, and large_string otherwise. The result is chunked if `array` is,
    or if its texts are too long together for one array of the type string.

    Raises TypeError for anything but an array of strings, ValueError for a malformed array, and for a part that no
    scheme of `registry` has, ModuleNotFoundError for `"url.fixed"` without urlschemes-lint.
    """
    return Parser(parts, registry).parse(array)


def parse_table(
    table: Rows,
    column: str = COLUMN,
    *,
    into: str = INTO,
    parts: Iterable[str] = PARTS,
    registry: Registry | None = None,
) -> Rows:
    """Return a pyarrow Table or RecordBatch with one more column `into`, the result of `parse` for `column`.

    Raises ValueError if there is no column of that name, or already one named `into`; TypeError if it holds no strings.
    """
    return add_parts(table, column, into, Parser(parts, registry))


class Parser:
    """`parse` with fixed arguments, for arrays that come one by one. It can be pickled, for workers of a cluster."""

    def __init__(self, parts: Iterable[str] = PARTS, registry: Registry | None = None) -> None:
        self.registry = registry_or_default(registry)
        self.columns = part_columns(parts, self.registry)
        self._types = [struct_type(self.columns, text) for text in (pa.large_string(), pa.string())]
        self._native = NativeReading(self.columns, self.registry)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the arguments; the schemes are those that are installed where the pickle is loaded."""
        return type(self), (tuple(column.name for column in self.columns), self.registry)

    def type(self, texts: pa.DataType | None = None) -> pa.StructType:
        """Return the type of the result for an array of the type `texts`, by default string."""
        kind = pa.string() if texts is None else _text_type(texts)
        return self._types[pa.types.is_string(kind)]

    def parse(self, array: Any) -> pa.Array | pa.ChunkedArray:
        """Return the parts and errors of the URLs in `array`. Raises TypeError."""
        arrow = _arrow_array(array)
        kind, is_chunked = self.type(arrow.type), isinstance(arrow, pa.ChunkedArray)
        read = [each for chunk in (arrow.chunks if is_chunked else [arrow]) for each in self._joined(chunk, kind)]
        return pa.chunked_array(read, kind) if is_chunked or len(read) > 1 else read[0]

    def code(self, array: Any) -> pa.Array | pa.ChunkedArray:
        """Return the code of the error of each row: null for a URL, and only for a URL. Raises TypeError."""
        return pc.struct_field(self.parse(array), "code")

    def is_valid(self, array: Any) -> pa.Array | pa.ChunkedArray:
        """Return True for each row that is a URL, False for one that is not, and null for null. Raises TypeError."""
        codes = pc.fill_null(self.code(array), "")
        return pc.if_else(pc.equal(codes, MISSING_URL), None, pc.equal(codes, ""))

    def _joined(self, array: pa.Array, kind: pa.StructType) -> list[pa.StructArray]:
        slices = list(self._slices(array, kind))
        try:
            return [pa.concat_arrays(slices)] if len(slices) > 1 else slices or [pa.array([], kind)]
        except pa.ArrowInvalid:  # the texts are too long together: many codes are longer than what they are about
            return slices

    def _slices(self, array: pa.Array, kind: pa.StructType) -> Iterator[pa.StructArray]:
        count = NATIVE_SLICE if self._is_native() else SLICE
        if not pa.types.is_dictionary(array.type):
            plain = _plain(array)
            for start in range(0, len(plain), count):
                yield self._read(plain.slice(start, count), kind)
            return
        different, rows = _plain(array.dictionary), array.indices
        try:
            pa.DictionaryArray.from_arrays(rows, pa.nulls(len(different)))
        except pa.ArrowIndexError as error:
            raise ValueError(f"malformed Arrow array: {error}") from None
        longest = max(pc.max(pc.binary_length(different)).as_py() or 0, _LONGEST_CODE)
        count = min(count, _MOST_OCTETS // longest)
        parsed = None
        if 0 < 2 * len(different) <= len(rows):  # each different text is parsed once, and a null
            slices = (*self._slices(different, kind), *self._slices(pa.nulls(1, different.type), kind))
            parsed, rows = pa.concat_arrays(slices), rows.cast(pa.int64()).fill_null(len(different))
        for start in range(0, len(rows), count):
            taken = rows.slice(start, count)
            yield self._read(different.take(taken), kind) if parsed is None else parsed.take(taken)

    def _is_native(self) -> bool:
        """Return True if arrays are read on their buffers; only a URL object has a normal form."""
        return reads_columns(self.registry) and all(column.name != NORMALIZED for column in self.columns)

    def _read(self, rows: pa.Array, kind: pa.StructType) -> pa.StructArray:
        if self._is_native():
            return self._native.read(rows, kind)
        return read_rows(texts_of(rows), self.columns, self.registry, kind)


def add_parts(table: Rows, column: str, into: str, parser: Parser) -> Rows:
    """Return `table` with the column `into`. Raises as `parse_table` does."""
    if not isinstance(table, pa.Table | pa.RecordBatch):
        raise TypeError(f"expected a Table or RecordBatch of pyarrow, got {type(table).__qualname__}")
    check_names(table.schema.names, column, into)
    return table.append_column(into, parser.parse(table.column(column)))


def check_names(names: Sequence[str], column: str, into: str) -> None:
    """Raise ValueError unless `column` is exactly one of the `names` of a table, and `into` is none of them.

    Raises TypeError if `into` is not a str.
    """
    if not isinstance(into, str):
        raise TypeError(f"into must be a str, the name of the new column, not {type(into).__name__}")
    check_column(names, column)
    if into in names:
        raise ValueError(f"there is already a column {into!r}: choose another name for the new one")


def check_column(names: Sequence[str], column: str) -> None:
    """Raise ValueError unless `column` is exactly one of the `names` of a table."""
    if column not in names:
        raise ValueError(f"there is no column {column!r}: expected one of {', '.join(names)}")
    if [*names].count(column) > 1:
        raise ValueError(f"there are several columns {column!r}: give the one with the URLs a name of its own")


def _arrow_array(array: Any) -> pa.Array | pa.ChunkedArray:
    """Return `array` as an array of pyarrow, without a copy. Raises TypeError unless it is an array of strings."""
    arrow = array
    if not isinstance(array, pa.Array | pa.ChunkedArray):
        if hasattr(array, "__arrow_c_array__"):
            arrow = pa.array(array)
        elif hasattr(array, "__arrow_c_stream__"):
            arrow = pa.chunked_array(array)
        else:
            raise TypeError(
                f"expected an Arrow array of strings, got {type(array).__qualname__}; pyarrow.array(...) makes one"
            )
    kind = _text_type(arrow.type)
    if not (_is_text(kind) or pa.types.is_null(kind)):
        raise TypeError(f"expected an Arrow array of strings, got one of {arrow.type}")
    return arrow


def _text_type(kind: pa.DataType) -> pa.DataType:
    """Return the type of the values of an array of this type."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_text(kind: pa.DataType) -> bool:
    return kind in _OCTETS


def _plain(array: pa.Array) -> pa.Array:
    """Return `array` with offsets, which arrays of string views and of nulls do not have. Raises ValueError."""
    octets = _OCTETS.get(array.type)
    if octets is not None:
        try:
            array.view(octets).validate(full=True)  # or else what reads it may crash
        except (pa.ArrowException, IndexError) as error:
            raise ValueError(f"malformed Arrow array: {error}") from None
    return array if pa.types.is_string(array.type) else array.cast(pa.large_string())
