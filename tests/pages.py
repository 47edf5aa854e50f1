"""How a page of the documentation is read: its blocks, and the commands in them."""

from __future__ import annotations

import doctest
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["BLOCK", "Block", "blocks", "commands", "prints", "without_blanks"]

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
