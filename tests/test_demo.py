"""`urlschemes demo`, the main job: a URL of every scheme of the workspace, over its real protocol, on this machine."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from workspace import distributions, environ, scheme_plugins

SCHEMES = {name for plugin in scheme_plugins() for name in plugin.schemes}
ENTRY_POINTS = [each.project.get("entry-points", {}) for each in distributions()]
OFFERED = {name for groups in ENTRY_POINTS for name in groups.get("urlschemes.demos", {})}
SHOWN = sorted(SCHEMES & OFFERED)


def command(*arguments: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-W", "error", "-m", "urlschemes_cli", *arguments]
    known = environ() | variables
    return subprocess.run(
        words, cwd=cwd, env=known, capture_output=True, text=True, encoding="utf-8", timeout=100, check=False
    )


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> str:
    done = command("demo", cwd=tmp_path_factory.mktemp("demo"))
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def test_every_scheme_with_servers_is_accessed_and_the_others_are_named(demo: str) -> None:
    assert len(SHOWN) > 4
    others = [f"installed, and nobody offers a demonstration: {', '.join(sorted(SCHEMES - OFFERED))}"]
    assert demo.split("\naccessed: ")[1].splitlines() == [", ".join(SHOWN), *(others if SCHEMES - OFFERED else [])]


@pytest.mark.parametrize("name", SHOWN)
def test_it_shows_url_parts_dialogue_and_content(demo: str, name: str) -> None:
    (shown,) = re.findall(rf"(?ms)^{re.escape(name)}  [^\n]* ─+\n(.*?\n)\n(?=\S+  [^\n]* ─+\n|accessed)", demo)
    url = re.search(rf"^{re.escape(name)}:\S+$", shown, re.MULTILINE)
    assert url is not None
    assert f"+- scheme {name}" in shown
    wire, content = shown.split("\nOver the wire\n")[1].split("\nWhat came back\n")
    assert re.search(r"^\S* +\* open (document|listing|session|attributes)$", wire, re.MULTILINE)
    assert re.match(r"a (document|listing|session) of [1-9]|[a-z_@.]+: ", content)


def test_no_password_is_shown(demo: str) -> None:
    assert "PASS ***" in demo
    assert "sesame" not in demo


def test_only_loopback_is_reached(demo: str) -> None:
    assert set(re.findall(r"\* connect (\S+) ", demo)) == {"127.0.0.1"}


def test_nothing_that_is_configured_leads_it_elsewhere(tmp_path: Path) -> None:
    done = command(
        "demo", "gopher", "news", cwd=tmp_path, URLSCHEMES_GATEWAYS="gopher=http://gw.dom/{url}", NNTPSERVER="h"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "gw.dom" not in done.stdout


def test_the_doctor_finds_the_workspace_well(tmp_path: Path) -> None:
    done = command("doctor", "--load", "--json", cwd=tmp_path)
    claims = json.loads(done.stdout)
    assert (done.returncode, {claim["state"] for claim in claims}) == (0, {"active"})
    assert {claim["name"] for claim in claims if claim["group"] == "urlschemes.schemes"} == SCHEMES
