"""Arrays read by a reader such as urlschemes-native on their buffers, without a Python object for each row.

The rows that it leaves, such as those of schemes whose types parse with code of their own, are read one by one.
"""

from __future__ import annotations

import inspect
from array import array as Numbers  # noqa: N812  here, an array is one of Arrow
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from urlschemes.errors import URLError
from urlschemes.grammar.octets import unescape
from urlschemes.url.fields import absent_value
from urlschemes_columns.part_columns import FIXED, struct_type
from urlschemes_columns.row_reading import MISSING_URL, read_rows, texts_of, utf8

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urlschemes import URL, Registry
    from urlschemes_columns.part_columns import PartColumn

__all__ = ["NativeReading", "reads_columns"]

SAMPLE = 10_000
"""The first rows of a longer array, whose schemes are loaded before it is read: most are then read only once."""
MAX_TRIED = 100_000
"""Names that no scheme has, and that are not looked up again."""


def reads_columns(registry: Registry) -> bool:
    """Return True if the reader of `registry` reads Arrow buffers."""
    return hasattr(registry.reader, "columns")


class NativeReading:
    """Reads arrays with the reader of a registry, which must read Arrow buffers."""

    def __init__(self, columns: Sequence[PartColumn], registry: Registry) -> None:
        self._columns = columns
        self._registry = registry
        self._asked = tuple((each.part, _form(each)) for each in columns if each.kind not in {"scheme", "computed"})
        self._tried: set[str] = set()
        self._own_attributes: dict[type[URL], bool] = {}

    def read(self, array: pa.Array, kind: pa.StructType) -> pa.StructArray:
        """Return the parts and errors of an array of strings as a struct array of the type `kind`."""
        reader: Any = self._registry.reader
        buffers, rows, text = _buffers(array), len(array), kind.field("code").type
        if rows > SAMPLE:
            self._load_schemes(reader.unknown(*_buffers(array[:SAMPLE])))
        result = reader.columns(*buffers, self._asked, self._explain)
        if result[-1] and self._load_schemes(reader.unknown(*buffers)):
            result = reader.columns(*buffers, self._asked, self._explain)
        names, numbers, scheme, code, position, parts, rest = result
        if own := {number for number, name in enumerate(names) if self._has_own_attributes(name)}:
            rest = sorted({*rest, *(row for row, number in enumerate(memoryview(numbers).cast("i")) if number in own)})
        schemes, errors = _array(scheme, rows, text), _array(code, rows, text)
        read = (_array(each, rows, pa.int64() if each[0] is None else text) for each in parts)
        computed = iter(self._computed(array, errors))
        children: list[pa.Array] = []
        for column in self._columns:
            match column.kind:
                case "scheme":
                    children.append(schemes)
                case "computed":
                    children.append(next(computed))
                case "list" | "pairs":
                    children.append(self._divided(column, next(read), schemes, errors))
                case _:
                    children.append(next(read))
        if array.null_count:
            errors = pc.if_else(array.is_null(), pa.scalar(MISSING_URL, text), errors)
        children += [errors, _array(position, rows, pa.int32())]
        done = pa.Array.from_buffers(kind, rows, [None], children=children)  # from_arrays makes a type
        return self._completed(done, array, rest, kind) if rest else done

    def _load_schemes(self, names: set[str]) -> bool:
        """Let the native reader know the schemes of these names; return True if some of them exist."""
        if len(self._tried) > MAX_TRIED:
            self._tried.clear()
        any_exists = False
        for name in names - self._tried:
            with suppress(URLError):  # reading its rows gives the error
                self._registry[name]
                any_exists = True
        self._tried |= names
        return any_exists

    def _has_own_attributes(self, scheme: str) -> bool:
        """Return True if the type of a scheme reads a part that is asked for with code of its own."""
        kind = self._registry[scheme].url_type
        known = self._own_attributes.get(kind)
        if known is None:
            decoded = {column.part for column in self._columns if column.kind not in {"scheme", "raw"}}
            known = not decoded.intersection(kind.syntax.parts) <= inspect.signature(kind).parameters.keys() or any(
                column.is_own_attribute(kind) for column in self._columns
            )
            self._own_attributes[kind] = known
        return known

    def _explain(self, text: str) -> tuple[str, int]:
        """Return the code and the position of the error of a text, which is -1 if there is none."""
        try:
            self._registry.parse(text)
        except URLError as error:
            return error.code, -1 if error.position is None else error.position
        return "invalid-url", -1  # another thread changed the scheme meanwhile

    def _computed(self, array: pa.Array, errors: pa.Array) -> list[pa.Array]:
        """Return the columns for which Python reads the invalid rows again."""
        columns = [column for column in self._columns if column.kind == "computed"]
        if not columns:
            return []
        is_invalid = errors.is_valid()
        texts = texts_of(pc.if_else(is_invalid, array, None))
        read = read_rows(texts, columns, self._registry, struct_type(columns, errors.type)).flatten()
        return [
            pc.if_else(is_invalid, each, array) if column.name == FIXED else each
            for column, each in zip(columns, read[: len(columns)], strict=True)  # code and position follow
        ]

    def _divided(self, column: PartColumn, written: pa.Array, schemes: pa.Array, errors: pa.Array) -> pa.Array:
        """Return a column of lists whose elements are decoded, given the lists as they are written."""
        kinds = {name: self._registry[name].url_type for name in schemes.unique().to_pylist() if name is not None}
        schemes_of_urls = pc.if_else(errors.is_null(), schemes, None).to_pylist()
        rows = zip(schemes_of_urls, written.to_pylist(), strict=True)
        lists = [None if name is None else _elements(kinds[name], column.part, text) for name, text in rows]
        return pa.array(lists, column.type(written.type))

    def _completed(
        self, done: pa.StructArray, array: pa.Array, rest: Sequence[int], kind: pa.StructType
    ) -> pa.StructArray:
        """Return `done` with the rows `rest`, which the native reader left, read one by one."""
        texts = texts_of(array.take(pa.array(rest, pa.int64())))
        others = read_rows(texts, self._columns, self._registry, kind)
        order = Numbers("q", range(len(array)))
        for place, row in enumerate(rest, len(array)):
            order[row] = place
        return pa.concat_arrays([done, others]).take(
            pa.Array.from_buffers(pa.int64(), len(order), [None, pa.py_buffer(order)])
        )


