"""`urlschemes doctor`."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from urlschemes import Registry
from urlschemes_cli.app import command

BROKEN = {"broken_schemes/__init__.py": "raise SystemExit(0)"}


@pytest.fixture
def broken(install) -> str:
    """Distributions of which one cannot be imported."""
    install("broken-schemes", "x-broken = broken_schemes:scheme", BROKEN)
    return "shelf-schemes,broken-schemes"


def test_each_claim_is_listed_with_its_file(run) -> None:
    result = run("doctor")
    assert result.exit_code == 0
    assert re.search(
        r"x-shelf +active +shelf-schemes 1\.0  rfc1738\n +\S+__init__\.py\n",
        result.stdout,
    )
    assert result.stderr.startswith("urlschemes: plugins were not imported: ")


def test_problems_come_first_with_what_to_do(run, broken: str) -> None:
    ill = run("doctor", "--load", plugins=broken)
    assert ill.exit_code == 5
    assert re.search(
        r"^Problems\nscheme x-broken broken    broken-schemes 1\.0\n           breaks the plugin contract", ill.stdout
    )
    assert "\n    --disable x-broken switches it off\n" in ill.stdout
    assert re.search(r"x-shelf +active .* \d+ ms", ill.stdout)
    listed = run("schemes", plugins=broken)
    assert (listed.exit_code, listed.stderr) == (0, "urlschemes: 1 more cannot be used: `urlschemes doctor` says why\n")


def test_the_claims_as_json(run) -> None:
    claims = {each["name"]: each for each in json.loads(run("doctor", "--json").stdout) if each["state"] == "active"}
    assert {name: each["profile"] for name, each in claims.items()} == {
        "x-shelf": "rfc1738",
        "x-drawer": "rfc1738",
        "rfc3986": None,
    }


def test_what_is_switched_off_is_listed_last(run, art_ledger) -> None:
    result = run("doctor")
    rest, _, disabled = result.stdout.partition("\nSwitched off\n")
    assert "x-shelf    active    shelf-schemes 1.0" in rest
    assert "arts" not in rest.partition("\nSchemes")[2]
    assert re.search(r"^arts 1\.0: .* does not list arts\n    hook ledger$", disabled, re.MULTILINE)
    assert "\narts 1.0" not in run("doctor", plugins="shelf-schemes,arts").stdout


def test_ledgers_are_counted_and_their_broken_files_named(run, records) -> None:
    done = run("--records", str(records), "doctor")
    assert done.exit_code == 5
    assert done.stdout.count("scheme x-bad") == 1, "in one problem for all profiles"
    assert "\n           the record of x-bad is wrong: " in done.stdout
    assert (
        f"{records}/x-bad.toml is the record of 'x-note': name the file x-note.toml\n    {records}/x-bad.toml\n"
        in done.stdout
    )
    assert f"\nLedgers\n{records}  1 active, 1 shadowed\n    {records}\n" in done.stdout
    assert "not a record of a known profile" not in done.stderr


def test_files_of_a_ledger_that_are_not_read_are_named(run, records) -> None:
    (records / "x-note.tml").touch()
    (records / "registration.toml").write_text('scheme = "x-note"\nprofile = "rfc3987"\n')
    (records / "x-two.toml").write_text('scheme = "x-two"\n[syntax]\nbnf = \'u = "x-two:"\'\n[rfc3968.syntax]\n')
    done = run("--records", str(records), "doctor")
    assert f"{records}/x-two.toml: rfc3968 is not a known profile: expected one of rfc1738, rfc3986" in done.stderr
    assert f"{records}: not read, since a record is a file NAME.toml: x-note.tml" in done.stderr
    assert "its profile is rfc3987: expected one of rfc1738, rfc3986" in done.stdout


def test_a_record_of_a_folder_is_broken_for_every_command(run, records) -> None:
    """Its rules are right, and a part names none of them: only the whole syntax shows that."""
    syntax = '[syntax]\nbnf = """\nx = "x-part:" *xchar\n"""\nparts.path = "path"\n'
    (records / "x-part.toml").write_text(f'scheme = "x-part"\n{syntax}')
    assert "no occurrence of 'path'" in run("--records", str(records), "doctor").stdout
    assert "x-part" not in run("--records", str(records), "schemes", "--from", str(records)).stdout


def test_the_doctor_says_what_reads_urls_and_which_value_means_nothing(run, monkeypatch) -> None:
    assert re.search(
        r"^urlschemes: URLs are read by (urlschemes-native .+|their patterns: no other reader is installed)$",
        run("doctor").stderr,
        re.MULTILINE,
    )
    monkeypatch.setenv("URLSCHEMES_NATIVE", "off")
    assert "URLSCHEMES_NATIVE is 'off', which means nothing: `none` switches" in run("doctor").stderr


def test_a_reader_that_declines_is_not_used_and_not_broken(install, child) -> None:
    entry = "[urlschemes.readers]\nquick = quick:Reader\n"
    site = install("quick-reader", entry, {"quick.py": "raise ImportError('it needs another processor')"})
    code = """
        from click.testing import CliRunner
        from urlschemes_cli.app import command
        result = CliRunner().invoke(command, ["--profile", "rfc1738", "doctor", "--load"])
        print(json.dumps([result.exit_code, result.stdout, result.stderr]))
        """
    code, shown, notes = child(code, site, environ={"URLSCHEMES_PLUGINS": "quick-reader"})
    assert code == 0
    assert re.search(r"^quick +unused +quick-reader 1\.0.*\n +it needs another processor$", shown, re.MULTILINE)
    assert "URLs are read by their patterns: it needs another processor\n" in notes


# Diagnoses

SIMPLE = "from urlschemes import Registration, Scheme\nscheme = Scheme(Registration.of(__name__))\n"


def examined(*distributions: str, load: bool = False) -> dict[str, dict[str, Any]]:
    """Return the results for these distributions by their names."""
    words = ["--plugins", ",".join(distributions), "--profile", "rfc1738", "doctor", "--json", *["--load"] * load]
    found = json.loads(CliRunner().invoke(command, words).stdout)
    return {each["distribution"]: each for each in found if each["distribution"] in distributions}


def test_a_diagnosis_names_the_file_its_hash_and_the_time_of_the_import(plugin, monkeypatch):
    site = plugin("x-code", SIMPLE)
    plugin("x-plain", code=None)
    monkeypatch.syspath_prepend(site)
    for load in (False, True):
        found = examined("x-code", "x-plain", load=load)
        for name, file in (("x-code", "x_code/__init__.py"), ("x-plain", "x_plain/registration.toml")):
            assert (found[name]["state"], found[name]["in_trouble"]) == ("active", False)
            assert found[name]["file"] == str(site / file)
            assert found[name]["sha256"] == hashlib.sha256((site / file).read_bytes()).hexdigest()
            assert (found[name]["seconds"] is not None) == load
        assert ("x_code" in sys.modules) == load


def test_a_diagnosis_finds_files_in_an_archive(plugin, tmp_path, monkeypatch):
    site = plugin("x-packed", SIMPLE, site="packed")
    plugin("x-simple", code=None, site="packed")
    archive = shutil.make_archive(str(tmp_path / "packed"), "zip", site)
    monkeypatch.syspath_prepend(archive)
    assert all(Registry().is_valid(f"{name}:yes") for name in ("x-packed", "x-simple"))
    found = examined("x-packed", "x-simple")
    for name, file in (("x-packed", "x_packed/__init__.py"), ("x-simple", "x_simple/registration.toml")):
        assert found[name]["file"] == str(Path(archive) / file)
        assert found[name]["sha256"] == hashlib.sha256((site / file).read_bytes()).hexdigest()


def test_a_claim_without_a_file_is_diagnosed_too(install, monkeypatch):
    monkeypatch.syspath_prepend(install("lost", "[urlschemes]\nledger = x_lost\n"))
    assert [examined("lost")["lost"][key] for key in ("module", "file", "sha256")] == ["x_lost", "", ""]
