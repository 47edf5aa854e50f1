"""One Parquet file read in batches, in a process of its own, which prints a line of JSON.

It is `python -m parsing.column_client WHO FILE`. WHO is `urlsplit`, or `urlschemes`, which uses the native reader if it
is installed and not switched off. Both make columns of scheme, user, host, port and path; `urlschemes` makes two more,
of errors.
"""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.parquet as pq

from common.measurement import peak
from urlschemes_columns import Parser

if TYPE_CHECKING:
    from collections.abc import Callable

BATCH = 131_072
PARTS = ("scheme", "user", "host", "port", "path")
FIRST = ("http://host.dom/", "http://host.dom/a b")
"""Rows that are read first: records are read and schemes loaded then, and made ready to explain an error."""


def main(who: str, file: str) -> None:
    """Read, and print CPU seconds of what is done with the batches, and the growth of the peak of memory."""
    first = pa.array(FIRST)  # pyarrow imports pandas for it, if that is installed
    begun = time.process_time()
    read: Callable[[Any], object] = _split if who == "urlsplit" else Parser(PARTS).parse
    read(first)
    once = time.process_time() - begun
    before, cpu, rows = peak(), 0.0, 0
    with pq.ParquetFile(file, pre_buffer=False) as opened:
        for batch in opened.iter_batches(BATCH):
            begun = time.process_time()
            read(batch.column("url"))
            cpu += time.process_time() - begun
            rows += len(batch)
    print(json.dumps({"rows": rows, "cpu": cpu, "once": once, "memory": peak() - before}))


def _split(array: Any) -> Any:
    columns: tuple[list[Any], ...] = ([], [], [], [], [])
    for text in array.to_pylist():
        try:
            url = urlsplit(text)
            values = (url.scheme, url.username, url.hostname, url.port, url.path)
        except ValueError:
            values = (None, None, None, None, None)
        for column, value in zip(columns, values, strict=True):
            column.append(value)
    return pa.StructArray.from_arrays([pa.array(column) for column in columns], names=[*PARTS])


if __name__ == "__main__":
    main(*sys.argv[1:])
