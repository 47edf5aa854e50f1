"""Facts about files as MLST and MLSD send them, and numbers as SIZE does (RFC 3659)."""

from __future__ import annotations

import re

from urlschemes.grammar.octets import text_of

__all__ = ["parse_facts", "parse_size"]

_SIZE = re.compile(r"[0-9]{1,18}")


def parse_facts(line: bytes) -> tuple[dict[str, str], bytes | None]:
    """Return the facts of a line by their names in lower case, and the file's name; `({}, None)` for other lines."""
    facts, space, name = line.partition(b" ")
    pairs = [text_of(fact).partition("=") for fact in facts.split(b";") if fact]
    if not space or not all(equals for _, equals, _ in pairs):
        return {}, None
    return {key.lower(): value for key, _, value in pairs}, name


def parse_size(text: str) -> int | None:
    """Return a number of octets; None if `text` is not a number."""
    return int(text) if _SIZE.fullmatch(text) else None
