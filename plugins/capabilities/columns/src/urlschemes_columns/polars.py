"""The namespace `url` of polars expressions and Series: `.url.parse()`, `.is_valid()`, `.code()` and `.host`.

Importing this module registers it. The streaming engine reads the rows in batches.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import polars as pl
import pyarrow as pa

from urlschemes_columns.parser import Parser
from urlschemes_columns.part_columns import PARTS, PartAttributes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["URLExpressions", "URLSeries"]

Texts = TypeVar("Texts", pl.Expr, pl.Series)


class _URLs(PartAttributes, ABC, Generic[Texts]):
    def __init__(self, texts: Texts) -> None:
        self._texts: Texts = texts

    def parse(self, parts: Iterable[str] = PARTS) -> Texts:
        """Return a struct with a field for each of `parts`, `code` and `position`, as `urlschemes_columns.parse`."""
        parser = Parser(parts, self._registry)
        return self._mapped(parser.parse, _dtype(parser.type(pa.large_string())))

    def is_valid(self) -> Texts:
        """Return True for each row that is a URL, False for one that is not, and null for null."""
        return self._mapped(Parser((), self._registry).is_valid, pl.Boolean())

    def code(self) -> Texts:
        """Return the code of the error of each row: null for a URL, and only for a URL."""
        return self._mapped(Parser((), self._registry).code, pl.String())

    def _field(self, parsed: Texts, name: str) -> Texts:
        return parsed.struct.field(name)

    @abstractmethod
    def _mapped(self, function: Callable[[Any], pa.Array | pa.ChunkedArray], dtype: pl.DataType) -> Texts:
        """Return what a function of arrays makes of the texts."""


@pl.api.register_expr_namespace("url")
class URLExpressions(_URLs[pl.Expr]):
    """The URLs of an expression whose values are texts."""

    def _mapped(self, function: Callable[[Any], pa.Array | pa.ChunkedArray], dtype: pl.DataType) -> pl.Expr:
        return self._texts.map_batches(
            lambda series: pl.Series(series.name, function(series), dtype), return_dtype=dtype, is_elementwise=True
        )


@pl.api.register_series_namespace("url")
class URLSeries(_URLs[pl.Series]):
    """The URLs of a Series of texts; each attribute parses all of them."""

    def _mapped(self, function: Callable[[Any], pa.Array | pa.ChunkedArray], dtype: pl.DataType) -> pl.Series:
        return pl.Series(self._texts.name, function(self._texts), dtype)


def _dtype(kind: pa.DataType) -> pl.DataType:
    return pl.Series(pa.array([], kind)).dtype
