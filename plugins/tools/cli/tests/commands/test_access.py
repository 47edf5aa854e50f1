"""`urlschemes access` and `urlschemes attributes`."""

from __future__ import annotations

import json
import os
import re
import threading
from pathlib import Path

import pytest

from urlschemes_servers.ftp import FtpUser, ftp_server
from urlschemes_testing.loopback import Loopback
from urlschemes_testing.rogue import hears, rogue, says

SHELF = "x-shelf://127.0.0.1"
HOSTILE = "caf\u00e9 \x1b[31mred \u202ebidi\r\nnext\tcolumn\x9b5m\n"


def test_a_pipe_gets_the_octets_unchanged(shell) -> None:
    done = shell("access", f"{SHELF}/hostile")
    assert (done.returncode, done.stdout, done.stderr) == (0, HOSTILE.encode() + b"\xff", b"")
    assert shell("access", f"{SHELF}/binary").stdout == b"\x00\x1b[2J" * 100


def test_a_terminal_gets_no_control_characters(terminal) -> None:
    screen = terminal("access", f"{SHELF}/hostile")
    assert (screen.code, screen.text) == (0, "café \\x1b[31mred \\u202ebidi\nnext\tcolumn\\x9b5m\n\\xff\n")


@pytest.mark.parametrize(("thing", "text"), [("latin", "café"), ("utf-16", "grün"), ("utf-16-marked", "grün")])
def test_a_terminal_gets_text_of_the_character_set_that_the_server_names(terminal, thing: str, text: str) -> None:
    assert terminal("access", f"{SHELF}/{thing}").text == f"{text}\n"


def test_the_end_of_a_line_may_arrive_in_two_pieces(terminal, server) -> None:
    with server(b"x" * 2000 + b"\r\n", pause=0.2) as port:
        assert "\\x0d" not in terminal("access", f"{SHELF}:{port}/wire").text


def test_a_terminal_gets_a_dump_of_binary_content(terminal) -> None:
    screen = terminal("access", f"{SHELF}/binary")
    lines = screen.text.splitlines()
    assert screen.code == 0
    assert lines[0] == "00000000  00 1b 5b 32 4a 00 1b 5b  32 4a 00 1b 5b 32 4a 00  ..[2J..[2J..[2J."
    assert lines[16].startswith("urlschemes: the first 256 octets of a binary document (image/x-thing)")


def test_a_listing_is_a_table_on_a_terminal(terminal) -> None:
    screen = terminal("access", f"{SHELF}/menu", width=100)
    rows = [re.split(r"  +", row.rstrip()) for row in screen.text.splitlines()]
    assert screen.code == 0
    assert rows[0] == ["name", "kind", "size", "modified", "URL"]
    assert rows[2] == ["vase", "vase", "12,345", "1994-12-05 08:30", "x-shelf://host.dom/vase"]
    assert rows[3] == ["e\\x1b[2Jvil\\n\\tname", "thing", "it has no \\x1b]0;name"]
    assert rows[-1] == ["2 entries"]


def test_an_entry_has_two_lines_on_a_narrow_terminal(terminal) -> None:
    lines = [line.rstrip() for line in terminal("access", f"{SHELF}/menu", width=40).text.splitlines()]
    assert lines[:2] == ["vase  vase  12,345  1994-12-05 08:30", "    x-shelf://host.dom/vase"]


def test_a_listing_is_lines_of_fields_elsewhere(run, tmp_path: Path) -> None:
    expected = (
        "x-shelf://host.dom/vase\tvase\t12345\t1994-12-05T08:30:00+00:00\tvase\t\n"
        "\tthing\t\t\te\\x1b[2Jvil\\n\\tname\tit has no \\x1b]0;name\n"
    )
    assert run("access", f"{SHELF}/menu").stdout == expected
    assert run("access", "-o", str(tmp_path / "menu"), f"{SHELF}/menu").stdout == ""
    assert (tmp_path / "menu").read_text("utf-8") == expected


