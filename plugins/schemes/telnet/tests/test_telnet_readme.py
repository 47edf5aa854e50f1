"""The README: its examples, and that it names every method and option."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pages import check_readme, check_readme_commands

from urlschemes_servers import telnet_server
from urlschemes_telnet.command import session as command
from urlschemes_telnet.session import TelnetSession

FOLDER = Path(__file__).parents[1]


def test_the_examples_of_the_readme() -> None:
    check_readme(FOLDER)


@pytest.mark.skipif(os.name == "nt", reason="the examples are for a POSIX shell")
def test_the_commands_print_what_the_readme_shows(tmp_path: Path) -> None:
    with telnet_server() as address:
        check_readme_commands(FOLDER, tmp_path, address=address)


def test_the_readme_names_every_method_and_option() -> None:
    text = (FOLDER / "README.md").read_text("utf-8")
    methods = [name for name in vars(TelnetSession) if not name.startswith("_")]
    assert [name for name in methods if f"`{name}" not in text] == []
    options = ("--escape", "--login", "--show-password", "--binary", "--raw")
    assert {option for parameter in command.params for option in parameter.opts} >= set(options)
    assert [option for option in options if option not in text] == []
