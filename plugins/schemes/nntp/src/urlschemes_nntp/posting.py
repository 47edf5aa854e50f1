"""Posting an article (RFC 3977 section 6.3.1): what may be sent, and what is known of it afterwards."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from urlschemes.errors import UnsafeURL
from urlschemes.grammar.octets import text_of
from urlschemes.redaction import one_line
from urlschemes_access.errors import AccessError, Indeterminate, LimitExceeded
from urlschemes_access.protocol import Algorithm, Open, Pull
from urlschemes_access.protocol.replies import END, stuffed
from urlschemes_nntp.header import attributes_of, fields_of

if TYPE_CHECKING:
    from urlschemes_nntp.connection import Connection

__all__ = ["article_for", "post"]

MOST_ARTICLE = 16 * 1024 * 1024
"""Octets in an article that is posted: far more than servers take."""

_UNSENDABLE = re.compile(rb"\x00|\r(?!\n)")
_LINE_END = re.compile(rb"\r?\n")
_HEADER_LINE = re.compile(rb"[!-9;-~]++:.*|[ \t]++.+", re.DOTALL)
_FIELD_NAME = re.compile(rb"^([!-9;-~]+):", re.MULTILINE)
_REQUIRED = ("from", "newsgroups", "subject")
_COMMANDS = ("control", "also-control", "supersedes")
_IDENTIFIER = re.compile(r"<[^<>\s]+@[^<>\s]+>")


def article_for(group: str, *, crosspost: bool) -> Algorithm[bytes]:
    """The caller's content, each line of it ended by CR LF, if it is an article for `group` and for nothing else.

    Raises UnsafeURL, LimitExceeded: nothing was sent then.
    """
    content = bytearray()
    while octets := (yield from Pull()):
        content += octets
        if len(content) > MOST_ARTICLE:
            raise LimitExceeded(
                f"the article is longer than {MOST_ARTICLE} octets", limit="content", value=MOST_ARTICLE
            )
    if _UNSENDABLE.search(content):
        raise _refused("it holds a NUL, or a CR that ends no line", "RFC 3977 section 3.1.1")
    article = _LINE_END.sub(b"\r\n", bytes(content))
    if not article.endswith(b"\r\n"):
        article += b"\r\n"
    header, empty, _ = article.partition(b"\r\n\r\n")
    if not empty:
        raise _refused("it has no empty line between header and body", "RFC 3977 section 3.6")
    _check_header(header, group, crosspost=crosspost)
    return article


def _check_header(header: bytes, group: str, *, crosspost: bool) -> None:
    lines = header.split(b"\r\n")
    for number, line in enumerate(lines, 1):
        if not _HEADER_LINE.fullmatch(line) or (number == 1 and line[:1] in (b" ", b"\t")):
            raise _refused(f"line {number} is no header field: {one_line(text_of(line), 40)}", "RFC 5536 section 2.2")
    names = [text_of(name).lower() for name in _FIELD_NAME.findall(header)]
    for name in _REQUIRED:
        if names.count(name) != 1:
            many = "more than one" if name in names else "no"
            raise _refused(f"it has {many} {name.capitalize()} field", "RFC 5536 section 3.1")
    for name in _COMMANDS:
        if name in names:
            raise _refused(
                f"its {name.capitalize()} field is a command to servers, and adds nothing", "RFC 5537 section 5"
            )
    groups = [name.strip() for name in fields_of(header + b"\r\n")["newsgroups"].split(",")]
    if group not in groups:
        raise _refused(f"its Newsgroups field does not name {group}, as the URL does", "RFC 1738 section 6")
    if len(groups) > 1 and not crosspost:
        raise _refused(
            f"its Newsgroups field names {len(groups)} groups, and the URL one",
            "RFC 1738 section 6",
            hint="the option crosspost allows it",
        )


def _refused(why: str, section: str, *, hint: str | None = None) -> UnsafeURL:
    return UnsafeURL(f"the article is not sent: {why}", part="group", section=section, hint=hint)


def post(connection: Connection, article: bytes) -> Algorithm[None]:
    """POST the article, once. Raises RemoteError where it is refused, Indeterminate where that cannot be known."""
    yield from connection.carry_out(b"POST", 340)
    yield from connection.send(stuffed(article), "the article")
    try:
        # On its own: as long as it was not sent, the article was not posted.
        yield from connection.send(END, "the article")
        reply = yield from connection.reply("the article")
        if reply.kind not in (4, 5):
            reply.checked("the article", 240)
    except AccessError as error:
        raise Indeterminate(
            f"the article was sent, and what came of it is not known: {error}",
            hint="it may have been posted: ask for it by its Message-ID before you send it again",
        ) from error
    if reply.kind in (4, 5):
        raise reply.refusal("the article")
    fields = fields_of(article.partition(b"\r\n\r\n")[0] + b"\r\n")
    if "message-id" not in fields and (given := _IDENTIFIER.search(text_of(reply.words))):
        fields["message-id"] = given[0]
    yield from Open("attributes", replace(attributes_of(fields), size=len(article)))
