"""Times for hostile texts, and their growth with the length."""

from __future__ import annotations

from collections import deque
from functools import partial
from random import Random
from time import process_time
from typing import TYPE_CHECKING

import urlschemes_lint
import urlschemes_text
import urlschemes_text.search
from common.measurement import Figure
from common.peers import OURS, REGISTRIES
from common.timing import quiet, seconds_per_call
from urlschemes.errors import URLError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from urlschemes import Registry

__all__ = ["hostile"]

SIZES = (1 << 10, 1 << 12, 1 << 14, 1 << 16)
SIZE = 40_000
TARGET = 2.0
MOONSHOT = 1.0
SLOWEST = 1.0
"""Seconds that a function of lint may take for any text within the limit."""

# Front, what is repeated, and the end: what could make a pattern or an explanation run far ahead or back, and what
# gives much to find, to repair or to tell apart.
KINDS = {
    "labels": ("http://", "a.", ""),
    "labels, hyphen at the end": ("http://", "a.", "-/"),
    "hyphens in one label": ("http://a", "-", "/"),
    "groups of digits": ("http://", "1.", ""),
    "one long number": ("http://1.1.1.", "1", "x"),
    "colons": ("ftp://", ":", ""),
    "user names": ("ftp://", "a@", "h/"),
    "user without a host": ("ftp://", "a", "@"),
    "logins": ("telnet://", "a:b@", ""),
    "parameters": ("ftp://h/", ";type=", "x"),
    "slashes": ("ftp://h/", "/", "#"),
    "escapes": ("http://h/", "%41", ""),
    "escapes, the last one cut": ("http://h/", "%41", "%4"),
    "percent signs": ("http://h/", "%", ""),
    "question marks": ("http://h/", "?", ""),
    "tildes": ("http://h/", "~", "#"),
    "encoded tabs": ("gopher://h/1", "%09", ""),
    "backslashes": ("gopher://h/1", "\\", ""),
    "segments": ("file:///", "a/", ";"),
    "segments of a document": ("wais://h/a/b/", "/", ""),
    "searches": ("wais://h/a?", "?", "/"),
    "addresses": ("mailto:", "a@", ""),
    "words": ("mailto:", "a.", ""),
    "quoted strings": ("mailto:", "%22%5c", "@h"),
    "header fields": ("mailto:a@h?", "b=c&", ""),
    "hosts of a message": ("news:", "a@", ""),
    "components": ("news:a", ".b", "/"),
    "articles": ("nntp://h/g/", "1", "x"),
    "fields": ("prospero://h/a", ";b=c", ""),
    "fields without a value": ("prospero://h/a", ";", ""),
    "beyond US-ASCII": ("http://h/", "\u00e9", ""),
    "half a character": ("http://h/", "\ud800", "x"),
    "line breaks": ("<URL:http://h/", "a-\n", ">"),
    "no end": ("<URL:http://h/", "a ", ""),
    "prefixes": ("", "<URL:", ""),
    "URLs": ("", "http://h/ ", ""),
    "names": ("", "http:", ""),
    "brackets": ("http://h/", "(", ")"),
    "full stops": ("http://h/a", ".", " "),
    "no colon": ("http", "a", ""),
    "groups of an address": ("http://[", "1:", "]/"),
    "colons of an address": ("http://[", ":", "1]/"),
    "digits of an address": ("http://[", "1", "::]/"),
    "addresses in brackets": ("http://", "[::1]", "/"),
    "address of the future": ("http://[v1.", "a:", "]%"),
    "brackets of a host": ("ftp://", "[", "/"),
    "groups without brackets": ("http://", "1:", "/"),
    "escapes of a host": ("http://", "%41", "]/"),
    "ends of authorities": ("http://", "?@#", "@"),
    "number signs": ("http://h/", "#", ""),
    "characters of a fragment": ("http://h/#", "/?", "#"),
    "dot segments": ("http://h/", "../", "#"),
    "escaped dot segments": ("file:/", "%2e./", "["),
    "mail addresses": ("mailto:", "a@b,", "?"),
    "quoted strings of mail": ("mailto:", "%22%5C%22", "@h"),
    "wildcards": ("news:", "a*.", "/"),
}


# What a text of any scheme may begin with, what is repeated, alone or in pairs, and what it may end with.
FRONTS = ("{0}:", "{0}://", "{0}://h/", "{0}:a@", "{0}://h/a?", '{0}:"', "{1}")
TURNS = (*'/:@?#;=&%~a[<"\\ ,.', "\u00e9", "\u202e", "%41")
ENDS = ("", "#", "@", ">")


