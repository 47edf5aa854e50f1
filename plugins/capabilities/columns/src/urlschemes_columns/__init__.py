"""Columns of URLs: Arrow arrays of texts in, struct arrays of their parts and errors out.

    parser.py           parse, parse_table, Parser: every kind of Arrow array, in bounded slices; tables
    part_columns.py     the columns that can be asked for, and their Arrow types
    row_reading.py      a loop over `registry.parse`
    native_reading.py   the same by urlschemes-native, without a Python object for each row
    pandas.py, polars.py, duckdb.py, dask.py, spark.py, ray.py   each engine, in its own way
    files.py            Parquet, CSV and lines of text, in batches; rows by scheme and code, with samples
    command.py          `urlschemes columns`

Modules of engines are imported by those who use them; nothing else here needs an engine.
"""

from urlschemes_columns.parser import Parser, parse, parse_table

__all__ = ["Parser", "parse", "parse_table"]
