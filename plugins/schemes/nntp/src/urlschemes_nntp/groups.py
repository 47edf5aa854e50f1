"""Groups: one of them selected, its articles listed, and all that a server has."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from urlschemes.errors import UnsafeURL
from urlschemes.grammar.octets import octets_of, text_of
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.errors import LimitExceeded, RemoteError
from urlschemes_access.protocol import Algorithm, Deliver, Open
from urlschemes_access.protocol.replies import named
from urlschemes_nntp.articles import request
from urlschemes_nntp.connection import MOST_ARGUMENT
from urlschemes_nntp.header import date_of, fields_of, for_display, header_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from urlschemes_access.protocol.replies import Reply
    from urlschemes_nntp.connection import Connection

__all__ = ["Group", "Linker", "check_group", "list_articles", "list_groups", "selected"]

Linker: TypeAlias = "Callable[[dict[str, str]], str | None]"
"""Makes the URL of an entry from its fields; None where there is none that can name it."""

MOST_NUMBERS = 100_000
"""Articles that are asked for one by one, where the server has no overview."""
MOST_DESCRIPTIONS = 100_000
"""Groups whose descriptions are held."""

_COUNTS = re.compile(rb"([0-9]{1,19})[ \t]+([0-9]{1,19})[ \t]+([0-9]{1,19})(?:[ \t]+([^ \t]+).*)?", re.DOTALL)
_NUMBER = re.compile(r"[0-9]{1,19}")
_OVERVIEW = ("number", "subject", "from", "date", "message-id", "references", "bytes", "lines")
"""The fields of a line of overview (RFC 3977 section 8.3.2; the first seven are also those of RFC 2980)."""
_NONE_THERE = (420, 423)
"""There is no article of those numbers; RFC 2980 and RFC 3977 differ in the code."""
_GONE = (423, 430)
"""There is no article of that number; RFC 977 leaves the code to the server."""


@dataclass(frozen=True, slots=True)
class Group:
    """A group as the server counts it: an estimate of how many articles, the lowest and the highest number."""

    name: str
    count: int
    low: int
    high: int

    @property
    def attributes(self) -> Attributes:
        """The counts, in `fields`."""
        counts = {"count": self.count, "low": self.low, "high": self.high}
        return Attributes(name=self.name, fields={name: str(value) for name, value in counts.items()})


def check_group(group: str) -> None:
    """Raise UnsafeURL for a name that is too long for a command."""
    if len(group) > MOST_ARGUMENT:
        raise UnsafeURL(
            f"the name of the group is longer than {MOST_ARGUMENT} octets, and no command can carry it",
            part="group",
            section="RFC 3977 section 3.1",
        )


def selected(connection: Connection, name: str) -> Algorithm[Group]:
    """Select the group. Raises RemoteError (411: there is none of that name), ProtocolError."""
    line = b"GROUP " + octets_of(name)
    reply = yield from connection.carry_out(line, 211)
    found = _COUNTS.fullmatch(reply.words)
    if found is None or found[4] not in (None, octets_of(name)):
        raise reply.astray(named(line), "three numbers and the group's name")
    return Group(name, *map(int, found.groups()[:3]))


def list_articles(connection: Connection, group: Group, link: Linker, *, newest: int) -> Algorithm[None]:
    """Deliver an entry for each article of the group that is selected, or for those of the `newest` numbers.

    By OVER or XOVER; else by HEAD, one article after the other. Raises RemoteError, ProtocolError, Truncated.
    """
    low = max(group.low, group.high - newest + 1) if newest > 0 else group.low
    if not group.count or group.high < low:
        yield from Open("listing", group.attributes)
        return
    reply = yield from _overview(connection, b"%d-%d" % (low, group.high))
    if reply.kind == 5:
        yield from _list_by_header(connection, group, link, low)
        return
    if reply.code not in _NONE_THERE:
        reply.checked("OVER", 224)
    yield from Open("listing", group.attributes)
    if reply.code in _NONE_THERE:
        return
    block = connection.block()
    while (line := (yield from block.line())) is not None:
        fields = dict(zip(_OVERVIEW, map(str.strip, text_of(line).split("\t")), strict=False))
        yield from Deliver(_article(fields, link))


def _overview(connection: Connection, numbers: bytes) -> Algorithm[Reply]:
    """The reply to OVER; to XOVER where the server does not claim to know that."""
    verb = b"OVER" if b"OVER" in (yield from connection.capabilities()) else b"XOVER"
    return (yield from connection.command(verb + b" " + numbers))


def _list_by_header(connection: Connection, group: Group, link: Linker, low: int) -> Algorithm[None]:
    numbers = yield from _numbers(connection, group, low)
    yield from Open("listing", group.attributes)
    for number in numbers:
        try:
            block = yield from request(connection, b"HEAD", b"%d" % number)
        except RemoteError as error:
            if error.status in _GONE:  # a gap, or it has gone since
                continue
            raise
        header = yield from header_of(block)
        yield from Deliver(_article({**fields_of(header), "number": str(number)}, link))


def _numbers(connection: Connection, group: Group, low: int) -> Algorithm[Sequence[int]]:
    """The numbers of the articles, by LISTGROUP; where the server does not know that, all that there may be."""
    reply = yield from connection.command(b"LISTGROUP " + octets_of(group.name))
    if reply.kind == 5:
        return _few(range(low, group.high + 1))
    reply.checked("LISTGROUP", 211)
    block, numbers = connection.block(), list[int]()
    while (line := (yield from block.line())) is not None:
        number = text_of(line.strip())
        if _NUMBER.fullmatch(number) and int(number) >= low:
            numbers.append(int(number))
            _few(numbers)
    return numbers


def _few(numbers: Sequence[int]) -> Sequence[int]:
    """The numbers, each of which costs a command. Raises LimitExceeded for too many."""
    if numbers[MOST_NUMBERS:]:
        raise LimitExceeded(
            f"the group has more than {MOST_NUMBERS} numbers, and the server no overview of them",
            limit="entries",
            value=MOST_NUMBERS,
            hint="the option newest asks for some of them",
        )
    return numbers


def _article(fields: dict[str, str], link: Linker) -> Entry:
    """The entry of an article; `fields` are those of an overview or of a header."""
    if not _NUMBER.fullmatch(fields.get("number", "")):
        return Entry(
            name=fields.get("number", ""), kind="article", problem="the server sent this line without a number"
        )
    url = link(fields)
    size = fields.get("bytes", "")
    return Entry(
        name=for_display(fields.get("subject", "")) or fields["number"],
        url=url,
        kind="article",
        size=int(size) if _NUMBER.fullmatch(size) else None,
        modified=date_of(fields.get("date", "")),
        fields={name: value for name, value in fields.items() if value},
        problem=None if url else "no URL can name this article",
    )


def list_groups(connection: Connection, link: Linker) -> Algorithm[None]:
    """Deliver an entry for each group of the server, by LIST ACTIVE, with its description from LIST NEWSGROUPS."""
    descriptions = yield from _descriptions(connection)
    yield from connection.carry_out(b"LIST ACTIVE", 215)
    yield from Open("listing", Attributes())
    block = connection.block()
    while (line := (yield from block.line())) is not None:
        name, high, low, status, *_ = (*text_of(line).split(), "", "", "", "")
        fields = {"group": name, "low": low, "high": high, "status": status, "description": descriptions.get(name, "")}
        url = link(fields)
        yield from Deliver(
            Entry(
                name=name,
                url=url,
                kind="group",
                fields={key: value for key, value in fields.items() if value},
                problem=None if url else "no URL can name this group",
            )
        )


def _descriptions(connection: Connection) -> Algorithm[dict[str, str]]:
    """What each group is about; nothing where the server keeps no such list."""
    reply = yield from connection.command(b"LIST NEWSGROUPS")
    descriptions: dict[str, str] = {}
    if reply.kind == 5 or reply.code == 481:
        return descriptions
    reply.checked("LIST NEWSGROUPS", 215)
    block = connection.block()
    while (line := (yield from block.line())) is not None:
        name, _, description = text_of(line).replace("\t", " ").partition(" ")
        if len(descriptions) < MOST_DESCRIPTIONS:
            descriptions[name] = for_display(description.strip())
    return descriptions
