"""The log of accesses: its lines, where they go, and that it never fails an access."""

from __future__ import annotations

import json
import logging
import os
import re
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import urlschemes_access
from urlschemes import Registry
from urlschemes.errors import URLError
from urlschemes_access import Policy, PolicyDenied
from urlschemes_access.hooks import Observation
from urlschemes_accesslog import VARIABLE
from urlschemes_accesslog import urlschemes_observe as observe
from urlschemes_servers import http_server
from urlschemes_servers.http import echo

HERE = Policy.interactive()
FIELDS = [
    "time",
    "pid",
    "operation",
    "scheme",
    "url",
    "outcome",
    "seconds",
    "error",
    "message",
    "rule",
    "host",
    "address",
]


@pytest.fixture(autouse=True)
def quiet(monkeypatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.fixture
def log(tmp_path, monkeypatch) -> Path:
    """The file that the variable names, which does not exist yet."""
    file = tmp_path / "access.log"
    monkeypatch.setenv(VARIABLE, str(file))
    return file


def lines(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text("ascii").splitlines()]


def read(url: str) -> bytes:
    with urlschemes_access.access(url, policy=HERE, registry=Registry()) as document:
        return document.read()


def test_the_line_of_a_refusal_has_rule_host_and_address(log):
    with pytest.raises(PolicyDenied):
        urlschemes_access.access("http://127.0.0.1/", registry=Registry())
    (line,) = lines(log)
    assert (line["rule"], line["host"], line["address"]) == ("networks", "127.0.0.1", "127.0.0.1")


def test_every_observation_is_one_line(log):
    with http_server(handler=echo) as server:
        assert read(f"http://{server}/a") == b"/a"
        registry = Registry()
        urlschemes_access.find_attributes(f"http://{server}/b", policy=HERE, registry=registry)
        with pytest.raises(URLError):
            urlschemes_access.access("http://me:secret@host.dom/%0D%0A", registry=registry)
        urlschemes_access.access(f"http://{server}/c", policy=HERE, registry=registry).close()
    found = lines(log)
    assert [list(each) for each in found] == [FIELDS] * len(found)
    assert [
        (each["operation"], each["url"].rpartition("/")[2], each["outcome"], each["error"]) for each in found[:3]
    ] == [
        ("access", "a", "opened", None),
        ("access", "a", "completed", None),
        ("find attributes", "b", "opened", None),
    ]
    for each in found:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", each["time"])
        assert each["pid"] == os.getpid()
        assert each["scheme"] == "http"
        assert 0 <= each["seconds"] < 60
        assert (each["outcome"] == "failed") == (each["error"] is not None) == (each["message"] is not None)


def test_no_password_and_no_line_break_is_logged(log):
    error = URLError("ftp://u:secret@h/ \n{}")
    observe(Observation("access", "ftp", "ftp://u:***@h/\\x0a", "failed", error, 0.5))
    (line,) = log.read_text("ascii").splitlines()
    assert "secret" not in line
    assert json.loads(line)["error"] == "url-error"
    with pytest.raises(URLError):
        urlschemes_access.access(
            "ftp://me:secret@host.dom/", policy=Policy(denied_schemes={"ftp"}), registry=Registry()
        )
    assert "secret" not in log.read_text("ascii")
    assert lines(log)[-1]["url"] == "ftp://me:***@host.dom/"


@pytest.mark.skipif(os.name == "nt", reason="there are no such modes")
def test_the_file_is_private_and_only_appended_to(log):
    old = os.umask(0)
    try:
        observe(Observation("access", "x-a", "x-a:", "opened", None, 0.0))
    finally:
        os.umask(old)
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    log.write_text("{}\n")
    observe(Observation("access", "x-a", "x-a:", "opened", None, 0.0))
    assert len(lines(log)) == 2


def test_lines_of_several_threads_and_processes_stay_whole(log):
    observation = Observation("access", "x-a", "x-a:" + "b" * 1900, "opened", None, 0.0)
    code = (
        "from urlschemes_access.hooks import Observation\nfrom urlschemes_accesslog import urlschemes_observe\n"
        f"for _ in range(200): urlschemes_observe(Observation(*{tuple(observation)!r}))"
    )
    others = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(observe, [observation] * 200))
    assert [other.wait(60) for other in others] == [0, 0]
    assert [each["url"] for each in lines(log)] == [observation.url] * 600


def test_a_log_that_cannot_be_written_fails_no_access(log, monkeypatch, caplog):
    with http_server(handler=echo) as server:
        for file, reason in (
            (str(log.parent), "Is a directory"),
            (str(log.parent / "none" / "log"), "No such file"),
            ("log", "the path is not absolute"),
        ):
            monkeypatch.setenv(VARIABLE, file)
            caplog.clear()
            assert read(f"http://{server}/a") == b"/a"
            warnings = [each.getMessage() for each in caplog.records if each.levelno == logging.WARNING]
            assert len(warnings) == 1  # for two observations
            assert f"cannot write the access log {file}: {reason}" in warnings[0]


def test_the_logger_gets_records_if_info_is_enabled(caplog):
    with http_server(handler=echo) as server:
        assert read(f"http://{server}/a") == b"/a"
        assert caplog.records == []  # INFO is not enabled
        with caplog.at_level(logging.INFO, "urlschemes_access.access"):
            assert read(f"http://{server}/b") == b"/b"
    records = [each for each in caplog.records if each.name == "urlschemes_access.access"]
    assert [each.access["outcome"] for each in records] == ["opened", "completed"]
    assert [json.loads(each.getMessage()) for each in records] == [each.access for each in records]


def test_without_a_log_nothing_is_imported():
    code = """
import sys
from urlschemes_access.hooks import Observation
import urlschemes_accesslog
before = set(sys.modules)
urlschemes_accesslog.urlschemes_observe(Observation("access", "x-a", "x-a:", "opened", None, 0.0))
print(sorted(set(sys.modules) - before), "logging" in sys.modules)
"""
    environ = {name: value for name, value in os.environ.items() if name != VARIABLE}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, env=environ)
    assert (done.stdout, done.stderr) == ("[] False\n", "")
