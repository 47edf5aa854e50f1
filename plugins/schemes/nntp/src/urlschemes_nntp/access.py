"""Access by NNTP: the dialogue of RFC 3977, with fallbacks for servers of RFC 977 and RFC 2980.

    200 ready           CAPABILITIES, MODE READER           the capabilities; a server with two modes serves readers
    101 211             GROUP                               selects the group
    211 220             ARTICLE                             header and body, ended by a line with a single dot
                        QUIT

A group is listed by OVER, by XOVER (RFC 2980), or article by article. Logins use AUTHINFO (RFC 4643), TLS uses STARTTLS
(RFC 4642).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import UnsafeURL, UnsupportedOperation
from urlschemes_access.attributes import without_fragment
from urlschemes_access.protocol import Algorithm, Open
from urlschemes_nntp.articles import deliver_article, open_attributes
from urlschemes_nntp.connection import open_connection
from urlschemes_nntp.groups import check_group_name, list_articles, select_group
from urlschemes_nntp.upload import post_article, read_article

if TYPE_CHECKING:
    from urlschemes_nntp import NntpURL
    from urlschemes_nntp.connection import Connection
    from urlschemes_nntp.rfc3986 import NntpURI

__all__ = ["access", "find_attributes", "update"]

MAX_DIGITS = 16
"""Digits in an article number (RFC 3977 section 9.8)."""


def access(
    url: NntpURL | NntpURI, *, newest: int = 0, starttls: str = "never", allow_cleartext: bool = False
) -> Algorithm[None]:
    """Deliver the article, or a listing of the group, that `url` designates.

    `newest` limits a listing to so many of the highest article numbers; 0 lists all. `starttls` is `"never"`,
    `"if offered"` or `"required"`. Without TLS, a login is sent only if `allow_cleartext` is true. Raise UnsafeURL and
    UnsupportedOperation before connecting; AuthRequired, RemoteError, ProtocolError, LimitExceeded, TLSError; Truncated
    if the end of the article or listing is missing.
    """
    number = _article_number(url)
    connection = yield from _connection(url, starttls=starttls, allow_cleartext=allow_cleartext)
    group = yield from select_group(connection, url.group)
    if number:
        yield from deliver_article(connection, number)
    else:
        base = without_fragment(url)
        yield from list_articles(connection, group, lambda fields: f"{base}/{fields['number']}", newest=newest)
    yield from connection.end()


def find_attributes(
    url: NntpURL | NntpURI, *, starttls: str = "never", allow_cleartext: bool = False
) -> Algorithm[None]:
    """Return the header fields of the article, or the counts of the group. Options and errors are those of `access`."""
    number = _article_number(url)
    connection = yield from _connection(url, starttls=starttls, allow_cleartext=allow_cleartext)
    group = yield from select_group(connection, url.group)
    if number:
        yield from open_attributes(connection, number)
    else:
        yield from Open("attributes", group.attributes)
    yield from connection.end()


def update(
    url: NntpURL | NntpURI, *, crosspost: bool = False, starttls: str = "never", allow_cleartext: bool = False
) -> Algorithm[None]:
    """Post the content, an article, once to the group that `url` designates.

    Line ends become CR LF; nothing else changes. The Newsgroups field must name the group of the URL, and other groups
    only if `crosspost` is true. Return the header fields, with the Message-ID if the server tells which it assigned.
    Raise UnsafeURL before connecting; RemoteError if the server refuses the article; Indeterminate if its verdict is
    lost.
    """
    if url.article is not None:
        raise UnsupportedOperation(
            "an article can only be posted to a group, and the URL names an article",
            part="article",
            hint="leave the article number out: the server assigns one",
        )
    check_group_name(url.group)
    article = yield from read_article(url.group, crosspost=crosspost)
    connection = yield from _connection(url, starttls=starttls, allow_cleartext=allow_cleartext)
    yield from post_article(connection, article)
    yield from connection.end()


def _connection(url: NntpURL | NntpURI, *, starttls: str, allow_cleartext: bool) -> Algorithm[Connection]:
    return (
        yield from open_connection(
            url.host,
            url.port,
            user=url.user,
            password=url.password,
            starttls=starttls,
            allow_cleartext=allow_cleartext,
        )
    )


def _article_number(url: NntpURL | NntpURI) -> bytes:
    """Return the article number for a command; `b""` if the URL names the group. Raise UnsafeURL."""
    check_group_name(url.group)
    number = b"" if url.article is None else b"%d" % url.article
    if len(number) > MAX_DIGITS:
        raise UnsafeURL(
            f"the article number has {len(number)} digits: expected at most {MAX_DIGITS} digits",
            part="article",
            section="RFC 3977 section 9.8",
        )
    return number
