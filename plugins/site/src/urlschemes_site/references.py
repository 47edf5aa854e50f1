"""Links to RFCs, and to what else a reference gives the address of. A link is no request: nothing is fetched by it."""

from __future__ import annotations

import re

from markupsafe import Markup

from urlschemes.cli.plain import published

__all__ = ["linked"]

_PLACE = re.compile(
    r"\bRFC ?(?P<number>[1-9][0-9]{0,4})\b(?:,? section (?P<section>[0-9A-Z]+(?:\.[0-9]+)*))?"
    r"|(?P<address>https://[A-Za-z0-9.-]+(?:/[A-Za-z0-9._~/%#?=&+-]*[A-Za-z0-9_~/=+-])?/?)"
)


def linked(text: str) -> Markup:
    """`text`, safe to show, with its RFCs and its https addresses made links; nothing else becomes one."""
    made = Markup()
    end = 0
    for found in _PLACE.finditer(text):
        address = found["address"]
        if address is None:
            section = f"#section-{found['section']}" if found["section"] else ""
            address = f"https://www.rfc-editor.org/rfc/rfc{found['number']}{section}"
        made += published(text[end : found.start()])
        made += Markup('<a href="{}" rel="noreferrer nofollow">{}</a>').format(address, published(found[0]))
        end = found.end()
    return made + published(text[end:])
