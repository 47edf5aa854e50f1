"""`urlschemes doctor`."""

from __future__ import annotations

import json
import re

import pytest

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
