"""A bad plugin for each check of the review: the good one, plugins/x-example, with a small edit."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, NamedTuple

from workspace import ROOT

if TYPE_CHECKING:
    from pathlib import Path

GOOD = ROOT / "plugins" / "x-example"
PACKAGE = "src/urlschemes_x_example/"
RECORD, TYPE, ACCESS, DEMO = (PACKAGE + name for name in ("registration.toml", "__init__.py", "access.py", "demo.py"))
PROJECT = "pyproject.toml"


class Edit(NamedTuple):
    """In a file, one text takes the place of another, wherever that stands."""

    file: str
    old: str
    new: str


def method(text: str) -> list[Edit]:
    """A further method of the type."""
    return [Edit(TYPE, '    """A URL that designates a document."""\n', f'    """A URL."""\n\n{text}')]


def renamed(name: str, status: str) -> list[Edit]:
    """The scheme under another name, which is not experimental."""
    return [
        Edit(RECORD, 'status = "experimental"', f'status = "{status}"'),
        Edit(RECORD, 'reference = "README.md', 'reference = "RFC 7595; README.md'),
        Edit(RECORD, 'scheme = "x-example"', f'scheme = "{name}"'),
        Edit(RECORD, '"x-example:', f'"{name}:'),
        Edit(DEMO, "x-example://", f"{name}://"),
        Edit(PROJECT, 'x-example = "', f'{name} = "'),
    ]


QUESTION = "    peer = yield from Connect(url.host, url.port)\n"

BAD: dict[str, list[Edit]] = {
    # The record
    "record": [Edit(RECORD, 'title = "Documents by name and edition"\n', "")],
    "contact": [Edit(RECORD, 'contact = "The urlschemes authors"', 'contact = "Your Name <you@example.com>"')],
    "reference": [Edit(RECORD, 'reference = "README.md of urlschemes-x-example"', 'reference = "TODO"')],
    "considerations": [Edit(RECORD, "\nA name is text in UTF-8.", "\nTBD. A name is text in UTF-8.")],
    "security": [Edit(RECORD, "\nThe name and the edition are sent", "\nTODO: what else? The name is sent")],
    "examples": [Edit(RECORD, "invalid = true", 'parts = { host = "host.dom", port = 1021, name = "a" }'),
                 *(Edit(RECORD, f'url = "{url}"', 'url = "x-example://host.dom/a"') for url in (
                     "x-example://host.dom/", "x-example://host.dom/rules;edition=new",
                     "x-example://host.dom/house%09rules", "x-example:rules"))],
    # The name
    "name": renamed("9example", "provisional"),
    "name-free": renamed("gopher", "permanent"),
    "status": [Edit(RECORD, 'status = "experimental"', 'status = "provisional"')],
    # The syntax
    "grammar": [Edit(RECORD, '"/" docname [', '"/" [ docname ] docname [')],
    "same-language": method(
        "    @classmethod\n    def parse(cls, text, *, limit=65536):\n"
        "        return super().parse(text.strip(), limit=limit)\n"
    ),
    "reserved-characters": [
        Edit(RECORD, '";edition=" edition', '"!" edition'),
        Edit(RECORD, ";edition=", "!"),
        Edit(RECORD, "docname     = 1*uchar", 'docname     = 1*[ alphadigit | "-" | "." | "_" | escape ]'),
        Edit(DEMO, ";edition=", "!"),
    ],
    "conventions": [
        Edit(RECORD, 'hostport "/"', 'site [ ":" port ] "/"'),
        Edit(RECORD, "edition     = digits\n", 'edition     = digits\nsite        = 1*[ alphadigit | "-" | "." ]\n'),
        Edit(RECORD, 'host = { at = "host" }', 'host = { at = "site" }'),
    ],
    # The type
    "contract": [Edit(PROJECT, ":scheme", ":shceme")],
    "parts": [Edit(TYPE, 'return self._text("name") or ""', 'return (self._text("name") or "").replace("!", "")')],
    "examples-parse": [Edit(RECORD, 'name = "house rules", edition = 2', 'name = "house rules", edition = 3')],
    # The laws
    "prints-back": method(
        "    @classmethod\n    def parse(cls, text, *, limit=65536):\n"
        "        return super().parse(text.replace('%c', '%C').replace('%d', '%D'), limit=limit)\n"
    ),
    "builds-back": [Edit(TYPE, "cls._build(host=host, port=port, name=name, edition=edition)",
                         "cls._build(host=host, port=port, name=name)")],
    "replaces-alone": [Edit(TYPE, "self._replace(host=host, port=port,", "self._replace(host=host, port=None,")],
    "normalizes": method(
        "    def normalized(self):\n        url = super().normalized()\n"
        '        return url._replace(name=url.name + "!")\n'
    ),
    "equality": method("    def __lt__(self, other):\n        return len(str(self)) < len(str(other))\n"),
    "pickles": method("    def __copy__(self):\n        return str(self)\n"),
    "explains": method(
        '    @classmethod\n    def explained(cls, text):\n        raise ValueError("no idea")\n'
    ),
    "parse-time": method(
        "    @classmethod\n    def parse(cls, text, *, limit=65536):\n"
        "        for end in range(len(text)):\n            text[:end].count('%%')\n"
        "        return super().parse(text, limit=limit)\n"
    ),
    # The code
    "light-import": [Edit(TYPE, "registration = Registration", "import ssl\nregistration = Registration")],
    "leaves-alone": [Edit(TYPE, "registration = Registration", "import sys\nsys.setrecursionlimit(2000)\n"
                          "registration = Registration")],
    # The access
    "operations": [Edit(RECORD, 'operations = ["access"]', 'operations = ["access", "find attributes"]')],
    "demonstration": [Edit(DEMO, "/house%20rules;edition=1", "/house%20rules;edition=100")],
    "own-sockets": [Edit(ACCESS, QUESTION, f"    import socket\n\n    socket.socket().close()\n{QUESTION}")],
    "deadline": [Edit(ACCESS, QUESTION, f"    import time\n\n    time.sleep(0.3)\n{QUESTION}")],
    "replayed": [
        Edit(ACCESS, "_OK = re.compile", "_asked: list[bytes] = []\n_OK = re.compile"),
        Edit(ACCESS, QUESTION, f'    question += b"again" * len(_asked)\n    _asked.append(question)\n{QUESTION}'),
    ],
    "split": [
        Edit(ACCESS, "    answer = yield from reader.line()\n",
             "    octets = yield from reader.some(100)\n"
             "    answer, _, rest = octets.partition(b'\\r\\n')\n"
             "    reader._buffer[:0] = rest\n"),
    ],
    "faulted": [Edit(ACCESS, "            raise Truncated(message, received=came, expected=announced)\n",
                     "            return\n")],
}  # fmt: skip
"""For each check, what makes the good plugin fail it, and no other."""


def good_plugin(folder: Path) -> Path:
    """A copy of the good one, in `folder`."""
    made = folder / "plugin"
    shutil.copytree(GOOD, made, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    return made


def edited(plugin: Path, edits: list[Edit]) -> Path:
    """The plugin, with the edits made in its files."""
    for edit in edits:
        file = plugin / edit.file
        text = file.read_text("utf-8")
        assert edit.old in text, f"{edit.file} holds no {edit.old!r}"
        file.write_text(text.replace(edit.old, edit.new), "utf-8")
    return plugin


def bad_plugin(folder: Path, check: str) -> Path:
    """A copy of the good one, edited so that it fails `check`."""
    return edited(good_plugin(folder), BAD[check])
