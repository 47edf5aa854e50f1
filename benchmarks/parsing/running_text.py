"""The speed of `find` in running text."""

from __future__ import annotations

import random
from collections import deque
from functools import partial
from typing import TYPE_CHECKING

import urlschemes_text
from common.corpus import SEED, WORDS, typical_http
from common.measurement import Figure
from common.peers import OURS
from common.timing import seconds_per_call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["searching"]

SIZE = 2_000_000
TARGET = 100.0
DOCUMENT = 2_000


def searching(rounds: int) -> Iterator[Figure]:
    """Megabytes that are searched in a second, by how many of the words are URLs."""
    prose = _prose(0)
    documents = [prose[start : start + DOCUMENT] for start in range(0, SIZE, DOCUMENT)]
    texts = {
        "prose without URLs": [prose],
        f"the same as documents of {DOCUMENT:,} characters": documents,
        "a log: seven colons in a line, no URL": [_log()],
        "prose, 0.1 % of the words are URLs": [_prose(0.001)],
        "prose, 1 % of the words are URLs": [_prose(0.01)],
        "every second word is a URL": [_prose(0.5)],
    }
    for what, pieces in texts.items():
        size = sum(map(len, pieces))
        yield Figure(
            table="find: text that is searched, one core",
            what=what,
            who=OURS,
            value=size / seconds_per_call(partial(_search, pieces), rounds) / 1e6,
            unit="MB/s",
            target=None if what.startswith("every") else TARGET,
            least=True,
            note=f"{sum(1 for text in pieces for _ in urlschemes_text.find(text)):,} URLs",
        )


def _search(texts: list[str]) -> None:
    for text in texts:
        deque(urlschemes_text.find(text), maxlen=0)


def _text(write: Callable[[random.Random], str]) -> str:
    chance = random.Random(SEED)  # noqa: S311  nothing secret
    pieces: list[str] = []
    size = 0
    while size < SIZE:
        pieces.append(write(chance))
        size += len(pieces[-1])
    return "".join(pieces)


def _prose(share: float) -> str:
    urls = typical_http(1000)
    marks = (" ",) * 40 + (", ", ". ", "; ", ": ", ".\n", " (", ") ", "\n")

    def word(chance: random.Random) -> str:
        return (chance.choice(urls) if chance.random() < share else chance.choice(WORDS)) + chance.choice(marks)

    return _text(word)


def _log() -> str:
    def line(chance: random.Random) -> str:
        time = f"2024-03-{chance.randint(1, 28):02}T{chance.randint(0, 23):02}:{chance.randint(0, 59):02}:07.123Z"
        where = f"10.0.{chance.randint(0, 255)}.{chance.randint(0, 255)}:{chance.randint(1024, 65535)}"
        fields = f'"user": {chance.randint(1, 9999)}, "action": "{chance.choice(WORDS)}", "from": "{where}"'
        return f"{time} host{chance.randint(1, 9)} app[{chance.randint(1, 9999)}] INFO: {{{fields}}}\n"

    return _text(line)
