"""The text of records as Markdown: whatever it contains, it is shown as text, on every generator of sites.

Characters that Markdown, its extensions, HTML or a template language may give a meaning are written as numeric
character references, which have none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes_cli.output.text import escaped_line

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["code", "linked", "paragraph", "plain", "preformatted", "table"]

_MARKUP = re.compile(r"""[^\w\s.,;"'()/?%+-]|_""", re.ASCII)
"""The characters that may be markup in a line, and all that are not US-ASCII."""
_LIST = re.compile(r"^[0-9+-]")
"""A first character that may begin a list."""
_BLOCK = re.compile(r"[&<>{`]|(?<!\S)~")
"""The characters that may be markup in a block of HTML. A fence of code begins with the last two."""
_PIECE = re.compile(
    r"\bRFC ?(?P<number>[1-9][0-9]{0,4})\b(?:,? section (?P<section>[0-9A-Z]+(?:\.[0-9]+)*))?"
    r"|\bIANA template (?P<template>[a-z]+/[A-Za-z0-9](?:[A-Za-z0-9+.-]*[A-Za-z0-9])?)"
    r"|(?P<address>https://[A-Za-z0-9.-]+(?:/[A-Za-z0-9._~/%#?=&+-]*)?)"
    r"|`(?P<code>[^`]+)`"
)


def plain(text: str) -> str:
    """Return `text` as one line of Markdown without markup; each run of white space becomes one blank."""
    return _escaped(" ".join(text.split()))


def code(text: str) -> str:
    """Return `text` as code within a line."""
    return f"<code>{_escaped(text)}</code>"


def preformatted(text: str) -> str:
    """Return lines of `text` as a block of code."""
    lines = (_BLOCK.sub(_reference, escaped_line(line)) for line in text.splitlines())
    return f"<pre><code>{chr(10).join(lines)}</code></pre>"


def paragraph(text: str) -> str:
    """Return `text` as a paragraph, with links."""
    return _LIST.sub(_reference, linked(text))


def linked(text: str) -> str:
    """Return `text` as one line with links from RFCs, IANA's templates and `https:` addresses; backticks mark code."""
    text, end, pieces = " ".join(text.split()), 0, []
    for piece in _PIECE.finditer(text):
        pieces += [_escaped(text[end : piece.start()]), _link(piece)]
        end = piece.end()
    return "".join(pieces) + _escaped(text[end:])


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of cells that are Markdown."""
    heads = tuple(heads)
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows))


def _escaped(text: str) -> str:
    return _MARKUP.sub(_reference, escaped_line(text))


def _reference(found: re.Match[str]) -> str:
    return f"&#{ord(found[0])};" if found[0].isascii() else found[0]


def _link(piece: re.Match[str]) -> str:
    if piece["code"] is not None:
        return code(piece["code"])
    text, rest = piece[0], ""
    if piece["template"] is not None:
        address = f"https://www.iana.org/assignments/uri-schemes/{piece['template']}"
    elif piece["address"] is not None:
        text = address = piece[0].rstrip(".?")  # which end the sentence
        rest = piece[0][len(address) :]
    else:
        section = f"#section-{piece['section']}" if piece["section"] else ""
        address = f"https://www.rfc-editor.org/rfc/rfc{piece['number']}{section}"
    return f"[{_escaped(text)}]({address}){rest}"
