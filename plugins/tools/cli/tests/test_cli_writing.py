"""replace, update and delete on the command line, with a made-up scheme whose resources are files."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from urlschemes_cli.app import command
from urlschemes_cli.commands.write import PIECE, WHOLE

RECORD = """
api = 1
scheme = "x-desk"
status = "experimental"
title = "Papers on a desk"
reference = "none"
contact = "nobody"
change_controller = "nobody"
operations = ["access", "update", "replace", "delete"]
local = true
encoding_considerations = "none"
interoperability_considerations = "none"
security_considerations = "none"
[syntax]
rule = "deskurl"
bnf = '''
deskurl = "x-desk:" paper
paper   = 1*[ uchar | "/" ]
'''
[syntax.parts]
paper = { at = "paper" }
"""
CODE = """
from urlschemes import Registration, Scheme

registration = Registration.of(__name__)
scheme = Scheme(registration, access=__name__ + ".access")
"""
ACCESS = """
from urlschemes.errors import RemoteError
from urlschemes_access.attributes import Attributes
from urlschemes_access.protocol import Algorithm, Keep, Open, OpenFile, Pull, Remove, Send


def write(url, to, say):
    sizes = []
    file = None
    while octets := (yield from Pull()):
        sizes.append(len(octets))
        file = file or (yield from OpenFile(url.paper, to=to))
        yield from Send(file, octets)
    file = file or (yield from OpenFile(url.paper, to=to))
    facts = yield from Keep(file)
    fields = {"pieces": str(len(sizes)), "say": say}
    yield from Open("attributes", Attributes(size=facts.size, fields=fields))


def replace(url, *, say="thanks\\x1b[2J"):
    yield from write(url, "replace", say)


def update(url):
    yield from write(url, "append", "")


def delete(url):
    yield from Remove(url.paper)
    yield from Open("attributes")


def access(url):
    raise RemoteError("nobody reads here")
    yield
"""
Run = Callable[..., Result]


@pytest.fixture
def run(install: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    files = {"desk/__init__.py": CODE, "desk/registration.toml": RECORD, "desk/access.py": ACCESS}
    monkeypatch.syspath_prepend(str(install("desk-schemes", "x-desk = desk:scheme", files)))

    def invoke(*arguments: str, **more: Any) -> Result:
        return CliRunner().invoke(command, ["--plugins", "desk-schemes", *arguments], prog_name="urlschemes", **more)

    yield invoke
    for name in [name for name in sys.modules if name.partition(".")[0] == "desk"]:
        del sys.modules[name]


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    folder = tmp_path / "desk"
    folder.mkdir()
    (folder / "a").write_bytes(b"old")
    return folder


def test_replace_by_a_file_and_by_standard_input(run: Run, desk: Path, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(bytes(range(256)))
    done = run("replace", "--writable", str(desk), f"x-desk:{desk}/a", str(tmp_path / "in"))
    assert done.exit_code == 0, done.output
    assert "256 octets" in done.stdout
    assert "thanks\\x1b[2J" in done.stdout
    assert (desk / "a").read_bytes() == bytes(range(256))
    for arguments in ((), ("-",)):
        done = run("replace", "--writable", str(desk), f"x-desk:{desk}/a", *arguments, input=b"typed\xff\n")
        assert done.exit_code == 0, done.output
        assert (desk / "a").read_bytes() == b"typed\xff\n"


def test_update_and_delete(run: Run, desk: Path) -> None:
    done = run("update", "--json", "--writable", str(desk), f"x-desk:{desk}/a", input=b" and new")
    said = json.loads(done.stdout)
    assert (said["url"], said["operation"]) == (f"x-desk:{desk}/a", "update")
    assert said["attributes"]["size"] == 11
    assert (desk / "a").read_bytes() == b"old and new"
    done = run("delete", "--writable", str(desk), f"x-desk:{desk}/a")
    assert done.exit_code == 0
    assert done.stdout.strip() == ""
    assert "a is deleted" in done.stderr
    assert list(desk.iterdir()) == []


def test_options_of_the_scheme(run: Run, desk: Path) -> None:
    done = run("replace", "--option", "say=hi", "--writable", str(desk), f"x-desk:{desk}/a", input=b"x")
    assert "hi" in done.stdout
    done = run("update", "--option", "say=hi", "--writable", str(desk), f"x-desk:{desk}/a", input=b"x")
    assert done.exit_code == 2


@pytest.mark.parametrize("operation", ["replace", "update", "delete"])
def test_nothing_is_written_without_a_folder_for_it(run: Run, desk: Path, operation: str) -> None:
    for allowed in ((), ("--root", str(desk))):
        done = run(operation, *allowed, f"x-desk:{desk}/a", input=b"new")
        assert done.exit_code == 4
        assert "--writable DIR lets the files below the folder DIR be written and removed" in done.stderr
    done = run(operation, "--json", f"x-desk:{desk}/a", input=b"new")
    assert json.loads(done.stdout)["error"]["rule"] == "writable"
    assert (desk / "a").read_bytes() == b"old"


def test_an_empty_standard_input_empties_nothing_unless_it_is_meant(run: Run, desk: Path) -> None:
    for operation in ("replace", "update"):
        done = run(operation, "--writable", str(desk), f"x-desk:{desk}/a", input=b"")
        assert done.exit_code == 2
        assert "standard input is empty" in done.stderr
        assert (desk / "a").read_bytes() == b"old"
    assert run("replace", "--writable", str(desk), f"x-desk:{desk}/a", "-", input=b"").exit_code == 0
    assert (desk / "a").read_bytes() == b""


def test_a_long_file_goes_in_pieces_and_a_short_one_whole(run: Run, desk: Path, tmp_path: Path) -> None:
    for size, pieces in ((0, 0), (PIECE * 3, 1), (WHOLE + 1, WHOLE // PIECE + 1)):
        with (tmp_path / "in").open("wb") as file:
            file.truncate(size)
        url = f"x-desk:{desk}/a"
        done = run("replace", "--json", "--writable", str(desk), url, str(tmp_path / "in"))
        assert done.exit_code == 0, done.output
        said = json.loads(done.stdout)["attributes"]
        assert (said["size"], said["fields"]["pieces"]) == (size, str(pieces))


def test_what_cannot_be_read_is_said_before_anything_is_done(run: Run, desk: Path, tmp_path: Path) -> None:
    for file in (tmp_path / "missing", tmp_path):
        done = run("replace", "--writable", str(desk), f"x-desk:{desk}/a", str(file))
        assert done.exit_code == 2
    assert (desk / "a").read_bytes() == b"old"


def test_input_that_breaks_leaves_what_was_there(run: Run, desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(read: Callable[[int], bytes], name: str) -> bytes:
        octets = read(1)
        if octets == b"c":
            raise OSError(5, "Input/output error", name)
        return octets

    monkeypatch.setattr("urlschemes_cli.commands.write._read", fails)
    done = run("replace", "--writable", str(desk), f"x-desk:{desk}/a", input=b"abcd")
    assert done.exit_code == 3
    assert "standard input: Input/output error" in done.stderr
    assert (desk / "a").read_bytes() == b"old"
    assert list(desk.iterdir()) == [desk / "a"]


def test_the_dialogue_is_shown(run: Run, desk: Path) -> None:
    done = run("replace", "-v", "--writable", str(desk), f"x-desk:{desk}/a", input=b"typed\n")
    assert f"open {desk}/a to replace" in done.stderr
    assert "> typed" in done.stderr
