"""Messages: composing one from a URL, converting it to octets, and checking the octets that will be sent.

A header is parsed again after it was written: `email` does not always write a text as one field with that text.
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
from urlschemes_mailto.addresses import address_of, envelope_address, join_address
from urlschemes_mailto.envelope import Submission

if TYPE_CHECKING:
    from email.message import Message

__all__ = ["compose", "message_octets", "relay_address", "submission_of"]

MAX_LINE = 998
"""Octets in a line without its CR LF (RFC 5322 section 2.1.1)."""
SUBMISSION_PORT = 587
"""The default port of a relay (RFC 6409 section 3.1)."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_NOT_TEXT = re.compile("[\x00\ud800-\udfff]")
_FURTHER_RECIPIENTS = ("Cc", "Bcc", "Resent-To", "Resent-Cc", "Resent-Bcc")
_ADDRESS_FIELDS = frozenset({"to", "from", "sender", "reply-to"})


class _Policy(EmailPolicy):
    """The SMTP policy for 7-bit lines. Addresses are not folded: a long quoted one would lose its quotation marks."""

    def fold(self, name: str, value: Any) -> str:
        folded: str = super(_Policy, self._for(name)).fold(name, value)
        return folded

    def fold_binary(self, name: str, value: Any) -> bytes:
        return super(_Policy, self._for(name)).fold_binary(name, value)

    def _for(self, name: str) -> _Policy:
        return self.clone(max_line_length=MAX_LINE) if name.lower() in _ADDRESS_FIELDS else self


POLICY = _Policy(linesep="\r\n", cte_type="7bit")


# Composing a message --------------------------------------------------------------------------------------------------


def compose(url: MailtoURL | str, *, subject: str = "", body: str = "", sender: str | None = None) -> EmailMessage:
    """Return a message to the address of `url`: a standard EmailMessage, to which more can be added.

    `sender` is its author, `ann@host.dom` or `Ann <ann@host.dom>`; without it there is no From yet. Raise InvalidURL;
    UnsafeURL if address, subject, body or sender cannot be sent unchanged.
    """
    message = EmailMessage(POLICY)
    _add_field(message, "To", address_of(url if isinstance(url, MailtoURL) else MailtoURL.parse(url)), "address")
    if sender is not None:
        _add_field(message, "From", sender, "sender")
    if subject := subject.strip():
        _add_field(message, "Subject", subject, "subject")
    message["Date"] = format_datetime(datetime.now(UTC))
    if sender is not None:
        # Without a sender the relay adds the Message-ID: it would contain the name of this machine.
        domain = _only_address(message, "From", "sender").rpartition("@")[2]
        message["Message-ID"] = f"<{secrets.token_hex(16)}@{domain}>"
    if match := _NOT_TEXT.search(body):
        raise UnsafeURL(
            f"the body contains {match[0]!a}, which is not text", part="body", section="RFC 2045 section 2.7"
        )
    message.set_content(body)
    return message


def _add_field(message: EmailMessage, name: str, value: str, part: str) -> None:
    """Add a field if it will be read back as one field with this value. Raise UnsafeURL."""
    if match := _CONTROL.search(value):
        raise UnsafeURL(
            f"the {part} contains {match[0]!a}, which could end the line and begin another header field",
            part=part,
            section="RFC 822 section 3.1",
        )
    trial = EmailMessage(POLICY)
    try:
        trial[name] = value
        octets = trial.as_bytes()
        parsed = _parse_header(octets)
        # An address cannot be encoded like a text: it must stand in the field unchanged.
        same = octets == f"{name}: {value}\r\n\r\n".encode() if part == "address" else str(parsed[name]) == value
        faithful = same and parsed.keys() == [name]
    except Exception:  # noqa: BLE001  `email` raises many types for what it cannot write
        faithful = False
    if not faithful:
        raise UnsafeURL(f"the {part} '{one_line(value, 80)}' would be read back as a different text", part=part)
    message[name] = value


# Converting it to octets ----------------------------------------------------------------------------------------------


def message_octets(message: EmailMessage, sender: str | None = None) -> bytes:
    """Return the octets of a message. `sender`, an address, becomes its From if it has none.

    Raise UnsafeURL if it cannot be converted, or would be read back as a different message.
    """
    try:
        octets = message.as_bytes(policy=POLICY)
        names = [name.lower() for name in _parse_header(_header_of(octets))]
    except Exception as error:
        raise UnsafeURL(
            f"the message cannot be converted to octets: {one_line(str(error), 120)}", part="message"
        ) from error
    if names != [name.lower() for name in message]:
        raise UnsafeURL("a header field of the message would be read back as several fields", part="message")
    if sender is None or "from" in names:
        return octets
    return b"From: " + envelope_address(sender, "sender").encode("ascii") + b"\r\n" + octets


