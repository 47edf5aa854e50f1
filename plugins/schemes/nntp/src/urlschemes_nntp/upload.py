"""Posting an article (POST, RFC 3977 section 6.3.1): checking it, sending it once, and reading the verdict."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from urlschemes.errors import Hint, Remedy, UnsafeURL
from urlschemes.grammar.octets import text_of
from urlschemes.redaction import one_line
from urlschemes_access.errors import LimitExceeded
from urlschemes_access.protocol import Algorithm, Open, Pull
from urlschemes_nntp.article_header import attributes_of, parse_fields

if TYPE_CHECKING:
    from urlschemes_nntp.connection import Connection

__all__ = ["post_article", "read_article"]

MAX_ARTICLE = 16 * 1024 * 1024
"""Octets in an article to post: far more than servers accept."""

_UNSENDABLE = re.compile(rb"\x00|\r(?!\n)")
_LINE_END = re.compile(rb"\r?\n")
_HEADER_LINE = re.compile(rb"[!-9;-~]++:.*|[ \t]++.+", re.DOTALL)
_FIELD_NAME = re.compile(rb"^([!-9;-~]+):", re.MULTILINE)
_REQUIRED = ("from", "newsgroups", "subject")
_CONTROL_FIELDS = ("control", "also-control", "supersedes")
_IDENTIFIER = re.compile(r"<[^<>\s]+@[^<>\s]+>")


def read_article(group: str, *, crosspost: bool) -> Algorithm[bytes]:
    """Return the caller's content, each line ended by CR LF, if it is an article for `group`.

    Raise UnsafeURL or LimitExceeded if it is not; nothing has been sent then.
    """
    content = bytearray()
    while pieces := (yield from Pull()):
        content += b"".join(pieces)
        if len(content) > MAX_ARTICLE:
            raise LimitExceeded(f"the article is longer than {MAX_ARTICLE} octets", limit="content", value=MAX_ARTICLE)
    if _UNSENDABLE.search(content):
        raise _refusal("it contains a NUL, or a CR without an LF", "RFC 3977 section 3.1.1")
    article = _LINE_END.sub(b"\r\n", bytes(content))
    if not article.endswith(b"\r\n"):
        article += b"\r\n"
    header, empty_line, _ = article.partition(b"\r\n\r\n")
    if not empty_line:
        raise _refusal("it has no empty line between header and body", "RFC 3977 section 3.6")
    _check_header_lines(header)
    _check_fields(header)
    _check_newsgroups(header, group, crosspost=crosspost)
    return article


def _check_header_lines(header: bytes) -> None:
    for number, line in enumerate(header.split(b"\r\n"), 1):
        if not _HEADER_LINE.fullmatch(line) or (number == 1 and line[:1] in (b" ", b"\t")):
            shown = one_line(text_of(line), 40)
            raise _refusal(f"invalid header field '{shown}' in line {number}", "RFC 5536 section 2.2")


def _check_fields(header: bytes) -> None:
    """Require the mandatory fields, and reject an article that commands servers to cancel or create something."""
    names = [text_of(name).lower() for name in _FIELD_NAME.findall(header)]
    for name in _REQUIRED:
        if names.count(name) != 1:
            count = "more than one" if name in names else "no"
            raise _refusal(f"it has {count} {name.capitalize()} field", "RFC 5536 section 3.1")
    for name in _CONTROL_FIELDS:
        if name in names:
            raise _refusal(f"its {name.capitalize()} field makes it a command to servers", "RFC 5537 section 5")


def _check_newsgroups(header: bytes, group: str, *, crosspost: bool) -> None:
    groups = [name.strip() for name in parse_fields(header + b"\r\n")["newsgroups"].split(",")]
    if group not in groups:
        raise _refusal(f"its Newsgroups field does not name {group}, the group of the URL")
    if len(groups) > 1 and not crosspost:
        raise _refusal(
            f"its Newsgroups field names {len(groups)} groups: expected only the group of the URL",
            hint=Hint(Remedy("allows several groups", "options.crosspost", value=True)),
        )


def _refusal(reason: str, section: str | None = None, *, hint: str | None = None) -> UnsafeURL:
    return UnsafeURL(f"the article was not sent: {reason}", part="group", section=section, hint=hint)


def post_article(connection: Connection, article: bytes) -> Algorithm[None]:
    """Post the article once. Raise RemoteError if the server refuses it, Indeterminate if its verdict is lost."""
    yield from connection.carry_out(b"POST", 340)
    hint = "it may have been posted: look for its Message-ID before posting it again"
    reply = yield from connection.send_text(article, "the article", 240, hint=hint)
    fields = parse_fields(article.partition(b"\r\n\r\n")[0] + b"\r\n")
    if "message-id" not in fields and (identifier := _IDENTIFIER.search(text_of(reply.words))):
        fields["message-id"] = identifier[0]
    yield from Open("attributes", replace(attributes_of(fields), size=len(article)))
