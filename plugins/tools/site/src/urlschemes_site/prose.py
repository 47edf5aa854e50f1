"""Running text of a record, for a page: its RFCs, templates and addresses as links, what stands in backticks as code.

A link is no request: nothing is fetched by it until somebody follows it.
"""

from __future__ import annotations

import re

from markupsafe import Markup

from urlschemes_cli.output.text import escaped_line

__all__ = ["running"]

_PIECE = re.compile(
    r"\bRFC ?(?P<number>[1-9][0-9]{0,4})\b(?:,? section (?P<section>[0-9A-Z]+(?:\.[0-9]+)*))?"
    r"|\bIANA template (?P<template>[a-z]+/[A-Za-z0-9](?:[A-Za-z0-9+.-]*[A-Za-z0-9])?)"
    r"|(?P<address>https://[A-Za-z0-9.-]+(?:/[A-Za-z0-9._~/%#?=&+-]*)?)"
    r"|`(?P<code>[^`]+)`"
)


def running(text: str) -> Markup:
    """`text`, safe to show; RFCs, IANA's templates and addresses that are written out with `https:` are links."""
    text = " ".join(text.split())
    made = Markup()
    end = 0
    for found in _PIECE.finditer(text):
        said = escaped_line(found[0])
        made += escaped_line(text[end : found.start()])
        if found["code"] is not None:
            made += Markup("<code>{}</code>").format(escaped_line(found["code"]))
        elif found["template"] is not None:
            address = f"https://www.iana.org/assignments/uri-schemes/{found['template']}"
            made += Markup('<a href="{}" rel="noreferrer">{}</a>').format(address, said)
        elif found["address"] is not None:
            address = said.rstrip(".?")  # which end the sentence
            made += Markup('<a href="{0}" rel="noreferrer nofollow">{0}</a>{1}').format(address, said[len(address) :])
        else:
            section = f"#section-{found['section']}" if found["section"] else ""
            address = f"https://www.rfc-editor.org/rfc/rfc{found['number']}{section}"
            made += Markup('<a class="rfc" href="{}" rel="noreferrer">{}</a>').format(address, said)
        end = found.end()
    return made + escaped_line(text[end:])
