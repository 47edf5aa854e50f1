"""How long it takes to parse a URL, to read its parts, to refuse what is none, and to survive a hostile one."""

from __future__ import annotations

import urllib.parse
from functools import partial
from typing import TYPE_CHECKING, Any

import urlschemes
from corpus import derived, one_edit_invalid, typical_http
from measurement import Figure
from peers import OURS, REFERENCE, Parser
from timing import seconds_per_call, side_by_side
from urlschemes.default import registry
from urlschemes.errors import URLError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["hostile", "reading", "refusing", "strict"]

TYPICAL = 1000
TYPICAL_TARGET, TYPICAL_MOONSHOT = 0.30, 0.25
MIX_TARGET, MIX_MOONSHOT = 0.40, 0.30
READ_TARGET, READ_MOONSHOT = 0.40, 0.30
REFUSE_TARGET, REFUSE_MOONSHOT = 0.50, 0.40
HOSTILE_SIZES = (1 << 10, 1 << 12, 1 << 14, 1 << 16)
HOSTILE_SIZE = 40_000
HOSTILE_TARGET = 2.0
HOSTILE_MOONSHOT = 1.0

# What stands for the path in the URLs of a scheme: how the parts that `urlsplit` calls path are read here.
PATHS = {"ftp": "directories", "gopher": "selector", "file": "segments"}


def mix(each: int) -> list[str]:
    """`each` generated valid URLs of every installed scheme, the schemes in turns."""
    by_scheme = [derived(registry[name].url_type.syntax, each) for name in registry]
    return [text for group in zip(*by_scheme, strict=False) for text in group]


def strict(parsers: Mapping[str, Parser], each: int, rounds: int) -> Iterator[Figure]:
    """A valid URL, parsed."""
    texts = typical_http(TYPICAL)
    table = "parse: CPU time per URL"
    yield from _compared(table, "typical http URLs", parsers, texts, rounds, TYPICAL_TARGET, TYPICAL_MOONSHOT)
    texts = mix(each)
    what = f"mix: {len(texts) // len(registry)} generated for each of {', '.join(registry)}"
    yield from _compared(table, what, parsers, texts, rounds, MIX_TARGET, MIX_MOONSHOT)
    for name in registry:
        texts = derived(registry[name].url_type.syntax, each)
        only = {key: parsers[key] for key in (REFERENCE, OURS)}
        yield from _compared(table, f"mix: {name} alone", only, texts, rounds)


def reading(parsers: Mapping[str, Parser], each: int, rounds: int) -> Iterator[Figure]:
    """A valid URL, parsed, and then scheme, host, port and path read from it."""
    table = "parse and read scheme, host, port, path: CPU time per URL"
    cases = {
        REFERENCE: Parser(_read_reference, forget=parsers[REFERENCE].forget),
        OURS: Parser(_reader("path"), (URLError,)),
    }
    yield from _compared(table, "typical http URLs", cases, typical_http(TYPICAL), rounds, READ_TARGET, READ_MOONSHOT)
    totals = dict.fromkeys(cases, 0.0)
    singles = []
    for name in registry:
        path = PATHS.get(name, "path")
        cases[OURS] = Parser(_reader(path), (URLError,))
        texts = derived(registry[name].url_type.syntax, each)
        found = side_by_side(cases, texts, rounds)
        for who, seconds in found.items():
            totals[who] += seconds / len(registry)
        singles += list(_figures(table, f"mix: {name} alone (path: {path})", found))
    yield from _figures(table, "mix", totals, READ_TARGET, READ_MOONSHOT)
    yield from singles


def _read_reference(text: str) -> object:
    split = urllib.parse.urlsplit(text)
    return split.scheme, split.hostname, split.port, split.path


def _reader(path: str) -> Callable[[str], object]:
    parse: Callable[[str], Any] = urlschemes.parse
    # Written out for each name, as a program would: getattr would be charged to us alone.
    if path == "directories":

        def read(text: str) -> object:
            url = parse(text)
            return url.scheme, url.host, url.port, url.directories, url.name

    elif path == "selector":

        def read(text: str) -> object:
            url = parse(text)
            return url.scheme, url.host, url.port, url.selector

    elif path == "segments":

        def read(text: str) -> object:
            url = parse(text)
            return url.scheme, url.host, url.port, url.segments

    else:

        def read(text: str) -> object:
            url = parse(text)
            return url.scheme, url.host, url.port, url.path

    return read


def refusing(parsers: Mapping[str, Parser], each: int, rounds: int) -> Iterator[Figure]:
    """A URL with one edit that makes it none, refused; nobody reads the message."""
    syntax = registry["http"].url_type.syntax
    corpora = {
        "typical http URLs, one edit": one_edit_invalid(syntax, typical_http(TYPICAL)),
        "mix, one edit": [
            text
            for name in registry
            for text in one_edit_invalid(
                registry[name].url_type.syntax, derived(registry[name].url_type.syntax, min(each, 500))
            )
        ],
    }
    table = "refuse: CPU time per invalid URL, message not read"
    for what, texts in corpora.items():
        found = side_by_side(parsers, texts, rounds)
        yield from _figures(table, what, found, REFUSE_TARGET, REFUSE_MOONSHOT)
    for what, texts in corpora.items():
        for who, parser in parsers.items():
            share = 100 * sum(not _accepted(parser, text) for text in texts) / len(texts)
            yield Figure(
                table="share of one-edit-invalid URLs refused",
                what=f"{what} ({len(texts)})",
                who=who,
                value=share,
                unit="%",
                target=100.0 if who == OURS else None,
                least=True,
            )


