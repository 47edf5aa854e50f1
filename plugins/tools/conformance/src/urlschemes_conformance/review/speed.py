"""The check that reading a text takes as long as the text is, and no longer."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING

from urlschemes.errors import InvalidURL
from urlschemes_conformance.review.catalogue import asks
from urlschemes_conformance.review.verdicts import failed, passed, skipped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes.url.value import URL
    from urlschemes_conformance.review.subject import Subject
    from urlschemes_conformance.review.verdicts import Judgement

__all__: list[str] = []

SMALL, LARGE = 1 << 13, 1 << 16
"""Characters of the texts that are compared: both beyond the bounds that a record may set to a number."""
STEEPEST = 4.0
"""Times as long per octet as it may take with the larger text: quadratic would be eight."""
ROUNDS = 3
LEAST = 0.001
"""CPU seconds that one measurement takes at least."""
LONGEST = 0.5
"""CPU seconds that reading a large text may take in any case."""
TURNS = ("a", "1", ".", "-", "%41", "/", "a.", ":", "@", ";", "=a")


@asks("parse-time", "docs/registering.md")
def parse_time(subject: Subject) -> Judgement:
    """Reading a text takes time in proportion to its length, whatever the text: so much CPU for each octet."""
    kind = subject.url_type
    worst = slowest = 0.0
    for front, turn, end in _kinds(subject):
        small, large = (_grown(front, turn, end, size) for size in (SMALL, LARGE))
        once = _seconds(kind, large, 1)
        if once > LONGEST:
            return failed(
                f"a text of {len(large)} characters takes {once:.1f} s of CPU time to read",
                "leave parse to the core, whose patterns are linear",
                f"{front[:100]}{turn}{turn}...{end[:100]}",
            )
        growth = _growth(kind, small, large)
        if growth > STEEPEST:  # what else the machine does passes by
            growth = min(growth, _growth(kind, small, large), _growth(kind, small, large))
        slowest = max(slowest, once / len(large))
        if growth > STEEPEST:
            return failed(
                f"of a text {LARGE // SMALL} times as long each octet takes {growth:.1f} times as long",
                "leave parse to the core, whose patterns are linear",
                f"{front[:100]}{turn}{turn}...{end[:100]}",
            )
        worst = max(worst, growth)
    if not worst:
        return skipped("no part of its URLs can grow")
    return passed(f"at most {slowest * 1e9:.0f} ns for each octet of {LARGE} characters; growth {worst:.1f}")


def _kinds(subject: Subject) -> Iterator[tuple[str, str, str]]:
    """What grows: what stands before it, what is repeated, and what stands behind it."""
    syntax = subject.syntax
    seen: set[tuple[str, str]] = set()
    for text in subject.texts:
        match = syntax.fullmatch(text)
        assert match is not None
        for name, part in syntax.parts.items():
            span = syntax.span(match, name)
            if span is None or span[0] == span[1] or (name, part.mark) in seen:
                continue
            seen.add((name, part.mark))
            for turn in (text[span[0] : span[1]], *TURNS):
                yield text[: span[0]], turn, text[span[1] :]
                yield text[: span[0]], turn, "\t"


def _grown(front: str, turn: str, end: str, size: int) -> str:
    return front + turn * max((size - len(front) - len(end)) // len(turn), 1) + end


def _growth(kind: type[URL], small: str, large: str) -> float:
    """How much longer each octet of the large text takes."""
    first, second = _seconds(kind, small, ROUNDS), _seconds(kind, large, ROUNDS)
    return second / len(large) / (first / len(small)) if first else 0.0


def _seconds(kind: type[URL], text: str, rounds: int) -> float:
    """CPU seconds of one reading: the least of several measurements, each of as many readings as can be measured."""
    calls = 1
    while (taken := _reading(kind, text, calls)) < LEAST and rounds > 1:
        calls *= 8 if taken < LEAST / 8 else 2
    return min([taken, *(_reading(kind, text, calls) for _ in range(rounds - 1))]) / calls


def _reading(kind: type[URL], text: str, calls: int) -> float:
    gc.disable()
    try:
        begun = time.process_time()
        for _ in range(calls):
            try:  # noqa: SIM105  suppress() would be timed too
                kind.parse(text, limit=LARGE * 2)
            except InvalidURL:
                pass
        return time.process_time() - begun
    finally:
        gc.enable()
