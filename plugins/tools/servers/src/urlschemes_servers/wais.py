r"""A small WAIS server, written from the WAIS protocol specification 1.5, with the peculiarities of freeWAIS-sf.

    recipes = {
        "bread": "Flour, water, salt.\n",
        "oven": WaisDocument({"GIF": b"GIF89a ...", "TEXT": b"A picture of an oven.\n"}, headline="An oven"),
    }
    with wais_server({"recipes": recipes}) as (host, port):
        ...f"wais://{host}:{port}/recipes", f"wais://{host}:{port}/recipes?bread"

It describes its databases (a search without words), searches them, also by relevance feedback, and sends documents in
pieces. It has the peculiarities of freeWAIS-sf: the status of a response means nothing, a search without a match finds
the catalog, and it closes the connection on two requests at once, and on an incomplete request.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

from urlschemes.errors import require_type
from urlschemes_testing.loopback import HOST, LIFETIME, PATIENCE, Address, Loopback

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterable, Iterator

__all__ = ["WaisDocument", "wais_server"]

RECORD = 100_000
"""Octets of the largest message."""
SEED_WEIGHT = 5
"""The weight of a word of the search; a word of a relevant document has the weight 1."""


@dataclass(frozen=True, slots=True)
class WaisDocument:
    """A document: its content in each type, of which the first is searched.

    `headline` is by default the name of the document; `date` is yyyymmdd.
    """

    contents: Mapping[str, bytes]
    headline: str = ""
    date: str = ""

    @property
    def first(self) -> bytes:
        """The content in the first type."""
        return next(iter(self.contents.values()))


@contextmanager
def wais_server(
    databases: Mapping[str, Mapping[str, str | bytes | WaisDocument]],
    *,
    record: int = RECORD,
    host: str = HOST,
    lifetime: float = LIFETIME,
    patience: float = PATIENCE,
) -> Iterator[Address]:
    """Serve `databases`, by name, until the block is left, or for `lifetime` seconds.

    A database is documents by name; a str or bytes is a document of the type TEXT. `record` is the number of octets of
    the largest message that the server sends.
    """
    require_type("databases", databases, Mapping)
    for name, held in databases.items():
        require_type(f"database {name!r}", held, Mapping)
    site = _Site({name: {each: _document(held[each]) for each in held} for name, held in databases.items()}, record)
    with Loopback(site.serve, host=host, lifetime=lifetime, patience=patience) as server:
        site.address = server.address
        yield server.address


def _document(given: str | bytes | WaisDocument) -> WaisDocument:
    if isinstance(given, WaisDocument):
        return given
    require_type("a document", given, str, bytes)
    return WaisDocument({"TEXT": given.encode() if isinstance(given, str) else given})


class _Crash(ConnectionError):
    """A request on which freeWAIS-sf crashes: the connection ends without a response."""


class _Site:
    def __init__(self, databases: dict[str, dict[str, WaisDocument]], record: int) -> None:
        self.databases = databases
        self.record = record
        self.address = Address("", 0)

    def serve(self, connection: socket.socket) -> None:
        most = self.record
        while request := _receive(connection):
            head, body = request
            size = int.from_bytes(body[:2], "big")
            header, information = body[2 : 2 + size], body[2 + size :]
            if header[:1] == b"\x14":
                answer, most = self.init(header)
            elif header[:1] == b"\x16":
                answer = self.search(header, information)
            else:
                raise _Crash
            if len(answer) > most:
                answer = b""
            connection.sendall(b"%010dz2%b  0" % (len(answer), head[12:22]) + answer)

    def init(self, header: bytes) -> tuple[bytes, int]:
        """Return the response to Init, and the octets of the largest message. Only searching is offered."""
        asked = dict(_elements(header[1:]))
        most = min(_number_of(asked.get(6, b"")) or self.record, self.record)
        said = _fields(
            (3, b"\x80"), (4, b"\x80"), (5, most), (6, most), (8, b"LS6"), (9, b"urlschemes-servers"), (10, b"1")
        )
        accepted = b"\x01" if asked.get(4, b"\x80") == b"\x80" else b"\x00"
        return _apdu(b"\x15" + accepted + said, _fields((99, _fields((100, 0), (101, 0))))), most

    def search(self, header: bytes, information: bytes) -> bytes:
        asked = dict(_elements(header[11:]))
        name = asked.get(18, b"").decode("utf-8", "replace") or "INFO"
        (group, query), *_ = [*_elements(information), (0, b"")]
        if asked.get(20) == b"1" and group == 21:
            return self.retrieve(query, asked)
        if group != 99:
            raise _Crash
        database = self.databases.get(name)
        if database is None:
            return _answer((), [("S1", f"The following database is not available: {name}")])
        return self.find(name, database, query)

    # A search

    def find(self, name: str, database: dict[str, WaisDocument], query: bytes) -> bytes:
        fields = list(_elements(query))
        words = b"".join(value for tag, value in fields if tag == 106).decode("utf-8", "replace").strip()
        relevant = list(self._relevant(fields))
        if words in {"", "?", "*"} and not relevant:
            documents = [self._help(name, "WSRC", "Information on database", 1000)]
            documents.append(self._help(name, "TEXT", "Catalog for database", 1000))
            return _answer(documents, [("S1", "query syntax error: ?")] if words == "?" else [])
        vain = self._help(name, "TEXT", "Search produced no result. Here's the Catalog for database", 0)
        if not words or re.search(r"[()]", words):
            return _answer([vain], [("S1", f"query syntax error: {words}")])
        weights = Counter(dict.fromkeys(_words(words.encode()), SEED_WEIGHT))
        for text in relevant:
            weights.update(set(_words(text)))
        most = next((_number_of(value) for tag, value in fields if tag == 114), 40)
        found = sorted(self._scores(database, weights), reverse=True)[:most]
        if not found:
            return _answer([vain], [])
        best = found[0][0]
        return _answer([self._header(name, each, database[each], 1000 * score // best) for score, each in found], [])

    def _scores(self, database: dict[str, WaisDocument], weights: Counter[str]) -> Iterator[tuple[int, str]]:
        for each, document in database.items():
            held = Counter(_words(document.first + b" " + (document.headline or each).encode()))
            if score := sum(weight * held[word] for word, weight in weights.items()):
                yield score, each

    def _relevant(self, fields: Iterable[tuple[int, bytes]]) -> Iterator[bytes]:
        """Yield the texts of the documents, and of the parts of documents, that a query names as relevant."""
        text = b""
        code = start = 0
        for tag, value in fields:
            if tag in {107, 116}:
                _, document = self._named(value)
                text = document.first if document else b""
            if tag == 116:
                yield text
            elif tag == 100:
                code = _number_of(value)
            elif tag == 108:
                start = _number_of(value)
            elif tag == 109:
                yield _between(text, start, _number_of(value), lines=code == 2)

    def _header(self, database: str, name: str, document: WaisDocument, score: int) -> bytes:
        size = len(document.first)
        place = str(self.address), database, f"0 {size} {name}"  # of the original, and of the copy
        identifier = _fields(*enumerate((*place, *place), 1), (7, 0))
        said = _described(identifier, score, document.first, tuple(document.contents))
        return _fields(
            (150, said + _fields((121, database), (122, document.date or "0"), (123, document.headline or name)))
        )

    def _help(self, database: str, kind: str, headline: str, score: int) -> bytes:
        identifier = _fields((2, database), (3, f"0 0 {database}.{'src' if kind == 'WSRC' else 'cat'}"), (7, 0))
        said = _described(identifier, score, self._about(database, kind), (kind,))
        return _fields((150, said + _fields((121, database), (123, f"{headline}: {database}"))))

    def _about(self, database: str, kind: str) -> bytes:
        """Return the description of a database (a source structure), or its catalog."""
        held = self.databases[database]
        if kind != "WSRC":
            return "".join(f"{document.headline or name}\n" for name, document in held.items()).encode()
        host, port = self.address
        return (
            f'(:source\n  :version 3\n  :ip-name "{host}"\n  :tcp-port {port}\n  :database-name "{database}"\n'
            f'  :cost 0.00\n  :cost-unit :free\n  :description "{len(held)} documents"\n)\n'
        ).encode()

    # A document

    def retrieve(self, query: bytes, asked: dict[int, bytes]) -> bytes:
        named: dict[bytes, bytes] = {}
        attributes = b""
        for tag, value in _elements(query):
            if tag == 44:
                attributes = value[:5]
            elif tag == 45:
                named[attributes] = value
        identifier = named.get(b"un re", b"")
        if b"wt re" not in named:
            raise _Crash
        try:
            database, document = self._named(identifier)
        except _Crash:
            return _answer((), [("SF", "Missing DocID in request")], surrogate=True, reference=asked.get(2))
        if not database:
            raise _Crash
        kind = named[b"wt re"].decode("utf-8", "replace")
        if document is None or kind not in document.contents:
            return _answer((), [("SF", "Bad DocID in request")], surrogate=True, reference=asked.get(2))
        content = document.contents[kind]
        lines = b"wl ro" in named
        unit = b"wl" if lines else b"wb"
        size = len(content.splitlines()) if lines else len(content)
        bounds = named.get(unit + b" ro", b"0"), named.get(unit + b" rl", b"%d" % size)
        if not all(re.fullmatch(rb"[0-9]{1,9}", bound) for bound in bounds):
            raise _Crash
        start, end = map(int, bounds)
        if end < start:
            raise _Crash
        beyond = [("SF", "Request out of range")] if end > size and start != size else []
        text = _fields((116, identifier), (117, 0), (127, _between(content, start, end, lines=lines)))
        records = [_fields((153, text))] if start <= size else []
        return _answer(records, beyond, found=False, surrogate=True, reference=asked.get(2))

    def _named(self, identifier: bytes) -> tuple[str, WaisDocument | None]:
        """Return the database and the document of an identifier. Raises _Crash for an invalid identifier."""
        fields = dict(_elements(identifier))
        if 3 not in fields and 6 not in fields:
            raise _Crash
        name = (fields.get(2) or fields.get(5) or b"").decode("utf-8", "replace")
        local = (fields.get(6) or fields.get(3) or b"").decode("utf-8", "replace").split(" ", 2)[-1]
        database = self.databases.get(name)
        if database is None:
            return name, None
        about = {f"{name}.src": "WSRC", f"{name}.cat": "TEXT"}
        if 1 not in fields and local in about:
            return name, WaisDocument({about[local]: self._about(name, about[local])})
        return name, database.get(local)


def _described(identifier: bytes, score: int, content: bytes, types: tuple[str, ...]) -> bytes:
    named = _fields(*((133, each) for each in types))
    return _fields((116, identifier), (118, score), (120, len(content)), (131, content.count(b"\n")), (132, named))


def _between(content: bytes, start: int, end: int, *, lines: bool) -> bytes:
    return b"".join(content.splitlines(keepends=True)[start:end]) if lines else content[start:end]


def _words(text: bytes) -> list[str]:
    return [word.decode().lower() for word in re.findall(rb"[A-Za-z0-9]+", text)]


# Messages and their elements


def _receive(connection: socket.socket) -> tuple[bytes, bytes] | None:
    """Return the header and the body of the next message; None at the end. Raises _Crash for two messages at once."""
    octets = b""
    while len(octets) < 25 or len(octets) < 25 + int(octets[:10]):
        received = connection.recv(65536)
        if not received:
            return None
        octets += received
        if not octets[:10].isdigit() or len(octets) > 2 * RECORD:
            raise _Crash
    if len(octets) > 25 + int(octets[:10]):
        raise _Crash
    return octets[:25], octets[25:]


def _answer(
    records: Iterable[bytes],
    diagnostics: list[tuple[str, str]],
    *,
    found: bool = True,
    surrogate: bool = False,
    reference: bytes | None = None,
) -> bytes:
    """Return a search response. Its status means nothing, as with freeWAIS-sf."""
    held = list(records)
    fixed = bytes([0x17, found and bool(held) and not diagnostics]) + bytes(3)
    fixed += (len(held) + len(diagnostics)).to_bytes(3, "big") + bytes(3) + _fields((27, 0))
    for code, words in diagnostics:
        said = code.encode() + words.encode() + bytes([surrogate])
        held.append(b"\x1c" + len(said).to_bytes(2, "big") + said + b"\x1d")
    return _apdu(fixed + (_fields((2, reference)) if reference else b""), _fields((99, b"".join(held))))


def _apdu(header: bytes, information: bytes) -> bytes:
    return len(header).to_bytes(2, "big") + header + information


def _compressed(value: int) -> bytes:
    """Return a compressed integer: seven bits in each octet; the high bit marks all but the last."""
    octets = [value & 0x7F]
    while value > 0x7F:
        value >>= 7
        octets.insert(0, 0x80 | value & 0x7F)
    return bytes(octets)


def _fields(*fields: tuple[int, bytes | str | int]) -> bytes:
    """Return elements, each a tag and a value."""
    values = ((tag, _octets(value)) for tag, value in fields)
    return b"".join(_compressed(tag) + _compressed(len(value)) + value for tag, value in values)


def _octets(value: bytes | str | int) -> bytes:
    if isinstance(value, int):
        return value.to_bytes((value.bit_length() + 7) // 8 or 1, "big")
    return value.encode() if isinstance(value, str) else value


def _number_of(value: bytes) -> int:
    return int.from_bytes(value, "big")


def _elements(octets: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the tags and values of the elements. Raises _Crash for invalid octets."""
    stream = BytesIO(octets)

    def compressed() -> int:
        value = 0
        while octet := stream.read(1):
            value = value << 7 | octet[0] & 0x7F
            if octet[0] < 0x80:
                return value
        raise _Crash

    while stream.tell() < len(octets):
        tag, size = compressed(), compressed()
        if size > len(octets) - stream.tell():
            raise _Crash
        yield tag, stream.read(size)
