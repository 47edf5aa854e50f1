"""The command `urlschemes review`."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

import pytest
from bad_plugins import GOOD, SOURCE, bad_plugin, good_plugin
from click.testing import CliRunner
from schemas import validate
from workspace import ROOT

from urlschemes import __version__
from urlschemes_cli.app import command
from urlschemes_conformance.review import all_checks

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

CHECKS = [check.name for check in all_checks()]


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(command, ["--no-config", "review", *map(str, words)])


@pytest.mark.parametrize(
    ("chosen", "profiles"), [([], ["rfc1738", "rfc3986"]), (["--profile", "rfc1738"], ["rfc1738"])], ids=str
)
def test_every_record_is_reviewed_unless_a_profile_was_asked_for(chosen: list[str], profiles: list[str]) -> None:
    found = json.loads(run("x-example", "--check", "name", "--json", *chosen).stdout)
    assert sorted({each["profile"] for each in found["verdicts"]}) == profiles


def test_a_failed_check_is_shown_with_its_requirement_and_help(tmp_path: Path) -> None:
    result = run(bad_plugin(tmp_path, "contact"), "--check", "contact", "--check", "name")
    assert (result.exit_code, result.stderr) == (1, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "x-example  Documents by name and edition"
    assert lines[1].startswith(f"urlschemes-x-example {__version__}, folder of a distribution, ")
    assert lines[3].startswith(
        "FAILED   contact              the contact 'Your Name <you@example.com>' is not the name"
    )
    assert lines[4].startswith("         requires The contact and the change controller are a person or a group")
    assert lines[5] == "         help     name the person or the group responsible for the scheme, with an address"
    assert lines[6] == "passed   name                 'x-example' can be registered"
    assert re.fullmatch(r"2 checks: 1 passed, 1 failed; 2000 URLs of seed 1738; [\d.]+ s", lines[8])


def test_the_exit_code_is_0_if_no_check_fails(tmp_path: Path) -> None:
    assert run(good_plugin(tmp_path), "--check", "name").exit_code == 0


def test_the_json_is_as_its_schema_says(tmp_path: Path) -> None:
    result = run(bad_plugin(tmp_path, "contact"), "--json", "--check", "contact", "--check", "name")
    written = json.loads(result.stdout)
    validate(written, "review")
    assert (result.exit_code, written["passed"]) == (1, False)
    assert [(verdict["check"], verdict["outcome"]) for verdict in written["verdicts"]] == [
        ("contact", "failed"),
        ("name", "passed"),
    ]


def test_of_a_folder_each_record_has_a_line_and_what_failed_is_shown(tmp_path: Path) -> None:
    for name in ("x-example", "x-other"):
        shutil.copy(GOOD / SOURCE / "registration.toml", tmp_path / f"{name}.toml")
    words = ("--records", tmp_path, "--check", "record", "--check", "contact")
    result = run(*words)
    assert (result.exit_code, result.stderr) == (1, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "warned   x-example            1 passed, 1 warned (contact)"
    assert lines[1:3] == ["FAILED   x-other              1 warned, 1 failed (contact)", ""]
    reason = "the file is named 'x-other', but the record is of 'x-example'"
    assert lines[6] == f"FAILED   record               {reason}"
    assert re.fullmatch(r"2 records: 1 warned, 1 failed; 200 URLs of seed 1738; [\d.]+ s", lines[-1])
    written = json.loads(run(*words, "--json").stdout)
    assert [each["passed"] for each in written] == [True, False]
    for each in written:
        validate(each, "review")


@pytest.mark.parametrize(
    ("words", "exit_code", "message"),
    [
        (["x-nobody"], 5, "no scheme is registered as 'x-nobody'"),
        (["tests"], 5, "expected a pyproject.toml or a registration.toml"),
        ([], 2, "Missing argument 'SCHEME|PATH', or --records FOLDER"),
        (["ftp", "--records", "tests"], 2, "SCHEME|PATH and --records cannot be combined"),
        (["--records", "nowhere"], 2, "does not exist"),
        (["ftp", "--check", "nothing"], 2, "unknown check 'nothing'"),
        (["ftp", "--examples", "0"], 2, "0 is not in the range"),
    ],
)
def test_wrong_arguments_are_refused(
    words: list[str], exit_code: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    result = run(*words)
    assert (result.exit_code, result.stdout) == (exit_code, "")
    assert message in result.stderr


def test_the_page_and_the_command_list_the_same_checks() -> None:
    page = (ROOT / "docs" / "reference" / "review.md").read_text("utf-8")
    listed = json.loads(run("--list", "--json").stdout)
    validate(listed, "review-list")
    assert [each["check"] for each in listed] == CHECKS
    assert re.findall(r"^\| `([a-z][a-z-]+)` \| [A-Z]", page, re.MULTILINE) == CHECKS
    for each in listed:
        assert f"| `{each['check']}` | {each['requirement']} | {each['section']} |" in page
    assert run("--list").stdout.count("\n") > len(CHECKS)
