"""`urlschemes config`, and what is configured as the commands use it."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

OPTIONS = "x-shelf://127.0.0.1/options"
VARIABLE = "the environment variable URLSCHEMES_GATEWAYS"


def test_without_a_file_everything_is_a_default(run, configuration_folder: Path) -> None:
    assert run("config", "--path").stdout == f"{configuration_folder / 'urlschemes' / 'config.toml'}\n"
    result = run("config")
    assert "  (does not exist)" in result.stdout
    assert re.search(r"^limits\.hops +5 +default$", result.stdout, re.MULTILINE)


@pytest.fixture
def file(configure, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration with something in every table, and a gateway to a scheme that is not installed."""
    monkeypatch.setenv("URLSCHEMES_GATEWAYS", "x-other=x-shelf://127.0.0.1/{url}")
    path: Path = configure(
        '[policy]\nports = [7171]\ndenied_networks = ["192.0.2.0/24"]\n[limits]\nhops = 1\n'
        '[options.x-shelf]\ntimes = 2\n[gateways]\nx-far = "ftp://joe:opensesame@h/{url}"\n'
        '[registry.pins]\nx-shelf = "shelf-schemes"\n'
    )
    return path


def test_every_setting_is_shown_with_its_source(run, file: Path) -> None:
    result = run("--pin", "x-drawer=shelf-schemes", "config")
    assert (result.exit_code, "opensesame" in result.output) == (2, False)
    for row in (
        ("policy.ports", "[7171]", "the file"),
        ("policy.denied_networks", '["192.0.2.0/24"]', "the file"),
        ("limits.hops", "1", "the file"),
        ("limits.idle", "60", "default"),
        ("policy.schemes", "any", "default"),
        ("gateways.x-far", '"ftp://joe:***@h/{url}"', "the file"),
        ("gateways.x-other", '"x-shelf://127.0.0.1/{url}"', VARIABLE),
        ("options.x-shelf.times", "2", "the file"),
        ("registry.pins.x-drawer", '"shelf-schemes"', "the command line"),
        ("registry.pins.x-shelf", '"shelf-schemes"', "the file"),
        ("registry.plugins", '["shelf-schemes"]', "the command line"),
    ):
        assert re.search(rf"^{' +'.join(map(re.escape, row))}$", result.stdout, re.MULTILINE), row
    assert "gateways.x-far of " in result.stderr, "ftp is not installed here"


def test_the_settings_as_json(run, file: Path) -> None:
    result = run("config", "--json")
    found = json.loads(result.stdout)
    assert set(found) == {"file", "exists", "settings", "problems", "profile"}
    assert (found["file"], found["exists"], len(found["problems"])) == (str(file), True, 1)
    assert found["problems"][0]["code"] == "configuration-error"
    assert {"key": "limits.hops", "value": 1, "source": str(file)} in found["settings"]
    assert {"key": "policy.hosts", "value": None, "source": "default"} in found["settings"]
    assert "opensesame" not in result.stdout


@pytest.mark.decision(32)
def test_options_precede_the_configuration_which_precedes_defaults(run, configure, configuration_folder: Path) -> None:
    configure("[options.x-shelf]\ntimes = 2\n[policy]\nports = [25]\n")
    assert run("access", OPTIONS).stdout == "False 2"
    assert run("access", "--option", "times=3", OPTIONS).stdout == "False 3"
    assert run("--no-config", "access", OPTIONS).stdout == "False 1"
    assert run("access", "x-shelf://127.0.0.1:25/").exit_code == 0
    assert run("access", "--allow-port", "23", "x-shelf://127.0.0.1:25/").exit_code == 0
    assert run("--no-config", "access", "x-shelf://127.0.0.1:25/").exit_code == 4
    assert run("access", OPTIONS).stderr == ""
    assert re.search(r"\* option times is 2, from /", run("access", "-v", OPTIONS).stderr)


def test_config_names_another_file(run, configuration_folder: Path) -> None:
    other = configuration_folder / "other.toml"
    other.write_text("[options.x-shelf]\nshout = true\n")
    other.chmod(0o600)
    assert run("--config", str(other), "access", OPTIONS).stdout == "True 1"
    assert run("--config", str(other), "config", "--path").stdout == f"{other}\n"
    both = run("--config", str(other), "--no-config", "config")
    assert (both.exit_code, "--config and --no-config cannot be combined" in both.stderr) == (2, True)