def hostile(rounds: int) -> Iterator[Figure]:
    """The slowest and the steepest of all kinds, for each thing that is done with a text."""
    few = (rounds + 2) // 3
    for label, registry in REGISTRIES.items():
        yield from _figures(f"parse{label}", registry.parse, rounds)
        yield from _forty_thousand(f"parse{label}", registry, rounds)
        yield from _figures(f"parse and read the message{label}", partial(_explained, registry), few)
        for call in (urlschemes_lint.check, urlschemes_lint.fix, urlschemes_lint.explain):
            yield from _figures(f"{call.__name__}{label}", partial(call, registry=registry), few)
            yield _slowest(f"{call.__name__}{label}", partial(call, registry=registry), registry, 300 * few)
        yield from _figures(f"find{label}", partial(_found, registry), few)
        yield _slowest(f"find{label}", partial(_found, registry), registry, 300 * few)
        yield from _figures(f"normalize and resolve{label}", partial(_normalized, registry), few)


def _texts(size: int) -> dict[str, str]:
    return {
        name: front + turn * ((size - len(front) - len(end)) // len(turn)) + end
        for name, (front, turn, end) in KINDS.items()
    }


def _attempt(call: Callable[[str], object], text: str) -> None:
    try:  # noqa: SIM105  suppress() would be timed too
        call(text)
    except URLError:
        pass


def _explained(registry: Registry, text: str) -> None:
    try:
        registry.parse(text)
    except URLError as error:
        str(error)


def _found(registry: Registry, text: str) -> None:
    deque(urlschemes_text.find(text, registry=registry), maxlen=0)


def _normalized(registry: Registry, text: str) -> None:
    url = registry.parse(text)
    url.normalized()
    url.resolve("../../a?b#c")


def _seconds(call: Callable[[str], object], size: int, rounds: int) -> dict[str, float]:
    return {name: seconds_per_call(partial(_attempt, call, text), rounds) for name, text in _texts(size).items()}


def _figures(how: str, call: Callable[[str], object], rounds: int) -> Iterator[Figure]:
    _seconds(call, SIZES[0], 1)  # what is made at the first use
    found = {size: _seconds(call, size, rounds) for size in SIZES}
    table = "hostile input: CPU time per octet, and whether it stays the same as the text grows"
    for size, seconds in found.items():
        name = max(seconds, key=seconds.__getitem__)
        yield Figure(
            table=table,
            what=f"{how}: {size // 1024} kB, the slowest",
            who=OURS,
            value=seconds[name] / size * 1e9,
            unit="ns",
            note=name,
        )
    small, large = SIZES[1], SIZES[-1]
    growth = {name: found[large][name] / found[small][name] * small / large for name in KINDS}
    name = max(growth, key=growth.__getitem__)
    yield Figure(
        table=table,
        what=f"{how}: 64 kB against 4 kB, time per octet, the steepest (1 is linear)",
        who=OURS,
        value=growth[name],
        unit="x",
        target=TARGET,
        note=name,
    )


def _slowest(how: str, call: Callable[[str], object], registry: Registry, tries: int) -> Figure:
    """The slowest text of 64 kB that begins like a URL of any scheme: of `tries` short ones, the slowest at length."""
    chance, short, long = Random(1738), SIZES[0], SIZES[-1]  # noqa: S311  nothing secret
    urls = {name: next((each.url for each in registry[name].registration.examples), "") for name in registry}
    fronts = [front.format(name, url) for name, url in urls.items() for front in FRONTS]
    kinds = [
        (chance.choice(fronts), "".join(chance.choices(TURNS, k=chance.choice((1, 2)))), chance.choice(ENDS))
        for _ in range(tries)
    ]

    def seconds(size: int, kind: tuple[str, str, str]) -> float:
        front, turn, end = kind
        begun = process_time()
        _attempt(call, front + (turn * size)[: size - len(front) - len(end)] + end)
        return process_time() - begun

    with quiet():
        for kind in kinds:
            seconds(short // 4, kind)  # what is made at the first use
        few = sorted(kinds, key=partial(seconds, short))[-10:]
        worst, kind = max((seconds(long, each), each) for each in few)
    return Figure(
        table="hostile input: CPU time of the slowest text of 64 kB found for any scheme",
        what=how,
        who=OURS,
        value=worst,
        unit="s",
        target=SLOWEST,
        note=ascii(kind),
    )


def _forty_thousand(how: str, registry: Registry, rounds: int) -> Iterator[Figure]:
    seconds = _seconds(registry.parse, SIZE, rounds)
    name = max(seconds, key=seconds.__getitem__)
    yield Figure(
        table="hostile input: CPU time of one text",
        what=f"{how}: {SIZE // 1000} kB, the slowest",
        who=OURS,
        value=seconds[name] * 1000,
        unit="ms",
        moonshot=MOONSHOT,
        note=name,
    )
