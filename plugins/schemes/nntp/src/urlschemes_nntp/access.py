"""Access by NNTP: what RFC 1738 section 3.7 says, in the dialogue of RFC 3977, and of RFC 977 with older servers.

    200 ready           CAPABILITIES, MODE READER           what the server can do, and that it serves readers
    101 211             GROUP                               where
    211 220             ARTICLE                             what: header and body, closed by a line with a single dot
                        QUIT

A group alone is listed: by OVER, by XOVER of RFC 2980, or article by article. A server that wants a login (480) gets
one by AUTHINFO (RFC 4643); STARTTLS is that of RFC 4642.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import UnsafeURL, UnsupportedOperation
from urlschemes_access.protocol import Algorithm, Open
from urlschemes_nntp.articles import describe, retrieve
from urlschemes_nntp.connection import connected
from urlschemes_nntp.groups import check_group, list_articles, selected
from urlschemes_nntp.posting import article_for, post

if TYPE_CHECKING:
    from urlschemes_nntp import NntpURL

__all__ = ["access", "find_attributes", "update"]

MOST_DIGITS = 16
"""Digits of an article's number (RFC 3977 section 9.8)."""


def access(url: NntpURL, *, newest: int = 0, starttls: str = "never", allow_cleartext: bool = False) -> Algorithm[None]:
    """Deliver the article, or the entries of the group, that `url` designates (RFC 1738 section 3.7).

    Of a group, `newest` asks for so many of the highest numbers alone; 0 for all. `starttls` is `"never"`,
    `"if offered"` or `"required"`: whether the connection is protected first; where it is not, a login is sent only if
    `allow_cleartext` is true. Raises UnsafeURL and UnsupportedOperation before it connects; AuthRequired,
    RemoteError, ProtocolError, LimitExceeded, TLSError; Truncated where the end is missing.
    """
    number = _number(url)
    connection = yield from connected(url.host, url.port, starttls=starttls, allow_cleartext=allow_cleartext)
    group = yield from selected(connection, url.group)
    if number:
        yield from retrieve(connection, number)
    else:
        base = str(url)
        yield from list_articles(connection, group, lambda fields: f"{base}/{fields['number']}", newest=newest)
    yield from connection.quit()


def find_attributes(url: NntpURL, *, starttls: str = "never", allow_cleartext: bool = False) -> Algorithm[None]:
    """What the header of the article says, or how many articles the group has. Options and errors as `access`."""
    number = _number(url)
    connection = yield from connected(url.host, url.port, starttls=starttls, allow_cleartext=allow_cleartext)
    group = yield from selected(connection, url.group)
    if number:
        yield from describe(connection, number)
    else:
        yield from Open("attributes", group.attributes)
    yield from connection.quit()


def update(
    url: NntpURL, *, crosspost: bool = False, starttls: str = "never", allow_cleartext: bool = False
) -> Algorithm[None]:
    """Post the content, an article, to the group that `url` designates; never twice.

    It is sent as it is, but that each line ends with CR LF. The article names the group of the URL, and no other unless
    `crosspost` is true. Gives its fields, and its Message-ID where the server says which it gave. Raises UnsafeURL
    before it connects; RemoteError where the server refuses; Indeterminate where its answer is lost.
    """
    if url.article is not None:
        raise UnsupportedOperation(
            "an article is posted to a group, and its server numbers it", part="article", hint="leave the number out"
        )
    check_group(url.group)
    article = yield from article_for(url.group, crosspost=crosspost)
    connection = yield from connected(url.host, url.port, starttls=starttls, allow_cleartext=allow_cleartext)
    yield from post(connection, article)
    yield from connection.quit()


def _number(url: NntpURL) -> bytes:
    """The number of the article, for a command; empty where the URL names the group. Raises UnsafeURL."""
    check_group(url.group)
    number = b"" if url.article is None else b"%d" % url.article
    if len(number) > MOST_DIGITS:
        raise UnsafeURL(
            f"the number of the article has more than {MOST_DIGITS} digits, and no command can carry it",
            part="article",
            section="RFC 3977 section 9.8",
        )
    return number