def test_a_wrong_configuration_stops_every_command_that_uses_it(run, configure) -> None:
    file = configure("[policy]\nport = [25]\n")
    for words in (["access", "x-shelf://127.0.0.1/"], ["config"], ["why", "x-shelf"]):
        wrong = run(*words)
        assert (wrong.exit_code, wrong.stdout) == (2, "")
        assert f"urlschemes: {file}: unknown key policy.port\n  help: did you mean policy.ports?" in wrong.stderr
    assert run("--help").exit_code == 0
    assert run("config", "--path").exit_code == 0
    assert run("--no-config", "why", "x-shelf").exit_code == 0
    assert run("--no-config", "config", "--path").output == "urlschemes: no file is used\n"


def test_a_gateway_is_used_and_shown(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("URLSCHEMES_GATEWAYS", "x-far=x-shelf://joe:opensesame@127.0.0.1/{url}")
    source = f"gateways.x-far of {VARIABLE}"
    result = run("access", "-v", "x-far:a")
    assert result.stdout == "a vase\n"
    assert f"* gateway x-far:a is reached through x-shelf://joe:***@127.0.0.1/x-far%3Aa: {source}\n" in result.stderr
    gateway = json.loads(run("access", "--json", "x-far:a").stdout)["attributes"]["gateway"]
    assert gateway == {"asked": "x-far:a", "url": "x-shelf://joe:***@127.0.0.1/x-far%3Aa", "source": source}
    assert re.search(rf"^gateway +{source}$", run("attributes", "x-far:a").stdout, re.MULTILINE)
    assert "opensesame" not in result.output


def test_the_profiles_of_the_library_and_of_the_command_are_shown(run, configure) -> None:
    def rows(*words: str) -> list[list[str]]:
        lines = [re.split(r"  +", line) for line in run(*words, "config").stdout.splitlines()]
        return [line for line in lines if line[0] in {"registry.profile", "--profile"}]

    default = ["registry.profile", '"rfc1738"', "default"]
    option = ["--profile", '"rfc1738"', "--profile, or URLSCHEMES_PROFILE"]
    assert rows() == [default, ["--profile", '"rfc3986"', "default"]]
    assert "\nThe command reads URLs by --profile, other programs by registry.profile.\n" in run("config").stdout
    assert rows("--profile", "rfc1738") == [default, option]
    configure('[registry]\nprofile = "rfc3986"\n')
    assert rows() == [[name, '"rfc3986"', "the file"] for name in ("registry.profile", "--profile")]
    assert rows("--profile", "rfc1738") == [["registry.profile", '"rfc3986"', "the file"], option]


def test_folders_of_records_come_from_the_command_line_or_a_variable_then_from_the_file(
    run, records, configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rows(*words: str) -> list[list[str]]:
        result = run(*words, "config", "--json")
        return [
            [*each["value"], each["source"]]
            for each in json.loads(result.stdout)["settings"]
            if "records" in each["key"]
        ]

    first, option = str(tmp_path), "--records, or URLSCHEMES_RECORDS"
    assert rows() == []
    file = str(configure(f'[registry]\nrecords = ["{records}"]\n'))
    assert run("parse", "x-note://h/a").exit_code == 0
    monkeypatch.setenv("URLSCHEMES_RECORDS", f"{first}{os.pathsep}{records}")
    assert rows() == [[first, str(records), option], [str(records), file]]
    assert rows("--records", first) == [[first, option], [str(records), file]]
    assert run("--records", f"{records}/none", "config").exit_code == 2


@pytest.mark.parametrize("profile", ["rfc1738", "rfc3986"])
def test_each_setting_is_checked_by_the_registry_that_reads_its_scheme(run, configure, profile: str) -> None:
    configure("[options.x-shelf]\ntimes = 2\n[options.http]\nno-such = 1\n[options.x-none]\na = 1\n")
    result = run("--profile", profile, "config", "--json", plugins="shelf-schemes,urlschemes-http")
    problems = [each["message"] for each in json.loads(result.stdout)["problems"]]
    assert [("http" in each, "x-none" in each) for each in problems] == [(True, False), (False, True)]
