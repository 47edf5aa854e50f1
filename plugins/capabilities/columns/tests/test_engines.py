"""The faces for engines, each with the real engine: polars, pandas, DuckDB, Dask, Spark, Ray Data."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from urlschemes import Registry

pytest.importorskip("pyarrow", reason="needs pyarrow: python3 dev --group columns pytest")
pytest.importorskip("urlschemes_columns", reason="needs urlschemes-columns: python3 dev --group columns pytest")

import pyarrow as pa
import pyarrow.parquet as pq

from urlschemes_columns import parse_table

NEEDS = "needs {}: python3 dev --group columns pytest"
PARTS = ("scheme", "host", "host.raw", "port", "directories", "fields")
TEXTS = ["http://Host.dom/", None, "ftp://h:2121/a%2Fb/c/d", "prospero://h/x;a=1", "http://a b/", "x-no:a"]
VALID = [True, None, True, True, False, False]
CODES = [None, "missing-url", None, None, "invalid-character", "unknown-scheme"]
PORTS = [80, None, 2121, 1525, None, None]
FIELDS = ("scheme", "host", "host.raw", "port", "directories", "fields", "code", "position")
ROWS: list[dict[str, Any]] = [
    dict(zip(FIELDS, ("http", "host.dom", "Host.dom", 80, None, None, None, None), strict=True)),
    dict(zip(FIELDS, (None,) * 6 + ("missing-url", None), strict=True)),
    dict(zip(FIELDS, ("ftp", "h", "h", 2121, ["a/b", "c"], None, None, None), strict=True)),
    dict(zip(FIELDS, ("prospero", "h", "h", 1525, None, [{"name": "a", "value": "1"}], None, None), strict=True)),
    dict(zip(FIELDS, ("http", None, None, None, None, None, "invalid-character", 8), strict=True)),
    dict(zip(FIELDS, ("x-no", None, None, None, None, None, "unknown-scheme", None), strict=True)),
]
THEIR_WARNINGS = pytest.mark.filterwarnings("default")  # engines call each other in ways that are deprecated
NO_FTP, MODERN = Registry(disable=["ftp"]), Registry(profile="rfc3986")


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A Parquet file of two row groups."""
    path = tmp_path / "urls.parquet"
    pq.write_table(pa.table({"n": range(6), "url": TEXTS}), path, row_group_size=4)
    return str(path)


# Arrow


@pytest.mark.parametrize("rows", ["table", "batch"])
def test_a_table_gets_one_more_column(rows: str) -> None:
    table = pa.table({"n": range(6), "url": TEXTS})
    parsed = parse_table(table if rows == "table" else table.to_batches()[0], parts=PARTS)
    assert type(parsed) is (pa.Table if rows == "table" else pa.RecordBatch)
    assert parsed.column("n").to_pylist() == [*range(6)]
    assert parsed.column("parsed").to_pylist() == ROWS


def test_a_missing_column_and_one_too_many_are_named() -> None:
    table = pa.table({"n": [1], "url": ["http://h/"]})
    with pytest.raises(ValueError, match="there is no column 'uri': expected one of n, url"):
        parse_table(table, "uri")
    with pytest.raises(ValueError, match="there is already a column 'n': choose another name"):
        parse_table(table, into="n")
    with pytest.raises(ValueError, match="there are several columns 'url': give the one with the URLs"):
        parse_table(table.rename_columns(["url", "url"]))


def test_what_is_no_table_or_no_name_is_refused() -> None:
    wrong: Any = {"url": ["http://h/"]}
    with pytest.raises(TypeError, match="expected a Table or RecordBatch of pyarrow, got dict"):
        parse_table(wrong)
    with pytest.raises(TypeError, match="into must be a str, the name of the new column, not dict"):
        parse_table(pa.table(wrong), into=wrong)


# pandas


@pytest.mark.parametrize("dtype", ["str", "object", "string[pyarrow]", "category"])
def test_a_series_of_pandas(dtype: str) -> None:
    pd = pytest.importorskip("pandas", reason=NEEDS.format("pandas"))
    pytest.importorskip("urlschemes_columns.pandas")
    series = pd.Series(TEXTS, index=list("abcdef"), dtype=dtype)
    frame = series.url.parse(PARTS)
    assert [*frame.columns] == [*FIELDS]
    assert [*frame.index] == [*"abcdef"]
    assert [None if value is pd.NA else value for value in frame["port"]] == PORTS
    assert [*frame["directories"].iloc[2]] == ["a/b", "c"]
    assert series.url.is_valid().isna().tolist() == [value is None for value in VALID]
    assert series.url.is_valid().fillna(value=True).tolist() == [value is not False for value in VALID]
    assert series.url.host.dropna().to_dict() == {"a": "host.dom", "c": "h", "d": "h"}
    with pytest.raises(AttributeError, match="unknown part 'hots'"):
        assert series.url.hots
    assert series.url(MODERN).query.dropna().empty
    with pytest.raises(AttributeError, match=r"unknown part 'query' in the profile rfc1738: .* url\(registry\)"):
        assert series.url.query
    assert series.url(NO_FTP).code().dropna().to_dict() == {
        "b": "missing-url",
        "c": "unknown-scheme",
        "e": "invalid-character",
        "f": "unknown-scheme",
    }


