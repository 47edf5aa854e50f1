"""`urlschemes doctor`."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from urlschemes import Registry
from urlschemes.registry.claims import HOOKS, Claim
from urlschemes_cli.commands.doctor import Examined, diagnoses

BROKEN = {"broken_schemes/__init__.py": "raise SystemExit(0)"}


@pytest.fixture
def broken(install) -> str:
    """Distributions of which one cannot be imported."""
    install("broken-schemes", "x-broken = broken_schemes:scheme", BROKEN)
    return "shelf-schemes,broken-schemes"


def test_each_claim_is_listed_with_its_file_and_hash(run) -> None:
    result = run("doctor")
    assert result.exit_code == 0
    assert re.search(
        r"x-shelf +active +shelf-schemes 1\.0  shelf_schemes:scheme  rfc1738\n +\S+__init__\.py  sha256 [0-9a-f]{16}",
        result.stdout,
    )
    assert result.stderr.startswith("urlschemes: plugins were not imported: ")


def test_problems_come_first_with_what_to_do(run, broken: str) -> None:
    ill = run("doctor", "--load", plugins=broken)
    assert ill.exit_code == 5
    assert re.search(
        r"^Problems\nbroken-schemes 1\.0  broken  the scheme x-broken\n    breaks the plugin contract", ill.stdout
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
    assert {"name", "distribution", "version", "state", "reason", "file", "sha256", "seconds", "changes"} <= set(
        claims["x-shelf"]
    )
    assert len(claims["x-shelf"]["sha256"]) == 64


def test_what_is_switched_off_is_listed_last(run, art_ledger) -> None:
    result = run("doctor")
    rest, _, disabled = result.stdout.partition("\nSwitched off\n")
    assert "x-shelf    active    shelf-schemes 1.0" in rest
    assert "arts" not in rest.partition("\nSchemes")[2]
    assert re.search(r"^arts 1\.0: .* does not list arts\n    hook ledger$", disabled, re.MULTILINE)
    assert "\narts 1.0" not in run("doctor", plugins="shelf-schemes,arts").stdout


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
    assert re.search(r"^quick +unused +quick-reader 1\.0 .*\n +it needs another processor$", shown, re.MULTILINE)
    assert "URLs are read by their patterns: it needs another processor\n" in notes


# Diagnoses

SIMPLE = "from urlschemes import Registration, Scheme\nscheme = Scheme(Registration.of(__name__))\n"


def examined(registry: Registry, *distributions: str, load: bool = False) -> dict[str, Examined]:
    """Return the results for these distributions by their names."""
    found = {each.claim.distribution: each for each in diagnoses(registry, load=load)}
    return {name: found[name] for name in distributions}


def test_a_diagnosis_names_the_file_its_hash_and_the_time_of_the_import(plugin, monkeypatch):
    site = plugin("x-code", SIMPLE)
    plugin("x-plain", code=None)
    monkeypatch.syspath_prepend(site)
    registry = Registry()
    for load in (False, True):
        found = examined(registry, "x-code", "x-plain", load=load)
        for name, file in (("x-code", "x_code/__init__.py"), ("x-plain", "x_plain/registration.toml")):
            assert found[name].claim.state == "active"
            assert found[name].file == str(site / file)
            assert found[name].sha256 == hashlib.sha256((site / file).read_bytes()).hexdigest()
            assert (found[name].seconds is not None) == load
            assert not found[name].claim.in_trouble
        assert ("x_code" in sys.modules) == load


def test_a_diagnosis_finds_files_in_an_archive(plugin, tmp_path, monkeypatch):
    site = plugin("x-packed", SIMPLE)
    plugin("x-simple", code=None)
    archive = shutil.make_archive(str(tmp_path / "packed"), "zip", site)
    monkeypatch.syspath_prepend(archive)
    registry = Registry()
    assert registry.is_valid("x-packed:yes")
    assert registry.is_valid("x-simple:yes")
    found = examined(registry, "x-packed", "x-simple")
    for name, file in (("x-packed", "x_packed/__init__.py"), ("x-simple", "x_simple/registration.toml")):
        assert found[name].file == str(Path(archive) / file)
        assert found[name].sha256 == hashlib.sha256((site / file).read_bytes()).hexdigest()


def test_a_claim_without_a_file_is_diagnosed_too(install, monkeypatch):
    site = install("lost", "[urlschemes]\nledger = x_lost\n")
    monkeypatch.syspath_prepend(site)
    claim = Claim("ledger", "lost", "1.0", str(site), "x_lost", group=HOOKS)
    assert examined(Registry(), "lost")["lost"] == Examined(claim)
