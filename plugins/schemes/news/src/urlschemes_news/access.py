"""Access to news: one news server is asked, by the NNTP algorithms of `urlschemes_nntp`.

The option `server` names the server, as `host` or `host:port`, unless the URL does.

    news:4123@host.dom      ARTICLE <4123@host.dom>         the article
    news:misc.test          GROUP, OVER                     the articles of the group, each with its news URL
    news:*                  LIST ACTIVE, LIST NEWSGROUPS    the groups of the server
    news:misc.*             LIST ACTIVE misc.*              the groups whose names match, by today's rules of URLs
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from urlschemes.errors import Hint, InvalidURL, Remedy, UnsafeURL, UnsupportedOperation
from urlschemes_access.protocol import Algorithm, Open, server_address
from urlschemes_nntp.articles import deliver_article, open_attributes
from urlschemes_nntp.connection import Connection, open_connection
from urlschemes_nntp.groups import (
    check_group_name,
    check_pattern,
    list_articles,
    list_groups,
    select_group,
)
from urlschemes_nntp.upload import post_article, read_article

if TYPE_CHECKING:
    from urlschemes_news import NewsURL
    from urlschemes_news.rfc3986 import NewsURI
    from urlschemes_nntp.groups import MakeURL

    AnyNews: TypeAlias = NewsURL | NewsURI

__all__ = ["access", "find_attributes", "update"]

PORT = 119
"""The port if `server` names none."""
MAX_IDENTIFIER = 250
"""Octets in a message identifier with its angle brackets (RFC 3977 section 3.6)."""

_DELIMITER = re.compile(rb"[ <>]")


def access(
    url: AnyNews, *, server: str = "", newest: int = 0, starttls: str = "never", allow_cleartext: bool = False
) -> Algorithm[None]:
    """Deliver the article, or a listing of the group or of all groups, that `url` designates and `server` has.

    `newest` limits the listing of a group to so many of the highest article numbers; 0 lists all. `starttls` is
    `"never"`, `"if offered"` or `"required"`. Without TLS, a login is sent only if `allow_cleartext` is true. Raise
    UnsafeURL, and UnsupportedOperation without a server, before connecting; AuthRequired, RemoteError, ProtocolError,
    LimitExceeded, TLSError; Truncated if the end of the article or listing is missing.
    """
    host, port = _host_and_port(url, server)
    identifier = _message_identifier(url)
    connection = yield from _connection(url, host, port, starttls=starttls, allow_cleartext=allow_cleartext)
    if identifier:
        yield from deliver_article(connection, identifier)
    elif url.form == "groups":
        yield from list_groups(connection, _group_url_maker(url), "" if url.group == "*" else url.group or "")
    else:
        yield from _list_group(connection, url, _article_url_maker(url, host, port), newest)
    yield from connection.end()


def find_attributes(
    url: AnyNews, *, server: str = "", starttls: str = "never", allow_cleartext: bool = False
) -> Algorithm[None]:
    """Return the header fields of the article, or the counts of the group. Options and errors are those of `access`."""
    if url.form == "groups":
        raise UnsupportedOperation(
            "the URL names several groups, which have no attributes", part="group", hint="use access to list the groups"
        )
    host, port = _host_and_port(url, server)
    identifier = _message_identifier(url)
    connection = yield from _connection(url, host, port, starttls=starttls, allow_cleartext=allow_cleartext)
    if identifier:
        yield from open_attributes(connection, identifier)
    else:
        yield from Open("attributes", (yield from select_group(connection, url.group or "")).attributes)
    yield from connection.end()


def update(
    url: AnyNews,
    *,
    server: str = "",
    crosspost: bool = False,
    starttls: str = "never",
    allow_cleartext: bool = False,
) -> Algorithm[None]:
    """Post the content, an article, once to the group that `url` designates on `server`.

    The rest is as in `urlschemes_nntp.access.update`.
    """
    if url.form != "group":
        raise UnsupportedOperation(
            "an article can only be posted to one group", hint="name the group, as in news:misc.test"
        )
    host, port = _host_and_port(url, server)
    group = url.group or ""
    check_group_name(group)
    article = yield from read_article(group, crosspost=crosspost)
    connection = yield from _connection(url, host, port, starttls=starttls, allow_cleartext=allow_cleartext)
    yield from post_article(connection, article)
    yield from connection.end()


def _host_and_port(url: AnyNews, server: str) -> tuple[str, int]:
    """Return host and port of the URL, else of the option `server`. Raise UnsupportedOperation if there are none.

    Raise UnsafeURL for an invalid option.
    """
    if url.host is not None:
        return url.host, url.port
    if not server:
        raise UnsupportedOperation(
            "the URL names no server, and the option server is not set",
            section=url.syntax.section,
            hint=Hint(
                Remedy("names one", "options.server", "host"), "so do the configuration file and a trusted NNTPSERVER"
            ),
        )
    return server_address(server, PORT, option="server")


def _connection(url: AnyNews, host: str, port: int, *, starttls: str, allow_cleartext: bool) -> Algorithm[Connection]:
    return (
        yield from open_connection(
            host, port, user=url.user, password=url.password, starttls=starttls, allow_cleartext=allow_cleartext
        )
    )


def _message_identifier(url: AnyNews) -> bytes:
    """Return the message identifier for a command; `b""` if the URL names groups. Raise UnsafeURL."""
    if url.form != "article":
        (check_pattern if url.form == "groups" and url.group != "*" else check_group_name)(url.group or "")
        return b""
    identifier = url.line("message_id")
    if match := _DELIMITER.search(identifier):
        problem = f"contains '{match[0].decode()}', which would end it early"
    elif len(identifier) > MAX_IDENTIFIER - 2:
        problem = f"has {len(identifier)} octets: expected at most {MAX_IDENTIFIER - 2} octets"
    else:
        return b"<" + identifier + b">"
    raise UnsafeURL(f"the message identifier {problem}", part="message_id", section="RFC 3977 section 3.6")


def _list_group(connection: Connection, url: AnyNews, make_url: MakeURL, newest: int) -> Algorithm[None]:
    group = yield from select_group(connection, url.group or "")
    yield from list_articles(connection, group, make_url, newest=newest)


def _group_url_maker(url: AnyNews) -> MakeURL:
    """Return a function that makes the news URL of a group, on the server of `url` if it names one."""

    def make_url(fields: dict[str, str]) -> str | None:
        try:
            return str(url.beside(group=fields["group"]))
        except InvalidURL:
            return None

    return make_url


def _article_url_maker(url: AnyNews, host: str, port: int) -> MakeURL:
    """Return a function that makes the news URL of an article, which is valid on every server unless `url` names one.

    For an identifier that no news URL can hold, it makes the nntp URL of this server.
    """
    group_url = url.on_server(host, port)

    def make_url(fields: dict[str, str]) -> str | None:
        identifier = fields.get("message-id", "")
        try:
            return str(url.beside(message_id=identifier.removeprefix("<").removesuffix(">")))
        except InvalidURL:
            return group_url and f"{group_url}/{fields['number']}"

    return make_url
