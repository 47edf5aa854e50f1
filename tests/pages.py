"""How a page of the documentation is read: its blocks, and the commands in them."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import urlschemes_access
from urlschemes_access import Client, Policy

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["BLOCK", "Block", "blocks", "check_readme", "check_readme_commands", "commands", "prints", "without_blanks"]

BLOCK = re.compile(r"(?:^<!-- (file|not run): (.+?) -->\n+)?^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ (.+(?:\\\n.+)*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


class Block(NamedTuple):
    """A block of a page. `mark` is what the comment before it says of it, `file` or `not run`, with its `argument`."""

    mark: str
    argument: str
    language: str
    body: str
    line: int


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of `page`, in its order."""
    words = page.read_text("utf-8")
    for found in BLOCK.finditer(words):
        mark, argument, language, body = found.groups()
        yield Block(mark or "", argument or "", language, body, words.count("\n", 0, found.start(4)))


def commands(block: Block) -> list[tuple[str, str]]:
    """The commands of a block, each with what it should print."""
    return _COMMAND.findall(block.body)


def without_blanks(printed: str) -> str:
    """`printed` without the blanks at the ends of its lines, as a page is written."""
    return "".join(f"{line.rstrip()}\n" for line in printed.splitlines())


def prints(expected: str, got: str) -> bool:
    """Whether `got` is what a page says; `...` in `expected` stands for anything."""
    return doctest.OutputChecker().check_output(expected.rstrip() + "\n", got.rstrip() + "\n", doctest.ELLIPSIS)


def check_readme(folder: Path, *, address: object = None, **client_arguments: Any) -> None:
    """Run the doctests of the README.md in `folder`, and fail if one prints something else.

    From the first example with `Client` on, `host.dom` is the server at `address`, on this machine, and the policy
    allows it. `client_arguments` are further arguments of the examples' `Client()`.
    """
    page = folder / "README.md"
    body = "\n".join(block.body for block in blocks(page) if block.language == "python")
    test = doctest.DocTestParser().get_doctest(body, {}, str(page), str(page), 0)
    assert test.examples
    local = False
    for example in test.examples:
        local = local or "Client" in example.source
        if local:
            example.source = example.source.replace("host.dom", str(address))
            example.want = example.want.replace("host.dom", str(address))

    class LocalClient(Client):
        def __init__(self, **arguments: Any) -> None:
            super().__init__(**{"policy": Policy.interactive(), **client_arguments, **arguments})

    output: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(urlschemes_access, "Client", LocalClient)
        runner.run(test, out=output.append)
    assert runner.failures == 0, "".join(output)


def check_readme_commands(folder: Path, cwd: Path) -> None:
    """Run the commands of the README.md in `folder` in a POSIX shell, and fail if one prints something else."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    removed = ("URLSCHEMES_", "PYTHON", "COLUMNS")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(removed)}
    settings = {
        "PATH": path,
        "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry.endswith("src")),
        "XDG_CONFIG_HOME": os.devnull,
        "LC_ALL": "C.UTF-8",
        "URLSCHEMES_CACHE": os.environ.get("URLSCHEMES_CACHE", "none"),
    }
    shown = [pair for block in blocks(folder / "README.md") if block.language == "console" for pair in commands(block)]
    assert shown
    for command, expected in shown:
        done = subprocess.run(
            command,
            shell=True,
            cwd=cwd,
            env={**kept, **settings},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        assert prints(expected, without_blanks(done.stdout)), f"{command}\n{done.stdout}"
