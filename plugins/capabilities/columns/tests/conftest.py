"""Texts of every scheme and with every mistake; and Spark and Ray, on this machine only."""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import urlschemes

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGE = "needs {}: python3 dev --group columns --group engines pytest -m slow"
TABLES = Path(__file__).parents[4] / "tests" / "tables"


@pytest.fixture(scope="session")
def corpus() -> list[str | None]:
    """Texts of the records, of the tables of cases and mistakes, and the same with one character changed."""
    return [None, *_texts(), None]


def _texts() -> Iterator[str]:
    chance = random.Random(1738)
    lines = (TABLES / "urls.jsonl").read_text("utf-8").splitlines()
    mistakes = tomllib.loads((TABLES / "mistakes.toml").read_text("utf-8"))["mistake"]
    texts = [json.loads(line)["url"] for line in lines] + [row["text"] for row in mistakes]
    registries = (urlschemes.default_registry, urlschemes.Registry(profile="rfc3986"))
    records = [record for registry in registries for record in registry.registrations()]
    texts += [example.url for record in records for example in record.examples]
    texts = [text for text in texts if not any("\ud800" <= character <= "\udfff" for character in text)]
    yield from texts
    for text in texts * 3:
        place, character = chance.randrange(len(text) + 1), chance.choice("%%aZ/@@:;# ?&=[]~\x00\xe9")
        yield chance.choice((text[:place] + character + text[place:], text[:place] + text[place + 1 :], text[:place]))
    yield from ("", ":", "x:", "http:", "HTTP://HOST.DOM/", "http://h/" + "a" * 70_000, "ftp://h:" + "1" * 30 + "/")
    yield from ("ftp://h/%FF/%C3%A9/%00", "http://h/%E9", "http://h:" + "9" * 18, "http://h:" + "9" * 19)


@pytest.fixture
def pyspark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql", reason=LARGE.format("pyspark"))
    if shutil.which("java") is None:
        pytest.skip("needs Java 17, for Spark")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    options = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(tmp_path / "spark"),
        "spark.sql.warehouse.dir": str(tmp_path / "warehouse"),
    }
    session = sql.SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")  # workers use this environment as it is
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    module = pytest.importorskip("ray", reason=LARGE.format("ray"))
    pytest.importorskip("ray.data", reason=LARGE.format("ray"))
    paths = os.pathsep.join(path for path in sys.path if path)
    module.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
        object_store_memory=200_000_000,
        runtime_env={"env_vars": {"PYTHONPATH": paths}},
        _node_ip_address="127.0.0.1",
    )
    yield module
    module.shutdown()
