"""`urlschemes mirror`: trees of servers on this machine, also after Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from workspace import environ

from urlschemes_cli.app import command
from urlschemes_servers import gopher, prospero
from urlschemes_servers.ftp import ftp_server
from urlschemes_servers.http import http_server
from urlschemes_servers.nntp import Newsgroup, article, nntp_server
from urlschemes_testing.rogue import Visitor, rogue


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["mirror", *arguments], prog_name="urlschemes")


def gopher_hole() -> AbstractContextManager[Any]:
    docs = gopher.menu({"b": gopher.text("B\n"), "other": gopher.link("1", "/", "other.dom", 70, title="Other")})
    items = {
        "about": gopher.text("Welcome.\n", title="About this server"),
        "docs": docs,
        "find": gopher.search(title="Search"),
        "shell": gopher.link("8", "guest", "127.0.0.1", 23, title="A session"),
        "gone": gopher.failing(1, "it is gone", title="Gone"),
    }
    return gopher.gopher_server(gopher.menu(items))


def news() -> AbstractContextManager[Any]:
    articles = [article("One", "1\n", message_id="1@host.dom"), article("Two", "2\n", message_id="2@host.dom")]
    return nntp_server({"misc.test": Newsgroup(articles, first=7)})


def directory() -> AbstractContextManager[Any]:
    tree = prospero.directory({"notes": prospero.file(b"N\n"), "inner": prospero.directory({"b": prospero.file(b"B")})})
    return prospero.prospero_server(prospero.directory({"pros": tree}))


@pytest.mark.parametrize(
    ("server", "url", "files", "actions"),
    [
        (
            gopher_hole,
            "gopher://{}/",
            ["about", "docs/b", "docs/index", "index"],
            ["refused", "refused", "saved", "refused", "failed", "saved"],
        ),
        (news, "nntp://{}/misc.test", ["7", "8", "index"], ["saved", "saved"]),
        (directory, "prospero://{}//pros", ["inner/b", "notes"], ["saved", "saved"]),
    ],
    ids=["gopher", "nntp", "prospero"],
)
def test_a_tree_is_saved_and_then_unchanged(
    tmp_path: Path, server: Any, url: str, files: list[str], actions: list[str]
) -> None:
    folder = tmp_path / "saved"
    with server() as (host, port):
        arguments = (url.format(f"{host}:{port}"), str(folder))
        first, second = run(*arguments), run(*arguments)
    lines = [line.split("\t") for line in first.stdout.splitlines()]
    assert [action for action, *_ in lines] == actions, first.output
    saved = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")]
    assert sorted(path.relative_to(folder).as_posix() for path in saved) == files
    assert {path for action, _, path, *_ in lines if action == "saved"} <= {str(path) for path in saved}
    assert first.exit_code == second.exit_code == (3 if "failed" in actions else 0)
    again = [line.partition("\t")[0] for line in second.stdout.splitlines()]
    assert again == [action.replace("saved", "unchanged") for action in actions]
    assert f"{actions.count('saved')} unchanged" in second.stderr


def test_a_gopher_text_that_goes_on_after_its_dot_fails_until_its_octets_are_asked_for(tmp_path: Path) -> None:
    texts = {b"/marked": b"1\r\n.\r\n", b"/unmarked": b"2\r\n", b"/cut": b"3\n.\n4\n"}

    def serve(visitor: Visitor) -> None:
        selector = visitor.hear_until(b"\r\n").strip()
        menu = b"".join(b"0%b\t%b\t127.0.0.1\t%d\r\n" % (name, name, address.port) for name in texts)
        visitor.say(texts[selector] if selector else menu + b".\r\n")

    folder = tmp_path / "saved"
    with rogue(serve) as address:
        arguments = (f"gopher://{address}/", str(folder))
        first = run(*arguments)
        second = run(*arguments, "--option", "octets")
    lines = [line.split("\t") for line in first.stdout.splitlines()]
    assert [(line[0], *line[3:]) for line in lines[:2]] == [("saved",), ("saved", "unmarked end")]
    assert lines[2][0] == "failed"
    assert "but 2 octets follow it, which were left out" in lines[2][3]
    assert (first.exit_code, second.exit_code) == (3, 0)
    assert (folder / "cut").read_bytes() == texts[b"/cut"]
    names = [".urlschemes-mirror.json", "cut", "index", "marked", "unmarked"]
    assert sorted(path.name for path in folder.iterdir()) == names


@pytest.mark.parametrize("scheme", ["ftp", "file"])
def test_a_folder_is_saved_and_brought_up_to_date(tmp_path: Path, scheme: str) -> None:
    root, folder = tmp_path / "root", tmp_path / "saved"
    (root / "inner").mkdir(parents=True)
    for name in ("a", "b", "inner/c"):
        (root / name).write_text(name)
        os.utime(root / name, (1_000_000_000, 1_000_000_000))
    with ftp_server(root) as address:
        url = f"ftp://{address}/" if scheme == "ftp" else f"file://{root}/"

        def mirror() -> dict[str, dict[str, Any]]:
            result = run("--json", "--root", str(root), url, str(folder))
            assert result.exit_code == 0, result.output
            steps = [json.loads(line) for line in result.stdout.splitlines()]
            return {Path(step["path"]).name: step for step in steps}

        assert {(step["action"], step["octets"]) for step in mirror().values()} == {("saved", 1), ("saved", 7)}
        assert (folder / "inner" / "c").stat().st_mtime == 1_000_000_000
        (root / "b").write_text("new")
        (root / "d").write_text("d")
        assert {name: step["action"] for name, step in mirror().items()} == {
            "a": "unchanged",
            "b": "saved",
            "c": "unchanged",
            "d": "saved",
        }
    assert (folder / "b").read_text() == "new"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_after_ctrl_c_the_same_command_continues(tmp_path: Path) -> None:
    content = bytes(range(256)) * 1000
    stopped = threading.Event()

    def serve(visitor: Visitor) -> None:
        if visitor.hear_until(b"\r\n") == b"\r\n":
            visitor.say(b"9big\t/big\t127.0.0.1\t%d\r\n.\r\n" % address.port)
        elif stopped.is_set():
            visitor.say(content)
        else:
            visitor.say(content[:100_000])
            stopped.wait(60)

    folder = tmp_path / "saved"
    with rogue(serve) as address:
        arguments = ["--json", f"gopher://{address}/", str(folder)]
        process = subprocess.Popen(
            [sys.executable, "-m", "urlschemes_cli", "mirror", *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environ(),
        )
        try:
            part = folder / "big.part"
            deadline = time.monotonic() + 60
            while not (part.exists() and part.stat().st_size == 100_000) and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            process.wait(60)
        finally:
            process.kill()
            stopped.set()
        assert (process.returncode, part.stat().st_size) == (130, 100_000)
        result = run(*arguments)
    assert (result.exit_code, json.loads(result.stdout)["action"]) == (0, "saved"), result.output
    assert ((folder / "big").read_bytes(), part.exists()) == (content, False)


def test_http_is_refused_and_leaves_the_folder_free(tmp_path: Path) -> None:
    root, folder = tmp_path / "root", tmp_path / "new" / "deep" / "saved"
    root.mkdir()
    (root / "index.html").write_bytes(b'<a href="other">')
    (root / "notes").write_bytes(b"N")
    with http_server(root) as address:
        result = run(f"http://{address}/index.html", str(folder))
    assert (result.exit_code, result.stdout) == (4, "")
    assert "http delivers a document here, and a mirror needs a listing" in result.stderr
    assert list(tmp_path.iterdir()) == [root]
    assert run(f"file://{root}/", str(folder), "--root", str(root)).exit_code == 0
    assert (folder / "notes").read_bytes() == b"N"


@pytest.mark.parametrize("inner", ["", "inner/saved"])
def test_a_folder_is_not_saved_in_itself(tmp_path: Path, inner: str) -> None:
    result = run(f"file://{tmp_path}/", str(tmp_path / inner), "--root", str(tmp_path))
    assert (result.exit_code, result.stdout) == (4, "")
    assert "lies in the tree that it saves" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_tree_is_not_looked_at_before_the_policy_allows_it(tmp_path: Path) -> None:
    result = run(f"file://{tmp_path}/", str(tmp_path / "saved"))
    assert "--root DIR allows" in result.stderr


@pytest.mark.parametrize("source", ["loop", "root"])
def test_a_link_to_itself_is_a_failure(tmp_path: Path, source: str) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    target = "saved" if source == "loop" else "loop"
    result = run(f"file://{tmp_path}/{source}/", str(tmp_path / target), "--root", str(tmp_path))
    assert result.exit_code in {3, 4}
    assert result.stderr.startswith("urlschemes: ")


def test_a_second_url_is_no_folder() -> None:
    result = run("ftp://127.0.0.1/", "ftp://127.0.0.1/pub/")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "expected a folder, got a URL" in result.stderr


def test_a_limit_names_its_option(tmp_path: Path) -> None:
    (tmp_path / "root" / "inner").mkdir(parents=True)
    (tmp_path / "root" / "a").write_text("a")
    arguments = (f"file://{tmp_path}/root", str(tmp_path / "saved"), "--root", str(tmp_path))
    short, shallow = run(*arguments, "--octets", "0"), run(*arguments, "--depth", "0")
    assert (short.exit_code, shallow.exit_code) == (3, 0)
    assert "--octets N allows more" in short.stderr
    assert "--depth N allows more" in shallow.stdout


def test_a_wrong_folder_is_refused_before_the_access(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    result = run("gopher://127.0.0.1/", str(tmp_path))
    assert (result.exit_code, result.stdout) == (3, "")
    assert "is neither empty nor a mirror" in result.stderr
