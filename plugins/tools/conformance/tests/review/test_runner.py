"""The processes of a review: it survives whatever a plugin does in them, and leaves nothing behind."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from bad_plugins import ACCESS, CONNECT, DEMO, PROJECT, RECORD, TYPE, Edit, edited, good_plugin

from urlschemes import Registry, default_registry
from urlschemes_conformance.review import Review, ReviewError, review, runner
from urlschemes_conformance.review.checks.import_checks import HEAVY

if TYPE_CHECKING:
    from pathlib import Path

    from plugin_fixtures import Child, Install


def failures(result: Review) -> dict[str, str]:
    return {verdict.check: verdict.reason for verdict in result.failed}


def test_a_review_leaves_nothing_in_the_process_and_in_the_folder(tmp_path: Path) -> None:
    other_name = [
        Edit(RECORD, "x-example", "x-otherone"),
        Edit(PROJECT, "x-example = ", "x-otherone = "),
        Edit(DEMO, "x-example:", "x-otherone:"),
    ]
    plugin = edited(good_plugin(tmp_path), other_name)
    before = sorted(plugin.rglob("*"))
    assert failures(review(plugin, checks=["contract", "parts", "demonstration"], examples=5)) == {}
    assert str(plugin / "src") not in sys.path
    assert "x-otherone" not in default_registry
    assert sorted(plugin.rglob("*")) == before


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("os._exit(0)", "the plugin ended the worker process: it ended with the exit code 0"),
        ("raise SystemExit(0)", "SystemExit"),
    ],
)
def test_a_plugin_that_ends_the_process_fails_that_check_only(tmp_path: Path, statement: str, reason: str) -> None:
    plugin = edited(good_plugin(tmp_path), [Edit(ACCESS, CONNECT, f"    import os\n\n    {statement}\n{CONNECT}")])
    result = review(plugin, examples=5, checks=["name", "demonstration", "faulted", "contract"])
    outcomes = {verdict.check: verdict.outcome for verdict in result.verdicts}
    assert outcomes["name"] == outcomes["contract"] == "passed"
    assert outcomes["demonstration"] == "failed"
    assert reason in failures(result)["demonstration"]


def test_a_check_that_hangs_fails_and_shows_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "CHECK_SECONDS", 5.0)
    plugin = edited(
        good_plugin(tmp_path), [Edit(ACCESS, CONNECT, f"    import time\n\n    time.sleep(1000)\n{CONNECT}")]
    )
    result = review(plugin, examples=5, checks=["demonstration", "name"])
    assert failures(result) == {"demonstration": "the check took more than 5 s"}
    assert any("in access" in detail for detail in result.failed[0].details)


def test_what_a_plugin_writes_to_any_file_descriptor_changes_no_verdict(tmp_path: Path) -> None:
    code = (
        "import os, contextlib\n"
        "for number in range(1, 20):\n"
        "    with contextlib.suppress(OSError):\n"
        "        os.write(number, b'5\\n')\n"
    )
    plugin = edited(good_plugin(tmp_path), [Edit(TYPE, "from urlschemes import", f"{code}from urlschemes import")])
    checks = ["name", "contract", "parts"]
    verdicts = review(plugin, checks=checks, examples=5).verdicts
    assert [(each.check, each.outcome) for each in verdicts] == [(check, "passed") for check in checks]


def test_a_failure_of_the_review_itself_is_not_the_plugins() -> None:
    with pytest.raises(ReviewError, match=r"the review itself failed, in the check builds-back of gopher: TypeError"):
        review("gopher", checks=["builds-back"], examples="many")  # type: ignore[arg-type]  # no check expects this


def test_an_unknown_check_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown check 'nothing': expected one of record, contact"):
        review("ftp", checks=["nothing"])


def test_a_scheme_without_a_type_of_its_own_is_reviewed_too(tmp_path: Path) -> None:
    plugin = good_plugin(tmp_path)
    (plugin / TYPE).write_text(
        "from urlschemes import Registration, Scheme\n"
        "scheme = Scheme(Registration.of(__name__), access=__name__ + '.access')\n"
    )
    result = review(plugin, checks=["contract", "sealed"], examples=5)
    assert {verdict.outcome for verdict in result.verdicts} == {"passed"}


@pytest.mark.parametrize(
    ("providers", "old", "reasons"),
    [
        (["rec"], "title = ", {"record": "is not TOML"}),
        (["conf-a", "conf-b"], "", {"name-free": "conf-b 1.0 in"}),
    ],
)
def test_an_installed_scheme_that_cannot_be_used_is_reviewed(
    install: Install,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    providers: list[str],
    old: str,
    reasons: dict[str, str],
) -> None:
    record = (good_plugin(tmp_path) / RECORD).read_text("utf-8").replace("x-example", "x-faulty")
    for name in providers:
        package = name.replace("-", "_")
        files = {f"{package}/__init__.py": "", f"{package}/registration.toml": record.replace(old, "")}
        monkeypatch.syspath_prepend(install(name, f"x-faulty = {package}", files))
    failed = failures(review("x-faulty", registry=Registry(), checks=["record", "name-free"]))
    assert list(failed) == list(reasons)
    assert all(reason in failed[check] for check, reason in reasons.items())


def test_what_other_checks_import_hides_nothing_that_the_plugin_imports(tmp_path: Path) -> None:
    code = "import importlib.metadata\nfrom urlschemes import"
    plugin = edited(good_plugin(tmp_path), [Edit(TYPE, "from urlschemes import", code)])
    result = review(plugin, checks=["name-free", "contract", "light-import"], examples=5)
    assert list(failures(result)) == ["light-import"]


def test_a_worker_imports_nothing_heavy_before_the_plugin(child: Child, tmp_path: Path) -> None:
    code = """
    from urlschemes_conformance.review import checks, worker
    from urlschemes_conformance.review.reviewed_scheme import ReviewedScheme
    from urlschemes_conformance.review.target import Target
    from urlschemes.registry.claims import Claim
    checks.all_checks()
    claim = Claim("", "", "", sys.argv[1], records=(sys.argv[1],))
    scheme = ReviewedScheme(Target(given="", kind="record", claim=claim), 10, 0)
    scheme.generated_type.parse("x-example://host.dom/a")
    print(json.dumps(sorted(sys.modules)))
    """
    cache = {"URLSCHEMES_CACHE": str(tmp_path / "cache")}
    search = "cache.SETTLED_AFTER = 0\ndiscovery.installed_claims()\nprint(0)"
    child(f"from urlschemes.registry import discovery\nfrom urlschemes.storage import cache\n{search}", environ=cache)
    imported = set(child(code, arguments=[good_plugin(tmp_path) / RECORD], environ=cache))
    assert "urlschemes_conformance.review.checks.access_checks" in imported
    light = {"urlschemes_access", "urlschemes_access.config_file"}
    assert {name for name in imported if name in HEAVY or name.startswith("urlschemes_access.")} == light