def _compared(
    table: str,
    what: str,
    parsers: Mapping[str, Parser],
    texts: list[str],
    rounds: int,
    target: float | None = None,
    moonshot: float | None = None,
) -> Iterator[Figure]:
    """The figures for all texts; a parser that refuses some of them is measured by those that it takes."""
    taken = {who: [text for text in texts if _accepted(parser, text)] for who, parser in parsers.items()}
    whole = {who: parser for who, parser in parsers.items() if len(taken[who]) == len(texts)}
    found = side_by_side(whole, texts, rounds)
    notes = {}
    for who, parser in parsers.items():
        if who not in whole and taken[who]:
            pair = side_by_side({REFERENCE: parsers[REFERENCE], who: parser}, taken[who], rounds)
            # In the time of the whole corpus, so that one column can be compared.
            found[who] = pair[who] / pair[REFERENCE] * found[REFERENCE]
            notes[who] = f"refuses {100 * (1 - len(taken[who]) / len(texts)):.1f} %, measured by the others"
    yield from _figures(table, what, found, target, moonshot, notes)


def _figures(
    table: str,
    what: str,
    found: Mapping[str, float],
    target: float | None = None,
    moonshot: float | None = None,
    notes: Mapping[str, str] | None = None,
) -> Iterator[Figure]:
    for who, seconds in sorted(found.items(), key=lambda item: (item[0] != REFERENCE, item[0] != OURS, item[1])):
        yield Figure(
            table=table,
            what=what,
            who=who,
            value=seconds * 1e6,
            unit="us",
            ratio=seconds / found[REFERENCE],
            target=target if who == OURS else None,
            moonshot=moonshot if who == OURS else None,
            note=(notes or {}).get(who, ""),
        )


def _accepted(parser: Parser, text: str) -> bool:
    try:
        parser.parse(text)
    except parser.refusals:
        return False
    return True


def _hostile_texts(size: int) -> dict[str, str]:
    """Texts of `size` characters that could make a careless pattern, or its explanation, run far ahead or back."""
    kinds = {
        "labels": ("http://", "a.", ""),
        "labels, hyphen at the end": ("http://", "a.", "-/"),
        "hyphens in one label": ("http://a", "-", "/"),
        "groups of digits": ("http://", "1.", ""),
        "one long number": ("http://1.1.1.", "1", "x"),
        "colons": ("ftp://", ":", ""),
        "user names": ("ftp://", "a@", "h/"),
        "user without a host": ("ftp://", "a", "@"),
        "parameters": ("ftp://h/", ";type=", "x"),
        "slashes": ("ftp://h/", "/", "#"),
        "escapes": ("http://h/", "%41", ""),
        "escapes, the last one cut": ("http://h/", "%41", "%4"),
        "percent signs": ("http://h/", "%", ""),
        "question marks": ("http://h/", "?", ""),
        "encoded tabs": ("gopher://h/1", "%09", ""),
        "segments": ("file:///", "a/", ";"),
        "beyond US-ASCII": ("http://h/", "\u00e9", ""),
        "no colon": ("http", "a", ""),
    }
    made = {}
    for name, (front, turn, end) in kinds.items():
        scheme = front.partition(":")[0]
        if scheme in registry:
            turns = (size - len(front) - len(end)) // len(turn)
            made[name] = front + turn * turns + end
    return made


def hostile(rounds: int) -> Iterator[Figure]:
    """Texts made to take long: the time must grow as the length does, whether or not the message is read."""
    yield from _hostile("parse", _attempt, rounds, HOSTILE_MOONSHOT)
    yield from _hostile("parse and read the message", _explained, 3)


def _attempt(text: str) -> None:
    try:  # noqa: SIM105  suppress() would be timed too
        urlschemes.parse(text)
    except URLError:
        pass


def _explained(text: str) -> None:
    try:
        urlschemes.parse(text)
    except URLError as error:
        str(error)


def _hostile(how: str, call: Callable[[str], None], rounds: int, moonshot: float | None = None) -> Iterator[Figure]:
    found = {
        size: {name: seconds_per_call(partial(call, text), rounds) for name, text in _hostile_texts(size).items()}
        for size in (*HOSTILE_SIZES, HOSTILE_SIZE)
    }
    table = "hostile input: CPU time per octet, and whether it stays the same as the text grows"
    for size in HOSTILE_SIZES:
        name = max(found[size], key=found[size].__getitem__)
        yield Figure(
            table=table,
            what=f"{how}: {size // 1024} kB, the slowest",
            who=OURS,
            value=found[size][name] / size * 1e9,
            unit="ns",
            note=name,
        )
    small, large = HOSTILE_SIZES[1], HOSTILE_SIZES[-1]
    growth = {name: found[large][name] / found[small][name] * small / large for name in found[large]}
    name = max(growth, key=growth.__getitem__)
    yield Figure(
        table=table,
        what=f"{how}: 64 kB against 4 kB, time per octet, the steepest (1 is linear)",
        who=OURS,
        value=growth[name],
        unit="x",
        target=HOSTILE_TARGET,
        note=name,
    )
    name = max(found[HOSTILE_SIZE], key=found[HOSTILE_SIZE].__getitem__)
    yield Figure(
        table=table,
        what=f"{how}: {HOSTILE_SIZE // 1000} kB, the slowest",
        who=OURS,
        value=found[HOSTILE_SIZE][name] * 1000,
        unit="ms",
        moonshot=moonshot,
        note=name,
    )
