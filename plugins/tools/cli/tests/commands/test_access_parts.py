"""`urlschemes access --range`, and `--continue`, also after Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from urlschemes_servers.http import HttpRequest, HttpResponse, http_server

HTTP = "urlschemes-http"
CONTENT = bytes(range(256)) * 1000
SHELF = "x-shelf://127.0.0.1"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "big").write_bytes(CONTENT)
    os.utime(folder / "big", (1_000_000_000, 1_000_000_000))
    return folder


def test_a_range_is_of_octets_both_included(run, root: Path) -> None:
    with http_server(root) as address:
        assert run("access", "--range", "65-69", f"http://{address}/big", plugins=HTTP).stdout == "ABCDE"
        document = json.loads(
            run("access", "--json", "--range", "255990-", f"http://{address}/big", plugins=HTTP).stdout
        )
        assert (document["start"], document["octets"]) == (255990, 10)


@pytest.mark.parametrize("text", ["5", "-5", "5-4", "a-b", "+1-2", "1-2-3", "\u0661-\u0662"])
def test_anything_else_is_no_range(run, text: str) -> None:
    result = run("access", "--range", text, f"{SHELF}/vase")
    assert (result.exit_code, "expected FIRST-LAST, as in 0-499" in result.stderr) == (2, True)


def test_a_scheme_without_ranges_says_so(run, tmp_path: Path) -> None:
    for options in (("--range", "0-5"), ("--continue", "-o", str(tmp_path / "saved"))):
        result = run("access", *options, f"{SHELF}/vase")
        assert (result.exit_code, "x-shelf has no ranges" in result.stderr) == (4, True)


def test_only_a_file_is_continued(run, tmp_path: Path) -> None:
    assert "--continue needs -o FILE" in run("access", "--continue", f"{SHELF}/vase").stderr
    both = run("access", "--continue", "--range", "0-5", "-o", str(tmp_path / "saved"), f"{SHELF}/vase")
    assert "cannot be combined" in both.stderr


@pytest.mark.skipif(os.name == "nt", reason="needs SIGINT")
def test_a_download_that_ctrl_c_interrupts_is_continued(run, environment, root: Path, tmp_path: Path) -> None:
    stopped = threading.Event()

    def pieces() -> Iterator[bytes]:
        yield CONTENT[:100_000]
        stopped.wait(60)

    def slow(request: HttpRequest) -> HttpResponse | None:
        fields = [("Last-Modified", "Sun, 09 Sep 2001 01:46:40 GMT")]
        return None if "Range" in request.headers else HttpResponse(200, pieces(), fields)

    saved, part = tmp_path / "saved", tmp_path / "saved.part"
    with http_server(root, handler=slow) as address:
        command = ["access", "--continue", "-o", str(saved), f"http://{address}/big"]
        process = subprocess.Popen(
            [sys.executable, "-m", "urlschemes_cli", *command],
            stderr=subprocess.PIPE,
            env={**environment, "URLSCHEMES_PLUGINS": HTTP},
        )
        try:
            deadline = time.monotonic() + 60
            while not (part.exists() and part.stat().st_size == 100_000) and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            _, written = process.communicate(timeout=60)
        finally:
            process.kill()
            stopped.set()
        assert (process.returncode, saved.exists()) == (130, False), written
        assert f"100,000 octets are kept in {part}: the same command continues there" in written.decode()
        result = run(*command, plugins=HTTP)
    assert (result.exit_code, result.stderr) == (
        0,
        "urlschemes: continued at octet 100,000, 256,000 octets in all\n",
    )
    assert (saved.read_bytes(), part.exists()) == (CONTENT, False)
