"""The review: first-party schemes pass it, and for each check there is a plugin that fails that check and no other."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
from bad_plugins import ACCESS, BAD, DEMO, PROJECT, RECORD, TYPE, Edit, bad_plugin, edited, good_plugin
from schemas import conforms
from workspace import ROOT, metadata, run, write

from urlschemes import default_registry as REGISTRY  # noqa: N812  it does not change here
from urlschemes.errors import PluginError, UnknownScheme
from urlschemes_conformance.review import Review, ReviewError, checks, review, runner
from urlschemes_conformance.review.code import HEAVY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CHECKS = [each.name for each in checks()]
OF_THE_ACCESS = CHECKS[CHECKS.index("light-import") :]
PAGE = (ROOT / "docs" / "review.md").read_text("utf-8")


def failed(found: Review) -> dict[str, str]:
    return {each.check: each.reason for each in found.failed}


def command(*arguments: str | Path, cwd: Path) -> tuple[int, str, str]:
    done = run(sys.executable, "-m", "urlschemes_cli", "--no-config", "review", *arguments, cwd=cwd)
    assert "Traceback" not in done.stderr + done.stdout
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("scheme", sorted(REGISTRY))
def test_the_schemes_that_are_installed_pass_their_review(scheme: str) -> None:
    found = review(scheme, examples=500)
    assert failed(found) == {}
    assert found.scheme == scheme
    # A plugin that is not accessed at all would have none of this.
    told = {each.check: each.outcome for each in found.verdicts}
    assert {told[check] for check in ("demonstration", "replayed", "split", "faulted")} == {"passed"}


@pytest.mark.slow
def test_the_good_plugin_passes_everything(tmp_path: Path) -> None:
    found = review(good_plugin(tmp_path), examples=300)
    assert {each.check for each in found.verdicts if each.outcome not in {"passed", "warned"}} == set()
    assert (found.kind, found.scheme, found.distribution) == ("folder", "x-example", "urlschemes-x-example")
    assert [each.check for each in found.verdicts] == CHECKS


def test_every_check_has_a_bad_plugin() -> None:
    assert sorted(BAD) == sorted(CHECKS)


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS)
def test_a_bad_plugin_fails_that_check_and_no_other(tmp_path: Path, check: str) -> None:
    found = review(bad_plugin(tmp_path, check), examples=100)
    assert list(failed(found)) == [check]
    (verdict,) = found.failed
    assert BAD[check].words in verdict.reason
    assert verdict.help
    assert not found.passed


@pytest.mark.slow
def test_nothing_of_the_plugin_is_left_in_the_process_or_the_folder(tmp_path: Path) -> None:
    made = edited(
        good_plugin(tmp_path),
        [
            Edit(RECORD, "x-example", "x-otherone"),
            Edit(PROJECT, "x-example = ", "x-otherone = "),
            Edit(DEMO, "x-example:", "x-otherone:"),
        ],
    )
    (made / "src" / "urlschemes_x_example").rename(made / "src" / "x_otherone")
    for file in made.rglob("*.py"):
        file.write_text(file.read_text("utf-8").replace("urlschemes_x_example", "x_otherone"), "utf-8")
    edited(made, [Edit(PROJECT, "urlschemes_x_example", "x_otherone")])
    before = sorted(made.rglob("*"))
    assert failed(review(made, examples=50)) == {}
    assert "x_otherone" not in sys.modules
    assert "x-otherone" not in REGISTRY
    assert sorted(made.rglob("*")) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("deed", "says"),
    [
        ("os._exit(0)", "the plugin brought the process to its end: it ended with the exit code 0"),
        ("os.kill(os.getpid(), 9)", "the plugin brought the process to its end: it was ended by SIGKILL"),
        ("raise SystemExit(0)", "SystemExit"),
    ],
)
def test_a_plugin_that_ends_the_process_fails_where_it_does(tmp_path: Path, deed: str, says: str) -> None:
    line = "    peer = yield from Connect(url.host, url.port)\n"
    made = edited(good_plugin(tmp_path), [Edit(ACCESS, line, f"    import os\n\n    {deed}\n{line}")])
    found = review(made, examples=20, checks=["name", "demonstration", "faulted", "own-sockets", "prints-back"])
    told = {each.check: each.outcome for each in found.verdicts}
    assert told["name"] == told["prints-back"] == "passed"
    assert told["demonstration"] == "failed"
    assert says in failed(found)["demonstration"]


@pytest.mark.slow
def test_a_plugin_that_hangs_fails_in_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "PATIENCE", 3.0)
    line = "    peer = yield from Connect(url.host, url.port)\n"
    made = edited(good_plugin(tmp_path), [Edit(ACCESS, line, f"    import time\n\n    time.sleep(1000)\n{line}")])
    found = review(made, examples=20, checks=["demonstration", "name"])
    assert failed(found) == {"demonstration": "it took more than 3 s"}
    assert any("in access" in each for each in found.failed[0].details)


FORGED = {
    "a number": "5\\n",
    "no judgement": '{"check": "contract", "seconds": 1.0}\\n',
    "texts that are none": '{"check": "contract", "judgement": ["passed", 5, "", [1]], "seconds": 1.0}\\n',
    "no details": '{"check": "contract", "judgement": ["passed", "", "", 5], "seconds": 1.0}\\n',
    "another outcome": '{"check": "contract", "judgement": ["good", "", "", []], "seconds": 1.0}\\n',
    "no end of time": '{"check": "contract", "judgement": ["passed", "", "", []], "seconds": 1e999}\\n',
    "another check": '{"began": "contact"}\\n',
    "the next check": '{"began": "prints-back"}\\n',
    "no octets of UTF-8": "\\xff\\n",
    "too deep": "[" * 99999 + "\\n",
    "a long number": "9" * 5000 + "\\n",
    "half a line": "{",
    "a title": '{"title": 5, "scheme": []}\\n',
}
WRITES = "import os\nfor number in range(3, 20):\n    try:\n        {}\n    except OSError:\n        pass\n"


@pytest.mark.parametrize("text", FORGED.values(), ids=FORGED)
def test_what_a_plugin_writes_among_the_verdicts_is_a_failed_check(tmp_path: Path, text: str) -> None:
    code = WRITES.format(f"os.write(number, b'{text}')")
    made = edited(good_plugin(tmp_path), [Edit(TYPE, "from urlschemes import", f"{code}from urlschemes import")])
    found = review(made, checks=["name", "contract", "prints-back"], examples=5)
    told = failed(found)
    assert "contract" in told
    assert "name" not in told
    assert all("what its process said of the check is not what the review says" in each for each in told.values())


@pytest.mark.parametrize("deed", ["os.write(number, bytes(1 << 21))", "os.ftruncate(number, 0)"])
def test_a_plugin_that_takes_the_verdicts_away_fails(tmp_path: Path, deed: str) -> None:
    code = WRITES.format(deed) + "os.write(2, bytes(1 << 21))\nos._exit(0)\n"
    made = edited(good_plugin(tmp_path), [Edit(TYPE, "from urlschemes import", f"{code}from urlschemes import")])
    assert [*failed(review(made, checks=["name", "contract"], examples=5))] == ["contract"]


@pytest.mark.slow
def test_of_a_record_by_itself_the_syntax_is_reviewed(tmp_path: Path) -> None:
    record = good_plugin(tmp_path) / RECORD
    found = review(record, examples=100)
    outcomes = {each.check: each for each in found.verdicts}
    assert failed(found) == {}
    assert {outcomes[check].outcome for check in OF_THE_ACCESS} == {"skipped"}
    assert "there is a record and no code" in outcomes["demonstration"].reason
    assert outcomes["same-language"].outcome == outcomes["prints-back"].outcome == "passed"
    assert (found.kind, found.scheme, found.title) == ("record", "x-example", "Documents by name and edition")
    assert review(record.parent, checks=["name"]).kind == "record"


@pytest.mark.slow
def test_a_password_must_be_spoken_of(tmp_path: Path) -> None:
    made = edited(
        good_plugin(tmp_path),
        [
            Edit(RECORD, "hostport", "login"),
            Edit(
                RECORD, "[syntax.parts]\n", '[syntax.parts]\nuser = { at = "user" }\npassword = { at = "password" }\n'
            ),
        ],
    )
    found = review(made, checks=["security"])
    assert failed(found) == {
        "security": "its URLs can hold a password, and the security considerations do not speak of it",
    }


def test_the_process_in_which_imports_are_watched_has_imported_nothing_heavy(child: Callable[..., Any]) -> None:
    code = """
    import json, sys
    from pathlib import Path
    from urlschemes_conformance.review import catalogue, worker
    from urlschemes_conformance.review.subject import Subject
    from urlschemes_conformance.review.targets import Target
    catalogue.checks()
    subject = Subject(Target(given="", kind="record", scheme="", record=sys.argv[1]), 10, 0)
    subject.plain_type.parse("x-example://host.dom/a")
    print(json.dumps(sorted(sys.modules)))
    """
    loaded = set(child(code, arguments=[ROOT / "plugins" / "x-example" / RECORD]))
    assert "urlschemes_conformance.review.access" in loaded
    assert loaded & HEAVY == set()


@pytest.mark.slow
def test_a_part_that_bears_the_name_of_what_every_url_has_fails_the_grammar(tmp_path: Path) -> None:
    edits = [Edit(RECORD, "\nedition = {", "\nnormalized = {")]
    found = review(edited(good_plugin(tmp_path), edits) / RECORD, checks=["grammar", "prints-back"])
    assert failed(found) == {"grammar": "a part of x-example bears the name 'normalized', which every URL has"}
    assert found.verdicts[-1].outcome == "skipped"


@pytest.mark.parametrize("own_type", [True, False])
def test_a_scheme_without_a_type_of_its_own_is_pickled_too(tmp_path: Path, own_type: bool) -> None:
    made = good_plugin(tmp_path)
    if not own_type:
        (made / TYPE).write_text(
            "from urlschemes import Registration, Scheme\n"
            "scheme = Scheme(Registration.of(__name__), access=__name__ + '.access')\n"
        )
    (verdict,) = review(made, checks=["pickles"], examples=20).verdicts
    assert verdict.outcome == "passed"


def test_a_fault_of_the_review_is_not_the_plugins() -> None:
    with pytest.raises(
        ReviewError, match=r"the review itself failed, in the check prints-back: TypeError.*subject\.py"
    ):
        review("gopher", checks=["prints-back"], examples="many")  # type: ignore[arg-type]  # what no check expects


# What is no target


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnknownScheme):
        review("x-nobody")
    with pytest.raises(PluginError, match=r"neither a pyproject.toml nor a registration.toml"):
        review(tmp_path)
    with pytest.raises(ValueError, match="there is no check 'nothing'; the checks are: record, contact"):
        review("ftp", checks=["nothing"])


@pytest.mark.parametrize(
    ("project", "says"),
    [
        ("[project]\nname = 'a'\n", "names no scheme"),
        ("[project\n", "cannot be read"),
        ("[project.entry-points.'urlschemes.schemes']\nx-a = 'x_a:scheme'\n", "there is no package x_a"),
        ("[project.entry-points.'urlschemes.schemes']\nx-a = 'x a'\n", "names neither a package nor package:object"),
        ("[project.entry-points.'urlschemes.schemes']\nx-a = 'a'\nx-b = 'b'\n", "has several schemes: x-a, x-b"),
    ],
)
def test_a_folder_that_is_no_plugin_is_refused(tmp_path: Path, project: str, says: str) -> None:
    (tmp_path / "pyproject.toml").write_text(project)
    with pytest.raises(PluginError, match=re.escape(says)) as caught:
        review(tmp_path)
    assert caught.value.hint or getattr(caught.value, "wants", "") or "cannot be read" in says


@pytest.mark.parametrize(
    ("providers", "title", "says"),
    [
        (["rec"], "", {"record": "has no title"}),
        (["conf-a", "conf-b"], 'title = "Documents by name and edition"\n', {"name-free": "conf-b 1.0 in"}),
    ],
)
def test_an_installed_scheme_that_cannot_be_used_gets_its_verdicts(
    tmp_path: Path, child: Callable[..., Any], providers: list[str], title: str, says: dict[str, str]
) -> None:
    record = (ROOT / "plugins" / "x-example" / RECORD).read_text("utf-8").replace("x-example", "x-faulty")
    site = tmp_path / "site"  # what lies in the current directory is ignored
    for name in providers:
        package = name.replace("-", "_")
        write(site, metadata(name, {"urlschemes.schemes": {"x-faulty": package}}))
        text = record.replace('title = "Documents by name and edition"\n', title)
        write(site, {f"{package}/__init__.py": "", f"{package}/registration.toml": text})
    code = """
    import json, sys
    sys.path.insert(0, sys.argv[1])
    from urlschemes_conformance.review import review
    found = review("x-faulty", checks=["record", "name-free"])
    print(json.dumps(found.as_dict()))
    """
    found = child(code, arguments=[site])
    conforms(found, "review")
    told = {each["check"]: each["reason"] for each in found["verdicts"] if each["outcome"] == "failed"}
    assert [*told] == [*says]
    assert all(words in told[check] for check, words in says.items())


# The command


@pytest.mark.slow
def test_the_command_says_what_is_wrong_and_what_to_do(tmp_path: Path) -> None:
    made = bad_plugin(tmp_path, "contact")
    code, printed, complained = command(made, "--examples", "20", cwd=tmp_path)
    assert (code, complained) == (1, "")
    assert "FAILED   contact " in printed
    assert "help     name the person or the group who answers for the scheme" in printed
    assert re.search(r"^33 checks: \d+ passed, .*1 failed; 20 URLs of seed 1738; ", printed, re.MULTILINE)
    code, printed, _ = command("plugin", "--check", "name", cwd=tmp_path)
    assert (code, printed.count("passed   ")) == (0, 1)


@pytest.mark.slow
def test_the_json_is_what_its_schema_says(tmp_path: Path) -> None:
    for target, wanted in ((bad_plugin(tmp_path, "parts"), 1), (good_plugin(tmp_path / "good") / RECORD, 0)):
        code, printed, _ = command(target, "--json", "--examples", "20", cwd=tmp_path)
        found = json.loads(printed)
        conforms(found, "review")
        assert (code, found["passed"]) == (wanted, not wanted)
        assert [each["check"] for each in found["verdicts"]] == CHECKS


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["x-nobody"], 5, "no scheme is registered as 'x-nobody'"),
        (["."], 5, "neither a pyproject.toml nor a registration.toml"),
        ([], 2, "what is to be reviewed?"),
        (["ftp", "--check", "nothing"], 2, "there is no check 'nothing'"),
        (["ftp", "--examples", "0"], 2, "0 is not in the range"),
    ],
)
def test_the_command_refuses(tmp_path: Path, arguments: list[str], code: int, says: str) -> None:
    ended, printed, complained = command(*arguments, cwd=tmp_path)
    assert (ended, printed) == (code, "")
    assert says in complained


def test_the_page_and_the_command_list_all_checks(tmp_path: Path) -> None:
    told = json.loads(command("--list", "--json", cwd=tmp_path)[1])
    assert [each["check"] for each in told] == CHECKS
    asked = PAGE.partition("\n## What is asked\n")[2]
    assert re.findall(r"^\| `([a-z-]+)` \|", asked, re.MULTILINE) == CHECKS
    for each in told:
        assert f"| `{each['check']}` | {each['asks']} | {each['section']} |" in PAGE
        assert len(each["asks"]) > 20


# pytest


def of_pytest(folder: Path, *arguments: str) -> tuple[int, str]:
    """What a child pytest prints for these tests."""
    done = run(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", *arguments, cwd=folder)
    return done.returncode, done.stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    bad_plugin(tmp_path, "contact")
    (tmp_path / "test_own.py").write_text("def test_own():\n    pass\n")
    (tmp_path / "pyproject.toml").write_text(
        "[tool.pytest.ini_options]\nurlschemes_review = 'x-example ./plugin'\nurlschemes_review_examples = '50'\n"
        "testpaths = ['.']\nnorecursedirs = ['plugin']\n"
    )
    return tmp_path


@pytest.mark.slow
def test_each_check_is_a_test_of_pytest(project: Path) -> None:
    code, printed = of_pytest(project, "-k", "contact or prints or own")
    assert code == 1
    assert "PASSED test_own.py::test_own" in printed
    assert "PASSED review[x-example]::prints-back" in printed
    assert "FAILED review[./plugin]::contact" in printed
    assert "the contact is 'Your Name <you@example.com>', which is nobody" in printed
    assert "help     name the person or the group who answers for the scheme" in printed
    assert "Traceback" not in printed
    assert ".py:" not in printed.partition("FAILURES")[2].partition("short test summary")[0]


def test_who_tests_one_file_reviews_nothing(project: Path) -> None:
    code, printed = of_pytest(project, "test_own.py")
    assert (code, "review[" in printed) == (0, False)


def test_all_checks_are_collected_where_a_folder_is(project: Path) -> None:
    code, printed = of_pytest(project, "--collect-only", "-q")
    assert code == 0
    assert [f"review[x-example]::{check}" for check in CHECKS] == re.findall(
        r"^review\[x-example\].*$", printed, re.MULTILINE
    )


def test_the_plugin_of_pytest_imports_nothing_when_it_is_loaded(child: Callable[..., Any]) -> None:
    code = "import json, sys, urlschemes_testing.pytest_plugin\nprint(json.dumps(sorted(sys.modules)))"
    loaded = set(child(code))
    assert {"pytest", "urlschemes_testing"} <= loaded
    assert {each for each in loaded if each.startswith("urlschemes")} == {
        "urlschemes_testing",
        "urlschemes_testing.pytest_plugin",
    }
    assert "hypothesis" not in loaded


@pytest.mark.parametrize("said", ["many", "0", "-3", "1.5"])
def test_a_number_of_urls_that_is_none_is_refused(tmp_path: Path, said: str) -> None:
    (tmp_path / "pytest.ini").write_text(f"[pytest]\nurlschemes_review = gopher\nurlschemes_review_examples = {said}\n")
    done = run(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", cwd=tmp_path)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: urlschemes_review_examples is '{said}', and not a number of URLs from 1 on" in done.stderr
    assert "Traceback" not in done.stderr + done.stdout


def test_a_scheme_that_is_not_installed_fails_each_check(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nurlschemes_review = x-nobody\n")
    code, printed = of_pytest(tmp_path, "-k", "contact")
    assert code == 1
    assert "it cannot be reviewed: no scheme is registered as 'x-nobody'" in printed
