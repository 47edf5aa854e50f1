"""`urlschemes replace`, `update` and `delete`, with a made-up scheme whose resources are local files."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import pytest

from urlschemes_cli.commands.write import CHUNK, MAX_WHOLE


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A folder with one file, `a`."""
    folder = tmp_path / "desk"
    folder.mkdir()
    (folder / "a").write_bytes(b"old")
    return folder


def test_replace_sends_a_file_or_standard_input(desk_run, desk: Path, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(bytes(range(256)))
    done = desk_run("replace", "--writable", str(desk), f"x-desk:{desk}/a", str(tmp_path / "in"))
    assert done.exit_code == 0, done.output
    assert "256 octets" in done.stdout
    assert "thanks\\x1b[2J" in done.stdout
    assert (desk / "a").read_bytes() == bytes(range(256))
    for arguments in ((), ("-",)):
        done = desk_run("replace", "--writable", str(desk), f"x-desk:{desk}/a", *arguments, input=b"typed\xff\n")
        assert done.exit_code == 0, done.output
        assert (desk / "a").read_bytes() == b"typed\xff\n"


def test_update_appends_and_delete_deletes(desk_run, desk: Path) -> None:
    done = desk_run("update", "--json", "--writable", str(desk), f"x-desk:{desk}/a", input=b" and new")
    answer = json.loads(done.stdout)
    assert (answer["url"], answer["operation"]) == (f"x-desk:{desk}/a", "update")
    assert answer["attributes"]["size"] == 11
    assert (desk / "a").read_bytes() == b"old and new"
    done = desk_run("delete", "--writable", str(desk), f"x-desk:{desk}/a")
    assert (done.exit_code, done.stdout.strip()) == (0, "")
    assert "a was deleted" in done.stderr
    assert list(desk.iterdir()) == []


def test_options_are_those_of_the_operation(desk_run, desk: Path) -> None:
    done = desk_run("replace", "--option", "say=hi", "--writable", str(desk), f"x-desk:{desk}/a", input=b"x")
    assert "hi" in done.stdout
    done = desk_run("update", "--option", "say=hi", "--writable", str(desk), f"x-desk:{desk}/a", input=b"x")
    assert done.exit_code == 2


@pytest.mark.parametrize("operation", ["replace", "update", "delete"])
def test_files_are_written_below_a_writable_folder_only(desk_run, desk: Path, operation: str) -> None:
    for allowed in ((), ("--root", str(desk))):
        done = desk_run(operation, *allowed, f"x-desk:{desk}/a", input=b"new")
        assert done.exit_code == 4
        assert "  help: --writable DIR allows writing and deleting files below DIR" in done.stderr
    done = desk_run(operation, "--json", f"x-desk:{desk}/a", input=b"new")
    assert json.loads(done.stdout)["error"]["rule"] == "writable"
    assert (desk / "a").read_bytes() == b"old"


def test_empty_standard_input_is_an_error_unless_it_is_named(desk_run, desk: Path) -> None:
    for operation in ("replace", "update"):
        done = desk_run(operation, "--writable", str(desk), f"x-desk:{desk}/a", input=b"")
        assert done.exit_code == 2
        assert "standard input is empty: give `-` as FILE" in done.stderr
        assert (desk / "a").read_bytes() == b"old"
    assert desk_run("replace", "--writable", str(desk), f"x-desk:{desk}/a", "-", input=b"").exit_code == 0
    assert (desk / "a").read_bytes() == b""


@pytest.mark.parametrize(("size", "pieces"), [(0, 0), (CHUNK * 3, 1), (MAX_WHOLE + 1, MAX_WHOLE // CHUNK + 1)])
def test_a_long_file_is_sent_in_pieces_and_a_short_one_whole(
    desk_run, desk: Path, tmp_path: Path, size: int, pieces: int
) -> None:
    with (tmp_path / "in").open("wb") as file:
        file.truncate(size)
    done = desk_run("replace", "--json", "--writable", str(desk), f"x-desk:{desk}/a", str(tmp_path / "in"))
    assert done.exit_code == 0, done.output
    attributes = json.loads(done.stdout)["attributes"]
    assert (attributes["size"], attributes["fields"]["pieces"]) == (size, str(pieces))


def test_a_file_that_cannot_be_read_is_a_usage_error(desk_run, desk: Path, tmp_path: Path) -> None:
    for file in (tmp_path / "missing", tmp_path):
        done = desk_run("replace", "--writable", str(desk), f"x-desk:{desk}/a", str(file))
        assert done.exit_code == 2
    assert (desk / "a").read_bytes() == b"old"


def test_the_old_content_stays_if_reading_the_input_fails(desk_run, desk: Path) -> None:
    class Broken(BytesIO):
        def read1(self, size: int | None = -1) -> bytes:
            if self.tell() == 2:
                raise OSError(5, "Input/output error")
            return super().read1(1)

    done = desk_run("replace", "--writable", str(desk), f"x-desk:{desk}/a", input=Broken(b"abcd"))
    assert done.exit_code == 3
    assert "standard input: Input/output error" in done.stderr
    assert (desk / "a").read_bytes() == b"old"
    assert list(desk.iterdir()) == [desk / "a"]


def test_verbose_shows_the_dialogue(desk_run, desk: Path) -> None:
    done = desk_run("replace", "-v", "--writable", str(desk), f"x-desk:{desk}/a", input=b"typed\n")
    assert f"open {desk}/a to replace" in done.stderr
    assert "> typed" in done.stderr
