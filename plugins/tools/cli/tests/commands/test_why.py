"""`urlschemes why`."""

from __future__ import annotations

import json
import re


def test_the_provider_and_the_rule(run) -> None:
    result = run("why", "x-shelf")
    assert result.stdout.startswith("x-shelf  shelf-schemes 1.0\nrule        no other distribution")
    assert "--disable x-shelf switches it off" in result.stdout
    found = json.loads(run("why", "--json", "x-shelf").stdout)
    assert (found["reference"], found["operations"]) == ("nowhere, section 1", ["access", "find attributes"])
    assert (found["provider"], found["claims"][0]["state"]) == ("shelf-schemes 1.0", "active")


def test_a_broken_plugin_is_shown_with_its_cause_and_how_to_do_without_it(run, plugin) -> None:
    plugin("x-torn", None, lambda text: text.replace("title =", "titel ="), distribution="torn-shelf")
    result = run("why", "x-torn", plugins="torn-shelf")
    assert (result.exit_code, result.stderr) == (5, "")
    assert "titel" in result.stdout
    assert "--disable x-torn switches it off" in result.stdout
    assert [line for line in result.stdout.splitlines() if line.count("torn-shelf 1.0") > 1] == []


def test_a_name_without_provider_ends_with_the_exit_code_5(run) -> None:
    result = run("why", "x-attic")
    assert (result.exit_code, result.stderr) == (5, "")
    assert result.stdout.startswith("x-attic  no provider\n")


def test_a_conflict_is_explained_with_the_pin_that_settles_it(run, install, shelf_files) -> None:
    files = {path.replace("shelf_schemes", "other_shelf"): text for path, text in shelf_files.items()}
    install("other-shelf", "x-shelf = other_shelf:scheme", files)
    both = "shelf-schemes,other-shelf"
    refused = run("parse", "x-shelf://h/", plugins=both)
    assert (refused.exit_code, "--pin x-shelf=" in refused.stderr) == (5, True)
    assert "--pin x-shelf=" in run("why", "x-shelf", plugins=both).stdout
    assert run("--pin", "x-shelf=other-shelf", "parse", "x-shelf://h/", plugins=both).exit_code == 0


def test_the_file_of_a_record_and_what_comes_before_it_are_shown(run, records) -> None:
    note, shelf = (run("--records", str(records), "why", name).stdout for name in ("x-note", "x-shelf"))
    assert f"\nrule        no plugin claims the name, so the record {records}/x-note.toml counts\n" in note
    assert re.search(rf"\nx-note +active +{records}\n +{records}/x-note.toml\n", note)
    assert re.search(rf"\nx-shelf +shadowed +{records}\n +shelf-schemes 1.0 claims the name\n +{records}/", shelf)


def test_a_gateway_is_shown(run, monkeypatch) -> None:
    monkeypatch.setenv("URLSCHEMES_GATEWAYS", "x-far=x-shelf://joe:opensesame@127.0.0.1/{url}")
    why = run("why", "x-far")
    gateway = "x-shelf://joe:***@127.0.0.1/{url}, from the environment variable URLSCHEMES_GATEWAYS"
    assert f"gateway  {gateway}" in why.stdout
    assert "opensesame" not in why.output