@THEIR_WARNINGS
def test_a_series_with_a_lone_surrogate() -> None:
    pd = pytest.importorskip("pandas", reason=NEEDS.format("pandas"))
    pytest.importorskip("urlschemes_columns.pandas")
    texts = pd.Series(["http://h/\udcff", None, "http://h/"], dtype=object)
    parsed = texts.url.parse()
    assert (parsed["code"][0], parsed["position"][0], parsed["host"][2]) == ("invalid-character", 9, "h")


@pytest.mark.parametrize("values", [[None], [float("nan")], []])
@pytest.mark.parametrize("dtype", ["object", "float64"])
def test_a_series_without_values_is_all_missing(values: list[Any], dtype: str) -> None:
    pd = pytest.importorskip("pandas", reason=NEEDS.format("pandas"))
    pytest.importorskip("urlschemes_columns.pandas")
    assert pd.Series(values, dtype=dtype).url.code().tolist() == ["missing-url"] * len(values)


def test_a_series_of_other_objects_is_refused() -> None:
    pd = pytest.importorskip("pandas", reason=NEEDS.format("pandas"))
    pytest.importorskip("urlschemes_columns.pandas")
    with pytest.raises(TypeError, match="expected a Series of texts, got int in the row 'c'"):
        pd.Series(["http://h/", None, 1, 2], index=list("abcd"), dtype=object).url.code()
    with pytest.raises(TypeError, match="expected a Series of texts, got datetime64 in the row 1"):
        pd.Series(["http://h/", pd.Timestamp("NaT").to_numpy()], dtype=object).url.code()
    with pytest.raises(TypeError, match="expected an Arrow array of strings, got one of int64"):
        pd.Series([1]).url.code()


# polars


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_an_expression_of_polars(engine: Any, file: str) -> None:
    pl = pytest.importorskip("polars", reason=NEEDS.format("polars"))
    pytest.importorskip("urlschemes_columns.polars")
    url = pl.col("url").url
    query = pl.scan_parquet(file).select(
        "n",
        parsed=url.parse(PARTS),
        valid=url.is_valid(),
        code=url.code(),
        port=url.port,
        without=url(NO_FTP).code(),
    )
    frame = query.sort("n").collect(engine=engine)
    assert frame.schema == query.collect_schema()
    assert frame["parsed"].to_list() == ROWS
    assert frame["valid"].to_list() == VALID
    assert frame["code"].to_list() == CODES
    assert frame["port"].to_list() == PORTS
    series = pl.Series("url", TEXTS)
    assert series.url.parse(PARTS).to_list() == ROWS
    assert (series.url.is_valid().to_list(), series.url.code().to_list()) == (VALID, CODES)
    assert series.url.port.to_list() == PORTS
    assert frame["without"].to_list()[2] == "unknown-scheme"


# DuckDB


def test_functions_in_sql(file: str) -> None:
    duckdb = pytest.importorskip("duckdb", reason=NEEDS.format("duckdb"))
    register = pytest.importorskip("urlschemes_columns.duckdb").register
    with duckdb.connect() as connection:
        register(connection, PARTS)
        query = f"SELECT url_parse(url), url_is_valid(url), url_code(url) FROM '{file}' ORDER BY n"
        assert connection.sql(query).fetchall() == [*zip(ROWS, VALID, CODES, strict=True)]
        counted = (
            "SELECT p.scheme, count(*) FROM (SELECT url_parse(url) AS p FROM '{}') WHERE p.code IS NULL GROUP BY ALL"
        )
        assert sorted(connection.sql(counted.format(file)).fetchall()) == [("ftp", 1), ("http", 1), ("prospero", 1)]
        valid = connection.sql(f"SELECT count(*) FROM '{file}' WHERE url_code(url) IS NULL")
        assert valid.fetchall() == [(VALID.count(True),)]
        with pytest.raises(ValueError, match="unknown part 'hots'"):
            register(connection, ["hots"])


def test_functions_in_sql_are_replaced_by_the_connection_that_registered_them() -> None:
    duckdb = pytest.importorskip("duckdb", reason=NEEDS.format("duckdb"))
    register = pytest.importorskip("urlschemes_columns.duckdb").register
    query = "SELECT url_parse('http://h/a')"
    with pytest.raises(TypeError, match="expected a connection, got NoneType"):
        register(None)
    with duckdb.connect() as connection, connection.cursor() as cursor:
        for parts in (["host"], ["path"], ["path"]):
            register(connection, parts)
            for each in (connection, cursor):
                ((row,),) = each.sql(query).fetchall()
                assert [*row] == [*parts, "code", "position"]
        with pytest.raises(ValueError, match="already has a function 'url_is_valid', which this connection"):
            register(cursor)
        assert connection.sql(query).fetchall() == [(row,)]


