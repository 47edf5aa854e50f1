"""`urlschemes access --many`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from urlschemes_cli.many import file_name

SHELF = "x-shelf://127.0.0.1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "saved"
    made.mkdir()
    return made


def test_each_url_gives_a_file_and_a_line(run, folder: Path) -> None:
    urls = f"{SHELF}/vase\n\n{SHELF}/menu\n  {SHELF}/undotted  \n"
    result = run("access", "--many", "-", "-o", str(folder), input=urls)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = sorted(line.split("\t") for line in result.stdout.splitlines())
    assert lines == [
        ["1", "ok", f"{SHELF}/vase", str(folder / "0001-vase")],
        ["2", "ok", f"{SHELF}/menu", str(folder / "0002-menu")],
        ["3", "ok", f"{SHELF}/undotted", str(folder / "0003-undotted"), "unmarked end"],
    ]
    assert (folder / "0001-vase").read_text() == "a vase\n"
    assert (folder / "0002-menu").read_text().startswith("x-shelf://host.dom/vase\tvase\t12345\t")
    assert sorted(each.name for each in folder.iterdir()) == ["0001-vase", "0002-menu", "0003-undotted"]


def test_a_failed_access_is_reported_and_ends_no_other(run, folder: Path, tmp_path: Path) -> None:
    source = tmp_path / "urls"
    source.write_text(f"{SHELF}/cut\n{SHELF}/session\nnot a url\nx-shelf://joe:hunter2@127.0.0.1/vase\n")
    result = run("access", "--many", str(source), "-o", str(folder))
    assert (result.exit_code, result.stderr) == (3, "urlschemes: 3 of 4 accesses failed\n")
    lines = sorted(line.split("\t") for line in result.stdout.splitlines())
    assert [line[:2] for line in lines] == [["1", "error"], ["2", "error"], ["3", "error"], ["4", "ok"]]
    assert lines[0][2:] == [f"{SHELF}/cut", "", "it ended too early"]
    assert lines[1][4] == "it opens an interactive session, not a document or a listing"
    assert lines[3][2] == "x-shelf://joe:***@127.0.0.1/vase"
    assert [each.name for each in folder.iterdir()] == ["0004-vase"]


def test_many_as_json_is_an_object_on_each_line(run, folder: Path) -> None:
    urls = f"{SHELF}/vase\n{SHELF}/cut\n{SHELF}/menu\n"
    result = run("access", "--many", "-", "-o", str(folder), "--json", input=urls)
    assert result.exit_code == 3
    vase, cut, menu = sorted(map(json.loads, result.stdout.splitlines()), key=lambda each: each["number"])
    saved = str(folder / "0001-vase")
    assert vase == {
        "number": 1,
        "ok": True,
        "url": f"{SHELF}/vase",
        "kind": "document",
        "saved": saved,
        "octets": 7,
        "terminated": True,
        "profile": "rfc1738",
    }
    assert (cut["ok"], cut["error"]["message"], "saved" in cut) == (False, "it ended too early", False)
    assert (menu["kind"], menu["saved"]) == ("listing", str(folder / "0003-menu"))


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "give a URL"),
        (("--many", "-", SHELF, "-o", "."), "give a URL or --many FILE"),
        (("--many", "-"), "--many needs -o DIR"),
        (("--many", "-", "-o", "missing"), "--many needs -o DIR"),
        (("--many", "-", "-o", ".", "--option", "times=2"), "--many takes no --option"),
    ],
)
def test_wrong_arguments_of_many(run, arguments: tuple[str, ...], problem: str) -> None:
    result = run("access", *arguments, input="")
    assert (result.exit_code, problem in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://host.dom/a/b.txt", "0007-b.txt"),
        ("http://host.dom/a/?q=1/x", "0007-a"),
        ("http://host.dom", "0007"),
        ("http://host.dom/..", "0007"),
        ("http://host.dom/%2e%2e%2fpasswd", "0007-2e_2e_2fpasswd"),
        ("http://host.dom/-rf$(x)`", "0007--rf_x"),
        ("ftp://host.dom/a;type=i", "0007-a"),
        ("http://host.dom/" + "x" * 500, "0007-" + "x" * 80),
        ("news:misc.test", "0007"),
    ],
)
def test_files_are_named_by_number_and_last_segment(url: str, name: str) -> None:
    assert file_name(7, url) == name


def test_a_number_keeps_names_apart_and_grows() -> None:
    assert file_name(12345, "http://host.dom/a") == "12345-a"
