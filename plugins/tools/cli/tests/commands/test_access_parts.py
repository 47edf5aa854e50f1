"""`urlschemes access --range`, and `--continue`, also after Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from urlschemes_servers.http import HttpRequest, HttpResponse, http_server
from urlschemes_testing.loopback import Loopback

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


@pytest.mark.parametrize(("text", "start"), [("-5", 255995), ("-256000", 0), ("-999999999", 0)])
def test_a_range_may_be_of_the_last_octets(run, root: Path, text: str, start: int) -> None:
    with http_server(root) as address:
        done = run("access", "--json", "--range", text, f"http://{address}/big", plugins=HTTP)
    document = json.loads(done.stdout)
    assert (document["start"], document["octets"]) == (start, 256000 - start)


def test_the_last_octets_of_an_unknown_size_are_refused(run) -> None:
    def serve(connection: socket.socket) -> None:
        connection.recv(4096)
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")

    with Loopback(serve) as server:
        done = run("access", "--range", "-5", f"http://{server.address}/a", plugins=HTTP)
    assert (done.exit_code, "the size of the resource" in done.stderr) == (4, True)


@pytest.mark.parametrize(
    ("path", "name"),
    [("big", "big"), ("big?x=1/y", "big"), ("%2e%2e%2fbig", "_._big"), (".big", "_big"), ("-big", "_big")],
)
def test_a_file_is_named_after_the_url(run, tmp_path: Path, monkeypatch, path: str, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    with http_server(tmp_path, handler=lambda _: HttpResponse(200, b"x")) as address:
        done = run("access", "-O", f"http://{address}/a/{path}", plugins=HTTP)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", f"urlschemes: saved as {name}\n")
    assert (tmp_path / name).read_bytes() == b"x"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("-O", "http://h/"), "no file can be named after http://h/: give -o FILE"),
        (("-O", "-o", "x", "http://h/a"), "-O and -o cannot be combined"),
        (("-O", "http://h/taken/"), "'taken' is a folder"),
    ],
)
def test_no_file_is_named_after_these(run, tmp_path: Path, monkeypatch, words: tuple[str, ...], problem: str) -> None:
    (tmp_path / "taken").mkdir()
    monkeypatch.chdir(tmp_path)
    done = run("access", *words, plugins=HTTP)
    assert (done.exit_code, problem in done.stderr) == (2, True)


@pytest.mark.parametrize("text", ["5", "-0", "-", "5-4", "a-b", "+1-2", "1-2-3", "\u0661-\u0662"])
def test_anything_else_is_no_range(run, text: str) -> None:
    result = run("access", "--range", text, f"{SHELF}/vase")
    assert (result.exit_code, "expected FIRST-LAST, as in 0-499, FIRST-, or -N" in result.stderr) == (2, True)


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
