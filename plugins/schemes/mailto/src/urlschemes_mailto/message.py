"""Messages: made from a URL, written as octets, and looked at as the octets that will be sent.

A header is read again once it was written: what `email` makes of a text is not always one field that says that text.
"""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime
from email.errors import ObsoleteHeaderDefect
from email.headerregistry import AddressHeader
from email.message import EmailMessage
from email.parser import BytesHeaderParser
from email.policy import SMTP, EmailPolicy
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any

from urlschemes.errors import UnsafeURL, UnsupportedOperation
from urlschemes.redaction import one_line
from urlschemes_access.protocol import server_address
from urlschemes_mailto import MailtoURL
from urlschemes_mailto.mailbox import mailbox, mailbox_of, spelt
from urlschemes_mailto.submission import Submission

if TYPE_CHECKING:
    from email.message import Message

__all__ = ["compose", "message_octets", "relay_at", "submission_of"]

LINE = 998
"""Octets of a line without its CR LF (RFC 5322 section 2.1.1)."""
SUBMISSION = 587
"""The port where messages are submitted (RFC 6409 section 3.1)."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")
_LINE_END = re.compile(rb"\r\n?|\n")
_LONG_LINE = re.compile(rb"[^\r\n]{%d}" % (LINE + 1))
_FURTHER_RECIPIENTS = ("Cc", "Bcc", "Resent-To", "Resent-Cc", "Resent-Bcc")
_ADDRESSES = frozenset({"to", "from", "sender", "reply-to"})


class _Policy(EmailPolicy):
    """That of SMTP, for lines of 7 bits. Addresses are not folded: a long quoted one would lose its quotation marks."""

    def fold(self, name: str, value: Any) -> str:
        folded: str = super(_Policy, self._for(name)).fold(name, value)
        return folded

    def fold_binary(self, name: str, value: Any) -> bytes:
        return super(_Policy, self._for(name)).fold_binary(name, value)

    def _for(self, name: str) -> _Policy:
        return self.clone(max_line_length=LINE) if name.lower() in _ADDRESSES else self


POLICY = _Policy(linesep="\r\n", cte_type="7bit")


# Making one -----------------------------------------------------------------------------------------------------------


def compose(url: MailtoURL | str, *, subject: str = "", body: str = "", sender: str | None = None) -> EmailMessage:
    """A message to the address of `url` and to nobody else; a standard one, to which more can be added.

    `sender` is who writes it, `ann@host.dom` or `Ann <ann@host.dom>`; without it there is no From yet. Raises
    InvalidURL; UnsafeURL for an address, subject, body or sender that could not be sent as what it is.
    """
    message = EmailMessage(POLICY)
    _add(message, "To", mailbox_of(url if isinstance(url, MailtoURL) else MailtoURL.parse(url)), "address")
    if sender is not None:
        _add(message, "From", sender, "sender")
    if subject := subject.strip():
        _add(message, "Subject", subject, "subject")
    message["Date"] = format_datetime(datetime.now(UTC))
    if sender is not None:
        # Left to the relay where nobody is named: otherwise the name of this machine would have to be in it.
        domain = _one_address(message, "From", "sender").rpartition("@")[2]
        message["Message-ID"] = f"<{secrets.token_hex(16)}@{domain}>"
    if found := _NO_TEXT.search(body):
        raise UnsafeURL(f"the body holds {found[0]!a}, which is no text", part="body", section="RFC 2045 section 2.7")
    message.set_content(body)
    return message


def _add(message: EmailMessage, name: str, value: str, part: str) -> None:
    """Add a field, if it will be read as what it is. Raises UnsafeURL."""
    if found := _CONTROL.search(value):
        raise UnsafeURL(
            f"the {part} holds {found[0]!a}: a line that ends early is a field of its own",
            part=part,
            section="RFC 822 section 3.1",
        )
    alone = EmailMessage(POLICY)
    try:
        alone[name] = value
        octets = alone.as_bytes()
        again = _header_of(octets)
        # An address is no text that could be encoded: it stands there as it is, or it is another one.
        same = octets == f"{name}: {value}\r\n\r\n".encode() if part == "address" else str(again[name]) == value
        faithful = same and again.keys() == [name]
    except Exception:  # noqa: BLE001  whatever `email` raises for what it cannot write
        faithful = False
    if not faithful:
        raise UnsafeURL(f"the {part} '{one_line(value, 80)}' would be read as another text", part=part)
    message[name] = value


# Writing it -----------------------------------------------------------------------------------------------------------


def message_octets(message: EmailMessage, sender: str | None = None) -> bytes:
    """The octets of a message. `sender`, an address, becomes its From where it has none.

    Raises UnsafeURL where it cannot be written, or would be read as another one.
    """
    try:
        octets = message.as_bytes(policy=POLICY)
        written = [name.lower() for name in _header_of(octets)]
    except Exception as error:
        raise UnsafeURL(f"the message cannot be written: {one_line(str(error), 120)}", part="message") from error
    if written != [name.lower() for name in message]:
        raise UnsafeURL("a text in the header of the message would become fields of its own", part="message")
    if sender is None or "from" in written:
        return octets
    return b"From: " + mailbox(sender, "sender").encode("ascii") + b"\r\n" + octets


# Looking at what will be sent -----------------------------------------------------------------------------------------


def submission_of(message: bytes, *, relay: str, sender: str | None = None) -> Submission:
    """The message in its envelope. `sender` is an address; without it, the header names who it is.

    Raises UnsafeURL for what cannot be sent as it is; UnsupportedOperation where there is not one recipient and one
    sender, or no relay.
    """
    host, port = relay_at(relay)
    if not isinstance(message, bytes):
        raise UnsupportedOperation("the message is octets", part="message", hint="urlschemes_mailto.send takes others")
    octets = _LINE_END.sub(b"\r\n", message)
    octets = octets if octets.endswith(b"\r\n") else octets + b"\r\n"
    header = _checked_header(octets)
    recipient = _one_address(header, "To", "recipient")
    for name in _FURTHER_RECIPIENTS:
        if name in header:
            raise _not_one("recipient", f"it has a field {name}")
    if sender is None:
        sender = _one_address(header, "Sender" if "Sender" in header else "From", "sender")
    return Submission(mailbox(sender, "sender"), recipient, f"{host}:{port}", octets)


def relay_at(relay: str) -> tuple[str, int]:
    """Host and port of a relay, which is written `host` or `host:port`. Raises UnsafeURL, UnsupportedOperation."""
    if not relay:
        raise UnsupportedOperation("a mailto URL names no server that takes a message", hint='pass relay="host:port"')
    return server_address(relay, SUBMISSION, option="relay")


def _checked_header(octets: bytes) -> Message[Any, Any]:
    def unsafe(why: str, section: str) -> UnsafeURL:
        return UnsafeURL(f"the message {why}", part="message", section=section)

    if b"\0" in octets:
        raise unsafe("holds a NUL", "RFC 2045 section 2.7")
    if _LONG_LINE.search(octets):
        raise unsafe(f"has a line of more than {LINE} octets", "RFC 5322 section 2.1.1")
    if not octets.partition(b"\r\n\r\n")[0].isascii():
        raise unsafe("has a header that is not US-ASCII", "RFC 5322 section 2.2")
    header = _header_of(octets)
    if header.defects or header.get_unixfrom() is not None:
        raise unsafe("does not begin with a header", "RFC 5322 section 2.2")
    return header


def _header_of(octets: bytes) -> Message[Any, Any]:
    return BytesHeaderParser(policy=SMTP).parsebytes(octets)


def _one_address(header: Message[Any, Any], name: str, part: str) -> str:
    """The mailbox that the field names. Raises UnsafeURL; UnsupportedOperation where it is not one."""
    fields = header.get_all(name, [])
    if len(fields) != 1 or not isinstance(fields[0], AddressHeader):
        raise _not_one(part, f"it has {len(fields)} fields {name}")
    field: Any = fields[0]
    if len(field.addresses) != 1 or field.groups[0].display_name is not None:
        raise _not_one(part, f"its {name} names {len(field.addresses)} addresses")
    if not all(isinstance(defect, ObsoleteHeaderDefect) for defect in field.defects):
        raise UnsafeURL(f"the {name} '{one_line(str(field), 80)}' is no address", part=part)
    (address,) = field.addresses
    return spelt(address.username, address.domain, part)


def _not_one(part: str, why: str) -> UnsupportedOperation:
    hint = "send it to each recipient by itself" if part == "recipient" else "pass sender=, an address"
    return UnsupportedOperation(
        f"a message has one {part}, and of this one {why}", part=part, section="RFC 1738 section 3.5", hint=hint
    )
