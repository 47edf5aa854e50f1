"""Commands that plugins add."""

from __future__ import annotations

import json
import re
import sys

import pytest

from urlschemes_cli.commands import MODULES

COMMAND = """
import click

@click.command()
@click.argument("what")
def dust(what):
    click.echo(f"dusted {what}")
"""


def test_commands_of_plugins_are_listed_without_importing_them(run, install) -> None:
    install("dusting", "[urlschemes.commands]\nx-dust = dusting:dust\n", {"dusting.py": COMMAND})
    both = "shelf-schemes,dusting"
    text = run("--help", plugins=both).stdout
    assert re.search(r"Commands of plugins:\n(?:  .+\n)*  x-dust +from dusting 1\.0\n", text)
    assert "dusting" not in sys.modules
    assert run("x-dust", "the vase", plugins=both).stdout == "dusted the vase\n"


@pytest.mark.parametrize(("returned", "code"), [("None", 0), ("True", 0), ("'a'", 0), ("3", 3)])
def test_an_int_that_a_command_returns_is_the_exit_code(run, install, returned: str, code: int) -> None:
    install(
        "dusting", "[urlschemes.commands]\nx-dust = dusting:dust\n", {"dusting.py": f"{COMMAND}    return {returned}"}
    )
    assert run("x-dust", "the vase", plugins="shelf-schemes,dusting").exit_code == code


def test_an_object_that_is_no_command_breaks_the_contract(run, install) -> None:
    install("dusting", "[urlschemes.commands]\nx-odd = dusting:print\n", {"dusting.py": f"{COMMAND}\nprint = print"})
    odd = run("x-odd", plugins="shelf-schemes,dusting")
    assert odd.exit_code == 5
    assert odd.stderr.endswith(
        "\n  expected: a click.Command\n  help: --disable dusting switches it off, `pip uninstall dusting` removes it\n"
    )


def test_plugins_cannot_replace_a_built_in_command(run, install) -> None:
    entries = "".join(f"{name} = dusting:dust\n" for name in MODULES)
    install("dusting", f"[urlschemes.commands]\n{entries}", {"dusting.py": COMMAND})
    both = "shelf-schemes,dusting"
    assert run("parse", "x-shelf://h/", plugins=both).stdout.startswith("part")
    claims = json.loads(run("doctor", "--json", plugins=both).stdout)
    states = {each["name"]: each["state"] for each in claims if each["distribution"] == "dusting"}
    assert states == dict.fromkeys(MODULES, "reserved")


@pytest.fixture
def three(install) -> str:
    """Distributions of which two have a command of the same name."""
    for name in ("dusting", "sweeping"):
        install(name, f"[urlschemes.commands]\nx-dust = {name}:dust\n", {f"{name}.py": COMMAND})
    return "shelf-schemes,dusting,sweeping"


def test_of_two_commands_of_one_name_none_is_used(run, three: str) -> None:
    refused = run("x-dust", "the vase", plugins=three)
    assert refused.exit_code == 2
    assert "Several distributions have a command x-dust, so none is used: dusting 1.0 in " in refused.stderr
    assert "; sweeping 1.0 in " in refused.stderr
    assert "; choose one: --pin x-dust=dusting, or switch the other off: --disable sweeping" in refused.stderr
    ill = run("doctor", plugins=three)
    assert ill.exit_code == 5
    assert "command x-dust conflict  dusting 1.0\n" in ill.stdout
    assert "--pin x-dust=dusting chooses it" in ill.stdout


def test_a_pin_chooses_between_two_commands(run, three: str) -> None:
    pin = ("--pin", "x-dust=sweeping")
    assert run(*pin, "x-dust", "the vase", plugins=three).stdout == "dusted the vase\n"
    assert "the command x-dust" not in run(*pin, "doctor", plugins=three).stdout


def test_a_missing_command_is_reported_with_the_distribution_that_has_it(run) -> None:
    result = run("iana")
    assert result.exit_code == 2
    assert "urlschemes: The command iana " in result.stderr
    assert "urlschemes-iana" in result.stderr
