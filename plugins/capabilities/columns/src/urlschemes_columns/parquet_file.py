"""Parquet files of URLs, read, parsed and written in batches."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from urlschemes.errors import UnknownScheme
from urlschemes_columns.parser import add_parts, check_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from urlschemes_columns.parser import Parser

__all__ = ["Summary", "parse_file", "row_count"]

BATCH = 131_072
"""Rows that are in memory at a time, and the rows of a row group of the new file."""
PIECE = 1024 * 1024
"""Octets that are read at a time."""


@dataclass
class Summary:
    """The number of rows, of nulls, and of URLs and other texts by scheme and by code.

    Rows that name an unknown scheme count under their code alone.
    """

    rows: int = 0
    nulls: int = 0
    valid: Counter[str] = field(default_factory=Counter)
    invalid: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)

    def add(self, parsed: pa.StructArray) -> None:
        """Count the rows of a result that has the part `scheme`."""
        self.rows += len(parsed)
        self.nulls += parsed.null_count
        table = pa.table({name: pc.struct_field(parsed, name) for name in ("scheme", "code")}).filter(parsed.is_valid())
        for row in table.group_by(["scheme", "code"]).aggregate([([], "count_all")]).to_pylist():
            scheme, code, count = row["scheme"], row["code"], row["count_all"]
            if code is None:
                self.valid[scheme] += count
                continue
            self.codes[code] += count
            if scheme is not None and code != UnknownScheme.code:
                self.invalid[scheme] += count


@contextmanager
def _new_file(target: str) -> Iterator[BinaryIO]:
    """Open a file for the `with` block that becomes `target` at its end, or is deleted if the block fails.

    What is there and is not a regular file, such as a device, is written to instead.
    """
    if os.path.exists(target) and not os.path.isfile(target):  # noqa: PTH110, PTH113  the path is text, as typed
        with open(target, "wb") as file:  # noqa: PTH123  as above
            yield file
        return
    path = f"{target}.part"
    try:
        with open(path, "wb") as file:  # noqa: PTH123  as above
            yield file
        os.replace(path, target)  # noqa: PTH105  as above
    except OSError as error:
        if error.filename == path:  # which the user has not named
            error.filename, error.filename2 = target, None
        raise
    finally:
        with suppress(FileNotFoundError):
            os.unlink(path)  # noqa: PTH108  as above


def row_count(source: str) -> int:
    """Return the number of rows of a Parquet file. Raises ValueError if it is none, OSError."""
    return int(pq.read_metadata(source).num_rows)


def _batches(file: pq.ParquetFile) -> Iterator[pa.RecordBatch]:
    """Yield the rows of `file`. Raises ValueError if they cannot be read."""
    try:
        yield from file.iter_batches(BATCH)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"cannot be read: {error}") from error


def parse_file(
    source: str, target: str, column: str, into: str, parser: Parser, on_rows: Callable[[int], object]
) -> Summary:
    """Write the Parquet file `source` to `target`, with one more column; return the summary.

    `target` appears when it is complete, and may be `source`. `on_rows` gets the number of rows of each batch that is
    done. Raises ValueError or TypeError for a file or a column that cannot be parsed, OSError.
    """
    summary = Summary()
    with pq.ParquetFile(source, pre_buffer=False, buffer_size=PIECE) as file:  # or else it is in memory as a whole
        schema = file.schema_arrow
        check_names(schema.names, column, into)
        empty = add_parts(schema.empty_table(), column, into, parser)
        with _new_file(target) as path, pq.ParquetWriter(path, empty.schema) as writer:
            for batch in _batches(file):
                done = add_parts(batch, column, into, parser)
                summary.add(done.column(into))
                writer.write_batch(done)
                on_rows(len(done))
    return summary
