"""`why` and `doctor` where several things are wrong at once, beside all schemes of this workspace."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from workspace import ROOT, environ, metadata, scheme_plugins, write

RECORD = (ROOT / "plugins" / "x-example" / "src" / "urlschemes_x_example" / "registration.toml").read_text("utf-8")
GOOD = "from urlschemes import Registration, Scheme\nscheme = Scheme(Registration.of(__name__))\n"
RUDE = """
import logging, socket, warnings
import urlschemes_ftp
socket.setdefaulttimeout(5)
logging.basicConfig(level=10)
warnings.simplefilter("ignore")
urlschemes_ftp.FtpURL.host = property(lambda self: "evil.dom")
"""
BROKEN = {  # five distributions, each wrong in its own way, by the scheme that it is about
    "x-missing": ("0.3", f"import a_module_that_nobody_has\n{GOOD}", "broken"),
    "x-exit": ("2.0", "import os\nos._exit(7)\n", "broken"),
    "x-old": ("1.0", GOOD, "broken"),
    "x-rude": ("1.1", RUDE + GOOD, "active"),
    "ftp": ("4.1", "raise SystemExit", "reserved"),
}
CONTROLS = """
import json, urlschemes
from urlschemes import default_registry as registry
said = {}
for record in registry.registrations():
    if record.scheme not in json.loads(BROKEN):
        said[record.scheme] = all(
            urlschemes.is_valid(each.url) == (each.parts is not None) for each in record.examples
        )
print(json.dumps(said))
"""


def distribution_of(name: str) -> str:
    return "ftp-plus" if name == "ftp" else f"urlschemes-{name}"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with the five."""
    for name, (version, code, _) in BROKEN.items():
        distribution = distribution_of(name)
        package = distribution.replace("-", "_")
        record = RECORD.replace("x-example", name)
        files = {
            f"{package}/__init__.py": code,
            f"{package}/registration.toml": record.replace("api = 1", "api = 2") if name == "x-old" else record,
        }
        claims = {name: f"{package}:scheme"}
        write(tmp_path, files | metadata(distribution, {"urlschemes.schemes": claims}, version=version))
    return tmp_path


def run(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**environ(), "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done


def doctor(site: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return run(site, "-m", "urlschemes_cli", "--no-config", "doctor", *options)


def test_the_doctor_names_five_broken_distributions_and_says_what_to_do(site: Path) -> None:  # C32
    done = doctor(site, "--verify")
    assert done.returncode == 5
    trouble = done.stdout.partition("\nSchemes\n")[0]
    assert trouble.startswith("In trouble\n")
    for name, (version, _, _) in BROKEN.items():
        distribution = distribution_of(name)
        file = site / distribution.replace("-", "_") / "__init__.py"
        assert f"\n{distribution} {version}  " in trouble
        assert f"    {file}  sha256 {hashlib.sha256(file.read_bytes()).hexdigest()[:16]}..." in trouble
        assert f"    --disable {'ftp-plus' if name == 'ftp' else name} switches it off" in trouble
    for said in (
        "    cannot be imported: ModuleNotFoundError: No module named 'a_module_that_nobody_has'",
        "    the process to load it in ended with the exit code 7",
        "is written for api 2, and this core reads api 1",
        "    the name is reserved to urlschemes-ftp",
        "    urlschemes_ftp.FtpURL.host is new: a builtins.property",
        "    the default timeout of sockets: None became 5.0",
        "    the level of the root logger: 30 became 10",
    ):
        assert said in trouble
    first = {name for plugin in scheme_plugins() for name in plugin.schemes}
    assert not any(f"the scheme {name}\n" in trouble for name in first - {"ftp"})


def test_all_schemes_of_the_workspace_stay_as_they_are_beside_them(site: Path) -> None:  # C01, C02, C06, C09, C25
    said = json.loads(run(site, "-c", f"BROKEN = {json.dumps([*BROKEN])!r}\n{CONTROLS}").stdout)
    first = {name for plugin in scheme_plugins() for name in plugin.schemes}
    assert set(said) >= first - {"ftp"}
    assert all(said.values())


def test_what_is_switched_off_is_no_trouble(site: Path) -> None:  # C33
    names = ",".join(name if name != "ftp" else "ftp-plus" for name in BROKEN)
    done = run(site, "-m", "urlschemes_cli", "--no-config", "--disable", names, "doctor", "--json")
    assert done.returncode == 0
    states = {each["distribution"]: each["state"] for each in json.loads(done.stdout)}
    assert {states[distribution_of(name)] for name in BROKEN} == {"disabled"}
    assert states["urlschemes-ftp"] == "active"


def test_nothing_of_the_workspace_changes_the_process_that_loads_it() -> None:  # C25, C26
    done = run(Path(), "-m", "urlschemes_cli", "--no-config", "doctor", "--verify", "--json")
    found = {(each["group"], each["name"]): each for each in json.loads(done.stdout)}
    own = [each for each in found.values() if each["distribution"].startswith("urlschemes-")]
    assert len(own) > 20
    assert [each for each in own if each["changes"] or each["state"] != "active"] == []
    assert all(each["seconds"] is not None for each in own)


def test_a_command_of_a_plugin_that_is_switched_off_is_not_run() -> None:  # C33
    for switch, reason in (
        ("--no-plugins", "--no-plugins leaves urlschemes-testing out"),
        ("--disable=urlschemes-testing", "--disable names urlschemes-testing"),
    ):
        done = run(Path(), "-m", "urlschemes_cli", "--no-config", switch, "new", "x-never")
        assert done.returncode == 2
        assert "The command new cannot be used: urlschemes-testing " in done.stderr
        assert f"({reason})" in done.stderr
    wrong = run(Path(), "-m", "urlschemes_cli", "--no-config", "--disable", "urlschemes-tasting", "new", "x-never")
    assert wrong.returncode == 5
    assert "names urlschemes-tasting, which is neither an installed plugin nor a scheme of one" in wrong.stderr
