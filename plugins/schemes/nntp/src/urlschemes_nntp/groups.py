"""Groups: selecting one, listing its articles, and listing all groups of a server."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from urlschemes.errors import UnsafeURL
from urlschemes.grammar.octets import octets_of, text_of
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.errors import LimitExceeded, RemoteError
from urlschemes_access.protocol import Algorithm, Deliver, Open
from urlschemes_access.protocol.replies import command_name
from urlschemes_access.protocol.times import mail_time
from urlschemes_nntp.article_header import decode_words, parse_fields, read_header
from urlschemes_nntp.articles import request_article
from urlschemes_nntp.connection import MAX_ARGUMENT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from urlschemes_access.protocol.replies import Reply
    from urlschemes_nntp.connection import Connection

__all__ = ["Group", "MakeURL", "check_group_name", "check_pattern", "list_articles", "list_groups", "select_group"]

MakeURL: TypeAlias = "Callable[[dict[str, str]], str | None]"
"""A function that returns the URL of an entry with the given fields; None if no URL can name it."""

MAX_REQUESTS = 100_000
"""Articles that are requested one by one if the server has no overview."""
MAX_DESCRIPTIONS = 100_000
"""Groups whose descriptions are held in memory."""

_COUNTS = re.compile(rb"([0-9]{1,19})[ \t]+([0-9]{1,19})[ \t]+([0-9]{1,19})(?:[ \t]+([^ \t]+).*)?", re.DOTALL)
_NUMBER = re.compile(r"[0-9]{1,19}")
_NO_ARGUMENT = re.compile(rb"[\x00-\x20\x7f]")
_NOT_IN_PATTERN = re.compile(r"[!,\\\[\]]")
"""Characters that have a meaning in a wildmat, and none in one of its patterns (RFC 3977 section 4.1)."""
_OVERVIEW = ("number", "subject", "from", "date", "message-id", "references", "bytes", "lines")
"""The fields of an overview line (RFC 3977 section 8.3.2; RFC 2980 has the first seven)."""
_NO_ARTICLES = (420, 423)
"""Codes for a range without articles: 420 in RFC 2980, 423 in RFC 3977."""
_ARTICLE_GONE = (423, 430)
"""Codes for a number without an article; RFC 977 leaves the choice to the server."""


@dataclass(frozen=True, slots=True)
class Group:
    """A selected group: the estimated number of articles, and the lowest and the highest article number."""

    name: str
    count: int
    low: int
    high: int

    @property
    def attributes(self) -> Attributes:
        """The name, and the numbers as `fields`."""
        counts = {"count": self.count, "low": self.low, "high": self.high}
        return Attributes(name=self.name, fields={name: str(value) for name, value in counts.items()})


def check_group_name(name: str) -> None:
    """Raise UnsafeURL if the name, or the pattern of names, is not an argument of a command."""
    octets = octets_of(name)
    if match := _NO_ARGUMENT.search(octets):
        raise UnsafeURL(
            f"the group name contains {text_of(match[0])!a}, which would end it early",
            part="group",
            section="RFC 3977 section 3.1",
        )
    if len(octets) > MAX_ARGUMENT:
        raise UnsafeURL(
            f"the group name has {len(octets)} octets: expected at most {MAX_ARGUMENT} octets",
            part="group",
            section="RFC 3977 section 3.1",
        )


def select_group(connection: Connection, name: str) -> Algorithm[Group]:
    """Select the group (GROUP, RFC 3977 section 6.1.1). Raise RemoteError (411: no such group), ProtocolError."""
    line = b"GROUP " + octets_of(name)
    reply = yield from connection.carry_out(line, 211)
    match = _COUNTS.fullmatch(reply.words)
    if match is None or match[4] not in (None, octets_of(name)):
        raise reply.unexpected(command_name(line), "three numbers and the group's name")
    return Group(name, *map(int, match.groups()[:3]))


# The articles of a group ----------------------------------------------------------------------------------------------


def list_articles(connection: Connection, group: Group, make_url: MakeURL, *, newest: int) -> Algorithm[None]:
    """Deliver an entry for each article of the selected group, or for the `newest` article numbers if that is not 0.

    Use OVER or XOVER; without either, HEAD for each article. Raise RemoteError, ProtocolError, Truncated.
    """
    low = max(group.low, group.high - newest + 1) if newest > 0 else group.low
    if not group.count or group.high < low:
        yield from Open("listing", group.attributes)
        return
    reply = yield from _request_overview(connection, b"%d-%d" % (low, group.high))
    if reply.kind == 5:
        yield from _list_by_header(connection, group, make_url, low)
        return
    if reply.code not in _NO_ARTICLES:
        reply.checked("OVER", 224)
    yield from Open("listing", group.attributes)
    if reply.code in _NO_ARTICLES:
        return
    block = connection.block()
    while (line := (yield from block.line())) is not None:
        fields = dict(zip(_OVERVIEW, map(str.strip, text_of(line).split("\t")), strict=False))
        yield from Deliver(_article_entry(fields, make_url))


def _request_overview(connection: Connection, numbers: bytes) -> Algorithm[Reply]:
    """Send OVER, or XOVER if the server does not list the capability OVER, and return the reply."""
    verb = b"OVER" if b"OVER" in (yield from connection.capabilities()) else b"XOVER"
    return (yield from connection.command(verb + b" " + numbers))


def _list_by_header(connection: Connection, group: Group, make_url: MakeURL, low: int) -> Algorithm[None]:
    numbers = yield from _request_numbers(connection, group, low)
    yield from Open("listing", group.attributes)
    for number in numbers:
        try:
            block = yield from request_article(connection, b"HEAD", b"%d" % number)
        except RemoteError as error:
            if error.status in _ARTICLE_GONE:
                continue
            raise
        header = yield from read_header(block)
        yield from Deliver(_article_entry({**parse_fields(header), "number": str(number)}, make_url))


def _request_numbers(connection: Connection, group: Group, low: int) -> Algorithm[Sequence[int]]:
    """Return the article numbers that LISTGROUP gives; all from `low` on if the server does not know LISTGROUP."""
    reply = yield from connection.command(b"LISTGROUP " + octets_of(group.name))
    if reply.kind == 5:
        numbers = range(low, group.high + 1)
        _check_count(numbers)
        return numbers
    reply.checked("LISTGROUP", 211)
    block, listed = connection.block(), list[int]()
    while (line := (yield from block.line())) is not None:
        number = text_of(line.strip())
        if _NUMBER.fullmatch(number) and int(number) >= low:
            listed.append(int(number))
            _check_count(listed)
    return listed


def _check_count(numbers: Sequence[int]) -> None:
    """Raise LimitExceeded for too many numbers: each costs a command."""
    if numbers[MAX_REQUESTS:]:  # len() of a range fails beyond sys.maxsize
        raise LimitExceeded(
            f"the group has more than {MAX_REQUESTS} articles, and the server has no overview of them",
            limit="entries",
            value=MAX_REQUESTS,
            hint="list fewer with the option newest",
        )


def _article_entry(fields: dict[str, str], make_url: MakeURL) -> Entry:
    """Return the entry of an article with these overview or header fields."""
    if not _NUMBER.fullmatch(fields.get("number", "")):
        return Entry(
            name=fields.get("number", ""), kind="article", problem="the line from the server has no article number"
        )
    url = make_url(fields)
    size = fields.get("bytes", "")
    return Entry(
        name=decode_words(fields.get("subject", "")) or fields["number"],
        url=url,
        kind="article",
        size=int(size) if _NUMBER.fullmatch(size) else None,
        modified=mail_time(fields.get("date", "")),
        fields=_without_empty(fields),
        problem=None if url else "no URL can name this article",
    )


# The groups of a server -----------------------------------------------------------------------------------------------


def check_pattern(pattern: str) -> None:
    """Raise UnsafeURL if the pattern would be several patterns, or another one."""
    check_group_name(pattern)
    if match := _NOT_IN_PATTERN.search(pattern):
        raise UnsafeURL(
            f"the pattern of group names contains '{match[0]}': expected at most the wildcards '*' and '?'",
            part="group",
            section="RFC 3977 section 4.1",
        )


def list_groups(connection: Connection, make_url: MakeURL, pattern: str = "") -> Algorithm[None]:
    """Deliver an entry for each group that LIST ACTIVE gives, with the description from LIST NEWSGROUPS.

    `pattern` selects groups by their names; without one, all groups are listed.
    """
    argument = b" " + octets_of(pattern) if pattern else b""
    descriptions = yield from _request_descriptions(connection, argument)
    yield from connection.carry_out(b"LIST ACTIVE" + argument, 215)
    yield from Open("listing", Attributes())
    block = connection.block()
    while (line := (yield from block.line())) is not None:
        name, high, low, status, *_ = (*text_of(line).split(), "", "", "", "")
        fields = {"group": name, "low": low, "high": high, "status": status, "description": descriptions.get(name, "")}
        url = make_url(fields)
        problem = None if url else "no URL can name this group"
        yield from Deliver(Entry(name=name, url=url, kind="group", fields=_without_empty(fields), problem=problem))


def _request_descriptions(connection: Connection, argument: bytes) -> Algorithm[dict[str, str]]:
    """Return the descriptions by group; none if the server has no such list."""
    reply = yield from connection.command(b"LIST NEWSGROUPS" + argument)
    descriptions: dict[str, str] = {}
    if reply.kind == 5 or reply.code == 481:
        return descriptions
    reply.checked("LIST NEWSGROUPS", 215)
    block = connection.block()
    while (line := (yield from block.line())) is not None:
        name, _, description = text_of(line).replace("\t", " ").partition(" ")
        if len(descriptions) < MAX_DESCRIPTIONS:
            descriptions[name] = decode_words(description.strip())
    return descriptions


def _without_empty(fields: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in fields.items() if value}