# Checking the octets that will be sent --------------------------------------------------------------------------------


def submission_of(message: bytes, *, relay: str, sender: str | None = None) -> Submission:
    """Return the message in its envelope. `sender` is an address; by default that of the header.

    Raise UnsafeURL for a message that cannot be sent unchanged; UnsupportedOperation without a relay, or if the message
    has not exactly one recipient and one sender.
    """
    host, port = relay_address(relay)
    if not isinstance(message, bytes):
        raise UnsupportedOperation(
            f"the option message must be bytes, not {type(message).__name__}",
            part="message",
            hint="urlschemes_mailto.send accepts an EmailMessage",
        )
    octets = _with_line_ends(message)
    header = _checked_header(octets)
    recipient = _only_address(header, "To", "recipient")
    for name in _FURTHER_RECIPIENTS:
        if name in header:
            raise _not_one("recipient", f"the message has a field {name}")
    if sender is None:
        sender = _only_address(header, "Sender" if "Sender" in header else "From", "sender")
    return Submission(envelope_address(sender, "sender"), recipient, f"{host}:{port}", octets)


def relay_address(relay: str) -> tuple[str, int]:
    """Return host and port of a relay, written `host` or `host:port`. Raise UnsafeURL, UnsupportedOperation."""
    if not relay:
        raise UnsupportedOperation(
            "a mailto URL names no relay, and the option relay is not set", hint='pass relay="host:port"'
        )
    return server_address(relay, SUBMISSION_PORT, option="relay")


def _with_line_ends(octets: bytes) -> bytes:
    """Return `octets` with each line ended by CR LF. Large messages mostly are so already, and are not copied."""
    if not octets.count(b"\r\n") == octets.count(b"\r") == octets.count(b"\n"):
        octets = octets.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\n", b"\r\n")
    return octets if octets.endswith(b"\r\n") else octets + b"\r\n"


def _header_of(octets: bytes) -> bytes:
    """Return the header of a message, with the empty line after it."""
    end = octets.find(b"\r\n\r\n")
    return octets if end < 0 else octets[: end + 4]


def _has_long_line(octets: bytes) -> bool:
    """Return True if a line, ended by CR LF, has more than MAX_LINE octets. The time is linear in the octets."""
    start, longest = 0, MAX_LINE + 2
    while len(octets) - start > longest:
        start = octets.rfind(b"\n", start, start + longest) + 1
        if not start:
            return True
    return False


def _checked_header(octets: bytes) -> Message[Any, Any]:
    """Return the header of a message that can be sent unchanged. Raise UnsafeURL for any other."""

    def unsafe(problem: str, section: str) -> UnsafeURL:
        return UnsafeURL(f"the message {problem}", part="message", section=section)

    if b"\0" in octets:
        raise unsafe("contains a NUL", "RFC 2045 section 2.7")
    if _has_long_line(octets):
        raise unsafe(f"has a line of more than {MAX_LINE} octets", "RFC 5322 section 2.1.1")
    header_octets = _header_of(octets)
    if not header_octets.isascii():
        raise unsafe("has a header that is not US-ASCII", "RFC 5322 section 2.2")
    header = _parse_header(header_octets)
    if header.defects or header.get_unixfrom() is not None:
        raise unsafe("does not begin with a header", "RFC 5322 section 2.2")
    return header


def _parse_header(octets: bytes) -> Message[Any, Any]:
    return BytesHeaderParser(policy=SMTP).parsebytes(octets)


def _only_address(header: Message[Any, Any], name: str, part: str) -> str:
    """Return the one address in the one field `name`. Raise UnsafeURL, UnsupportedOperation."""
    fields = header.get_all(name, [])
    if len(fields) != 1 or not isinstance(fields[0], AddressHeader):
        raise _not_one(part, f"the message has {len(fields)} fields {name}")
    field: Any = fields[0]
    if field.groups and field.groups[0].display_name is not None:
        raise _not_one(part, f"its field {name} names a group")
    if len(field.addresses) != 1:
        raise _not_one(part, f"its field {name} names {len(field.addresses)} addresses")
    if not all(isinstance(defect, ObsoleteHeaderDefect) for defect in field.defects):
        raise UnsafeURL(f"invalid address '{one_line(str(field), 80)}' in the field {name}", part=part)
    (address,) = field.addresses
    return join_address(address.username, address.domain, part)


def _not_one(part: str, problem: str) -> UnsupportedOperation:
    hint = "send it to each recipient separately" if part == "recipient" else "pass an address as sender="
    return UnsupportedOperation(
        f"expected exactly one {part}, but {problem}", part=part, section="RFC 1738 section 3.5", hint=hint
    )
