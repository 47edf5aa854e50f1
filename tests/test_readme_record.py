"""The scheme of the README: the review of its record misses nothing but examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages import blocks
from workspace import ROOT

from urlschemes_conformance.review import review

if TYPE_CHECKING:
    from pathlib import Path


def test_the_record_of_the_readme_lacks_only_examples(tmp_path: Path) -> None:
    file = tmp_path / "registration.toml"
    (record,) = (each.body for each in blocks(ROOT / "README.md") if each.argument.endswith("/x-note.toml"))
    file.write_text(record, "utf-8")
    result = review(file, examples=20)
    assert result.scheme == "x-note"
    outcomes = {verdict.check: verdict.outcome for verdict in result.verdicts}
    assert [check for check, outcome in outcomes.items() if outcome in {"failed", "warned"}] == ["examples"]
    passed = {check for check, outcome in outcomes.items() if outcome == "passed"}
    assert {"record", "grammar", "parts", "loses-nothing"} <= passed
