"""The review of records without a distribution: a file of any name, and all in a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from bad_plugins import GOOD, SOURCE

from urlschemes import Registry, default_registry
from urlschemes.errors import PluginError
from urlschemes_conformance import subprocesses
from urlschemes_conformance.review import review, review_records
from urlschemes_conformance.review.target import find_target, targets_of_records
from urlschemes_conformance.scaffold import plan

if TYPE_CHECKING:
    from pathlib import Path

    from plugin_fixtures import Install

    from urlschemes_conformance.review import Verdict

NOTE = """\
scheme = "x-note"
[syntax]
bnf = '''noteurl = "x-note://" hostport "/" note
note = 1*uchar'''
parts = { host = "host", port = "port", note = "note" }
[[examples]]
url = "x-note://host.dom/a"
parts = { host = "host.dom", note = "a" }
[[examples]]
url = "x-note:a"
invalid = true
"""
SECOND_PROFILE = """\
[rfc3986.syntax]
bnf = '''noteurl = "x-note://" named-host [ ":" port ] "/" note
note = 1*unreserved'''
parts = { host = { at = "named-host" } }
"""
MEMO = """\
scheme = "x-memo"
same_as = "x-note"
[syntax]
bnf = 'memourl = "x-memo://" hostport "/" note'
parts = { note = "memourl/note" }
"""


def made(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    return folder


def test_all_records_of_a_folder_are_reviewed_in_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, run = [], subprocesses.run
    monkeypatch.setattr(subprocesses, "run", lambda *given, **more: calls.append(given) or run(*given, **more))
    modern = (GOOD / SOURCE / "registration.rfc3986.toml").read_text("utf-8")
    files = {
        "x-note.toml": NOTE + SECOND_PROFILE,
        "x-other.toml": NOTE,
        "x-broken.toml": "[",
        "x-example.toml": f'profile = "rfc3986"\ndefault_port = 1021\n{modern}',
        "_names.toml": "",
        "README.md": "",
    }
    reviews = review_records(made(tmp_path, files), checks=["record", "name-free", "parts"], examples=5)
    found = {each.target.rpartition("/")[2]: each for each in reviews}
    assert {name: each.profiles for name, each in found.items()} == {
        "x-broken.toml": ("rfc1738",),
        "x-example.toml": ("rfc3986",),
        "x-note.toml": ("rfc1738", "rfc3986"),
        "x-other.toml": ("rfc1738",),
    }
    assert {name: [verdict.reason for verdict in each.failed] for name, each in found.items() if not each.passed} == {
        "x-broken.toml": [found["x-broken.toml"].failed[0].reason],
        "x-other.toml": ["the file is named 'x-other', but the record is of 'x-note'"],
    }
    assert "x-broken.toml is not TOML" in found["x-broken.toml"].failed[0].reason
    assert len(calls) == 1


def test_a_file_that_others_can_write_is_named(tmp_path: Path) -> None:
    made(tmp_path, {"x-note.toml": NOTE, "x y.toml": NOTE})
    (tmp_path / "x-note.toml").chmod(0o666)
    bad_name, writable = review_records(tmp_path, checks=["record", "grammar"])
    assert "not a scheme name" in bad_name.failed[0].reason
    assert "cannot be used" in writable.failed[0].reason
    assert [each.outcome for each in writable.verdicts] == ["failed", "skipped"]


def test_the_records_of_one_profile_are_reviewed(tmp_path: Path) -> None:
    folder = made(tmp_path, {"x-note.toml": NOTE + SECOND_PROFILE, "x-other.toml": NOTE})
    (found,) = review_records(folder, profile="rfc3986", checks=["record"])
    assert (found.scheme, found.profiles, found.passed) == ("x-note", ("rfc3986",), True)
    made(tmp_path, {"x-note.toml": NOTE + SECOND_PROFILE.replace("rfc3986", "rfc3968"), "x-other.toml": ""})
    assert review_records(folder, checks=["record"])[0].verdicts[0].reason == "rfc3968 is not a known profile"


def test_a_folder_without_a_record_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match=r"there is no record in .*; a record is a file NAME.toml"):
        review_records(tmp_path)


def test_a_file_of_any_name_is_a_target_in_all_its_profiles(tmp_path: Path) -> None:
    made(tmp_path, {"any name.toml": NOTE + SECOND_PROFILE})
    result = review(tmp_path / "any name.toml", checks=["record"])
    assert (result.kind, result.scheme, result.profiles) == ("record", "x-note", ("rfc1738", "rfc3986"))
    assert result.passed


def left_over(name: str) -> str:
    """Return the record of the template, with another syntax."""
    files = plan(name, registered=True, record_only=True).files
    return files[f"src/urlschemes_{name}/registration.toml"].replace("1*uchar", "1*alphadigit")


VERDICTS = {  # the record of x-note with one text replaced, and the verdict of one check
    "x-rule": ("note = 1*uchar", "note = 1*uchar\nword = 1*digits", "grammar", "warned", "no URL has the rule word"),
    "x-tag": ('"/" note', '"/" note [ ";" tag ]\ntag = 1*alpha', "loses-nothing", "failed", "(rule tag) belongs to no"),
    "x-class": ('note = "note"', 'class = "note"', "parts", "warned", "class is a word of Python"),
    "x-wrong": (
        'note = "a" }',
        'note = "b" }\n[[examples]]\nurl = "x-wrong:b"\nparts = {}',
        *("examples-parse", "failed", 'x-wrong://host.dom/a: part note: expected "b", got "a"'),
    ),
    "x-words": (
        "[syntax]",
        'security_considerations = "None at all."\n[syntax]',
        *("security", "failed", "3 words of at least 15"),
    ),
    "x-decoded": (
        '\'\'\'\nparts = { host = "host", port = "port", note = "note" }',
        '\nword = 1*%x00-FF\'\'\'\nparts = { host = "host", port = "port", note = { at = "note", decoded = "word" } }',
        *("grammar", "passed", ""),  # a rule may be about the decoded text only
    ),
    "x-nobody": ("[syntax]", 'contact = "Nobody."\n[syntax]', "contact", "failed", "'Nobody.' is not the name"),
    "left": (NOTE, left_over("left"), "security", "warned", "are still those of the template"),
    "over": (NOTE, left_over("over"), "considerations", "warned", "are still those of the template"),
    "x-memo": (NOTE, MEMO, "grammar", "passed", ""),  # it takes rules from another
}


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Verdict]:
    """The verdicts of all records in `VERDICTS`, by scheme and check."""
    files = {"x-note.toml": NOTE}
    for name, (old, new, *_) in VERDICTS.items():
        assert old in NOTE
        files[f"{name}.toml"] = NOTE.replace(old, new, 1).replace("x-note", name if old != NOTE else "x-note")
    folder = made(tmp_path_factory.mktemp("records"), files)
    reviews = review_records(folder, checks={check for _, _, check, *_ in VERDICTS.values()}, examples=5)
    return {(each.scheme, verdict.check): verdict for each in reviews for verdict in each.verdicts}


@pytest.mark.parametrize("name", VERDICTS)
def test_a_verdict_says_what_is_wrong(name: str, verdicts: dict[tuple[str, str], Verdict]) -> None:
    _, _, check, outcome, reason = VERDICTS[name]
    verdict = verdicts[name, check]
    assert verdict.outcome == outcome, verdict
    assert reason in verdict.reason
    assert verdict.details or name != "x-wrong", "all wrong examples are named"


def test_a_name_of_a_ledger_is_a_target(tmp_path: Path) -> None:
    registry = Registry(records=made(tmp_path, {"x-note.toml": NOTE + SECOND_PROFILE}))
    (first, second) = targets_of_records(find_target("x-note", registry), registry)
    assert (first.kind, first.claim.records, second.profile) == ("installed", (f"{tmp_path}/x-note.toml",), "rfc3986")
    result = review("x-note", registry=registry, checks=["record", "grammar", "demonstration"], examples=5)
    assert result.passed
    assert result.origin == f"{tmp_path}/x-note.toml"


def test_the_text_of_an_experiment_may_be_absent(tmp_path: Path) -> None:
    (result,) = review_records(made(tmp_path, {"x-note.toml": NOTE}), examples=20)
    assert result.failed == ()
    absent = ["contact", "reference", "considerations", "security"]
    assert [each.check for each in result.verdicts if "of this experiment" in each.reason] == absent
    assert default_registry.get("x-note") is None


def test_a_plugin_and_the_ledger_that_has_its_record_are_no_conflict(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("notes", "[urlschemes.records]\nnotes = notes\n", {"notes/x-note.toml": NOTE + SECOND_PROFILE})
    code = "from urlschemes import Registration, Scheme\nscheme = Scheme(Registration.of('notes', scheme='x-note'))\n"
    monkeypatch.syspath_prepend(install("plugin", "x-note = x_plugin:scheme", {"x_plugin/__init__.py": code}))
    checks = ["record", "name-free", "contract"]
    for target in ("x-note", tmp_path / "site" / "notes" / "x-note.toml"):
        result = review(target, registry=Registry(), checks=checks, examples=5)
        assert [each for each in result.verdicts if each.outcome not in {"passed", "skipped"}] == []
        assert result.profiles == ("rfc1738", "rfc3986")


def test_a_record_of_a_name_that_another_ledger_has_is_a_warning(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(install("notes", "[urlschemes.records]\nnotes = notes\n", {"notes/x-note.toml": NOTE}))
    (verdict,) = review(made(tmp_path, {"x-note.toml": NOTE}) / "x-note.toml", checks=["name-free"]).verdicts
    assert (verdict.outcome, verdict.reason.partition(" in ")[0]) == ("warned", "notes 1.0")
