"""Access to news (RFC 1738 section 3.6): one news server is asked, by the NNTP algorithms of `urlschemes_nntp`.

A news URL names no server. The option `server` does, as `host` or `host:port`.

    news:4123@host.dom      ARTICLE <4123@host.dom>         the article
    news:misc.test          GROUP, OVER                     the articles of the group, each with its news URL
    news:*                  LIST ACTIVE, LIST NEWSGROUPS    the groups of the server
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.errors import InvalidURL, UnsafeURL, UnsupportedOperation
from urlschemes_access.protocol import Algorithm, Open, server_address
from urlschemes_news import NewsURL
from urlschemes_nntp import NntpURL
from urlschemes_nntp.articles import deliver_article, open_attributes
from urlschemes_nntp.connection import Connection, open_connection
from urlschemes_nntp.groups import check_group_name, list_articles, list_groups, select_group
from urlschemes_nntp.upload import post_article, read_article

if TYPE_CHECKING:
    from urlschemes_nntp.groups import MakeURL

__all__ = ["access", "find_attributes", "update"]

PORT = 119
"""The port if `server` names none."""
MAX_IDENTIFIER = 250
"""Octets in a message identifier with its angle brackets (RFC 3977 section 3.6)."""

_DELIMITER = re.compile(rb"[ <>]")


def access(
    url: NewsURL, *, server: str = "", newest: int = 0, starttls: str = "never", allow_cleartext: bool = False
) -> Algorithm[None]:
    """Deliver the article, or a listing of the group or of all groups, that `url` designates and `server` has.

    `newest` limits the listing of a group to so many of the highest article numbers; 0 lists all. `starttls` is
    `"never"`, `"if offered"` or `"required"`. Without TLS, a login is sent only if `allow_cleartext` is true. Raise
    UnsafeURL, and UnsupportedOperation without a server, before connecting; AuthRequired, RemoteError, ProtocolError,
    LimitExceeded, TLSError; Truncated if the end of the article or listing is missing.
    """
    host, port = _host_and_port(server)
    identifier = _message_identifier(url)
    connection = yield from open_connection(host, port, starttls=starttls, allow_cleartext=allow_cleartext)
    if identifier:
        yield from deliver_article(connection, identifier)
    elif url.form == "groups":
        yield from list_groups(connection, _group_url)
    else:
        yield from _list_group(connection, url, _article_url_maker(host, port, url.group or ""), newest)
    yield from connection.end()


def find_attributes(
    url: NewsURL, *, server: str = "", starttls: str = "never", allow_cleartext: bool = False
) -> Algorithm[None]:
    """Return the header fields of the article, or the counts of the group. Options and errors are those of `access`."""
    if url.form == "groups":
        raise UnsupportedOperation(
            "news:* names all groups, which have no attributes", part="group", hint="use access to list the groups"
        )
    host, port = _host_and_port(server)
    identifier = _message_identifier(url)
    connection = yield from open_connection(host, port, starttls=starttls, allow_cleartext=allow_cleartext)
    if identifier:
        yield from open_attributes(connection, identifier)
    else:
        yield from Open("attributes", (yield from select_group(connection, url.group or "")).attributes)
    yield from connection.end()


def update(
    url: NewsURL,
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
    host, port = _host_and_port(server)
    group = url.group or ""
    check_group_name(group)
    article = yield from read_article(group, crosspost=crosspost)
    connection = yield from open_connection(host, port, starttls=starttls, allow_cleartext=allow_cleartext)
    yield from post_article(connection, article)
    yield from connection.end()


def _host_and_port(server: str) -> tuple[str, int]:
    """Return host and port of the option `server`. Raise UnsupportedOperation if it is empty, UnsafeURL if invalid."""
    if not server:
        raise UnsupportedOperation(
            "a news URL names no server, and the option server is not set",
            section="RFC 1738 section 3.6",
            hint='pass options={"server": "host"} (in the shell: --option server=host), or set it in the configuration '
            "file or a trusted NNTPSERVER",
        )
    return server_address(server, PORT, option="server")


def _message_identifier(url: NewsURL) -> bytes:
    """Return the message identifier for a command; `b""` if the URL names groups. Raise UnsafeURL."""
    check_group_name(url.group or "")
    if url.form != "article":
        return b""
    identifier = url.line("message_id")
    if match := _DELIMITER.search(identifier):
        problem = f"contains '{match[0].decode()}', which would end it early"
    elif len(identifier) > MAX_IDENTIFIER - 2:
        problem = f"has {len(identifier)} octets: expected at most {MAX_IDENTIFIER - 2} octets"
    else:
        return b"<" + identifier + b">"
    raise UnsafeURL(f"the message identifier {problem}", part="message_id", section="RFC 3977 section 3.6")


def _list_group(connection: Connection, url: NewsURL, make_url: MakeURL, newest: int) -> Algorithm[None]:
    group = yield from select_group(connection, url.group or "")
    yield from list_articles(connection, group, make_url, newest=newest)


def _group_url(fields: dict[str, str]) -> str | None:
    try:
        return str(NewsURL(group=fields["group"]))
    except InvalidURL:
        return None


def _article_url_maker(host: str, port: int, group: str) -> MakeURL:
    """Return a function that makes the news URL of an article, which is valid on every server.

    For an identifier that no news URL of RFC 1738 can hold, it makes the nntp URL of this server.
    """
    group_url: str | None
    try:
        group_url = str(NntpURL(host=host, port=port, group=group))
    except InvalidURL:  # a host name with an underscore can be connected to, but not written in a URL
        group_url = None

    def make_url(fields: dict[str, str]) -> str | None:
        identifier = fields.get("message-id", "")
        try:
            return str(NewsURL(message_id=identifier.removeprefix("<").removesuffix(">")))
        except InvalidURL:
            return group_url and f"{group_url}/{fields['number']}"

    return make_url
