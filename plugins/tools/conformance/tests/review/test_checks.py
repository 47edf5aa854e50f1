"""Each check of the review: the good plugin passes it, and a bad plugin fails it and no other."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest
from bad_plugins import (
    ACCESS,
    BAD,
    CONNECT,
    GOOD,
    PACKAGE,
    RECORD,
    REGISTERED,
    SOURCE,
    TLS,
    UNTIL_CLOSED,
    Edit,
    bad_plugin,
    edited,
    good_plugin,
    method,
    rename_package,
    renamed,
    said,
)

from urlschemes import default_registry
from urlschemes_conformance.review import Verdict, all_checks, review
from urlschemes_conformance.review.reviewed_scheme import ReviewedScheme
from urlschemes_conformance.review.target import find_target, targets_of_records

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MODERN = "registration.rfc3986.toml"
CHECKS = {check.name: check for check in all_checks()}
NEEDS_PROCESS = ["light-import", "leaves-alone", "own-sockets"]
"""The checks that look at the modules of the process, or add an audit hook, which cannot be removed."""
WITHOUT_PROCESS = [name for name in CHECKS if name not in NEEDS_PROCESS]


@pytest.fixture
def modules_unchanged() -> Iterator[None]:
    """Forget the modules of copies."""
    yield
    for module in [each for each in sys.modules if each.startswith("bad_plugin_")]:
        del sys.modules[module]


def test_every_check_has_a_bad_plugin() -> None:
    assert sorted(BAD) == sorted(CHECKS)


@pytest.mark.parametrize("name", WITHOUT_PROCESS)
@pytest.mark.usefixtures("modules_unchanged")
def test_a_check_fails_for_its_bad_plugin(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = f"bad_plugin_{name.replace('-', '_')}"
    scheme = imported(bad_plugin(tmp_path, name), package, monkeypatch)
    verdict = verdict_of(name, scheme)
    assert verdict.outcome == "failed", verdict
    assert BAD[name].reason.replace(PACKAGE, package) in verdict.reason
    assert verdict.help
    if name == "faulted":
        (fault,) = verdict.details
        assert fault.startswith("'end' at request "), "it is quoted once"
    assert default_registry.provider("x-example") != "this program", "a review has a registry of its own"


@pytest.mark.parametrize(
    ("name", "status", "outcome"), [("x-example", "experimental", "failed"), ("example", "permanent", "warned")]
)
def test_a_grammar_is_not_wider_than_the_generic_syntax(name: str, status: str, outcome: str, tmp_path: Path) -> None:
    registered = REGISTERED.format(status) + "\n" if status == "permanent" else ""
    for file, start in (("registration.toml", registered), (MODERN, "")):
        text = (GOOD / SOURCE / file).read_text("utf-8").replace("1*( unreserved", '1*( unreserved / "["')
        (tmp_path / file).write_text(start + text.replace("x-example", name), "utf-8")
    scheme = of_record(tmp_path / MODERN)
    grammar, *others = [CHECKS[each].verdict(scheme) for each in ("grammar", "reserved-characters", "conventions")]
    assert (grammar.outcome, grammar.details) == (outcome, (repr(f"{name.upper()}://0/["),))
    assert [each for each in others if each.outcome == "failed"] == []


@pytest.mark.parametrize("name", ["name", "reserved-characters", "conventions"])
def test_what_is_asked_of_new_schemes_is_a_warning_for_registered_ones(name: str, tmp_path: Path) -> None:
    edits, scheme = ([], "9example") if name == "name" else (BAD[name].edits, "example")
    record = edited(good_plugin(tmp_path), [*edits, *renamed(scheme, "permanent")]) / RECORD
    verdict = verdict_of(name, of_record(record))
    assert (verdict.outcome, verdict.help) == ("warned", "new schemes must not; this one is permanent")


def test_a_grammar_that_does_not_compile_fails_for_registered_schemes_too(tmp_path: Path) -> None:
    record = edited(bad_plugin(tmp_path, "grammar"), renamed("example", "permanent")) / RECORD
    assert verdict_of("grammar", of_record(record)).outcome == "failed"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("    @classmethod\n    def parse(cls, text, **more):\n        return super().parse(text, **more)\n", "parse"),
        ("    def join(self, reference):\n        return self\n\n    __copy__ = join\n", "join"),
    ],
)
@pytest.mark.usefixtures("modules_unchanged")
def test_a_type_overrides_no_method_of_the_core(
    text: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheme = imported(edited(good_plugin(tmp_path), method(text)), "bad_plugin_sealed", monkeypatch)
    verdict = verdict_of("sealed", scheme)
    assert verdict.reason.startswith(f"ExampleURL overrides {name}, ")
    assert (verdict.details == ("overrides __copy__",)) is (name == "join")


def test_a_record_that_no_profile_reads_is_named(tmp_path: Path) -> None:
    record = good_plugin(tmp_path) / RECORD
    shutil.copy(record, record.with_name("registration.rfc3987.toml"))
    verdict = verdict_of("record", of_record(record))
    assert (verdict.outcome, verdict.reason) == (
        "warned",
        "registration.rfc3987.toml is not a record of a known profile",
    )


def of_record(record: Path) -> ReviewedScheme:
    """Return the scheme of a record by itself."""
    (target,) = targets_of_records(find_target(record, default_registry), default_registry)
    return ReviewedScheme(target, examples=100, seed=1)


def imported(plugin: Path, package: str, monkeypatch: pytest.MonkeyPatch) -> ReviewedScheme:
    """Return the scheme of a plugin, which this process imports; its package gets the name `package`."""
    rename_package(plugin, package)
    target = find_target(plugin, default_registry)
    for path in target.path:
        monkeypatch.syspath_prepend(path)
    return ReviewedScheme(target, examples=100, seed=1)


def verdict_of(name: str, scheme: ReviewedScheme) -> Verdict:
    verdict = CHECKS[name].verdict(scheme)
    assert verdict.outcome != "skipped", verdict
    return verdict


@pytest.mark.plugin_fault(20)
@pytest.mark.parametrize("name", NEEDS_PROCESS)
def test_a_check_in_a_worker_process_fails_for_its_bad_plugin(name: str, tmp_path: Path) -> None:
    (verdict,) = review(bad_plugin(tmp_path, name), checks=[name]).verdicts
    assert verdict.outcome == "failed", verdict
    assert BAD[name].reason in verdict.reason
    assert verdict.help


@pytest.mark.usefixtures("modules_unchanged")
def test_an_exception_of_an_algorithm_is_shown_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = edited(good_plugin(tmp_path), [Edit(ACCESS, CONNECT, f"    {{}}[1]\n{CONNECT}")])
    verdict = verdict_of("demonstration", imported(plugin, "bad_plugin_key_error", monkeypatch))
    assert verdict.reason.endswith("failed: KeyError: 1")
    place = verdict.details[-1]
    assert place.startswith(f"{plugin / 'src' / 'bad_plugin_key_error' / 'access.py'}:")
    assert place.endswith(" in access")


@pytest.mark.parametrize(("edits", "outcome"), [(UNTIL_CLOSED, "warned"), ([*UNTIL_CLOSED, *TLS], "passed")])
@pytest.mark.usefixtures("modules_unchanged")
def test_an_early_end_is_a_warning_unless_tls_authenticates_the_end(
    edits: list[Edit], outcome: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheme = imported(edited(good_plugin(tmp_path), edits), "bad_plugin_until_closed", monkeypatch)
    assert verdict_of("faulted", scheme).outcome == outcome


@pytest.mark.parametrize(("name", "other"), [("grammar", "leaves-alone"), ("own-sockets", "replayed")])
def test_what_another_check_reports_is_not_reported_again(name: str, other: str, tmp_path: Path) -> None:
    (verdict,) = review(bad_plugin(tmp_path, name), checks=[other]).verdicts
    assert (verdict.outcome, verdict.reason) == ("skipped", f"the check {name} failed")


@pytest.mark.slow
@pytest.mark.parametrize("name", WITHOUT_PROCESS)
@pytest.mark.usefixtures("modules_unchanged")
def test_a_bad_plugin_fails_no_other_check(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scheme = imported(bad_plugin(tmp_path, name), "bad_plugin_in_all_checks", monkeypatch)
    assert [check for check in WITHOUT_PROCESS if CHECKS[check].verdict(scheme).outcome == "failed"] == [name]


def test_the_good_plugin_passes_every_check(tmp_path: Path) -> None:
    result = review(good_plugin(tmp_path), examples=20)
    assert [verdict.check for verdict in result.verdicts] == list(CHECKS)
    others = {verdict.check: verdict.outcome for verdict in result.verdicts if verdict.outcome != "passed"}
    absent = dict.fromkeys(["reference", "considerations", "security"], "skipped")
    assert others == {"contact": "warned", **absent}
    assert (result.kind, result.scheme, result.distribution) == ("folder", "x-example", "urlschemes-x-example")


def test_the_security_considerations_must_discuss_passwords(tmp_path: Path) -> None:
    parts = '[syntax.parts]\nuser = { at = "user" }\npassword = { at = "password" }\n'
    edits = [
        said(REGISTERED.format("experimental")),
        Edit(RECORD, "hostport", "login"),
        Edit(RECORD, "[syntax.parts]\n", parts),
    ]
    verdict = verdict_of("security", of_record(edited(good_plugin(tmp_path), edits) / RECORD))
    reason = "its URLs may contain a password, but the security considerations do not discuss it"
    assert (verdict.outcome, verdict.reason) == ("failed", reason)


def test_a_part_with_the_name_of_an_attribute_of_every_url_fails_the_grammar(tmp_path: Path) -> None:
    edits = [Edit(RECORD, "\nedition = {", "\nnormalized = {")]
    scheme = of_record(edited(good_plugin(tmp_path), edits) / RECORD)
    verdict = verdict_of("grammar", scheme)
    assert (verdict.outcome, "normalized" in verdict.reason) == ("failed", True)
    assert CHECKS["builds-back"].verdict(scheme).outcome == "skipped"


def test_for_a_record_without_code_the_grammar_is_checked_and_the_access_is_skipped(tmp_path: Path) -> None:
    endings = ("import_checks", "access_checks")
    needs_code = [name for name, check in CHECKS.items() if check.function.__module__.endswith(endings)]
    result = review(good_plugin(tmp_path) / RECORD, checks=["grammar", "builds-back", *needs_code], examples=5)
    outcomes = {verdict.check: verdict for verdict in result.verdicts}
    assert {outcomes[check].outcome for check in needs_code} == {"skipped"}
    assert "there is a record and no code" in outcomes["demonstration"].reason
    assert outcomes["grammar"].outcome == outcomes["builds-back"].outcome == "passed"
    assert (result.kind, result.scheme, result.title) == ("record", "x-example", "Documents by name and edition")
