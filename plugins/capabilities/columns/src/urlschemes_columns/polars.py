"""The namespace `url` of polars expressions: `polars.col("url").url.parse()`, `.is_valid()` and `.code()`.

Importing this module registers it. The streaming engine reads the rows in batches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa

from urlschemes_columns.parser import Parser
from urlschemes_columns.part_columns import PARTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from urlschemes import Registry

__all__ = ["URLExpressions"]


@pl.api.register_expr_namespace("url")
class URLExpressions:
    """The URLs of an expression whose values are texts."""

    def __init__(self, expression: pl.Expr) -> None:
        self._expression = expression

    def parse(self, parts: Iterable[str] = PARTS, registry: Registry | None = None) -> pl.Expr:
        """Return a struct with a field for each of `parts`, `code` and `position`, as `urlschemes_columns.parse`."""
        parser = Parser(parts, registry)
        return self._mapped(parser.parse, _dtype(parser.type(pa.large_string())))

    def is_valid(self, registry: Registry | None = None) -> pl.Expr:
        """Return True for each row that is a URL, False for one that is not, and null for null."""
        return self._mapped(Parser((), registry).is_valid, pl.Boolean())

    def code(self, registry: Registry | None = None) -> pl.Expr:
        """Return the code of the error of each row that is not a URL, and null for the others."""
        return self._mapped(Parser((), registry).code, pl.String())

    def _mapped(self, function: Callable[[Any], pa.Array | pa.ChunkedArray], dtype: pl.DataType) -> pl.Expr:
        return self._expression.map_batches(
            lambda series: pl.Series(series.name, function(series), dtype), return_dtype=dtype, is_elementwise=True
        )


def _dtype(kind: pa.DataType) -> pl.DataType:
    return pl.Series(pa.array([], kind)).dtype
