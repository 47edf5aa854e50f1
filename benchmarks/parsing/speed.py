"""Times to parse a URL, to read its parts, and to refuse an invalid one."""

from __future__ import annotations

import urllib.parse
from operator import attrgetter
from typing import TYPE_CHECKING

import urlschemes
from common.corpus import derived, one_edit_invalid, typical_http
from common.measurement import Figure
from common.peers import HERE, NATIVE, REFERENCE, REGISTRIES, Parser, ours
from common.timing import seconds_per_call, side_by_side
from urlschemes.errors import InvalidURL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from urlschemes import Registry

__all__ = ["reading", "refusing", "strict"]

TYPICAL = 1000
IS_NATIVE = HERE == NATIVE
TYPICAL_TARGET, TYPICAL_MOONSHOT = (0.06, 0.05) if IS_NATIVE else (0.30, 0.25)
MIX_TARGET, MIX_MOONSHOT = (0.08, 0.06) if IS_NATIVE else (0.40, 0.30)
READ_TARGET, READ_MIX_TARGET, READ_MOONSHOT = (0.10, 0.12, 0.07) if IS_NATIVE else (0.37, 0.48, 0.30)
REFUSE_TARGET, REFUSE_MIX_TARGET = (0.13, 0.15) if IS_NATIVE else (0.33, 0.40)
FAULT_TARGET = 1.0 if IS_NATIVE else 10.0
"""Microseconds."""

# The ten schemes of RFC 1738, of which the mix is made, and what stands for the path in the URLs of each.
PATHS = {
    "ftp": ("directories", "name"),
    "http": ("path",),
    "gopher": ("selector",),
    "mailto": ("address",),
    "news": ("group", "message_id"),
    "nntp": ("group", "article"),
    "telnet": (),
    "wais": ("database",),
    "file": ("segments",),
    "prospero": ("hsoname",),
}


def paths(registry: Registry) -> Mapping[str, tuple[str, ...]]:
    """Return what stands for the path in the profile of a registry."""
    return PATHS if registry is REGISTRIES[""] else {**PATHS, "mailto": ("to",)}


def schemes(registry: Registry) -> list[str]:
    """Those of the ten that are installed."""
    return [name for name in PATHS if name in registry]


def in_turns(lists: Iterable[Sequence[str]]) -> list[str]:
    """The first of each, the second of each, and so on, as long as all have one."""
    return [text for group in zip(*lists, strict=False) for text in group]


def generated(registry: Registry, name: str, count: int) -> list[str]:
    """At most `count` valid URLs of the scheme `name`; `urlsplit` refuses a few with an address in brackets."""
    reference = Parser(urllib.parse.urlsplit)
    return [text for text in derived(registry[name].url_type.syntax, count) if _accepted(reference, text)]


def strict(parsers: Mapping[str, Parser], each: int, rounds: int) -> Iterator[Figure]:
    """A valid URL, parsed."""
    table = "parse: CPU time per URL"
    for label, registry in REGISTRIES.items():
        compared = {**parsers, HERE: ours(registry)}
        pair = {who: compared[who] for who in (REFERENCE, HERE)}
        what, texts = f"typical http URLs{label}", typical_http(TYPICAL)
        # What others take for these texts has been measured in the first table.
        yield from _compared(table, what, pair if label else compared, texts, rounds, TYPICAL_TARGET, TYPICAL_MOONSHOT)
        names = schemes(registry)
        texts = in_turns([generated(registry, name, each) for name in names])
        what = f"mix{label}: {len(texts) // len(names)} generated for each of {', '.join(names)}"
        yield from _compared(table, what, compared, texts, rounds, MIX_TARGET, MIX_MOONSHOT)
        for name in names:
            yield from _compared(table, f"mix{label}: {name} alone", pair, generated(registry, name, each), rounds)


