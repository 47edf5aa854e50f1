"""Libraries that read by fsspec: pandas, polars, Dask, DuckDB."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from urlschemes_access import Policy
from urlschemes_servers import gopher_server, nntp_server
from urlschemes_servers.gopher import binary, menu
from urlschemes_servers.nntp import Newsgroup, article

NEEDS = "needs {}: python3 dev --group bridges pytest"
fsspec = pytest.importorskip("fsspec", reason=NEEDS.format("fsspec"))
REFUSED = r"127\.0\.0\.1 is not on the public Internet; policy rule 'networks'"

LOOPBACK = Policy(networks=("127.0.0.0/8",))
ROWS = [("tea", 3), ("coffee", 4)]


@pytest.fixture(scope="module")
def prices() -> Iterator[str]:
    """The URL of a CSV file on a Gopher server."""
    with gopher_server(menu({"prices.csv": binary(b"name,price\ntea,3\ncoffee,4\n")})) as address:
        yield f"gopher://{address}/9/prices.csv"


def test_pandas_reads_where_the_policy_allows_it(prices: str) -> None:
    pandas = pytest.importorskip("pandas", reason=NEEDS.format("pandas"))
    frame = pandas.read_csv(f"urlschemes+{prices}", storage_options={"policy": LOOPBACK})
    assert [*frame.itertuples(index=False, name=None)] == ROWS
    with pytest.raises(PermissionError, match=REFUSED):
        pandas.read_csv(f"urlschemes+{prices}")


def test_polars_reads_an_open_document(prices: str) -> None:
    polars = pytest.importorskip("polars", reason=NEEDS.format("polars"))
    with fsspec.open(prices, policy=LOOPBACK) as file:
        assert polars.read_csv(file).rows() == ROWS


def test_duckdb_queries_a_registered_filesystem(prices: str, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason=NEEDS.format("duckdb"))
    files = fsspec.filesystem("gopher", policy=LOOPBACK)
    with duckdb.connect() as connection:
        connection.register_filesystem(files)
        for url in (prices, f"urlschemes+{prices}"):
            assert connection.execute(f"SELECT * FROM read_csv('{url}')").fetchall() == ROWS
        connection.execute(f"COPY (SELECT * FROM read_csv('{prices}')) TO '{tmp_path}/prices.parquet'")
        with gopher_server(tmp_path) as address:
            query = f"SELECT * FROM read_parquet('gopher://{address}/9/prices.parquet')"
            assert connection.execute(query).fetchall() == ROWS
    with duckdb.connect() as connection:
        connection.register_filesystem(fsspec.filesystem("gopher"))
        with pytest.raises(Exception, match=REFUSED):
            connection.execute(f"SELECT * FROM read_csv('{prices}')")


@pytest.mark.parametrize("scheduler", ["threads", pytest.param("processes", marks=pytest.mark.slow)])
def test_dask_reads_many_articles_in_workers(scheduler: str) -> None:
    bag = pytest.importorskip("dask.bag", reason=NEEDS.format("dask"))
    count = 60
    articles = [article(f"Number {number}", f"body {number}\n") for number in range(1, count + 1)]
    with nntp_server({"misc.test": Newsgroup(articles)}) as address:
        urls = [f"nntp://{address}/misc.test/{number}" for number in range(1, count + 1)]
        lines = bag.read_text(urls, files_per_partition=15, storage_options={"policy": LOOPBACK})
        bodies = lines.filter(lambda line: line.startswith("body")).map(str.strip)
        assert bodies.compute(scheduler=scheduler, num_workers=2) == [f"body {n}" for n in range(1, count + 1)]
        with pytest.raises(PermissionError, match=REFUSED):
            bag.read_text(urls).compute(scheduler=scheduler, num_workers=2)