def _form(column: PartColumn) -> str:
    """Return the name that the native reader has for the form of a column; it does not divide lists."""
    return column.kind if column.kind in {"text", "number"} else "raw"


def _buffers(array: pa.Array) -> tuple[Any, ...]:
    """Return the offsets, the octets, the validity and its first bit: what the native reader takes."""
    validity, offsets, octets = array.buffers()
    numbers = memoryview(offsets).cast("B")
    numbers = numbers.cast("i") if pa.types.is_string(array.type) else numbers.cast("q")
    first, rows = array.offset, len(array)
    return numbers[first : first + rows + 1], b"" if octets is None else octets, validity, first


def _array(buffers: tuple[Any, ...], rows: int, kind: pa.DataType) -> pa.Array:
    """Return a column that the native reader made, given its offsets, data and validity; numbers have no offsets."""
    offsets, data, validity = buffers
    content = [data] if offsets is None else [offsets, data]
    return pa.Array.from_buffers(kind, rows, [pa.py_buffer(each) for each in (validity, *content)])


def _elements(kind: type[URL], name: str, written: str | None) -> Sequence[Any] | None:
    """Return the elements of a list, decoded; None if the scheme has no such part."""
    part = kind.syntax.parts.get(name)
    if part is None or part.division is None:
        return None
    if written is None:
        absent: Sequence[Any] = absent_value(kind, name)
        return absent
    return [
        _decoded(each)
        if isinstance(each, str)
        else {"name": _decoded(each[0]), "value": None if each[1] is None else _decoded(each[1])}
        for each in part.division.divided(written)
    ]


def _decoded(written: str) -> str:
    return utf8(unescape(written))
