"""`urlschemes doctor` names every faulty plugin among all schemes of this workspace."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from workspace import environ, folder_of, metadata, write

from urlschemes_cli.app import command

GOOD = "from urlschemes import Registration, Scheme\nscheme = Scheme(Registration.of(__name__))\n"
RUDE = """
import logging, socket, warnings
import urlschemes_ftp
socket.setdefaulttimeout(5)
logging.basicConfig(level=10)
warnings.simplefilter("ignore")
urlschemes_ftp.FtpURL.host = property(lambda self: "evil.dom")
"""
FAULTY = {  # five distributions, each with a fault of its own, by the scheme that they claim
    "x-missing": ("0.3", f"import a_missing_module\n{GOOD}", "broken"),
    "x-exit": ("2.0", "import os\nos._exit(7)\n", "broken"),
    "x-old": ("1.0", GOOD, "broken"),
    "x-rude": ("1.1", RUDE + GOOD, "active"),
    "ftp": ("4.1", "raise SystemExit", "reserved"),
}


def distribution_of(name: str) -> str:
    return "ftp-plus" if name == "ftp" else f"urlschemes-{name}"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder in which the five are installed."""
    example = folder_of("urlschemes-x-example") / "src" / "urlschemes_x_example" / "registration.toml"
    for name, (version, code, _) in FAULTY.items():
        distribution = distribution_of(name)
        package = distribution.replace("-", "_")
        record = example.read_text("utf-8").replace("x-example", name)
        files = {
            f"{package}/__init__.py": code,
            f"{package}/registration.toml": f"api = 2\n{record}" if name == "x-old" else record,
        }
        claims = {name: f"{package}:scheme"}
        write(tmp_path, files | metadata(distribution, {"urlschemes.schemes": claims}, version=version))
    return tmp_path


def run(site: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**environ(), "PYTHONPATH": str(site), **variables},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.plugin_fault(32)
def test_the_doctor_names_five_faulty_distributions_and_what_to_do(site: Path) -> None:
    taking_part = ",".join(["urlschemes-ftp", *map(distribution_of, FAULTY)])  # only these are imported
    done = run(site, "-m", "urlschemes_cli", "--no-config", "doctor", "--verify", URLSCHEMES_PLUGINS=taking_part)
    assert done.returncode == 5
    trouble, _, others = done.stdout.partition("\nSchemes\n")
    for name, (version, _, _) in FAULTY.items():
        distribution = distribution_of(name)
        file = site / distribution.replace("-", "_") / "__init__.py"
        assert re.search(rf"^scheme .* {distribution} {version}\b", trouble, re.MULTILINE), trouble
        assert f"    {file}" in trouble
        assert f"    --disable {'ftp-plus' if name == 'ftp' else name} switches it off" in trouble
    for words in (
        "    cannot be imported: ModuleNotFoundError: No module named 'a_missing_module'",
        "exit code 7",
        "api = 2",
        "    the name is reserved for urlschemes-ftp",
        "    urlschemes_ftp.FtpURL.host is ",
        "    the default timeout of sockets ",
        "    the level of the root logger ",
    ):
        assert words in trouble, trouble
    assert "urlschemes-ftp " not in trouble
    assert "ftp  " in others


def test_a_plugin_that_is_switched_off_is_not_in_trouble(site: Path) -> None:
    names = ",".join(name if name != "ftp" else "ftp-plus" for name in FAULTY)
    done = run(site, "-m", "urlschemes_cli", "--no-config", "--disable", names, "doctor", "--json")
    assert done.returncode == 0
    states = {each["distribution"]: each["state"] for each in json.loads(done.stdout)}
    assert {states[distribution_of(name)] for name in FAULTY} == {"disabled"}
    assert states["urlschemes-ftp"] == "active"


@pytest.mark.plugin_fault(25, 26)
@pytest.mark.slow
def test_no_plugin_of_the_workspace_changes_the_process_that_imports_it() -> None:
    done = run(Path(), "-m", "urlschemes_cli", "--no-config", "doctor", "--verify", "--json")
    found = {(each["group"], each["name"]): each for each in json.loads(done.stdout)}
    own = [each for each in found.values() if each["distribution"].startswith("urlschemes-") and each["module"]]
    assert len(own) > 20
    assert [each for each in own if each["changes"] or each["state"] != "active"] == []
    assert all(each["seconds"] is not None for each in own)


@pytest.mark.parametrize(
    ("switch", "reason"),
    [
        ("--no-plugins", "--no-plugins switches all plugins off"),
        ("--disable=urlschemes-conformance", "--disable names urlschemes-conformance"),
    ],
)
def test_a_command_of_a_plugin_that_is_switched_off_is_not_run(switch: str, reason: str) -> None:
    done = CliRunner().invoke(command, ["--no-config", switch, "new", "x-never"])
    assert done.exit_code == 2
    assert "urlschemes-conformance " in done.stderr
    assert f"({reason})" in done.stderr


def test_switching_off_a_plugin_that_is_not_installed_is_an_error() -> None:
    wrong = CliRunner().invoke(command, ["--no-config", "--disable", "urlschemes-tasting", "new", "x-never"])
    assert wrong.exit_code == 5
    assert "names urlschemes-tasting, which is neither an installed plugin nor a scheme of one" in wrong.stderr
