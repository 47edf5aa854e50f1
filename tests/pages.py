"""Reading pages of the documentation, and running their examples."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from click.testing import CliRunner
from workspace import SLOW_IMPORT

from urlschemes_access import Client, Policy
from urlschemes_cli.app import command as urlschemes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = [
    "BLOCK",
    "Block",
    "blocks",
    "check_command",
    "check_readme",
    "check_readme_commands",
    "commands",
    "prints",
    "run_doctest",
    "without_blanks",
]

_MARK = r"(?:^(?:<!-- )?(File|not run):? `?(.+?)(?:`:| -->)\n+)?"
BLOCK = re.compile(rf"{_MARK}^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ (.+(?:\\\n.+)*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


class Block(NamedTuple):
    """A code block of a page. `mark` is `file`, `not run` or empty, `argument` the rest of that line."""

    mark: str
    argument: str
    language: str
    body: str
    line: int


def blocks(page: Path) -> Iterator[Block]:
    """Yield the blocks of `page`."""
    text = page.read_text("utf-8")
    for match in BLOCK.finditer(text):
        mark, argument, language, body = match.groups()
        yield Block((mark or "").lower(), argument or "", language, body, text.count("\n", 0, match.start(4)))


def commands(block: Block) -> list[tuple[str, str]]:
    """Return the commands of a block, each with its expected output."""
    return _COMMAND.findall(block.body)


def without_blanks(output: str) -> str:
    """Return `output` without blanks at the ends of lines, as pages are written."""
    return "".join(f"{line.rstrip()}\n" for line in output.splitlines())


def prints(expected: str, output: str) -> bool:
    """Return True if `output` is as expected; `...` stands for any text."""
    output = SLOW_IMPORT.sub("", output)
    return doctest.OutputChecker().check_output(expected.rstrip() + "\n", output.rstrip() + "\n", doctest.ELLIPSIS)


def run_doctest(test: doctest.DocTest) -> None:
    """Run a doctest in its own namespace, and fail if an example prints something else."""
    failures: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    runner.run(test, out=failures.append, clear_globs=False)
    assert runner.failures == 0, "".join(failures)


_HERE = re.compile(r"""(urlschemes(?:\ +(?:'[^']*'|"[^"(`\\]*"|[^\s'"|;&<>(`\\])+)+)(\ \|\ .+|\ >.+)?""")
"""A command that needs no shell but for quotes and variables, and what reads its output in a shell."""


def check_command(command: str, expected: str, cwd: Path, variables: Mapping[str, str] | None = None) -> None:
    """Run a command as in a POSIX shell, and fail if it prints something else.

    `urlschemes` runs in this process, which is five times as fast, unless something precedes it.
    """
    if os.name == "nt":
        pytest.skip("the examples are for a POSIX shell")
    removed = ("URLSCHEMES_", "PYTHON", "COLUMNS")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(removed)},
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry.endswith("src")),
        "XDG_CONFIG_HOME": os.devnull,
        "LC_ALL": "C.UTF-8",
        "URLSCHEMES_CACHE": os.environ.get("URLSCHEMES_CACHE", "none"),
        "PYTHONPYCACHEPREFIX": os.environ.get("PYTHONPYCACHEPREFIX", ""),  # or else the folders of sources would change
        **(variables or {}),
    }
    here = _HERE.fullmatch(command)
    written = _run_here(here[1], here[2], cwd, environment) if here else _run_in_shell(command, cwd, environment)
    output = without_blanks(written)
    assert prints(expected, output), f"{command}\nprints\n{output}\nnot\n{expected}"


def _run_here(command: str, reader: str | None, cwd: Path, environment: Mapping[str, str]) -> str:
    _, *words = shlex.split(Template(command).safe_substitute(environment), comments=True)
    with chdir(cwd):
        env = {**dict.fromkeys(os.environ), **environment}
        done = CliRunner(env=env).invoke(urlschemes, words, prog_name="urlschemes", catch_exceptions=False)
    return done.stderr + _run_in_shell(f"cat{reader}", cwd, environment, done.stdout) if reader else done.output


def _run_in_shell(command: str, cwd: Path, environment: Mapping[str, str], given: str = "") -> str:
    return subprocess.run(
        command,
        shell=True,
        cwd=cwd,
        env=environment,
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    ).stdout


def check_readme(folder: Path, *, address: object = None, **client_arguments: Any) -> None:
    """Run the doctests of the README.md in `folder`, and fail if one prints something else.

    From the first example with `Client` on, `host.dom` is the server at `address`, on this machine, and the policy
    allows it. `client_arguments` are further arguments of the examples' `Client()`.
    """
    page = folder / "README.md"
    bodies = [block.body for block in blocks(page) if block.language == "python" and not block.mark]
    assert all(">>> " in body for body in bodies)
    test = doctest.DocTestParser().get_doctest("\n".join(bodies), {}, str(page), str(page), 0)
    local = False
    for example in test.examples:
        local = local or "Client" in example.source
        if local:
            example.source = example.source.replace("host.dom", str(address))
            example.want = example.want.replace("host.dom", str(address))

    init = Client.__init__

    def init_local(client: Client, **arguments: Any) -> None:
        init(client, **{"policy": Policy.interactive(), **client_arguments, **arguments})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "__init__", init_local)
        run_doctest(test)


def check_readme_commands(folder: Path, cwd: Path, *, address: object = "host.dom") -> None:
    """Run the commands of the README.md in `folder` in the folder `cwd`, and fail if one prints something else.

    `host.dom` is the server at `address`, on this machine.
    """
    shown = [pair for block in blocks(folder / "README.md") if block.language == "console" for pair in commands(block)]
    assert shown
    for command, expected in shown:
        check_command(command.replace("host.dom", str(address)), expected.replace("host.dom", str(address)), cwd)