def reading(parsers: Mapping[str, Parser], each: int, rounds: int) -> Iterator[Figure]:
    """A valid URL, parsed, and then scheme, host, port and path read from it."""
    table = "parse and read scheme, host, port, path: CPU time per URL"
    reference = Parser(
        _reader(urllib.parse.urlsplit, "scheme", "hostname", "port", "path"), forget=parsers[REFERENCE].forget
    )

    def compared(registry: Registry, name: str, texts: list[str]) -> dict[str, float]:
        host = ("host", "port") if issubclass(registry[name].url_type, urlschemes.InternetURL) else ()
        read = _reader(registry.parse, "scheme", *host, *paths(registry)[name])
        return side_by_side({REFERENCE: reference, HERE: Parser(read, ours(registry).refusals)}, texts, rounds)

    for label, registry in REGISTRIES.items():
        what, typical = f"typical http URLs{label}", compared(registry, "http", typical_http(TYPICAL))
        yield from _figures(table, what, typical, READ_TARGET, READ_MOONSHOT)
        found = {name: compared(registry, name, generated(registry, name, each)) for name in schemes(registry)}
        total = {who: sum(each[who] for each in found.values()) / len(found) for who in (REFERENCE, HERE)}
        yield from _figures(table, f"mix{label}", total, READ_MIX_TARGET, READ_MOONSHOT)
        for name, figures in found.items():
            path = ", ".join(paths(registry)[name]) or "none"
            yield from _figures(table, f"mix{label}: {name} alone (path: {path})", figures)


def _reader(parse: Callable[[str], object], *names: str) -> Callable[[str], object]:
    attributes = attrgetter(*names)

    def read(text: str) -> object:
        return attributes(parse(text))

    return read


def refusing(parsers: Mapping[str, Parser], each: int, rounds: int) -> Iterator[Figure]:
    """Return figures for refusing URLs made invalid by one edit; the message is not read."""
    corpora = {
        (what + label, registry): texts
        for label, registry in REGISTRIES.items()
        for what, texts in {
            "typical http URLs, one edit": _one_edit(registry, "http", typical_http(TYPICAL)),
            "mix, one edit": in_turns(
                [_one_edit(registry, name, generated(registry, name, min(each, 500))) for name in schemes(registry)]
            ),
        }.items()
    }
    table = "refuse: CPU time per invalid URL, message not read"
    for (what, registry), texts in corpora.items():
        found = side_by_side({**parsers, HERE: ours(registry)}, texts, rounds)
        target = REFUSE_MIX_TARGET if what.startswith("mix") else REFUSE_TARGET
        yield from _figures(table, what, found, target)
    for (what, registry), texts in corpora.items():
        yield Figure(
            table="read position and code of a refusal: CPU time per invalid URL",
            what=what,
            who=HERE,
            value=_reading_faults(registry, texts, rounds) * 1e6,
            unit="us",
            target=FAULT_TARGET,
        )
    for (what, registry), texts in corpora.items():
        for who, parser in {**parsers, HERE: ours(registry)}.items():
            share = 100 * sum(not _accepted(parser, text) for text in texts) / len(texts)
            yield Figure(
                table="share of one-edit-invalid URLs refused",
                what=f"{what} ({len(texts)})",
                who=who,
                value=share,
                unit="%",
                target=100.0 if who == HERE else None,
                least=True,
            )


def _reading_faults(registry: Registry, texts: Sequence[str], rounds: int) -> float:
    """CPU seconds to read position and code of the error of each of `texts`: the least of all rounds."""
    best, read_fault = float("inf"), attrgetter("position", "code")  # they are computed when they are read
    for _ in range(rounds):
        errors = [error for text in texts if (error := _error_of(registry, text)) is not None]

        def read(errors: Sequence[InvalidURL] = errors) -> None:
            for error in errors:
                read_fault(error)

        best = min(best, seconds_per_call(read, 1) / len(errors))
    return best


def _error_of(registry: Registry, text: str) -> InvalidURL | None:
    try:
        registry.parse(text)
    except InvalidURL as error:
        return error.with_traceback(None)
    return None


def _one_edit(registry: Registry, name: str, texts: list[str]) -> list[str]:
    return one_edit_invalid(registry[name].url_type.syntax, texts)


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
    for who, seconds in sorted(found.items(), key=lambda item: (item[0] != REFERENCE, item[0] != HERE, item[1])):
        yield Figure(
            table=table,
            what=what,
            who=who,
            value=seconds * 1e6,
            unit="us",
            ratio=seconds / found[REFERENCE],
            target=target if who == HERE else None,
            moonshot=moonshot if who == HERE else None,
            note=(notes or {}).get(who, ""),
        )


def _accepted(parser: Parser, text: str) -> bool:
    try:
        parser.parse(text)
    except parser.refusals:
        return False
    return True
