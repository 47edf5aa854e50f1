"""The scheme of the README: the review finds nothing wrong in its record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages import blocks
from workspace import ROOT

from urlschemes_conformance.review import review

if TYPE_CHECKING:
    from pathlib import Path


def block(name: str) -> str:
    (found,) = (each.body for each in blocks(ROOT / "README.md") if each.argument.endswith(f"/{name}"))
    return found


def test_the_record_of_the_readme_passes_the_review(tmp_path: Path) -> None:
    file = tmp_path / "registration.toml"
    file.write_text(block("registration.toml"), "utf-8")
    result = review(file, examples=20)
    assert result.scheme == "x-finger"
    outcomes = {verdict.check: verdict.outcome for verdict in result.verdicts}
    assert [check for check, outcome in outcomes.items() if outcome in {"failed", "warned"}] == []
    passed = {check for check, outcome in outcomes.items() if outcome == "passed"}
    assert {"record", "contact", "examples", "grammar", "parts", "examples-parse"} <= passed
