r"""A small NNTP server, written from RFC 3977, with the older forms of RFC 977 and RFC 2980.

    groups = {
        "misc.test": Newsgroup(
            [article("Hello", "First.\n", message_id="1@host.dom"), article("Again", "Second.\n")],
            description="Test messages",
        ),
        "misc.news": Newsgroup(posting="n"),
    }
    with nntp_server(groups) as (host, port): ...

Posted articles are stored while the server runs. A message-id is one article, even if it is in several groups.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from itertools import count
from threading import Lock
from types import NoneType
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from urlschemes.errors import members, require_type
from urlschemes_testing.loopback import HOST, LIFETIME, PATIENCE, Address, Loopback

if TYPE_CHECKING:
    import socket
    import ssl
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["Newsgroup", "article", "nntp_server"]

WRITTEN = datetime(1994, 12, 1, 12, 0, tzinfo=UTC)
LINE = 8 * 1024
"""Octets in a command line."""
LONGEST = 1024 * 1024
"""Octets in a posted article."""

_FIELD = re.compile(rb"^([!-9;-~]+):[ \t]*([^\r\n]*(?:\r\n[ \t][^\r\n]*)*)", re.MULTILINE)
_RANGE = re.compile(rb"([0-9]{1,16})(?:(-)([0-9]{1,16})?)?")
_NUMBER = re.compile(rb"[0-9]{1,16}")
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Newsgroup:
    """A group: its articles, numbered from `first`. `posting` is `y`, `n` or `m`, as in LIST ACTIVE."""

    articles: Sequence[bytes] = ()
    description: str = ""
    posting: str = "y"
    first: int = 1


def article(
    subject: str,
    body: str | bytes,
    *,
    group: str = "misc.test",
    sender: str = "Reader <reader@host.dom>",
    message_id: str = "",
    written: datetime = WRITTEN,
    fields: Mapping[str, str] | None = None,
) -> bytes:
    """Return an article with the required header fields. `message_id` is given without angle brackets."""
    header = {
        "Path": "loopback!not-for-mail",
        "From": sender,
        "Newsgroups": group,
        "Subject": subject,
        "Date": format_datetime(written),
        "Message-ID": f"<{message_id or f'{next(_numbers)}@loopback.test'}>",
        **(fields or {}),
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in header.items())
    content = body.encode() if isinstance(body, str) else body
    return lines.encode("utf-8", "surrogateescape") + b"\r\n" + re.sub(rb"\r?\n", b"\r\n", content)


@contextmanager
def nntp_server(
    groups: Mapping[str, Newsgroup],
    *,
    users: Mapping[str, str] | None = None,
    tls: ssl.SSLContext | None = None,
    posting: bool = True,
    capabilities: bool = True,
    mode_reader: bool = False,
    overview: str = "OVER",
    host: str = HOST,
    lifetime: float = LIFETIME,
    patience: float = PATIENCE,
) -> Iterator[Address]:
    """Serve `groups` until the block is left, or for `lifetime` seconds.

    With `users` (passwords by name), a client must log in first. With `tls`, STARTTLS is offered. With `mode_reader`, a
    reader must first send MODE READER. As old servers do, `capabilities=False` does not know CAPABILITIES,
    `overview="XOVER"` knows only that command, and `overview=""` neither OVER nor XOVER.
    """
    require_type("groups", groups, Mapping)
    members("groups", groups.values(), Newsgroup)
    require_type("users", users, Mapping, NoneType)
    store = _Store(groups, posting=posting)
    known = {b"CAPABILITIES": capabilities, b"OVER": overview == "OVER", b"XOVER": bool(overview)}

    def serve(connection: socket.socket) -> None:
        with closing(_Session(store, connection, tls, users, known, is_reader=not mode_reader)) as session:
            session.run()

    with Loopback(serve, host=host, lifetime=lifetime, patience=patience) as server:
        yield server.address


@dataclass(slots=True)
class _Group:
    name: str
    description: str
    posting: str
    first: int
    articles: dict[int, bytes] = field(default_factory=dict)

    @property
    def low(self) -> int:
        return min(self.articles, default=self.first)

    @property
    def high(self) -> int:
        return max(self.articles, default=self.first - 1)


def _header(article: bytes) -> dict[bytes, bytes]:
    head = article.partition(b"\r\n\r\n")[0]
    return {name.lower(): re.sub(rb"\r\n[ \t]", b" ", value).strip() for name, value in _FIELD.findall(head)}


def _overview(number: int, article: bytes) -> bytes:
    """Return a line of the overview (RFC 3977 section 8.3)."""
    header = _header(article)
    fields = [header.get(name, b"") for name in (b"subject", b"from", b"date", b"message-id", b"references")]
    lines = article.partition(b"\r\n\r\n")[2].count(b"\r\n")
    columns = [b"%d" % number, *fields, b"%d" % len(article), b"%d" % lines]
    return b"\t".join(re.sub(rb"[\t\r\n]", b" ", each) for each in columns)


class _Store:
    """The groups and articles of a server."""

    def __init__(self, groups: Mapping[str, Newsgroup], *, posting: bool) -> None:
        self.posting = posting
        self.lock = Lock()
        self.by_identifier: dict[bytes, bytes] = {}
        self.groups: dict[bytes, _Group] = {}
        for name, given in groups.items():
            group = _Group(name, given.description, given.posting, given.first)
            self.groups[name.encode("utf-8", "surrogateescape")] = group
            for number, each in enumerate(given.articles, given.first):
                group.articles[number] = each
                self.by_identifier[_header(each)[b"message-id"]] = each

    def post(self, posted: bytes) -> str:
        """Store an article, and return the reply."""
        header = _header(posted)
        if not {b"from", b"subject", b"newsgroups"} <= header.keys() or b"\r\n\r\n" not in posted:
            return "441 Required header field missing"
        if b"message-id" not in header:
            posted = b"Message-ID: <%d.posted@loopback.test>\r\n" % next(_numbers) + posted
        if b"date" not in header:
            posted = b"Date: " + format_datetime(WRITTEN).encode() + b"\r\n" + posted
        identifier = _header(posted)[b"message-id"]
        names = [name.strip() for name in header[b"newsgroups"].split(b",")]
        with self.lock:
            if identifier in self.by_identifier:
                return "441 Duplicate article"
            found = [self.groups[name] for name in names if name in self.groups]
            if not found or any(group.posting != "y" for group in found):
                return "441 Posting to these groups not permitted"
            self.by_identifier[identifier] = posted
            for group in found:
                group.articles[group.high + 1] = posted
        return f"240 Article received {identifier.decode('utf-8', 'replace')}"


Reply: TypeAlias = "str | tuple[str, Iterable[bytes]] | None"
"""A line; a line and the block that follows it; None if there is nothing left to send."""


class _Session:
    """One connection: commands and replies. `known` says of some commands whether the server knows them."""

    def __init__(
        self,
        store: _Store,
        connection: socket.socket,
        tls: ssl.SSLContext | None,
        users: Mapping[str, str] | None,
        known: Mapping[bytes, bool],
        *,
        is_reader: bool,
    ) -> None:
        self._store = store
        self._accepted = self._connection = connection
        self._stream: BinaryIO = connection.makefile("rb")
        self._tls = tls
        self._users = users
        self._user = ""
        self._logged_in = users is None
        self._is_reader = is_reader
        self._group: _Group | None = None
        self._current: int | None = None
        commands: dict[bytes, Callable[[list[bytes]], Reply]] = {
            b"CAPABILITIES": self._capabilities,
            b"MODE": self._mode,
            b"STARTTLS": self._start_tls,
            b"AUTHINFO": self._authinfo,
            b"GROUP": self._select,
            b"LISTGROUP": self._listgroup,
            b"LIST": self._list,
            b"OVER": self._over,
            b"XOVER": self._over,
            b"ARTICLE": self._article,
            b"HEAD": self._article,
            b"BODY": self._article,
            b"STAT": self._article,
            b"POST": self._post,
        }
        self._commands = {verb: command for verb, command in commands.items() if known.get(verb, True)}

    def run(self) -> None:
        """Serve until the client quits or closes the connection."""
        self._send("200 Loopback news, posting allowed" if self._store.posting else "201 Loopback news, no posting")
        while line := self._stream.readline(LINE):
            words = line.split()
            verb = words[0].upper() if words else b""
            if verb == b"QUIT":
                self._send("205 Goodbye")
                return
            self._send(self._reply(verb, words))

    def close(self) -> None:
        """Close the stream, and the TLS connection if there is one."""
        self._stream.close()
        if self._is_secure:
            self._connection.close()

    @property
    def _is_secure(self) -> bool:
        return self._connection is not self._accepted

    def _reply(self, verb: bytes, words: list[bytes]) -> Reply:
        command = self._commands.get(verb)
        if command is None:
            return "500 Unknown command"
        if not self._is_reader and verb not in (b"CAPABILITIES", b"MODE", b"STARTTLS"):
            return "502 MODE READER required"
        if not self._logged_in and verb not in (b"CAPABILITIES", b"MODE", b"STARTTLS", b"AUTHINFO"):
            return "480 Authentication required"
        return command(words)

    def _send(self, reply: Reply) -> None:
        if reply is None:
            return
        line, lines = (reply, None) if isinstance(reply, str) else reply
        octets = line.encode("utf-8", "surrogateescape") + b"\r\n"
        if lines is not None:
            octets += b"".join((b"." if each.startswith(b".") else b"") + each + b"\r\n" for each in lines) + b".\r\n"
        self._connection.sendall(octets)

    # Capabilities, TLS and login

    def _capabilities(self, _: list[bytes]) -> Reply:
        lines = ["VERSION 2", "IMPLEMENTATION loopback"]
        lines += ["READER", "LIST ACTIVE NEWSGROUPS"] if self._is_reader else ["MODE-READER"]
        lines += ["OVER"] if b"OVER" in self._commands and self._is_reader else []
        lines += ["POST"] if self._store.posting and self._is_reader else []
        lines += ["STARTTLS"] if self._tls and not self._is_secure else []
        lines += ["AUTHINFO USER"] if not self._logged_in else []
        return "101 Capability list:", map(str.encode, lines)

    def _mode(self, words: list[bytes]) -> Reply:
        if [word.upper() for word in words[1:]] != [b"READER"]:
            return "501 Syntax: MODE READER"
        self._is_reader = True
        return "200 Posting allowed" if self._store.posting else "201 No posting"

    def _start_tls(self, _: list[bytes]) -> Reply:
        if self._tls is None or self._is_secure:
            return "502 STARTTLS not available"
        self._send("382 Begin TLS negotiation")
        # A duplicate, because the TLS socket takes over the socket that it is given.
        self._connection = self._tls.wrap_socket(self._accepted.dup(), server_side=True)
        self._stream = self._connection.makefile("rb")
        return None

    def _authinfo(self, words: list[bytes]) -> Reply:
        if self._tls and not self._is_secure:
            return "483 TLS required"
        kind = words[1].upper() if len(words) > 2 else b""
        given = b" ".join(words[2:]).decode("utf-8", "replace")
        if kind == b"USER":
            self._user = given
            return "381 Password required"
        if kind == b"PASS" and self._users and self._users.get(self._user) == given:
            self._logged_in = True
            return "281 Authentication accepted"
        return "481 Authentication failed"

    # Groups

    def _counts(self, group: _Group) -> str:
        return f"211 {len(group.articles)} {group.low} {group.high} {group.name}"

    def _select(self, words: list[bytes]) -> Reply:
        group = self._store.groups.get(words[1]) if len(words) > 1 else None
        if group is None:
            return "411 No such group"
        self._group = group
        self._current = group.low if group.articles else None
        return self._counts(group)

    def _listgroup(self, words: list[bytes]) -> Reply:
        group = self._store.groups.get(words[1]) if len(words) > 1 else self._group
        if group is None:
            return "411 No such group" if len(words) > 1 else "412 No group selected"
        self._group = group
        return self._counts(group), (b"%d" % number for number in tuple(group.articles))

    def _list(self, words: list[bytes]) -> Reply:
        what = words[1].upper() if len(words) > 1 else b"ACTIVE"
        groups = self._store.groups.values()
        if what == b"ACTIVE":
            lines = [f"{group.name} {group.high} {group.low} {group.posting}" for group in groups]
        elif what == b"NEWSGROUPS":
            lines = [f"{group.name}\t{group.description}" for group in groups if group.description]
        else:
            return "503 Unknown list"
        return "215 List follows", (line.encode("utf-8", "surrogateescape") for line in lines)

    # Articles

    def _over(self, words: list[bytes]) -> Reply:
        if self._group is None:
            return "412 No group selected"
        found = _RANGE.fullmatch(words[1]) if len(words) > 1 else None
        low = int(found[1]) if found else self._current or 0
        high = low if found is None or not found[2] else int(found[3] or 10**16)
        articles = {number: each for number, each in tuple(self._group.articles.items()) if low <= number <= high}
        if not articles:
            return "423 No articles in that range"
        return "224 Overview follows", (_overview(number, each) for number, each in articles.items())

    def _article(self, words: list[bytes]) -> Reply:
        number = 0
        if len(words) > 1 and words[1].startswith(b"<"):
            article = self._store.by_identifier.get(words[1])
            missing = "430 No such article"
        elif self._group is None:
            return "412 No group selected"
        else:
            asked = words[1] if len(words) > 1 else b"%d" % (self._current or 0)
            number = int(asked) if _NUMBER.fullmatch(asked) else 0
            article = self._group.articles.get(number)
            missing = "423 No article with that number"
            self._current = number if article else self._current
        if article is None:
            return missing
        whole = article.removesuffix(b"\r\n")
        head, _, body = whole.partition(b"\r\n\r\n")
        parts = {b"ARTICLE": (220, whole), b"HEAD": (221, head), b"BODY": (222, body), b"STAT": (223, None)}
        code, part = parts[words[0].upper()]
        reply = f"{code} {number} {_header(article)[b'message-id'].decode('utf-8', 'surrogateescape')}"
        return reply if part is None else (reply, part.split(b"\r\n"))

    def _post(self, _: list[bytes]) -> Reply:
        if not self._store.posting:
            return "440 No posting"
        self._send("340 Send the article; end with a dot")
        article = bytearray()
        while (line := self._stream.readline(LONGEST)) != b".\r\n":
            article += line.removeprefix(b".")
            if not line or len(article) > LONGEST:
                return None
        return self._store.post(bytes(article))
