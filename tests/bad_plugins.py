"""A bad plugin for each check of the review: the good plugin x-example, with a small edit."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, NamedTuple

from workspace import ROOT

if TYPE_CHECKING:
    from pathlib import Path

GOOD = ROOT / "plugins" / "schemes" / "x-example"
PACKAGE = "urlschemes_x_example"
SOURCE = f"src/{PACKAGE}/"
RECORD, TYPE, ACCESS, DEMO = (SOURCE + name for name in ("registration.toml", "__init__.py", "access.py", "demo.py"))
PROJECT = "pyproject.toml"


class Edit(NamedTuple):
    """In a file, one text replaces another, wherever that occurs."""

    file: str
    old: str
    new: str


class Bad(NamedTuple):
    """The edits that make a bad plugin, and what the reason of the failed check says."""

    reason: str
    edits: list[Edit]


def method(text: str) -> list[Edit]:
    """Return the edit that adds a method to the type."""
    doc = '    """A URL that designates a document."""\n'
    return [Edit(TYPE, doc, f"{doc}\n{text}")]


def said(text: str) -> Edit:
    """Return the edit that adds fields to the record."""
    return Edit(RECORD, "default_port = 1021\n", f"default_port = 1021\n{text}\n")


def renamed(name: str, status: str) -> list[Edit]:
    """Return the edits that give the scheme another name, which is not experimental."""
    return [
        said(REGISTERED.format(status)),
        Edit(RECORD, 'scheme = "x-example"', f'scheme = "{name}"'),
        Edit(RECORD, '"x-example:', f'"{name}:'),
        Edit(DEMO, "x-example://", f"{name}://"),
        Edit(PROJECT, 'x-example = "', f'{name} = "'),
    ]


REGISTERED = '''\
api = 1
status = "{}"
reference = "RFC 7595; README.md of urlschemes-x-example"
encoding_considerations = "A name is UTF-8, and encoded if needed."
interoperability_considerations = "Only the server here speaks the protocol."
security_considerations = """
Name and edition are sent in the clear, as one line without control octets. Nothing authenticates the server."""'''
"""What the record of a scheme must say if it is no experiment."""
CONNECT = "    peer = yield from Connect(url.host, url.port)\n"
NAME_FIELD = '    name: str = text_part(doc="The name of the document, decoded.")\n'

BAD: dict[str, Bad] = {
    # The record
    "record": Bad("has an unknown field titel", [Edit(RECORD, "title = ", "titel = ")]),
    "contact": Bad(
        "the contact 'Your Name <you@example.com>' is not the name of a person or a group",
        [Edit(RECORD, 'contact = "The urlschemes authors"', 'contact = "Your Name <you@example.com>"')],
    ),
    "reference": Bad("the reference is a placeholder: 'TODO'", [said('reference = "TODO"')]),
    "considerations": Bad(
        "the encoding considerations contain a placeholder: 'TBD'",
        [said('encoding_considerations = "TBD. A name is text in UTF-8."')],
    ),
    "security": Bad(
        "the security considerations contain a placeholder: 'TODO'",
        [said('security_considerations = "TODO: what else? The name is sent in the clear."')],
    ),
    "examples": Bad(
        "no example is an invalid text",
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
    "name-free": Bad("the name gopher is reserved for urlschemes-gopher", renamed("gopher", "permanent")),
    "status": Bad("status", [said('status = "provisional"')]),
    # The grammar
    "grammar": Bad("the part 'name'", [Edit(RECORD, '"/" docname [', '"/" [ docname ] docname [')]),
    "same-language": Bad(
        "ExampleURL refuses a text that derives from the BNF",
        [
            Edit(
                TYPE,
                "registration = Registration.of(__name__)",
                "from importlib import resources\n"
                'text = resources.files(__name__).joinpath("registration.toml").read_text("utf-8")\n'
                """registration = Registration.from_text(text.replace('"0D"]', '"0D", "41"]'))""",
            )
        ],
    ),
    "printed-rules": Bad(
        "the rules of the record and the printed ones do not derive the same texts",
        [Edit(RECORD, "[syntax]\n", '[syntax]\nprinted = "edition = 1*9digit"\n')],
    ),
    "reserved-characters": Bad(
        "the rule xexampleurl separates with '!'",
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
            Edit(RECORD, 'host = "host"\n', 'host = "site"\n'),
        ],
    ),
    # The type
    "contract": Bad(f"{PACKAGE}:shceme", [Edit(PROJECT, ":scheme", ":shceme")]),
    "sealed": Bad(
        "ExampleURL overrides __lt__, on which access, registry and tools rely",
        method("    def __lt__(self, other):\n        return len(str(self)) < len(str(other))\n"),
    ),
    "parts": Bad(
        "but the URL has",
        [
            Edit(
                TYPE, "from urlschemes import", "from urlschemes.grammar.octets import unescape\nfrom urlschemes import"
            ),
            Edit(
                TYPE,
                NAME_FIELD,
                '\n    @property\n    def name(self):\n        return unescape(self.raw["name"]).replace("!", ".")\n\n',
            ),
        ],
    ),
    "examples-parse": Bad(
        "edition", [Edit(RECORD, 'name = "house rules", edition = 2', 'name = "house rules", edition = 3')]
    ),
    # The laws
    "builds-back": Bad(
        "built with edition=",
        method('    def __new__(cls, **parts):\n        return super().__new__(cls, **{**parts, "edition": None})\n'),
    ),
    "loses-nothing": Bad(
        "':' at position 14 (rule xexampleurl) belongs to no part", [Edit(RECORD, '"/" docname', '"/" [ ":" ] docname')]
    ),
    "normalizes": Bad(
        "; normalized again, x-example:",
        method('    def normalized(self):\n        return super().normalized().replace(name=self.name + "!")\n'),
    ),
    "explains": Bad(
        "it raises ValueError: no idea",
        method('    @classmethod\n    def explanation(cls, text):\n        raise ValueError("no idea")\n'),
    ),
    # The import
    "light-import": Bad(
        ", which parsing a URL does not need",
        [Edit(TYPE, "registration = Registration", "import ssl\nregistration = Registration")],
    ),
    "leaves-alone": Bad(
        "importing it changes the process: the recursion limit changed from 1000 to 2000",
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
        f"{PACKAGE}.access has no function 'find_attributes'",
        [Edit(RECORD, 'operations = ["access"]', 'operations = ["access", "find attributes"]')],
    ),
    "demonstration": Bad(
        "RemoteError: the server refused: no such document",
        [Edit(DEMO, "/house%20rules;edition=1", "/house%20rules;edition=100")],
    ),
    "own-sockets": Bad(
        "the plugin itself causes socket.__new__",
        [Edit(ACCESS, CONNECT, f"    import socket\n\n    socket.socket().close()\n{CONNECT}")],
    ),
    "deadline": Bad(
        "between two requests, and the deadline cannot end it meanwhile",
        [Edit(ACCESS, CONNECT, f"    import time\n\n    time.sleep(0.3)\n{CONNECT}")],
    ),
    "replayed": Bad(
        "the algorithm does not send the same octets in a second run",
        [
            Edit(ACCESS, "_OK = re.compile", "_sent: list[bytes] = []\n_OK = re.compile"),
            Edit(ACCESS, CONNECT, f'    command += b"again" * len(_sent)\n    _sent.append(command)\n{CONNECT}'),
        ],
    ),
    "split": Bad(
        "the outcome differs if the server's octets arrive in other pieces",
        [
            Edit(
                ACCESS,
                "    reply = yield from reader.line()\n",
                "    yield from reader.more()\n"
                "    line = yield from reader.exactly(reader.peek(100).find(b'\\n') + 1)\n"
                "    reply = line.removesuffix(b'\\r\\n')\n",
            )
        ],
    ),
    "faulted": Bad(
        "a fault is not handled correctly",
        [
            Edit(
                ACCESS,
                "            raise Truncated(message, received=received, expected=length)\n",
                "            return\n",
            )
        ],
    ),
}
"""For each check, the edits that make the good plugin fail it, and no other."""

UNTIL_CLOSED = [
    Edit(ACCESS, 'rb"OK ([0-9]{1,15})"', 'rb"OK [0-9]{1,15}"'),
    Edit(ACCESS, "length = remaining = int(match[1])", "length = remaining = 1 << 20"),
    Edit(ACCESS, 'Attributes(media_type="text/plain; charset=utf-8", size=length)', "Attributes()"),
    *BAD["faulted"].edits,
]
"""The edits after which only closing the connection ends the document."""

TLS = [
    Edit(ACCESS, "    Send,\n", "    Send,\n    StartTLS,\n"),
    Edit(ACCESS, CONNECT, f"{CONNECT}    yield from StartTLS(peer, url.host)\n"),
    Edit(
        DEMO,
        "from urlschemes_testing.demonstration",
        "from urlschemes_servers.tls import make_certificates\nfrom urlschemes_testing.demonstration",
    ),
    Edit(
        DEMO,
        "    with server(RULES)",
        "    certificates = make_certificates()\n    with server(RULES, certificates.server)",
    ),
    Edit(
        DEMO,
        '            server="demo.py",\n',
        '            server="demo.py",\n            ssl_context=certificates.client(),\n',
    ),
    Edit(DEMO, "Sequence[str]]) -> Iterator[Address]", "Sequence[str]], tls=None) -> Iterator[Address]"),
    Edit(DEMO, "Loopback(serve)", "Loopback(serve, tls=tls)"),
]
"""The edits that add TLS."""


def good_plugin(folder: Path, package: str = PACKAGE) -> Path:
    """Copy the good plugin into `folder`, and return its folder there; its package gets the name `package`."""
    copied = folder / "plugin"
    shutil.copytree(GOOD, copied, ignore=shutil.ignore_patterns("__pycache__", ".*", "*rfc3986*"))
    if package != PACKAGE:
        rename_package(copied, package)
    return copied


def rename_package(plugin: Path, package: str) -> None:
    """Give the package of a copy another name."""
    (plugin / SOURCE).rename(plugin / "src" / package)
    for file in [*plugin.rglob("*.py"), plugin / PROJECT]:
        file.write_text(file.read_text("utf-8").replace(PACKAGE, package), "utf-8")


def edited(plugin: Path, edits: list[Edit]) -> Path:
    """Make the edits in the files of the plugin, and return its folder."""
    for edit in edits:
        file = plugin / edit.file
        text = file.read_text("utf-8")
        assert edit.old in text, f"{edit.file} does not contain {edit.old!r}"
        file.write_text(text.replace(edit.old, edit.new), "utf-8")
    return plugin


def bad_plugin(folder: Path, check: str) -> Path:
    """Copy the good plugin into `folder`, edited so that it fails `check`, and return its folder there."""
    return edited(good_plugin(folder), BAD[check].edits)
