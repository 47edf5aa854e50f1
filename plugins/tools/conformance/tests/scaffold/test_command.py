"""The command `urlschemes new`."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from urlschemes_cli.app import command
from urlschemes_conformance.scaffold import plan

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


@pytest.fixture(autouse=True)
def empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def new(*words: str) -> Result:
    return CliRunner().invoke(command, ["new", *words])


def test_it_writes_the_files_and_prints_the_next_steps(tmp_path: Path) -> None:
    result = new("foo")
    assert result.exit_code == 0, result.stderr
    assert "the scheme is named x-foo" in result.stderr
    folder = tmp_path / "x-foo"
    written = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert written == set(plan("foo").files)
    lines = [line.strip() for line in result.stdout.splitlines()]
    assert lines[0] == "x-foo contains the distribution urlschemes-x-foo of the experimental scheme x-foo:"
    assert "It works as it is. To try it:" in lines
    assert written <= set(lines)
    install = "python -m pip install --no-index --find-links DIR -e '.[test,demo]'"
    for step in ("cd x-foo", install, "python -m pytest", "urlschemes review x-foo"):
        assert step in lines
    assert "urlschemes demo x-foo" in lines


def test_a_record_alone_has_no_demonstration() -> None:
    result = new("foo", "--record-only")
    assert result.exit_code == 0, result.stderr
    assert "urlschemes demo" not in result.stdout


@pytest.mark.parametrize("words", [[], ["--record-only"], ["--profile", "rfc3986"]], ids=" ".join)
def test_it_prints_how_to_add_the_second_record(words: list[str], tmp_path: Path) -> None:
    written = new("foo", *words).stdout.splitlines()
    again = new(*shlex.split(written[-1])[2:])
    assert again.exit_code == 0, again.stderr
    records = {path.name for path in (tmp_path / "OTHER" / "src" / "urlschemes_x_foo").glob("registration*.toml")}
    assert records == {"registration.toml", "registration.rfc3986.toml"}
    assert (tmp_path / "OTHER" / "src" / "urlschemes_x_foo" / "access.py").exists() == (words != ["--record-only"])
    assert not again.stdout.splitlines()[-1].startswith("  urlschemes new")


@pytest.mark.parametrize(
    ("before", "after", "record"),
    [
        ([], [], "registration.toml"),
        (["--profile", "rfc3986"], [], "registration.rfc3986.toml"),
        (["--profile", "rfc3986"], ["--profile", "rfc1738"], "registration.toml"),
    ],
)
def test_the_record_is_of_the_profile_that_was_asked_for_and_not_of_the_one_that_the_command_reads_by(
    before: list[str], after: list[str], record: str, tmp_path: Path
) -> None:
    assert CliRunner().invoke(command, [*before, "new", "foo", *after]).exit_code == 0
    assert [path.name for path in tmp_path.rglob("registration*.toml")] == [record]


def test_for_a_registered_name_it_says_that_the_syntax_is_not_that_of_the_scheme() -> None:
    result = new("mid", "--registered", "--directory", "here")
    assert result.exit_code == 0, result.stderr
    assert "of the permanent scheme mid:" in result.stdout
    assert "its syntax, protocol and port are those of the template, and not of the registered" in result.stdout
    assert "the check `reference` of the review fails" in result.stdout
    assert "It works as it is. To try it:" in new("made-up-here", "--registered").stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["Foo_Bar"], "  help: write a name such as foo-bar\n"),
        (["gopher", "--registered"], "the name gopher is reserved for urlschemes-gopher"),
        (["foo", "--title", "a\nb"], "expected one line of text"),
        (["a\x1b[1mb"], "  help: write a name such as a-1mb\n"),
    ],
)
def test_a_wrong_argument_is_refused_and_nothing_is_written(words: list[str], message: str, tmp_path: Path) -> None:
    result = new(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert "\x1b" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_existing_file_is_never_changed(tmp_path: Path) -> None:
    (tmp_path / "x-foo").mkdir()
    (tmp_path / "x-foo" / "README.md").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for words in (["foo"], ["foo", "--directory", "file"]):
        assert new(*words).exit_code == 2
    assert [path.name for path in (tmp_path / "x-foo").iterdir()] == ["README.md"]
    assert (tmp_path / "x-foo" / "README.md").read_text() == (tmp_path / "file").read_text() == "mine"


def test_an_empty_directory_is_filled(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert new("foo", "--directory", "empty").exit_code == 0
    assert (tmp_path / "empty" / "pyproject.toml").exists()


def test_the_output_contains_no_escape_sequence() -> None:
    result = new("foo", "--directory", "a\x1b[2Jb")
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout + result.stderr
