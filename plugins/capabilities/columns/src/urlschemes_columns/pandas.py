"""The accessor `url` of pandas Series: `series.url.parse()`, `.is_valid()`, `.code()`, and parts such as `.host`.

Importing this module registers it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa

from urlschemes_columns.parser import Parser
from urlschemes_columns.part_columns import PARTS, PartAttributes

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["URLAccessor"]


@pd.api.extensions.register_series_accessor("url")
class URLAccessor(PartAttributes):
    """The URLs of a Series of texts. Results have its index, and Arrow types; each attribute parses all texts."""

    def __init__(self, series: pd.Series) -> None:
        self._series = series

    def parse(self, parts: Iterable[str] = PARTS) -> pd.DataFrame:
        """Return a column for each of `parts`, and the columns `code` and `position`, as `urlschemes_columns.parse`."""
        parser = Parser(parts, self._registry)
        struct = parser.parse(self._texts())
        table = pa.Table.from_arrays(struct.flatten(), names=[field.name for field in struct.type])
        return table.to_pandas(types_mapper=pd.ArrowDtype).set_axis(self._series.index)

    def is_valid(self) -> pd.Series:
        """Return True for each row that is a URL, False for one that is not, and a null for a null."""
        return self._result(Parser((), self._registry).is_valid(self._texts()))

    def code(self) -> pd.Series:
        """Return the code of the error of each row: a null for a URL, and only for a URL."""
        return self._result(Parser((), self._registry).code(self._texts()))

    def _texts(self) -> pa.Array | pa.ChunkedArray:
        if self._series.dtype.kind == "f" and self._series.isna().all():  # a column without values is read as numbers
            return pa.nulls(len(self._series))
        try:
            return pa.Array.from_pandas(self._series)
        except UnicodeEncodeError:  # lone surrogates, which Arrow cannot hold, and no URL either
            return pa.Array.from_pandas(self._series.str.replace("[\ud800-\udfff]", "\ufffd", regex=True))
        except pa.ArrowException:
            for row, value in self._series.items():
                try:
                    pa.scalar(value, pa.string(), from_pandas=True)
                except pa.ArrowException:
                    kind = type(value).__name__
                    raise TypeError(f"expected a Series of texts, got {kind} in the row {row!r}") from None
            raise

    def _result(self, array: pa.Array | pa.ChunkedArray) -> pd.Series:
        return pd.Series(pd.arrays.ArrowExtensionArray(array), index=self._series.index, name=self._series.name)
