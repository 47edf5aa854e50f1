"""The header fields of a URL: those that a message may have, and the recipients among them (RFC 6068).

Few fields are used, and none silently: the author of a URL is seldom the author of the message (sections 3, 4 and 7).
"""

from __future__ import annotations

import re
from email.policy import SMTP
from typing import TYPE_CHECKING, Any, NamedTuple

from urlschemes.errors import UnsafeURL, require_type
from urlschemes.redaction import one_line
from urlschemes_mailto.addresses import addresses_of, ascii_domain, join_address, mailboxes_in
from urlschemes_mailto.url_types import MailURL

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["CONTROL", "IDENTIFIERS", "TEXTS", "Recipients", "field_text", "recipients_of", "unused_fields"]

CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Characters that no header field may hold: some of them end a line."""
TEXTS = ("Subject", "Keywords")
"""The fields of text that are used."""
IDENTIFIERS = ("In-Reply-To", "References")
"""The fields of message identifiers that are used."""
MAX_VALUE = 10_000
"""Characters in the value of a field of a URL, but for the body."""

_USED = frozenset({"to", "cc", "body", *map(str.lower, (*TEXTS, *IDENTIFIERS))})
_IDENTIFIER = r"<[!-;=?A-~]+@[!-;=?-~]+>"
_IDENTIFIERS = re.compile(f"{_IDENTIFIER}(?: +{_IDENTIFIER})*")


class Recipients(NamedTuple):
    """The envelope addresses for the fields To and Cc of a message, each once."""

    to: tuple[str, ...]
    cc: tuple[str, ...]


def recipients_of(url: MailURL) -> Recipients:
    """Return the recipients that `url` names before its header fields and in the fields `to` and `cc`.

    Display names are left out: they can name someone else. Raise UnsafeURL, UnsupportedOperation.
    """
    to = _each_once([*addresses_of(url), *_field_addresses(url, "To")])
    cc = _each_once(_field_addresses(url, "Cc"))
    return Recipients(to, tuple(address for address in cc if address not in to))


def unused_fields(url: MailURL) -> tuple[str, ...]:
    """Return the names of the header fields that no message has, in lower case and safe to print."""
    require_type("url", url, MailURL)
    names = _each_once(name.lower() for name, _ in url.headers)
    return tuple(one_line(name, 40) or "(without a name)" for name in names if name not in _USED)


def field_text(url: MailURL, name: str) -> str:
    """Return the text of a field, with its encoded words decoded; an empty text without one. Raise UnsafeURL."""
    values = url.values(name)
    if len(values) > 1:
        raise _refusal(f"the URL has {len(values)} header fields {name.lower()}: expected at most one")
    text = "".join(values)
    if name in IDENTIFIERS and text and not _IDENTIFIERS.fullmatch(text):
        shown = one_line(text, 80)
        raise _refusal(f"invalid header field {name.lower()} '{shown}': expected message identifiers, as in <1@host>")
    return str(_read(name, text)) if name in TEXTS else text


def _field_addresses(url: MailURL, name: str) -> list[str]:
    fields = [_read(name, value) for value in url.values(name) if value.strip()]
    found = [mailbox for field in fields for mailbox in mailboxes_in(field, "headers")]
    return [join_address(each.username, ascii_domain(each.domain, "headers"), "headers") for each in found]


def _read(name: str, value: str) -> Any:
    """Return the value as `email` reads it. Raise UnsafeURL for what is not a value of one field."""
    if len(value) > MAX_VALUE:
        raise _refusal(f"the header field {name.lower()} has more than {MAX_VALUE:,} characters")
    _check_line(name, value)
    try:
        field = SMTP.header_factory(name, value)
    except Exception:  # noqa: BLE001  `email` raises many types for what it cannot read, such as RecursionError
        raise _refusal(f"the header field {name.lower()} cannot be read") from None
    _check_line(name, str(field))  # its encoded words are decoded
    return field


def _check_line(name: str, text: str) -> None:
    if match := CONTROL.search(text):
        raise _refusal(
            f"the header field {name.lower()} contains {match[0]!a}, which could end the line and begin another field"
        )


def _refusal(problem: str) -> UnsafeURL:
    return UnsafeURL(problem, part="headers", section="RFC 6068 section 2")


def _each_once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