def test_functions_in_sql_are_not_registered_within_a_transaction() -> None:
    duckdb = pytest.importorskip("duckdb", reason=NEEDS.format("duckdb"))
    register = pytest.importorskip("urlschemes_columns.duckdb").register
    with duckdb.connect() as connection:
        register(connection)
        for statement in ("SELECT 1", "BEGIN"):  # a second BEGIN aborts the transaction
            connection.begin()
            with suppress(duckdb.TransactionException):
                connection.execute(statement).fetchall()
            with pytest.raises(ValueError, match=r"within a transaction: call commit\(\) or rollback\(\) first"):
                register(connection)
            connection.rollback()
            assert connection.sql("SELECT url_is_valid('http://h/')").fetchall() == [(True,)]
        register(connection)


# Dask


@THEIR_WARNINGS
@pytest.mark.parametrize("scheduler", ["threads", pytest.param("processes", marks=pytest.mark.slow)])
def test_a_series_of_dask(scheduler: str, file: str) -> None:
    dd = pytest.importorskip("dask.dataframe", reason=NEEDS.format("dask"))
    pytest.importorskip("urlschemes_columns.dask")
    series = dd.read_parquet(file, split_row_groups=True)["url"]
    frame = series.url.parse(PARTS)
    computed = frame.compute(scheduler=scheduler, num_workers=2)
    assert (computed.dtypes == frame.dtypes).all()
    assert [*computed.columns] == [*FIELDS]
    assert computed["code"].fillna("").tolist() == [code or "" for code in CODES]
    assert series.url.port.compute(scheduler=scheduler, num_workers=2).fillna(0).tolist() == [
        port or 0 for port in PORTS
    ]
    valid = series.url.is_valid().compute(scheduler=scheduler, num_workers=2)
    assert valid.fillna(value=True).tolist() == [value is not False for value in VALID]
    codes = series.url(NO_FTP).code().compute(scheduler=scheduler, num_workers=2)
    assert codes.tolist()[2] == "unknown-scheme"


@THEIR_WARNINGS
def test_wrong_arguments_for_dask_are_errors_of_urlschemes() -> None:
    dd = pytest.importorskip("dask.dataframe", reason=NEEDS.format("dask"))
    pytest.importorskip("urlschemes_columns.dask")
    pd = pytest.importorskip("pandas", reason=NEEDS.format("pandas"))
    texts, numbers = (dd.from_pandas(pd.Series(each), npartitions=1) for each in (["http://h/"], [1]))
    with pytest.raises(ValueError, match=r"^unknown part 'hosst'"):
        texts.url.parse(("hosst",))
    with pytest.raises(TypeError, match=r"^parts is a collection of names, not one string"):
        texts.url.parse("host")
    with pytest.raises(TypeError, match=r"^expected an Arrow array of strings, got one of int64"):
        numbers.url.code()


# Spark


@pytest.mark.slow
@pytest.mark.timeout(600)
@THEIR_WARNINGS
def test_a_data_frame_of_spark(pyspark: Any, file: str) -> None:
    parse = pytest.importorskip("urlschemes_columns.spark").parse
    frame = pyspark.read.parquet(file)
    parsed = frame.transform(parse, "url", parts=PARTS).orderBy("n")
    assert [row["parsed"].asDict(recursive=True) for row in parsed.collect()] == ROWS
    counts = parsed.where("parsed.code IS NULL").groupBy("parsed.scheme").count().collect()
    assert {row["scheme"]: row["count"] for row in counts} == {"http": 1, "ftp": 1, "prospero": 1}
    without = parse(frame, into="p", registry=NO_FTP).where("p.code = 'unknown-scheme'")
    assert without.count() == 2
    with pytest.raises(ValueError, match="there is no column 'uri': expected one of n, url"):
        parse(frame, "uri")


@pytest.mark.slow
@pytest.mark.timeout(600)
@THEIR_WARNINGS
def test_a_worker_of_spark_without_urlschemes_is_named(pyspark: Any, file: str, tmp_path: Path) -> None:
    parse = pytest.importorskip("urlschemes_columns.spark").parse
    (tmp_path / "urlschemes_columns.py").write_text("raise ModuleNotFoundError('there is none')")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}:$PYTHONPATH" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    pyspark.sparkContext.pythonExec = str(python)  # as PYSPARK_PYTHON sets it when the session begins
    message = r"which Spark runs as a worker, cannot import urlschemes-columns \(there is none\): .* PYSPARK_PYTHON"
    with pytest.raises(Exception, match=message):
        parse(pyspark.read.parquet(file)).collect()


# Ray Data


@pytest.mark.slow
@pytest.mark.timeout(600)
@THEIR_WARNINGS
def test_a_dataset_of_ray(ray: Any, file: str) -> None:
    parse = pytest.importorskip("urlschemes_columns.ray").parse
    dataset = ray.data.read_parquet(file)
    rows = parse(dataset, "url", parts=("scheme", "host", "port")).sort("n").take_all()
    assert [row["parsed"]["port"] for row in rows] == PORTS
    assert [row["parsed"]["code"] for row in rows] == CODES
    without = parse(dataset, registry=NO_FTP).sort("n").take_all()
    assert without[2]["parsed"]["code"] == "unknown-scheme"
