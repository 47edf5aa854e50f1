"""A registry of made-up schemes: x-album of `album.toml`, and schemes with other rules."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from urlschemes import Registration, Registry

ALBUM = Path(__file__).parent / "album.toml"


class Rules(NamedTuple):
    """The rules of a scheme: BNF, parts and cautions, as its record has them."""

    bnf: str
    parts: str
    cautions: str = ""


WHOLE = 'whole = { at = "whole" }'
SCHEMES = {
    "x-note": Rules(
        """
        url    = "x-note:" whole
        whole  = first [ ";" second ]
        first  = 1*[ uchar | "/" | "?" ]
        second = digits
        """,
        "whole = { at = 'whole' }\nfirst = { at = 'first' }\nsecond = { at = 'second', number = true }",
        "[[cautions]]\ncode = 'question'\npart = 'first'\nholds = '?'\nmessage = 'no question'\n",
    ),
    "x-bare": Rules('url = "x-bare://" hostport "/"', "host = { at = 'host' }\nport = { at = 'port', number = true }"),
    "x-atom": Rules(
        """
        url   = "x-atom:" whole
        whole = 1*xchar
        pair  = word "@" word
        word  = 1*[ alpha ]
        """,
        "whole = { at = 'whole', decoded = 'pair' }",
    ),
    "x-pairs": Rules(
        """
        url   = "x-pairs:" whole
        whole = name *[ ";" name "=" name ]
        name  = *uchar
        """,
        WHOLE,
    ),
    "x-mail": Rules('url = "x-mail:" whole\nwhole = 1*uchar "@" host', WHOLE),
    "x-open": Rules('url = "x-open:" whole\nwhole = 1*uchar [ "@" 1*uchar ]', WHOLE),
    "x-tabs": Rules(
        'url = "x-tabs:" whole [ "%09" more ]\nwhole = *uchar\nmore = *uchar',
        'whole = { at = "whole", exclude = ["09"] }\nmore = { at = "more" }',
    ),
    "x-nodes": Rules(
        """
        url  = "x-nodes://" node [ ":" door ] "/"
        node = name *[ "_" name ]
        name = 1*digit
        door = 1*4digit
        """,
        "host = { at = 'node' }\nport = { at = 'door', number = true }",
    ),
    "x-dots": Rules('url = "x-dots://" node "/"\nnode = digits *[ "." digits ]', "host = { at = 'node' }"),
    "x-under": Rules(
        """
        url   = "x-under://" [ user "@" ] node [ ":" doors ] "/"
        node  = label *[ "." label ] | "(" host ")"
        label = 1*[ alpha | "_" ]
        doors = digits
        """,
        'user = { at = "user" }\nhost = { at = "node" }\nport = { at = "doors", number = true }',
    ),
    "x-names": Rules(
        'url = "x-names://" hostport "/" name\nname = *[ uchar | "?" ]',
        'host = { at = "host" }\nname = { at = "name" }',
    ),
}


def record_of(name: str, rules: Rules) -> Registration:
    """The record of a scheme without a port of its own."""
    head = ALBUM.read_text("utf-8").partition("[syntax]")[0]
    head = head.replace("x-album", name).replace("default_port = 4711", "")
    syntax = f"[syntax]\nrule = \"url\"\nbnf = '''{rules.bnf}'''\n[syntax.parts]\n{rules.parts}\n{rules.cautions}"
    return Registration.from_text(head + syntax)


@pytest.fixture(scope="session")
def album() -> Registration:
    """The record of x-album."""
    return Registration.from_file(ALBUM)


@pytest.fixture(scope="session")
def registry(album: Registration) -> Registry:
    """A registry of all these schemes and no others."""
    made = Registry(plugins=())
    made.register(album)
    for name, rules in SCHEMES.items():
        made.register(record_of(name, rules))
    return made
