"""A small Prospero server, written from The Prospero Protocol, version 5 (June 1993), and its appendix on ARDP.

    tree = directory({
        "notes": file(b"Where things are.", versions={1: b"Where things were."}),
        "elsewhere": external(("AFTP", "INTERNET-D", "host.dom", "ASCII", "/pub/README", "TEXT")),
        "moved": forwarded("other.dom", 1525, "/new/name"),
    })
    with prospero_server(tree, loss=0.15, seed=1) as (host, port): ...

The name of an object is its path in the tree (`/notes`); the root is `/`. As the servers of 1993, it sends 16 packets
and then waits for an acknowledgement, and repeats packets only when it receives one from the client.
"""

from __future__ import annotations

import random
import re
import time
from collections import OrderedDict
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from urlschemes.errors import require_type
from urlschemes_testing.loopback import HOST, LIFETIME, Address, Datagrams, bound

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["Node", "directory", "external", "failing", "file", "forwarded", "link", "prospero_server"]

TEXT = 1250
"""Octets of text in one packet."""
WINDOW = 16
"""Packets sent without an acknowledgement."""
PAUSE = 0.02
"""Seconds before packets are sent again; real servers wait for one second."""
CONVERSATIONS = 256
"""Requests whose response is stored."""

Method = tuple[str, ...]
"""An access method: its name, type and name of the host, type and name of the object, and further arguments."""

