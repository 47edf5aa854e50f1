"""Rows counted by scheme and code, in Arrow and in DuckDB, in a process of its own, which prints a line of JSON.

It is `python -m parsing.duckdb_client FILE`: CPU seconds for the column `url` of the Parquet file, which is in memory,
as an Arrow array and as a table of DuckDB, on one thread.
"""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from parsing.column_client import FIRST, PARTS
from urlschemes_columns import Parser
from urlschemes_columns.duckdb import register

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 3
QUERY = "SELECT p.scheme, p.code, count(*) FROM (SELECT url_parse(url) AS p FROM urls) GROUP BY ALL"


def main(file: str) -> None:
    """Count in three ways in turn, and print the least CPU time of each."""
    rows = pq.read_table(file)
    connection = duckdb.connect(config={"threads": 1})
    register(connection, PARTS)
    connection.sql("SELECT url FROM rows").create("urls")
    texts, parser = rows["url"].combine_chunks(), Parser(PARTS)
    parser.parse(pa.array(FIRST))

    def count(array: pa.Array | pa.ChunkedArray) -> list[dict[str, object]]:
        parsed = pa.Table.from_struct_array(parser.parse(array))
        groups = parsed.group_by(["scheme", "code"], use_threads=False)
        counts: list[dict[str, object]] = groups.aggregate([([], "count_all")]).to_pylist()
        return counts

    ways: dict[str, Callable[[], object]] = {
        "Arrow": lambda: count(texts),
        "Arrow, from a table of DuckDB": lambda: count(connection.sql("FROM urls").to_arrow_table()["url"]),
        "DuckDB, `url_parse`": lambda: connection.sql(QUERY).fetchall(),
    }
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(ROUNDS):
        for name, way in ways.items():
            begun = time.process_time()
            way()
            best[name] = min(best[name], time.process_time() - begun)
    print(json.dumps(best))


if __name__ == "__main__":
    main(*sys.argv[1:])
