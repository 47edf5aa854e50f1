"""The commands that read URLs, for a URL and an invalid text of every record."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from urlschemes import default_registry
from urlschemes_cli.app import command
from urlschemes_cli.settings import Settings

SETTINGS = {name: Settings(profile=name, use_config=False) for name in ("rfc1738", "rfc3986")}
"""Shared by all runs, so that installed plugins are searched for once."""


def run(*arguments: str, profile: str = "rfc3986") -> Result:
    return CliRunner().invoke(command, arguments, obj=SETTINGS[profile])


@pytest.mark.parametrize("profile", SETTINGS)
@pytest.mark.parametrize("scheme", sorted(default_registry))
def test_every_command_reads_a_url_and_an_invalid_text(scheme: str, profile: str) -> None:
    registration = default_registry.in_profile(profile).registration(scheme)
    examples = {int(each.parts is None): each for each in registration.examples}
    assert {*examples} == {0, 1}
    for code, example in examples.items():
        for arguments in (["parse"], ["parse", "--json"], ["explain"], ["check"], ["check", "--json"]):
            done = run(*arguments, example.url, profile=profile)
            assert done.exit_code == code, (arguments, example.url, done.output)
            if "--json" in arguments:
                assert isinstance(json.loads(done.stdout), dict)
        done = run("fix", "--json", example.url, profile=profile)
        assert done.exit_code in {0, code}
        assert isinstance(json.loads(done.stdout), dict)


def test_a_list_of_pairs_is_shown_as_pairs() -> None:
    assert '"b"="c d", "e"=""' in run("parse", "prospero://host.dom/a;b=c%20d;e=").output