_NONE: Mapping[int, bytes] = MappingProxyType({})
_NO_ATTRIBUTES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An object, or the target of a link, made by the functions of this module.

    `content` are the octets on this server, `versions` those of earlier versions, by number. `refusal` is a line that
    replaces every response: FORWARDED or FAILURE, with its arguments.
    """

    target: str
    content: bytes | None = None
    versions: Mapping[int, bytes] = field(default_factory=dict)
    methods: tuple[Method, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, Node] | None = None
    place: tuple[str, str, str, str] | None = None
    union: bool = False
    refusal: str = ""


def file(
    content: bytes | None,
    *,
    versions: Mapping[int, bytes] = _NONE,
    methods: Sequence[Method] = (),
    attributes: Mapping[str, str] = _NO_ATTRIBUTES,
) -> Node:
    """Return a file; without `content`, it has only its access methods."""
    return Node(target="FILE", content=content, versions=versions, methods=tuple(methods), attributes=attributes)


def directory(links: Mapping[str, Node], *, attributes: Mapping[str, str] = _NO_ATTRIBUTES) -> Node:
    """Return a directory of links, by name."""
    return Node(target="DIRECTORY", links=links, attributes=attributes)


def external(*methods: Method) -> Node:
    """Return an object that no Prospero server has, with its access methods."""
    _, host_type, host, name_type, name, *_ = methods[0] if methods else ("", "INTERNET-D", "host.dom", "ASCII", "/")
    return Node(target="EXTERNAL", methods=methods, place=(host_type, host, name_type, name))


def link(host: str, name: str, *, target: str = "FILE", union: bool = False, host_type: str = "INTERNET-D") -> Node:
    """Return a link to an object on another server, `host(port)`; a union link includes the links there."""
    return Node(target=target, place=(host_type, host, "ASCII", name), union=union)


def forwarded(host: str, port: int, name: str, version: int = 0) -> Node:
    """Return an object that has moved."""
    place = f"INTERNET-D {host}({port}) ASCII {_token(name.encode()).decode()} {version}"
    return Node(target="OBJECT", refusal=f"FORWARDED {place}")


def failing(code: str, words: str = "") -> Node:
    """Return an object with a failure: `NOT-AUTHORIZED`, `SERVER-FAILED`."""
    return Node(target="OBJECT", refusal=f"FAILURE {code} {words}".rstrip())


@contextmanager
def prospero_server(
    tree: Node,
    *,
    loss: float = 0,
    duplicates: float = 0,
    reorder: float = 0,
    seed: int = 0,
    swapped: bool = False,
    other_port: bool = False,
    warning: str = "",
    host: str = HOST,
    lifetime: float = LIFETIME,
) -> Iterator[Address]:
    """Serve `tree` until the block is left, or for `lifetime` seconds.

    `loss` is the fraction of datagrams that are lost, in both directions; `duplicates` the fraction that the server
    sends twice, `reorder` the probability that it shuffles the packets of one response. With `swapped`, the connection
    id of repeated packets, and of those after the first window, has its octets in the wrong order, as on little-endian
    machines. With `other_port`, the server sends from another port. `seed` makes all this the same in each run.
    """
    require_type("tree", tree, Node)
    with closing(bound(host)) as other:
        generator = random.Random(seed)  # noqa: S311  reproducible, for tests

        def receive(datagram: bytes, client: Address) -> None:
            if generator.random() < loss:
                return
            answer = server.receive(datagram, client)
            if generator.random() < reorder:
                generator.shuffle(answer)
            for packet in answer:
                for _ in range(2 if generator.random() < duplicates else 1):
                    if generator.random() >= loss:
                        other.sendto(packet, client) if other_port else listener.send(packet, client)

        with Datagrams(receive, host=host, lifetime=lifetime) as listener:
            server = _Server(_Names(tree, f"{host}({listener.address.port})", warning), swapped=swapped)
            yield listener.address


# ARDP -----------------------------------------------------------------------------------------------------------------


class _Header(NamedTuple):
    identifier: int
    number: int
    total: int
    through: int


@dataclass(slots=True)
class _Conversation:
    request: dict[int, bytes] = field(default_factory=dict)
    total: int = 0
    answer: list[bytes] = field(default_factory=list)
    through: int = 0  # the client has received all packets up to this one
    sent: int = 0
    at: float = 0


class _Server:
    """The packets that are sent for each datagram."""

    def __init__(self, names: _Names, *, swapped: bool) -> None:
        self._names = names
        self._swapped = swapped
        self._conversations: OrderedDict[tuple[Address, int], _Conversation] = OrderedDict()

    def receive(self, datagram: bytes, client: Address) -> list[bytes]:
        """Return the packets to send now."""
        header = _header(datagram)
        if header is None:
            return []
        key = client, header.identifier
        if key not in self._conversations and not header.number:
            return []
        conversation = self._conversations.setdefault(key, _Conversation())
        if len(self._conversations) > CONVERSATIONS:
            self._conversations.popitem(last=False)
        progress = header.through > conversation.through
        conversation.through = max(conversation.through, min(header.through, conversation.sent))
        if header.number and not conversation.answer:
            conversation.request[header.number] = datagram[datagram[0] :]
            conversation.total = header.total or conversation.total
            if set(conversation.request) >= set(range(1, conversation.total + 1)) != set():
                request = b"".join(conversation.request[number] for number in range(1, conversation.total + 1))
                text = self._names.answer(request)
                conversation.answer = [text[at : at + TEXT] for at in range(0, len(text), TEXT)]
                progress = True
        if not conversation.answer:
            return []
        first = conversation.sent + 1 if progress else conversation.through + 1
        if not progress and time.monotonic() < conversation.at + PAUSE:
            return []
        conversation.at = time.monotonic()
        last = min(conversation.through + WINDOW, len(conversation.answer))
        packets = [self._packet(header.identifier, conversation, number) for number in range(first, last + 1)]
        conversation.sent = max(conversation.sent, last)
        return packets

    def _packet(self, identifier: int, conversation: _Conversation, number: int) -> bytes:
        """Return a packet with the shortest possible header."""
        count = len(conversation.answer)
        if self._swapped and (number <= conversation.sent or number > WINDOW):
            identifier = identifier >> 8 | (identifier & 0xFF) << 8
        # The total is sent once it is known: in the last packet, or after the first window.
        total = count if number > WINDOW or number == count else 0
        fields = [identifier]
        if count > 1:
            fields += [number, total]
        flags = b""
        if number % WINDOW == 0 and number < count:
            fields += [conversation.total, 0]
            flags = b"\x80"  # please acknowledge
        elif number > WINDOW:
            fields += [conversation.total]
        header = b"".join(each.to_bytes(2) for each in fields) + flags
        return bytes((len(header) + 1,)) + header + conversation.answer[number - 1]


def _header(datagram: bytes) -> _Header | None:
    length = datagram[0] if datagram else 0
    if not 3 <= length <= 31 or length > len(datagram):
        return None
    header = datagram[:length]

    def number(at: int, default: int) -> int:
        return int.from_bytes(header[at : at + 2]) if length >= at + 2 else default

    return _Header(number(1, 0), number(3, 1), number(5, 0 if length > 3 else 1), number(7, 0))


# Prospero -------------------------------------------------------------------------------------------------------------


class _Names:
    """The objects by name, and the responses to requests."""

    def __init__(self, tree: Node, host: str, warning: str) -> None:
        self._host = host
        self._warning = warning
        self._objects = dict(_walk(tree, ""))

    def answer(self, request: bytes) -> bytes:
        lines = self._lines(request)
        if self._warning:
            lines.insert(0, _line("WARNING", "MESSAGE", self._warning))
        return b"\n".join(lines) + b"\n"

    def _lines(self, request: bytes) -> list[bytes]:
        named: list[str] = []
        said: list[bytes] = []
        for command, *words in _tokens(request):
            if command == "VERSION":
                if words[:1] != ["5"]:
                    return [b"VERSION-NOT-SUPPORTED TRY 5"]
            elif command == "DIRECTORY":
                named = words[1:]
            elif command == "LIST":
                said += self._list(named[0], "ATTRIBUTES" in words[0])
            elif command == "GET-OBJECT-INFO":
                said += self._object_info(words[0].split("+"), words[2], words[3] if words[3:] else "0")
            elif command != "AUTHENTICATE":
                return [b"ERROR Unknown message: " + command.encode()]
        return said

    def _list(self, name: str, attributes: bool) -> list[bytes]:
        node = self._objects.get(_path(name))
        if node is None:
            return [b"FAILURE NOT-FOUND"]
        if node.refusal:
            return [node.refusal.encode()]
        if node.links is None:
            return [b"FAILURE NOT-A-DIRECTORY"]
        lines = []
        for title, each in node.links.items():
            place = each.place or ("INTERNET-D", self._host, "ASCII", f"{_path(name)}/{title}")
            lines.append(_line("LINK", "U" if each.union else "L", each.target, title, *place, "0"))
            if each.target == "EXTERNAL":
                lines += [_line("ATTRIBUTE", "CACHED", "FIELD", "ACCESS-METHOD", *method) for method in each.methods]
            elif attributes and each.content is not None:
                lines.append(
                    _line("ATTRIBUTE", "OBJECT", "INTRINSIC", "SIZE", "SEQUENCE", f"{len(each.content)} bytes")
                )
        return lines or [b"NONE-FOUND"]

    def _object_info(self, wanted: list[str], name: str, version: str) -> list[bytes]:
        node = self._objects.get(_path(name))
        if node is not None and node.refusal:
            return [node.refusal.encode()]
        content = None if node is None else node.content if version == "0" else node.versions.get(int(version))
        if node is None or (version != "0" and content is None):
            return [b"FAILURE NOT-FOUND"]
        known: list[tuple[str, str, tuple[str, ...]]] = []
        if content is not None:
            known.append(("INTRINSIC", "SIZE", (f"{len(content)} bytes",)))
        known += [("INTRINSIC", "LAST-MODIFIED", ("19941201000000Z",))]
        known += [("INTRINSIC", "UNIX-MODES", ("-rw-r--r--" if node.links is None else "drwxr-xr-x",))]
        if version != "0":
            known.append(("INTRINSIC", "VERSION-NUMBER", (version,)))
        known += [("APPLICATION", each, (value,)) for each, value in node.attributes.items()]
        if content is not None:
            known.append(("INTRINSIC", "ACCESS-METHOD", ("PROSPERO-CONTENTS", "", "", "", "")))
        known += [("INTRINSIC", "ACCESS-METHOD", method) for method in node.methods]
        lines = [
            _line("ATTRIBUTE", "OBJECT", space, title, "SEQUENCE", *values)
            for space, title, values in known
            if "#ALL" in wanted or title in wanted
        ]
        if "CONTENTS" in wanted and content is not None:
            lines.append(_line("ATTRIBUTE", "OBJECT", "INTRINSIC", "CONTENTS", "SEQUENCE", "DATA", content))
        return lines or [b"NONE-FOUND"]


def _walk(node: Node, path: str) -> Iterator[tuple[str, Node]]:
    yield path, node
    for name, each in (node.links or {}).items():
        yield from _walk(each, f"{path}/{name}")


def _path(name: str) -> str:
    return "/" + name.strip("/") if name.strip("/") else ""


def _line(*tokens: str | bytes) -> bytes:
    return b" ".join(
        _token(token if isinstance(token, bytes) else token.encode("utf-8", "surrogateescape")) for token in tokens
    )


def _token(octets: bytes) -> bytes:
    if re.fullmatch(rb"[^\s'/]+", octets):
        return octets
    return b"'" + octets.replace(b"'", b"''") + b"'"


def _tokens(text: bytes) -> Iterator[list[str]]:
    r"""Yield the lines of a request as tokens: `'` begins and ends a quotation, in which `''` is an apostrophe."""
    tokens: list[str] = []
    for match in re.finditer(rb"((?:[^\s']|'(?>(?:[^']|'')*)')+)|(\n)", text):
        if match[1]:
            pieces = re.findall(rb"([^']+)|'((?:[^']|'')*)'", match[1])
            token = b"".join(plain or inside.replace(b"''", b"'") for plain, inside in pieces)
            tokens.append(token.decode("utf-8", "surrogateescape"))
        elif tokens:
            yield tokens
            tokens = []
    if tokens:
        yield tokens
