"""The check that parsing takes linear time."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING, NamedTuple

from urlschemes.errors import InvalidURL
from urlschemes_conformance.review.catalogue import check
from urlschemes_conformance.review.verdicts import failed, passed, skipped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes.url.value import URL
    from urlschemes_conformance.review.reviewed_scheme import ReviewedScheme
    from urlschemes_conformance.review.verdicts import Verdict

__all__: list[str] = []

SMALL, LARGE = 1 << 13, 1 << 16
"""Characters of the two texts that are compared: both beyond the bounds that a record may set to a number."""
MAX_GROWTH = 4.0
"""The time per octet of the large text, as a multiple of that of the small one; it would be 8 for quadratic time."""
ROUNDS = 3
MIN_MEASURED = 0.001
"""CPU seconds that one measurement takes at least."""
MAX_SECONDS = 0.5
"""CPU seconds that parsing the large text may take."""
_REPEATED = ("a", "1", ".", "-", "%41", "/", "a.", ":", "@", ";", "=a")


class _Growing(NamedTuple):
    """A text that can be made any length by repeating a piece of it."""

    before: str
    piece: str
    after: str

    def of_length(self, length: int) -> str:
        count = max((length - len(self.before) - len(self.after)) // len(self.piece), 1)
        return self.before + self.piece * count + self.after

    def __str__(self) -> str:
        return f"{self.before[:100]}{self.piece}{self.piece}...{self.after[:100]}"


@check("parse-time", "docs/reference/registration.md")
def parse_time(scheme: ReviewedScheme) -> Verdict:
    """Parsing takes CPU time in proportion to the length of the text."""
    url_type = scheme.url_type
    max_growth = max_per_character = 0.0
    advice = "do not override parse: the patterns of the core are linear"
    for growing in _growing_texts(scheme):
        small, large = growing.of_length(SMALL), growing.of_length(LARGE)
        seconds = _parse_seconds(url_type, large, 1)
        if seconds > MAX_SECONDS:
            return failed(f"parsing {len(large)} characters takes {seconds:.1f} s of CPU time", advice, str(growing))
        growth = _growth(url_type, small, large)
        if growth > MAX_GROWTH:  # measured again, because other processes disturb a measurement
            growth = min(growth, _growth(url_type, small, large), _growth(url_type, small, large))
        if growth > MAX_GROWTH:
            return failed(
                f"parsing a text {LARGE // SMALL} times as long takes {growth:.1f} times as long for each character",
                advice,
                str(growing),
            )
        max_growth = max(max_growth, growth)
        max_per_character = max(max_per_character, seconds / len(large))
    if not max_growth:
        return skipped("no part of its URLs can be long")
    per_character = f"{max_per_character * 1e9:.0f} ns for each of {LARGE} characters"
    return passed(f"at most {per_character}; {max_growth:.1f} times that of {SMALL} characters")


def _growing_texts(scheme: ReviewedScheme) -> Iterator[_Growing]:
    """Yield texts that grow in each part, valid ones and ones with a fault at the end."""
    syntax = scheme.syntax
    seen: set[tuple[str, str]] = set()
    for text in scheme.valid_texts:
        match = syntax.fullmatch(text)
        assert match is not None
        for name, part in syntax.parts.items():
            span = syntax.span(match, name)
            if span is None or span[0] == span[1] or (name, part.mark) in seen:
                continue
            seen.add((name, part.mark))
            for piece in (text[span[0] : span[1]], *_REPEATED):
                yield _Growing(text[: span[0]], piece, text[span[1] :])
                yield _Growing(text[: span[0]], piece, "\t")


def _growth(url_type: type[URL], small: str, large: str) -> float:
    """Return the time per character of the large text, as a multiple of that of the small one."""
    first, second = _parse_seconds(url_type, small, ROUNDS), _parse_seconds(url_type, large, ROUNDS)
    return second / len(large) / (first / len(small)) if first else 0.0


def _parse_seconds(url_type: type[URL], text: str, rounds: int) -> float:
    """Return the CPU seconds of parsing once: the least of several measurements, each of enough calls."""
    calls = 1
    while (seconds := _measure(url_type, text, calls)) < MIN_MEASURED and rounds > 1:
        calls *= 8 if seconds < MIN_MEASURED / 8 else 2
    return min([seconds, *(_measure(url_type, text, calls) for _ in range(rounds - 1))]) / calls


def _measure(url_type: type[URL], text: str, calls: int) -> float:
    gc.disable()
    try:
        began = time.process_time()
        for _ in range(calls):
            try:  # noqa: SIM105  suppress() would be measured too
                url_type.parse(text, limit=LARGE * 2)
            except InvalidURL:
                pass
        return time.process_time() - began
    finally:
        gc.enable()
