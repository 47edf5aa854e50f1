"""The commands that read URLs, for every example of every record: as a table, and as JSON."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from urlschemes import default_registry as REGISTRY  # noqa: N812  it does not change here
from urlschemes_cli.app import command


@pytest.mark.parametrize("scheme", sorted(REGISTRY))
def test_every_example_is_read_by_every_command(scheme: str) -> None:
    runner = CliRunner()
    for example in REGISTRY.registration(scheme).examples:
        good = 0 if example.parts is not None else 1
        for what in (["parse"], ["parse", "--json"], ["explain"], ["check"], ["check", "--json"]):
            done = runner.invoke(command, [*what, example.url])
            assert done.exit_code == good, (what, example.url, done.output)
            if "--json" in what:
                assert isinstance(json.loads(done.stdout), dict)
        done = runner.invoke(command, ["fix", example.url])
        assert done.exit_code in {0, 1}
        if good == 0:
            assert done.exit_code == 0
        done = runner.invoke(command, ["fix", "--json", example.url])
        assert isinstance(json.loads(done.stdout), dict)


def test_a_list_of_pairs_is_shown() -> None:
    done = CliRunner().invoke(command, ["parse", "prospero://host.dom/a;b=c%20d;e="])
    assert '"b"="c d", "e"=""' in done.output
