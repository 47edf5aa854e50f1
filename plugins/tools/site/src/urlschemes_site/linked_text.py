"""Text of a record as HTML: RFCs, IANA's templates and addresses become links, text in backticks becomes code.

A link makes no request until it is followed.
"""

from __future__ import annotations

import re

from markupsafe import Markup

from urlschemes_cli.output.text import escaped_line

__all__ = ["linked"]

_PIECE = re.compile(
    r"\bRFC ?(?P<number>[1-9][0-9]{0,4})\b(?:,? section (?P<section>[0-9A-Z]+(?:\.[0-9]+)*))?"
    r"|\bIANA template (?P<template>[a-z]+/[A-Za-z0-9](?:[A-Za-z0-9+.-]*[A-Za-z0-9])?)"
    r"|(?P<address>https://[A-Za-z0-9.-]+(?:/[A-Za-z0-9._~/%#?=&+-]*)?)"
    r"|`(?P<code>[^`]+)`"
)


def linked(text: str) -> Markup:
    """Return `text` as HTML that is safe to show. Of addresses, only those with `https:` become links."""
    text = " ".join(text.split())
    html = Markup()
    end = 0
    for piece in _PIECE.finditer(text):
        html += escaped_line(text[end : piece.start()])
        html += _html_of(piece)
        end = piece.end()
    return html + escaped_line(text[end:])


def _html_of(piece: re.Match[str]) -> Markup:
    text = escaped_line(piece[0])
    if piece["code"] is not None:
        return Markup("<code>{}</code>").format(escaped_line(piece["code"]))
    if piece["template"] is not None:
        address = f"https://www.iana.org/assignments/uri-schemes/{piece['template']}"
        return Markup('<a href="{}" rel="noreferrer">{}</a>').format(address, text)
    if piece["address"] is not None:
        address = text.rstrip(".?")  # which end the sentence
        return Markup('<a href="{0}" rel="noreferrer nofollow">{0}</a>{1}').format(address, text[len(address) :])
    section = f"#section-{piece['section']}" if piece["section"] else ""
    address = f"https://www.rfc-editor.org/rfc/rfc{piece['number']}{section}"
    return Markup('<a class="rfc" href="{}" rel="noreferrer">{}</a>').format(address, text)
