"""`urlschemes schemes` and `urlschemes schemes --all`."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

from urlschemes.registry.claims import RECORDS, SCHEMES
from urlschemes.registry.discovery import discover
from urlschemes.registry.names import how_to_install
from urlschemes_cli.app import command

COLUMNS = ["name", "distribution", "status", "operations", "port", "title", "version"]


def test_a_column_has_the_profiles_if_a_name_is_not_read_by_the_chosen_one(run) -> None:
    rows = [
        re.split(r"  +", row) for row in run("schemes", plugins="shelf-schemes,urlschemes-http").stdout.splitlines()
    ]
    assert rows[0] == [*COLUMNS[:2], "profile", *COLUMNS[2:]]
    assert [row[:3] for row in rows[2:]] == [
        ["http", "urlschemes-http", "rfc3986"],
        ["x-drawer", "shelf-schemes", "rfc1738"],
        ["x-shelf", "shelf-schemes", "rfc1738"],
    ]


def test_installed_schemes_are_a_table(run) -> None:
    rows = [re.split(r"  +", row) for row in run("schemes", "--profile", "rfc1738").stdout.splitlines()]
    assert rows[0] == COLUMNS
    assert rows[2] == ["x-drawer", "shelf-schemes", "experimental", "access", "Things in a drawer", "1.0"]
    assert rows[3] == [
        "x-shelf",
        "shelf-schemes",
        "experimental",
        "access, find attributes",
        "7070",
        "Things on a shelf",
        "1.0",
    ]


@pytest.mark.parametrize(("width", "columns"), [(30, 2), (40, 3), (65, 4), (80, 5), (90, 6), (100, 7), (200, 7)])
def test_columns_that_do_not_fit_are_left_out(run, width: int, columns: int) -> None:
    narrow = run("schemes", "--profile", "rfc1738", env={"COLUMNS": str(width)})
    lines = narrow.stdout.splitlines()
    assert lines[0].split() == COLUMNS[:columns]
    assert len(lines) == 4, "no cell is wrapped"
    assert max(map(len, lines)) <= width
    assert narrow.stderr == ("" if columns == 7 else "urlschemes: --json has more columns\n")


def test_80_columns_show_who_provides_a_scheme_its_status_and_its_operations() -> None:
    shown = CliRunner().invoke(command, ["schemes"], env={"COLUMNS": "80"}).stdout.splitlines()
    assert shown[0].split()[:4] == COLUMNS[:4]
    assert max(map(len, shown)) <= 80
    assert any(re.match(r"http +urlschemes-http +permanent +access, ", line) for line in shown)


def test_installed_schemes_as_json(run) -> None:
    assert json.loads(run("schemes", "--json").stdout)[1] == {
        "name": "x-shelf",
        "title": "Things on a shelf",
        "distribution": "shelf-schemes",
        "version": "1.0",
        "ledger": None,
        "status": "experimental",
        "port": 7070,
        "operations": ["access", "find attributes"],
        "reference": "nowhere, section 1",
        "profile": "rfc1738",
    }


def test_the_names_of_a_ledger_follow_in_columns(run, records) -> None:
    for number in range(40):
        text = (records / "x-note.toml").read_text().replace("x-note", f"x-note{number}")
        (records / f"x-note{number}.toml").write_text(text)
    done = run("--records", str(records), "schemes", env={"COLUMNS": "80"})
    plugins, _, ledger = done.stdout.partition(f"\n\n{records}\n")
    assert "x-note" not in plugins
    assert sorted(ledger.split()) == sorted(["x-note", *(f"x-note{number}" for number in range(40))])
    assert len(ledger.splitlines()) < 10
    assert done.stderr.endswith("urlschemes: 1 more cannot be used: `urlschemes doctor` says why\n")


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["NOTE"], ["x-note"]),
        (["on a sh"], ["x-shelf"]),
        (["--from", "Shelf_schemes"], ["x-drawer", "x-shelf"]),
        (["--from", "{records}"], ["x-note"]),
        (["--from", "{records}", "shelf"], []),
        (["--status", "historical", "--all", "song"], ["x-song"]),
        (["--all", "x-s"], ["x-shelf", "x-song"]),
    ],
)
def test_schemes_are_chosen_by_word_provider_and_status(run, records, art_ledger, words: list[str], names) -> None:
    given = ["--records", str(records), "schemes", *(word.format(records=records) for word in words)]
    found = json.loads(run(*given, "--json", plugins="shelf-schemes,arts").stdout)
    assert [each["name"] for each in found] == names
    shown = run(*given, plugins="shelf-schemes,arts")
    assert [line.split()[0] for line in shown.stdout.splitlines()[2:]] == names
    assert ("no installed scheme matches; --all searches all known names" in shown.stderr) == (not names)


def test_without_plugins_it_says_so() -> None:
    nothing = CliRunner().invoke(command, ["--no-plugins", "schemes"])
    assert (nothing.exit_code, nothing.stdout) == (0, "")
    assert "no scheme is installed, or all are switched off" in nothing.stderr


def test_with_the_command_alone_it_says_what_to_install(monkeypatch) -> None:
    claims = [claim for claim in discover() if claim.group not in {SCHEMES, RECORDS}]
    monkeypatch.setattr("urlschemes.registry.plugins.installed_claims", lambda **_: claims)
    alone = CliRunner().invoke(command, ["--no-config", "schemes"])
    assert (alone.exit_code, alone.stdout) == (0, "")
    assert f"to use the scheme ftp, {how_to_install('urlschemes-ftp')}" in alone.stderr


def test_all_lists_installed_and_known_names(run, art_ledger, monkeypatch) -> None:
    done = run("schemes", "--all", plugins="shelf-schemes,arts")
    assert done.exit_code == 0
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in done.stdout.splitlines()[2:]}
    assert list(rows) == sorted(rows)
    assert rows["x-song"] == "historical songs, by \\x1btheir words the songbook sung no more"
    assert rows["x-dance"] == "urlschemes-x-dance"
    assert rows["x-shelf"].startswith("shelf-schemes experimental yes Things on a shelf")
    assert rows["mid"].startswith("permanent messages of electronic mail, by their identifiers RFC 1738 section 4 ")
    assert done.stderr == (
        "urlschemes: 22 names, 2 installed; sources: the names that RFC 1738 settles (1994-12); "
        "the list of arts (2026-03)\n"
    )
    monkeypatch.setenv("COLUMNS", "70")
    narrow = run("schemes", "--all", plugins="shelf-schemes,arts")
    assert max(map(len, narrow.stdout.splitlines())) <= 70
    assert "--json has more columns" in narrow.stderr


def test_all_as_json(run, art_ledger) -> None:
    done = run("schemes", "--all", "--json", plugins="shelf-schemes,arts")
    found = {each["name"]: each for each in json.loads(done.stdout)}
    assert len(found) == 22
    assert "the list of arts (2026-03)" in done.stderr
    assert found["x-song"] == {
        "name": "x-song",
        "status": "historical",
        "installed": False,
        "means": "songs, by \x1btheir words",
        "reference": "the songbook",
        "since": "sung no more",
        "distribution": "",
        "version": None,
        "ledger": None,
        "profile": None,
    }
    shelf = found["x-shelf"]
    assert (shelf["installed"], shelf["status"]) == (True, "experimental"), "the record takes precedence"
    assert (shelf["distribution"], shelf["version"]) == ("shelf-schemes", "1.0")


def test_all_without_a_plugins_ledger_says_which_plugin_has_more_names(run) -> None:
    done = run("schemes", "--all")
    assert len(done.stdout.splitlines()) == 2 + 20
    assert f"to list the names that IANA has registered, {how_to_install('urlschemes-iana')}" in done.stderr
