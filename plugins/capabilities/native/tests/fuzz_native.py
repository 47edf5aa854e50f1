"""Feed spoilt tables, texts and buffers to the native reader; a sanitizer or a crash says what is wrong.

The arguments of this script are the number of rounds and a seed.
"""

from __future__ import annotations

import random
import sys
from array import array
from contextlib import suppress
from typing import Any

from urlschemes import URL, InvalidURL, Registry, URLError, default_registry
from urlschemes_native import _native
from urlschemes_tables import Table, table_of

FORMS = ("text", "lower", "number", "all", "all but the last", "last", "other")
OUTPUTS = ("text", "raw", "number")
PIECES = (*"%:/@;?#\0\u00e9\u2028\U0001f600", "//", "%41", "%zz", "%c3%a9", "%ff")


def main(rounds: int, seed: int) -> None:
    """Fuzz, and print the counts."""
    chance = random.Random(seed)
    registries = (default_registry, Registry(profile="rfc3986"))
    tables = {}
    for registry in registries:
        for scheme in map(registry.__getitem__, sorted(registry)):
            table = table_of(scheme.url_type.syntax)
            if table is not None:
                tables[scheme.registration] = scheme.url_type, table
    texts = [example.url for record in tables for example in record.examples]
    counts = {"tables refused": 0, "tables loaded": 0, "urls": 0, "refusals": 0, "rows": 0}
    for _ in range(rounds):
        record = chance.choice([*tables])
        kind, table = tables[record]
        blob = spoilt_blob(chance, table.blob)
        try:
            native = _native.Table(blob, table.marks)
        except ValueError:
            counts["tables refused"] += 1
            continue
        counts["tables loaded"] += 1
        try_table(
            chance, record.scheme, kind, table, native, [spoilt(chance, chance.choice(texts)) for _ in range(6)], counts
        )
    for _ in range(rounds):
        spoilt_texts = [spoilt(chance, chance.choice(texts)) for _ in range(6)]
        try_texts(chance, chance.choice(registries), spoilt_texts, counts)
    sys.stdout.write(", ".join(f"{what}: {count}" for what, count in counts.items()) + "\n")


def spoilt_blob(chance: random.Random, blob: bytes) -> bytes:
    """Return `blob` with some octets changed, mostly after the header."""
    changed = bytearray(blob)
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        place = chance.randrange(len(blob)) if chance.random() < 0.2 else chance.randrange(184, len(blob))
        changed[place] = chance.choice((0, 1, 255, changed[place] ^ 1, chance.randrange(256)))
    return bytes(changed[: chance.randrange(len(blob))] if chance.random() < 0.02 else changed)


def spoilt(chance: random.Random, text: str) -> str:
    """Return `text`, mostly with some changes."""
    for _ in range(chance.choice((0, 1, 2, 5))):
        place = chance.randrange(len(text) + 1)
        text = text[:place] + chance.choice((*PIECES, text, text[:place])) + text[place + chance.randrange(3) :]
    return text * chance.choice((1, 1, 1, 1, 1, 3000)) if len(text) < 50 else text


def try_table(
    chance: random.Random,
    name: str,
    kind: type[URL],
    table: Table,
    native: _native.Table,
    texts: list[str],
    counts: dict[str, int],
) -> None:
    """Use a table in every way that there is."""

    def slow(*_: object, **__: object) -> None:
        raise InvalidURL("", kind)

    reader = _native.Reader(None, slow, InvalidURL, URL, 65536)
    marks = [chance.choice(table.marks) for _ in range(4)]
    parts = tuple((mark, mark, chance.choice(FORMS), chance.choice(("", "/", ";")), None) for mark in marks)
    reader.set(name, native, kind, parts)
    reads = [
        _native.part_reader(native, mark, form, separator, None, len, len) for _, mark, form, separator, _ in parts
    ]
    states = [object() for _ in range(chance.choice((1, 5, 200)))]
    for text in texts:
        with suppress(OverflowError):
            native.spans(text)
        try_faults(chance, native, text, states)
        try:
            url = reader.parse(text)
        except InvalidURL:
            counts["refusals"] += 1
            continue
        counts["urls"] += 1
        for read in reads:
            with suppress(KeyError, TypeError, ValueError):
                read(url)
    try_columns(chance, reader, texts, marks, counts)


def try_faults(chance: random.Random, native: _native.Table, text: str, states: list[object]) -> None:
    """Let a table learn faults, most of them as the core learns them, and ask for them."""
    size = min(len(text), 300)
    path: list[object] = [
        chance.choice(states) for _ in range(max(0, size + chance.choice((-size, -3, -1, 0, 0, 1, 1, 2))))
    ]
    if path and chance.random() < 0.1:
        path[chance.randrange(len(path))] = Leaving(path)
    kinds = bytes(chance.choice((127, 128, 128, 128, 128, 129)))
    name = chance.choice(("", "", "ftp", "x" * 300))
    ends = chance.choice(("/", "/?#", "", "\u00e9"))
    position = chance.randrange(-3, size + 3)
    with suppress(IndexError, ValueError):
        native.learn(name, kinds, ends, text[:size], path, "code", position)
    for each in (text, text[:size], text[: size // 2], "", None):
        native.fault(each)


class Leaving:
    """A state that empties the list that holds it when it is looked up."""

    def __init__(self, path: list[object]) -> None:
        self.path = path

    def __hash__(self) -> int:
        self.path.clear()
        return 0

    def __eq__(self, other: object) -> bool:
        return self is other


def try_texts(chance: random.Random, registry: Registry, texts: list[str], counts: dict[str, int]) -> None:
    """Parse with the sound tables."""
    for text in texts:
        try:
            dict(registry.parse(text).parts)
            counts["urls"] += 1
        except (URLError, UnicodeError) as error:
            getattr(error, "position", None)
            counts["refusals"] += 1
    names = ["host", "port", "path", "user", "directories", "name", "query", "fragment"]
    try_columns(chance, registry.reader, texts, names, counts)


def try_columns(chance: random.Random, reader: Any, texts: list[str], names: list[str], counts: dict[str, int]) -> None:
    """Read columns of the texts, sometimes with spoilt buffers."""
    rows = [text.encode() for text in texts]
    offsets = array(chance.choice("iq"), [0])
    for row in rows:
        offsets.append(offsets[-1] + len(row))
    if chance.random() < 0.2:
        offsets[chance.randrange(len(offsets))] = chance.choice((-1, 0, 7, 2**31 - 1))
    validity = chance.choice((None, bytes([chance.randrange(256)])))
    bit = chance.choice((0, 0, 1, 2, 3, -1, 2**62, 2**63 - 1 - chance.randrange(20)))
    parts = tuple((name, chance.choice(OUTPUTS)) for name in names)
    data = b"".join(rows)
    try:
        reader.unknown(memoryview(offsets), data, validity, bit)

        def explain(_: str) -> tuple[str, int]:
            if chance.random() < 0.1:
                offsets[chance.randrange(len(offsets))] = chance.choice((-1, 0, 7, 2**31 - 1))
            return "code", chance.choice((0, chance.randrange(-5, 200)))

        reader.columns(memoryview(offsets), data, validity, bit, parts, explain)
        counts["rows"] += len(rows)
    except ValueError:
        pass


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
