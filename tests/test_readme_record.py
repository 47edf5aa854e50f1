"""The record that the README calls complete is complete: the review finds nothing that fails or is unwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages import blocks
from workspace import ROOT

from urlschemes_conformance.review import review

if TYPE_CHECKING:
    from pathlib import Path


def test_the_record_of_the_readme_passes_the_review(tmp_path: Path) -> None:
    (record,) = [block for block in blocks(ROOT / "README.md") if block.argument.endswith("/registration.toml")]
    file = tmp_path / "registration.toml"
    file.write_text(record.body, "utf-8")
    found = review(file, examples=50)
    assert found.scheme == "x-finger"
    assert {
        verdict.check: verdict.reason for verdict in found.verdicts if verdict.outcome in {"failed", "warned"}
    } == {}
    passed = {verdict.check for verdict in found.verdicts if verdict.outcome == "passed"}
    assert {"record", "contact", "examples", "grammar", "parts", "examples-parse"} <= passed
