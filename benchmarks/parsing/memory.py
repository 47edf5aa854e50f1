"""Memory of URL objects."""

from __future__ import annotations

import gc
import tracemalloc
from typing import TYPE_CHECKING

from common.corpus import fresh, typical_http
from common.measurement import Figure
from common.peers import HERE, NATIVE, REFERENCE, REGISTRIES, ours

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from common.peers import Parser

__all__ = ["kept"]

URLS = 1000
TARGET, MOONSHOT = (0.25, 0.20) if HERE == NATIVE else (0.80, 0.20)


def kept(parsers: Mapping[str, Parser]) -> Iterator[Figure]:
    """Bytes that one URL object keeps besides the text that it was made from.

    What tracemalloc does not see (objects made outside Python's allocator) is left out.
    """
    texts = typical_http(URLS)
    found = {("", who): _bytes(parser.parse, texts) for who, parser in parsers.items() if parser.in_python}
    found |= {(label, HERE): _bytes(ours(registry).parse, texts) for label, registry in REGISTRIES.items()}
    for (label, who), size in found.items():
        yield Figure(
            table="memory of one URL object, without the text that it came from (tracemalloc)",
            what=f"typical http URLs{label}",
            who=who,
            value=size,
            unit="bytes",
            ratio=size / found["", REFERENCE],
            target=TARGET if who == HERE else None,
            moonshot=MOONSHOT if who == HERE else None,
        )


def _bytes(parse: Callable[[str], object], texts: list[str]) -> float:
    for text in texts:  # what is cached or imported at the first use is not part of an object
        parse(text)
    strings = fresh(texts)
    kept: list[object] = [None] * len(strings)
    gc.collect()
    tracemalloc.start()
    for place, text in enumerate(strings):
        kept[place] = parse(text)
    gc.collect()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held / len(strings)