def test_times_are_shown_as_far_as_they_are_known(run, terminal) -> None:
    known = ["1994-12-05", "1994-12-05T08:30", "1994-12-05T08:30:00+00:00"]
    assert [row.split("\t")[3] for row in run("access", f"{SHELF}/times").stdout.splitlines()] == known
    assert [
        each["modified"] for each in json.loads(run("access", "--json", f"{SHELF}/times").stdout)["entries"]
    ] == known
    rows = terminal("access", f"{SHELF}/times").text.splitlines()[2:5]
    assert [row.split(maxsplit=1)[1].rstrip() for row in rows] == [
        *("1994-12-05", "1994-12-05 08:30", "1994-12-05 08:30"),
    ]


def test_a_listing_as_json(run) -> None:
    listing = json.loads(run("access", "--json", "x-shelf://joe:hunter2@127.0.0.1/menu").stdout)
    assert set(listing) == {"url", "kind", "entries", "attributes", "profile"}
    assert (listing["url"], listing["kind"]) == ("x-shelf://joe:***@127.0.0.1/menu", "listing")
    vase, evil = listing["entries"]
    assert vase == {
        "name": "vase",
        "url": "x-shelf://host.dom/vase",
        "kind": "vase",
        "size": 12345,
        "modified": "1994-12-05T08:30:00+00:00",
        "fields": {},
        "problem": None,
    }
    assert (evil["name"], evil["url"]) == ("e\x1b[2Jvil\n\tname", None)


def test_a_document_as_json(run, tmp_path: Path) -> None:
    vase = json.loads(run("access", "--json", f"{SHELF}/vase").stdout)
    assert (vase["kind"], vase["content"], vase["encoding"], vase["octets"]) == ("document", "a vase\n", "utf-8", 7)
    assert vase["attributes"]["media_type"] == "text/plain"
    latin = json.loads(run("access", "--json", f"{SHELF}/latin").stdout)
    assert (latin["content"], latin["encoding"]) == ("Y2Fm6Q==", "base64")
    target = tmp_path / "vase"
    saved = json.loads(run("access", "--json", "-o", str(target), f"{SHELF}/vase").stdout)
    assert (saved["saved"], saved["octets"], target.read_bytes()) == (str(target), 7, b"a vase\n")
    assert "content" not in saved


def test_a_file_is_written_completely_or_not_at_all(run, tmp_path: Path) -> None:
    target = tmp_path / "kept"
    target.write_text("what was here\n")
    link = tmp_path / "link"
    link.symlink_to(target)
    assert run("access", "-o", str(target), f"{SHELF}/cut").exit_code == 3
    assert run("access", "-o", str(target), f"{SHELF}/cutmenu").exit_code == 3
    assert target.read_text() == "what was here\n"
    assert run("access", "-o", str(link), f"{SHELF}/vase").exit_code == 0
    assert (target.read_text(), link.is_symlink()) == ("a vase\n", True)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["kept", "link"]


def test_a_named_pipe_is_written_to_and_not_replaced(run, tmp_path: Path) -> None:
    queue = tmp_path / "queue"
    os.mkfifo(queue)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(queue.read_bytes()), daemon=True)
    reader.start()
    assert run("access", "-o", str(queue), f"{SHELF}/vase").exit_code == 0
    reader.join(30)
    assert (received, queue.is_fifo()) == ([b"a vase\n"], True)


def test_a_missing_end_mark_is_noted(run) -> None:
    result = run("access", f"{SHELF}/undotted")
    assert (result.exit_code, result.stdout) == (0, "all\n")
    assert result.stderr == "urlschemes: unmarked end\n"


@pytest.mark.parametrize(
    ("sent", "code", "saved", "said"),
    [
        (b"one\r\n.\r\n", 0, b"one\r\n", ""),
        (b"one\r\n", 0, b"one\r\n", "urlschemes: unmarked end\n"),
        (
            b"one\n.\ntwo\nthree\n",
            3,
            None,
            "ends at a line with a single dot, but 10 octets follow it, which were left out",
        ),
    ],
    ids=["marked", "unmarked", "goes on after the dot"],
)
def test_three_ends_of_a_gopher_text(
    run, tmp_path: Path, sent: bytes, code: int, saved: bytes | None, said: str
) -> None:
    target = tmp_path / "f"
    with rogue(hears(), says(sent)) as address:
        command = ("access", "-o", str(target), f"gopher://{address}/0a")
        result = run(*command, plugins="urlschemes-gopher")
        assert (result.exit_code, target.read_bytes() if target.exists() else None) == (code, saved)
        assert said in result.stderr if code else said == result.stderr
        if code:
            assert "--option octets=yes delivers all that the server sends" in result.stderr
            assert run(*command, "--option", "octets", plugins="urlschemes-gopher").exit_code == 0
            assert target.read_bytes() == sent


