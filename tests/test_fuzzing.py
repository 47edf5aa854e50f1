"""A few inputs of each target of `python3 dev fuzz`, and all that ever failed."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from fuzzing import campaign
from fuzzing.campaign import FINDS, TARGETS, Target, run, shortened

from urlschemes import default_registry
from urlschemes_tables import Table

FEW = {"urls": 20, "readers": 4, "grammars": 20, "dialogues": 200, "arrays": 40}
KEPT = [json.loads(line) for line in FINDS.read_text("utf-8").splitlines()]


def target(name: str) -> Target:
    if name == "arrays":
        pytest.importorskip("pyarrow", reason="needs pyarrow: python3 dev --group columns pytest")
        pytest.importorskip("urlschemes_columns", reason="needs urlschemes-columns: python3 dev --group columns pytest")
    return TARGETS[name]


@pytest.mark.parametrize("more", [1, pytest.param(30, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", TARGETS)
def test_nothing_fails(name: str, more: int) -> None:
    figures = run(target(name), 0, range(FEW[name] * more))
    assert figures.failures == []
    assert len(figures.outcomes) > 1, "inputs of one kind show little"


@pytest.mark.parametrize("kept", KEPT, ids=lambda kept: f"{kept['target']} {json.dumps(kept['input'])[:60]}")
def test_what_failed_once_fails_no_more(kept: dict[str, object]) -> None:
    assert target(str(kept["target"])).failure(kept["input"]) is None


def test_the_seed_and_the_number_determine_an_input() -> None:
    inputs = [TARGETS["dialogues"].input(7, number) for number in range(30)]
    assert [TARGETS["dialogues"].input(7, number) for number in range(30)] == inputs
    assert TARGETS["dialogues"].input(8, 0) != inputs[0]


def test_what_fails_is_shortened_and_kept_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def judge(case: list[list[str]]) -> str:
        assert not any("~" in text for texts in case for text in texts), "there is a ~"
        return "good"

    made = Target(lambda random: [[random.choice(("a~b", "c")), "d"], ["e"]], judge)
    figures = run(made, 1, range(20))
    assert 0 < figures.outcomes["good"] < 20
    assert {json.dumps(short) for _, _, short in figures.failures} == {'[["~"]]'}
    monkeypatch.setattr(campaign, "FINDS", tmp_path / "finds.jsonl")
    campaign.keep("made", figures.failures)
    campaign.keep("made", figures.failures)
    assert (tmp_path / "finds.jsonl").read_text() == '{"target": "made", "input": [["~"]]}\n'
    assert shortened({"a": "xx~", "b": 5}, lambda each: "~" in each["a"]) == {"a": "~", "b": 5}


def test_a_mistake_in_the_code_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    grammar = next(each for number in range(99) if TARGETS["grammars"].judge(each := made(number)) == "proven")
    for name, wrong in (("spans", lambda *_: None), ("viable", lambda _, text: len(text))):
        with monkeypatch.context() as patched:
            patched.setattr(Table, name, wrong)
            assert TARGETS["grammars"].failure(grammar)
    monkeypatch.setattr(default_registry, "is_valid", lambda text: "~" in text)
    assert "is_valid" in str(TARGETS["urls"].failure(["rfc1738", "http://host.dom/~"]))
    monkeypatch.setattr("urlschemes_lint.check", lambda *_, **__: 1 // 0)
    assert "ZeroDivisionError" in str(TARGETS["urls"].failure(["rfc1738", ""]))


def made(number: int) -> object:
    return TARGETS["grammars"].make(Random(number))
