"""`parse` for Spark data frames, in Arrow batches (`DataFrame.mapInArrow`)."""

from __future__ import annotations

import pickle
import sys
from typing import TYPE_CHECKING

from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import StructType

from urlschemes_columns.parser import COLUMN, INTO, Parser, check_names
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

    It also fits `frame.transform(parse, "url")`. Workers need this distribution and the plugins of the schemes: where
    they run another Python than the driver, `PYSPARK_PYTHON` names it.
    Raises ValueError if there is no column of that name, or already one named `into`.
    """
    parser = Parser(parts, registry)
    check_names(frame.columns, column, into)
    schema = StructType([*frame.schema.fields]).add(into, from_arrow_type(parser.type()))
    pickled = pickle.dumps(parser)

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        # Workers get this function by value: without this distribution they could not unpickle a name of it.
        try:
            from urlschemes_columns.parser import add_parts

            parser = pickle.loads(pickled)  # noqa: S301  made above
        except ImportError as error:
            raise ImportError(
                f"{sys.executable}, which Spark runs as a worker, cannot import urlschemes-columns ({error}): install "
                "it there with the schemes, or let PYSPARK_PYTHON name a Python that has them before the session begins"
            ) from error
        for batch in batches:
            yield add_parts(batch, column, into, parser)

    return frame.mapInArrow(read, schema)
