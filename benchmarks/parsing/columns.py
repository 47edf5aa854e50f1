"""Columns of URLs in Parquet: time per row and memory, compared with a loop over `urlsplit`."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from common.corpus import typical_http
from common.measurement import ROOT, Figure
from common.peers import NATIVE, OURS, REFERENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["can_run", "columns"]

NEEDED = ("pyarrow", "urlschemes_columns")
PIECE = 100_000
SPOILT = 20
"""One row in so many is not a URL."""
TARGET, MOONSHOT = 1 / 25, 1 / 30
IN_DUCKDB = 1.3


def can_run() -> bool:
    """Return True if urlschemes-columns and pyarrow are installed."""
    return all(importlib.util.find_spec(name) for name in NEEDED)


def columns(most: int, rounds: int) -> Iterator[Figure]:
    """Yield time and memory for files of 100,000 rows, and of ten times as many until there are `most`."""
    if not can_run():
        sys.exit(
            "benchmarks: columns needs pyarrow: python3 dev --group columns --group benchmark python benchmarks/run.py"
        )
    native = [NATIVE] if importlib.util.find_spec("urlschemes_native") else []
    with tempfile.TemporaryDirectory() as folder:
        rows = PIECE
        while rows <= most:
            file = _file(Path(folder), rows)
            runs = {who: _best(who, file, rounds) for who in (REFERENCE, OURS, *native)}
            for who, run in runs.items():
                yield Figure(
                    table="columns from Parquet: CPU time per row, for scheme, user, host, port, path (and errors)",
                    what=f"{rows:,} rows",
                    who=who,
                    value=run["cpu"] / rows * 1e6,
                    unit="us",
                    ratio=run["cpu"] / runs[REFERENCE]["cpu"],
                    target=TARGET if who in native else None,
                    moonshot=MOONSHOT if who in native else None,
                    note=f"{rows / run['cpu'] / 1e6:.2f} million rows a second",
                )
            if rows == PIECE:
                for who, run in runs.items():
                    yield Figure(
                        table="columns: CPU time of the first call in a process, for one URL and one error",
                        what="2 rows",
                        who=who,
                        value=run["once"] * 1e3,
                        unit="ms",
                    )
            for who, run in runs.items():
                yield Figure(
                    table="columns from Parquet: growth of the peak of memory",
                    what=f"{rows:,} rows",
                    who=who,
                    value=run["memory"] / 1024 / 1024,
                    unit="MiB",
                )
            if importlib.util.find_spec("duckdb"):
                yield from _in_duckdb(file, rows)
            rows *= 10


def _in_duckdb(file: Path, rows: int) -> Iterator[Figure]:
    """Yield the CPU time of counting in DuckDB, compared with Arrow."""
    command = [sys.executable, "-m", "parsing.duckdb_client", str(file)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=ROOT)
    runs = json.loads(done.stdout)
    for who, seconds in runs.items():
        yield Figure(
            table="columns in memory: CPU time per row of counting by scheme and code, one thread",
            what=f"{rows:,} rows",
            who=who,
            value=seconds / rows * 1e6,
            unit="us",
            ratio=seconds / runs["Arrow"],
            target=IN_DUCKDB if "url_parse" in who else None,
        )


def _file(folder: Path, rows: int) -> Path:
    """Write a file of so many rows, all different."""
    import pyarrow as pa  # late: an optional library
    import pyarrow.parquet as pq

    texts = typical_http(PIECE // 10)
    path = folder / f"{rows}.parquet"
    with pq.ParquetWriter(path, pa.schema([("url", pa.string())])) as writer:
        for first in range(0, rows, PIECE):
            numbers = range(first, first + PIECE)
            urls = [_text(texts[number % len(texts)], number) for number in numbers]
            writer.write_batch(pa.record_batch({"url": urls}))
    return path


def _text(url: str, number: int) -> str:
    host, slash, rest = url.removeprefix("http://").partition("/")
    return f"http://{host}/{number}{' ' if number % SPOILT == 0 else ''}{slash}{rest}"


def _best(who: str, file: Path, rounds: int) -> dict[str, float]:
    """Return the run with the least CPU time."""
    environment = {**os.environ, "URLSCHEMES_NATIVE": "" if who == NATIVE else "none"}
    command = [sys.executable, "-m", "parsing.column_client", REFERENCE if who == REFERENCE else OURS, str(file)]
    runs = []
    for _ in range(rounds):
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=environment, cwd=ROOT)
        runs.append(json.loads(done.stdout))
    best: dict[str, float] = min(runs, key=lambda run: run["cpu"])
    return best
