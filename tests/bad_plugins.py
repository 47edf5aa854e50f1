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


class Bad(NamedTuple):
    """The words in which a check says what is wrong, and the edits that make it so."""

    words: str
    edits: list[Edit]


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

BAD: dict[str, Bad] = {
    # The record
    "record": Bad(
        "has no title",
        [Edit(RECORD, 'title = "Documents by name and edition"\n', "")],
    ),
    "contact": Bad(
        "the contact is 'Your Name <you@example.com>', which is nobody",
        [Edit(RECORD, 'contact = "The urlschemes authors"', 'contact = "Your Name <you@example.com>"')],
    ),
    "reference": Bad(
        "the reference is a placeholder: 'TODO'",
        [Edit(RECORD, 'reference = "README.md of urlschemes-x-example"', 'reference = "TODO"')],
    ),
    "considerations": Bad(
        "the encoding considerations have a placeholder: 'TBD'",
        [Edit(RECORD, "\nA name is text in UTF-8.", "\nTBD. A name is text in UTF-8.")],
    ),
    "security": Bad(
        "the security considerations have a placeholder: 'TODO'",
        [Edit(RECORD, "\nThe name and the edition are sent", "\nTODO: what else? The name is sent")],
    ),
    "examples": Bad(
        "there is no example of what is no URL",
        [
            Edit(RECORD, "invalid = true", 'parts = { host = "host.dom", port = 1021, name = "a" }'),
            *(
                Edit(RECORD, f'url = "{url}"', 'url = "x-example://host.dom/a"')
                for url in (
                    "x-example://host.dom/",
                    "x-example://host.dom/rules;edition=new",
                    "x-example://host.dom/house%09rules",
                    "x-example:rules",
                )
            ),
        ],
    ),
    # The name
    "name": Bad(
        "'9example' cannot be registered: since RFC 3986 a name begins with a letter",
        renamed("9example", "provisional"),
    ),
    "name-free": Bad(
        "the name gopher is reserved to urlschemes-gopher",
        renamed("gopher", "permanent"),
    ),
    "status": Bad(
        "status must be experimental for names that begin with `x-`",
        [Edit(RECORD, 'status = "experimental"', 'status = "provisional"')],
    ),
    # The syntax
    "grammar": Bad(
        "the part 'name' stands twice in one URL",
        [Edit(RECORD, '"/" docname [', '"/" [ docname ] docname [')],
    ),
    "same-language": Bad(
        "the type ExampleURL reads a text that the BNF does not derive",
        method(
            "    @classmethod\n    def parse(cls, text, *, limit=65536):\n"
            "        return super().parse(text.strip(), limit=limit)\n"
        ),
    ),
    "reserved-characters": Bad(
        "the rule xexampleurl divides with '!'",
        [
            Edit(RECORD, '";edition=" edition', '"!" edition'),
            Edit(RECORD, ";edition=", "!"),
            Edit(RECORD, "docname     = 1*uchar", 'docname     = 1*[ alphadigit | "-" | "." | "_" | escape ]'),
            Edit(DEMO, ";edition=", "!"),
        ],
    ),
    "conventions": Bad(
        "the part host is not the shared rule host",
        [
            Edit(RECORD, 'hostport "/"', 'site [ ":" port ] "/"'),
            Edit(RECORD, "= digits\n", '= digits\nsite        = 1*[ alphadigit | "-" | "." ]\n'),
            Edit(RECORD, 'host = { at = "host" }', 'host = { at = "site" }'),
        ],
    ),
    # The type
    "contract": Bad(
        "urlschemes_x_example:shceme is not there",
        [Edit(PROJECT, ":scheme", ":shceme")],
    ),
    "parts": Bad(
        "and what stands there is",
        [
            Edit(
                TYPE,
                '    name: str = text_part(doc="The name of the document, decoded.")\n',
                '    @property\n    def name(self):\n        return str(self.raw["name"]).replace("!", "")\n',
            )
        ],
    ),
    "examples-parse": Bad(
        "edition: the URL has 2, and the record says 3",
        [Edit(RECORD, 'name = "house rules", edition = 2', 'name = "house rules", edition = 3')],
    ),
    # The laws
    "prints-back": Bad(
        "it is written back as '",
        method(
            "    @classmethod\n    def parse(cls, text, *, limit=65536):\n"
            "        import re\n        text = re.sub('%..', lambda escape: escape[0].upper(), text)\n"
            "        return super().parse(text, limit=limit)\n"
        ),
    ),
    "builds-back": Bad(
        "built of edition = ",
        method(
            "    def __new__(cls, **parts):\n        parts.pop('edition', None)\n"
            "        return super().__new__(cls, **parts)\n"
        ),
    ),
    "replaces-alone": Bad(
        "changes the port too, from",
        method("    def replace(self, **parts):\n        return super().replace(**({'port': None} | parts))\n"),
    ),
    "normalizes": Bad(
        ", and that normalized x-example:",
        method(
            "    def normalized(self):\n        url = super().normalized()\n"
            '        return url.replace(name=url.name + "!")\n'
        ),
    ),
    "equality": Bad(
        "it is not what the texts are",
        method("    def __lt__(self, other):\n        return len(str(self)) < len(str(other))\n"),
    ),
    "pickles": Bad(
        "a copy of it is '",
        method("    def __copy__(self):\n        return str(self)\n"),
    ),
    "explains": Bad(
        "it raises ValueError: no idea",
        method('    @classmethod\n    def explanation(cls, text):\n        raise ValueError("no idea")\n'),
    ),
    "parse-time": Bad(
        "of CPU time to read",
        method(
            "    @classmethod\n    def parse(cls, text, *, limit=65536):\n"
            "        for end in range(len(text)):\n            text[:end].count('%%')\n"
            "        return super().parse(text, limit=limit)\n"
        ),
    ),
    # The code
    "light-import": Bad(
        ", which reading a URL needs nothing of",
        [Edit(TYPE, "registration = Registration", "import ssl\nregistration = Registration")],
    ),
    "leaves-alone": Bad(
        "importing it changes the process: the recursion limit: 1000 became 2000",
        [
            Edit(
                TYPE,
                "registration = Registration",
                "import sys\nsys.setrecursionlimit(2000)\nregistration = Registration",
            )
        ],
    ),
    # The access
    "operations": Bad(
        "urlschemes_x_example.access has no function 'find_attributes'",
        [Edit(RECORD, 'operations = ["access"]', 'operations = ["access", "find attributes"]')],
    ),
    "demonstration": Bad(
        "RemoteError: the server refused: no such document",
        [Edit(DEMO, "/house%20rules;edition=1", "/house%20rules;edition=100")],
    ),
    "own-sockets": Bad(
        "the plugin does it itself: socket.__new__",
        [Edit(ACCESS, QUESTION, f"    import socket\n\n    socket.socket().close()\n{QUESTION}")],
    ),
    "deadline": Bad(
        "between two requests, and no deadline reaches it meanwhile",
        [Edit(ACCESS, QUESTION, f"    import time\n\n    time.sleep(0.3)\n{QUESTION}")],
    ),
    "replayed": Bad(
        "the algorithm does not say the same again",
        [
            Edit(ACCESS, "_OK = re.compile", "_asked: list[bytes] = []\n_OK = re.compile"),
            Edit(ACCESS, QUESTION, f'    question += b"again" * len(_asked)\n    _asked.append(question)\n{QUESTION}'),
        ],
    ),
    "split": Bad(
        "another outcome where the server's words come in other pieces",
        [
            Edit(
                ACCESS,
                "    answer = yield from reader.line()\n",
                "    octets = yield from reader.some(100)\n"
                "    answer, _, rest = octets.partition(b'\\r\\n')\n"
                "    reader._buffer[:0] = rest\n",
            ),
        ],
    ),
    "faulted": Bad(
        "a fault is not borne: cut content counts as complete",
        [
            Edit(
                ACCESS,
                "            raise Truncated(message, received=came, expected=announced)\n",
                "            return\n",
            )
        ],
    ),
}
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
    return edited(good_plugin(folder), BAD[check].edits)
