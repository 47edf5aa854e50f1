"""`urlschemes access --many`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from urlschemes_cli.many import file_names

SHELF = "x-shelf://127.0.0.1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "saved"


def test_each_url_gives_a_file_and_a_line(run, folder: Path) -> None:
    urls = f"{SHELF}/vase\n\n{SHELF}/menu\n  {SHELF}/undotted  \n"
    result = run("access", "--many", "-", "-o", str(folder), input=urls)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = sorted((line.split("\t") for line in result.stdout.splitlines()), key=lambda line: line[0])
    assert lines == [
        ["1", "ok", f"{SHELF}/vase", str(folder / "127.0.0.1_vase")],
        ["3", "ok", f"{SHELF}/menu", str(folder / "127.0.0.1_menu")],
        ["4", "ok", f"{SHELF}/undotted", str(folder / "127.0.0.1_undotted"), "unmarked end"],
    ]
    assert (folder / "127.0.0.1_vase").read_text() == "a vase\n"
    assert (folder / "127.0.0.1_menu").read_text().startswith("x-shelf://host.dom/vase\tvase\t12345\t")
    assert {each.name for each in folder.iterdir()} == {"127.0.0.1_vase", "127.0.0.1_menu", "127.0.0.1_undotted"}


@pytest.mark.parametrize(
    ("urls", "hint"),
    [([f"{SHELF}/vase", f"{SHELF}/menu"], "give one URL, or --many FILE with several"), (["-"], "or --many - for")],
)
def test_several_urls_without_the_option_are_a_usage_error(run, urls: list[str], hint: str) -> None:
    result = run("access", *urls)
    assert (result.exit_code, hint in result.stderr) == (2, True)


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
    assert [each.name for each in folder.iterdir()] == ["127.0.0.1_vase"]


def test_many_as_json_is_an_object_on_each_line(run, folder: Path) -> None:
    urls = f"{SHELF}/vase\n{SHELF}/cut\n{SHELF}/menu\n"
    result = run("access", "--many", "-", "-o", str(folder), "--json", input=urls)
    assert result.exit_code == 3
    vase, cut, menu = sorted(map(json.loads, result.stdout.splitlines()), key=lambda each: each["number"])
    saved = str(folder / "127.0.0.1_vase")
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
    assert (menu["kind"], menu["saved"]) == ("listing", str(folder / "127.0.0.1_menu"))


def test_each_of_many_urls_is_read_by_the_profile_of_its_scheme_and_keeps_its_number(run, folder: Path) -> None:
    folder.mkdir()
    document = folder / "a~b"
    document.write_text("here")
    urls = [f"{SHELF}/vase", document.as_uri(), f"{SHELF}/a~b", f"{document.as_uri()}#c"]
    words = ("access", "--many", "-", "-o", str(folder), "--root", str(folder), "--json")
    result = run(*words, input="\n".join(urls), plugins="shelf-schemes,urlschemes-file")
    lines = sorted(map(json.loads, result.stdout.splitlines()), key=lambda each: each["number"])
    assert [(each["number"], each["ok"], each["profile"]) for each in lines] == [
        (1, True, "rfc1738"),
        (2, True, "rfc3986"),
        (3, False, "rfc1738"),
        (4, True, "rfc3986"),
    ]
    assert [each["url"] for each in lines] == urls
    names = file_names(dict(enumerate(urls, 1)))
    assert {each.name for each in folder.iterdir()} == {"a~b", names[1], names[2], names[4]}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "give a URL"),
        (("--many", "-", SHELF, "-o", "."), "give a URL or --many FILE"),
        (("--many", "-"), "--many needs -o DIR"),
        (("--many", "-", "-o", ".", "--option", "times=2"), "--many takes no --option"),
    ],
)
def test_wrong_arguments_of_many(run, arguments: tuple[str, ...], problem: str) -> None:
    result = run("access", *arguments, input="")
    assert (result.exit_code, problem in result.stderr) == (2, True)


def test_a_folder_that_cannot_be_made_is_an_error_that_names_it(run) -> None:
    result = run("access", "--many", "-", "-o", __file__, input="")
    assert (result.exit_code, result.stderr) == (3, f"urlschemes: {__file__}: File exists\n")


@pytest.mark.parametrize(
    ("urls", "names"),
    [
        (["http://host.dom/a/b.txt"], ["host.dom_a_b.txt"]),
        (["http://joe:hunter2@host.dom/a/?q=1/x#y"], ["host.dom_a_q_1_x"]),
        (["http://host.dom:80", "http://host.dom/.."], ["host.dom_80", "host.dom"]),
        (["http://host.dom/%2e%2e%2fpasswd"], ["host.dom_2e_2e_2fpasswd"]),
        (["http://host.dom/-rf$(x)`"], ["host.dom_-rf_x"]),
        (["ftp://host.dom/a;type=i", "news:misc.test"], ["host.dom_a_type_i", "misc.test"]),
        (["http://h/" + "x" * 500, "//", "file:///a"], ["h_" + "x" * 118, "2", "a"]),
        (["http://h/a.txt", "ftp://h/A.txt"], ["h_a.txt", "h_A-2.txt"]),
        (["http://h/a-3", "http://h/a", "http://h/a"], ["h_a-3", "h_a", "h_a-3-3"]),
        (["http://127.0.0.1:80/A", "http://127.0.0.1:80/a"], ["127.0.0.1_80_A", "127.0.0.1_80_a-2"]),
        (["http://h.dom:80", "http://h.dom:80/"], ["h.dom_80", "h.dom_80-2"]),
        (["http://h/x.tar.gz", "http://h/x.tar.gz"], ["h_x.tar.gz", "h_x-2.tar.gz"]),
        (["http://h/q.html?a", "http://h/q.html?A"], ["h_q.html_a", "h_q.html_A-2"]),
        (["http://h/" + "x" * 500 + ".a"] * 2, ["h_" + "x" * 118, "h_" + "x" * 118 + "-2"]),
    ],
)
def test_files_are_named_after_their_urls(urls: list[str], names: list[str]) -> None:
    assert [*file_names(dict(enumerate(urls, 1))).values()] == names
