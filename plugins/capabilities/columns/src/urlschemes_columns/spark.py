"""`parse` for Spark data frames, in Arrow batches (`DataFrame.mapInArrow`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import StructType

from urlschemes_columns.parser import COLUMN, INTO, Parser, add_parts, check_names
from urlschemes_columns.part_columns import PARTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from urlschemes import Registry

__all__ = ["parse"]


def parse(
    frame: DataFrame,
    column: str = COLUMN,
    *,
    into: str = INTO,
    parts: Iterable[str] = PARTS,
    registry: Registry | None = None,
) -> DataFrame:
    """Return `frame` with one more column `into`, a struct as `urlschemes_columns.parse` returns, for `column`.

    It also fits `frame.transform(parse, "url")`. Workers need this distribution and the plugins of the schemes.
    Raises ValueError if there is no column of that name, or already one named `into`.
    """
    parser = Parser(parts, registry)
    check_names(frame.columns, column, into)

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return (add_parts(batch, column, into, parser) for batch in batches)

    schema = StructType([*frame.schema.fields]).add(into, from_arrow_type(parser.type()))
    return frame.mapInArrow(read, schema)
