"""Access to news: what RFC 1738 section 3.6 says, asked of one NNTP server by the rooms of `urlschemes_nntp`.

A news URL names no server. The option `server` does: `host` or `host:port`.

    news:4123@host.dom      ARTICLE <4123@host.dom>         the article
    news:misc.test          GROUP, OVER                     the articles of the group, each with its news URL
    news:*                  LIST ACTIVE, LIST NEWSGROUPS    the groups of the server
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.errors import InvalidURL, UnsafeURL, UnsupportedOperation
from urlschemes_access.protocol import Algorithm, Open, place_of
from urlschemes_news import NewsURL
from urlschemes_nntp import NntpURL
from urlschemes_nntp.articles import describe, retrieve
from urlschemes_nntp.connection import Connection, connected
from urlschemes_nntp.groups import check_group, list_articles, list_groups, selected
from urlschemes_nntp.posting import article_for, post

if TYPE_CHECKING:
    from urlschemes_nntp.groups import Linker

__all__ = ["access", "find_attributes", "update"]

PORT = 119
"""Where a server listens, unless `server` says otherwise."""
MOST_IDENTIFIER = 250
"""Octets in a message identifier, with its angle brackets (RFC 3977 section 3.6)."""

_SPLITS = re.compile(rb"[ <>]")


def access(
    url: NewsURL, *, server: str = "", newest: int = 0, starttls: str = "never", allow_cleartext: bool = False
) -> Algorithm[None]:
    """Deliver the article, or the entries of the group or of all groups, that `url` designates, as `server` has them.

    Of a group, `newest` asks for so many of the highest numbers alone; 0 for all. `starttls` is `"never"`,
    `"if offered"` or `"required"`: whether the connection is protected first; where it is not, a login is sent only if
    `allow_cleartext` is true. Raises UnsupportedOperation without a server, and UnsafeURL, before it connects;
    AuthRequired, RemoteError, ProtocolError, LimitExceeded, TLSError; Truncated where the end is missing.
    """
    host, port = _place(server)
    identifier = _identifier(url)
    connection = yield from connected(host, port, starttls=starttls, allow_cleartext=allow_cleartext)
    if identifier:
        yield from retrieve(connection, identifier)
    elif url.form == "groups":
        yield from list_groups(connection, _link_to_group)
    else:
        yield from _list(connection, url, _link_to_article(host, port, url.group or ""), newest)
    yield from connection.quit()


def find_attributes(
    url: NewsURL, *, server: str = "", starttls: str = "never", allow_cleartext: bool = False
) -> Algorithm[None]:
    """What the header of the article says, or how many articles the group has. Options and errors as `access`."""
    if url.form == "groups":
        raise UnsupportedOperation("all groups together have no attributes", part="group", hint="access lists them")
    host, port = _place(server)
    identifier = _identifier(url)
    connection = yield from connected(host, port, starttls=starttls, allow_cleartext=allow_cleartext)
    if identifier:
        yield from describe(connection, identifier)
    else:
        yield from Open("attributes", (yield from selected(connection, url.group or "")).attributes)
    yield from connection.quit()


def update(
    url: NewsURL,
    *,
    server: str = "",
    crosspost: bool = False,
    starttls: str = "never",
    allow_cleartext: bool = False,
) -> Algorithm[None]:
    """Post the content, an article, to the group that `url` designates; never twice.

    As `update` of `urlschemes_nntp.access`, to `server`.
    """
    if url.form != "group":
        raise UnsupportedOperation("an article is posted to one group", hint="name it: news:misc.test")
    host, port = _place(server)
    group = url.group or ""
    check_group(group)
    article = yield from article_for(group, crosspost=crosspost)
    connection = yield from connected(host, port, starttls=starttls, allow_cleartext=allow_cleartext)
    yield from post(connection, article)
    yield from connection.quit()


def _place(server: str) -> tuple[str, int]:
    """Host and port of the server. Raises UnsupportedOperation without one, UnsafeURL for one that is written wrong."""
    if not server:
        raise UnsupportedOperation(
            "a news URL does not say which server to ask, and none was given",
            section="RFC 1738 section 3.6",
            hint='server="host" names one, in the shell --option server=host; '
            "so do the configuration file, and NNTPSERVER where the environment is trusted",
        )
    return place_of(server, PORT, option="server")


def _identifier(url: NewsURL) -> bytes:
    """The message identifier as commands take it; empty where the URL names groups. Raises UnsafeURL."""
    check_group(url.group or "")
    identifier = b"<" + url.line("message_id") + b">" if url.form == "article" else b""
    problem = ""
    if _SPLITS.search(identifier[1:-1]):
        problem = "holds a blank, `<` or `>`, which would end it early"
    elif len(identifier) > MOST_IDENTIFIER:
        problem = f"is longer than {MOST_IDENTIFIER - 2} octets"
    if problem:
        raise UnsafeURL(f"the message identifier {problem}", part="message_id", section="RFC 3977 section 3.6")
    return identifier


def _list(connection: Connection, url: NewsURL, link: Linker, newest: int) -> Algorithm[None]:
    group = yield from selected(connection, url.group or "")
    yield from list_articles(connection, group, link, newest=newest)


def _link_to_group(fields: dict[str, str]) -> str | None:
    try:
        return str(NewsURL.build(group=fields["group"]))
    except InvalidURL:
        return None


def _link_to_article(host: str, port: int, group: str) -> Linker:
    """Its news URL, good for every server; the nntp URL where RFC 1738 has none for such an identifier, if for both."""
    base: str | None
    try:
        base = str(NntpURL.build(host=host, port=None if port == PORT else port, group=group))
    except InvalidURL:  # the names of some hosts hold an underscore
        base = None

    def link(fields: dict[str, str]) -> str | None:
        identifier = fields.get("message-id", "")
        try:
            return str(NewsURL.build(message_id=identifier.removeprefix("<").removesuffix(">")))
        except InvalidURL:
            return base and f"{base}/{fields['number']}"

    return link