def test_a_session_is_left_to_the_commands_of_plugins(run) -> None:
    result = run("access", f"{SHELF}/session")
    assert result.exit_code == 4
    assert "opens an interactive session, not a document or a listing" in result.stderr


def test_attributes(run) -> None:
    result = run("attributes", f"{SHELF}/")
    rows = [re.split(r"  +", row, maxsplit=1) for row in result.stdout.splitlines()]
    assert rows == [
        ["media type", "text/plain"],
        ["size", "1,234 octets"],
        ["modified", "1994-12-05 08:30:00+00:00"],
        ["Colour", "blue\\x1b[0m"],
        ["\\x1b[2JSize\\n", "s"],
    ]
    found = json.loads(run("attributes", "--json", f"{SHELF}/").stdout)
    assert set(found) == {"url", "attributes", "profile"}
    assert set(found["attributes"]) == {"media_type", "size", "modified", "name", "fields", "gateway"}


def test_a_long_transfer_shows_a_progress_bar_and_removes_it(terminal, server, tmp_path: Path) -> None:
    with server(b"x" * 100_000, pause=1.2) as port:
        screen = terminal("access", "-o", "saved", f"{SHELF}:{port}/wire")
    assert (screen.code, (tmp_path / "saved").stat().st_size) == (0, 100_000)
    assert "100.0/? kB" in re.sub(r"\x1b\[[0-9;?]*[mhlKJA]", "", screen.written)
    with server(b"x" * 100_000) as port:
        assert terminal("access", "-o", "saved", f"{SHELF}:{port}/wire") == (0, "")


def test_a_listing_hides_the_password_of_the_user_only(run, tmp_path: Path) -> None:
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "notes.txt").write_text("x")
    with ftp_server(tmp_path / "served", {"joe": FtpUser("opensesame")}) as server:
        result = run("access", f"ftp://joe:opensesame@{server}/", plugins="urlschemes-ftp")
        assert f"ftp://joe:***@{server}/notes.txt\tfile" in result.stdout
        assert "urlschemes: *** stands for the password in your URL" in result.stderr
        listed = json.loads(run("access", "--json", f"ftp://joe:opensesame@{server}/", plugins="urlschemes-ftp").stdout)
        assert [entry["url"] for entry in listed["entries"]] == [f"ftp://joe:***@{server}/notes.txt"]


def test_a_directory_without_its_final_slash_is_listed(run, tmp_path: Path) -> None:
    (tmp_path / "served" / "pub").mkdir(parents=True)
    (tmp_path / "served" / "pub" / "notes.txt").write_text("x")
    with ftp_server(tmp_path / "served") as server:
        listed = run("access", f"ftp://{server}/pub", plugins="urlschemes-ftp")
        missing = run("access", f"ftp://{server}/sub", plugins="urlschemes-ftp")
        part = run("access", "--range", "0-1", f"ftp://{server}/pub", plugins="urlschemes-ftp")
    assert listed.stdout.startswith(f"ftp://{server}/pub/notes.txt\tfile\t1\t")
    assert listed.stderr == f"urlschemes: ftp://{server}/pub is a directory, listed by ftp://{server}/pub/\n"
    assert (missing.exit_code, "RETR sub: 550" in missing.stderr, "is a directory" in missing.stderr) == (
        3,
        True,
        False,
    )
    assert (part.exit_code, part.stdout) == (4, "")


def test_a_listing_shows_the_password_that_a_server_made_public(run) -> None:
    menu = b"hArchive\tURL:ftp://anonymous:guest@host.dom/\thost.dom\t70\r\n.\r\n"
    with Loopback(lambda connection: connection.sendall(menu)) as server:
        result = run("access", f"gopher://{server.address}/1", plugins="urlschemes-gopher")
    assert result.stdout.startswith("ftp://anonymous:guest@host.dom/\t")
    assert result.stderr == ""
