"""Messages: composing one from a URL, converting it to octets, and checking the octets that will be sent.

A header is parsed again after it was written: `email` does not always write a text as one field with that text.
"""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime
from email.errors import MultipartInvariantViolationDefect
from email.headerregistry import AddressHeader
from email.message import EmailMessage, Message
from email.parser import HeaderParser
from email.policy import SMTPUTF8, EmailPolicy
from email.utils import format_datetime, parseaddr
from types import NoneType
from typing import Any

from urlschemes import URL, Registry, default_registry
from urlschemes.errors import UnsafeURL, UnsupportedOperation, require_type
from urlschemes.redaction import one_line
from urlschemes_access.protocol import server_address
from urlschemes_mailto.addresses import envelope_address, join_address, mailboxes_in
from urlschemes_mailto.envelope import Submission
from urlschemes_mailto.header_fields import CONTROL, IDENTIFIERS, TEXTS, field_text, recipients_of
from urlschemes_mailto.url_types import MailURL

__all__ = ["compose", "message_octets", "relay_address", "submission_of"]

MAX_LINE = 998
"""Octets in a line without its CR LF (RFC 5322 section 2.1.1)."""
SUBMISSION_PORT = 587
"""The default port of a relay (RFC 6409 section 3.1)."""
MAX_RECIPIENTS = 100
"""Recipients that every relay accepts (RFC 5321 section 4.5.3.1.8)."""

_NOT_TEXT = re.compile("[\x00\ud800-\udfff]")
_HIDDEN_RECIPIENTS = ("Bcc", "Resent-To", "Resent-Cc", "Resent-Bcc")
_ADDRESSES = ("From", "Sender", "Reply-To", "To", "Cc")
_VERBATIM = frozenset({"to", "cc", *map(str.lower, IDENTIFIERS)})
_NOT_FOLDED = frozenset({*_VERBATIM, "from", "sender", "reply-to"})


class _Policy(EmailPolicy):
    """The SMTP policy for 7-bit lines.

    Addresses and identifiers are folded only if they must be: a long quoted address would lose its quotation marks.
    """

    def fold(self, name: str, value: Any) -> str:
        folded: str = super(_Policy, self._for(name)).fold(name, value)
        return folded

    def fold_binary(self, name: str, value: Any) -> bytes:
        return super(_Policy, self._for(name)).fold_binary(name, value)

    def _for(self, name: str) -> _Policy:
        return self.clone(max_line_length=MAX_LINE) if name.lower() in _NOT_FOLDED else self


POLICY = _Policy(linesep="\r\n", cte_type="7bit")
INTERNATIONAL = POLICY.clone(utf8=True)
"""The policy for messages to or from an address that is not US-ASCII, whose header is UTF-8 (RFC 6532)."""


# Composing a message --------------------------------------------------------------------------------------------------


def compose(
    url: URL | str,
    *,
    subject: str | None = None,
    body: str | None = None,
    sender: str | None = None,
    registry: Registry | None = None,
) -> EmailMessage:
    """Return a message to the addresses of `url`: a standard EmailMessage, to which more can be added.

    A str is parsed by `registry` (default: that of the process); `Registry(profile="rfc3986")` reads header fields.
    `subject` and `body` are by default those of the URL, if its profile has header fields. Of these, To, Cc, Keywords,
    In-Reply-To and References are used, too; `unused_fields` names the others. `sender` is the author, `ann@host.dom`
    or `Ann <ann@host.dom>`; without it there is no From yet. Raise InvalidURL and UnknownScheme; UnsafeURL if an
    address, field, body or sender cannot be sent unchanged; UnsupportedOperation for a group of addresses.
    """
    for name, given in (("subject", subject), ("body", body), ("sender", sender)):
        require_type(name, given, str, NoneType)
    if not isinstance(url, MailURL):
        require_type("registry", registry, Registry, NoneType)
        schemes = default_registry if registry is None else registry
        url = schemes.parse(str(url) if isinstance(url, URL) else url, MailURL)  # type: ignore[type-abstract]  # it is only compared
    recipients = recipients_of(url)
    addresses = (*recipients.to, *recipients.cc, parseaddr(sender or "")[1])
    message = EmailMessage(POLICY if "".join(addresses).isascii() else INTERNATIONAL)
    _add_field(message, "To", ", ".join(recipients.to), "address")
    _add_field(message, "Cc", ", ".join(recipients.cc), "cc")
    if sender is not None:
        _add_field(message, "From", sender, "sender", required=True)
    own = {} if subject is None else {"Subject": subject}
    for name in (*TEXTS, *IDENTIFIERS):
        text = own[name] if name in own else field_text(url, name)
        _add_field(message, name, text.strip(), name.lower())
    message["Date"] = format_datetime(datetime.now(UTC))
    if sender is not None:
        # Without a sender the relay adds the Message-ID: it would contain the name of this machine.
        domain = _only_address(message, "From", "sender").rpartition("@")[2]
        message["Message-ID"] = f"<{secrets.token_hex(16)}@{domain}>"
    text = field_text(url, "body") if body is None else body
    if match := _NOT_TEXT.search(text):
        raise UnsafeURL(
            f"the body contains {match[0]!a}, which is not text", part="body", section="RFC 2045 section 2.7"
        )
    message.set_content(text)
    return message


def _add_field(message: EmailMessage, name: str, value: str, part: str, *, required: bool = False) -> None:
    """Add a field, unless it is empty, if it will be read back as one field with this value. Raise UnsafeURL."""
    if not value and not required:
        return
    if match := CONTROL.search(value):
        raise UnsafeURL(
            f"the {part} contains {match[0]!a}, which could end the line and begin another header field",
            part=part,
            section="RFC 822 section 3.1",
        )
    trial = EmailMessage(message.policy)
    try:
        trial[name] = value
        octets = trial.as_bytes()
        parsed = _parse_header(octets)
        # Addresses and identifiers cannot be encoded like a text: they must stand in the field unchanged.
        unfolded = octets.replace(b"\r\n", b"")
        same = unfolded == f"{name}: {value}".encode() if name.lower() in _VERBATIM else str(parsed[name]) == value
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
    if not isinstance(message, Message):
        kind = type(message).__name__  # type: ignore[unreachable]  # a caller without types
        hint = "compose(url) makes one of a mailto URL"
        raise UnsafeURL(f"the message must be an EmailMessage, not {kind}", part="message", hint=hint)
    try:
        fields = (field for name in _ADDRESSES for field in message.get_all(name, ()))
        names = [each.username for field in fields for each in getattr(field, "addresses", ())]
        octets = message.as_bytes(policy=POLICY if "".join(names).isascii() else INTERNATIONAL)
        names = [name.lower() for name in _parse_header(_header_of(octets))]
    except Exception as error:
        raise UnsafeURL(
            f"the message cannot be converted to octets: {one_line(str(error), 120)}", part="message"
        ) from error
    if names != [name.lower() for name in message]:
        raise UnsafeURL("a header field of the message would be read back as several fields", part="message")
    if sender is None or "from" in names:
        return octets
    return b"From: " + envelope_address(sender, "sender").encode() + b"\r\n" + octets


# Checking the octets that will be sent --------------------------------------------------------------------------------


def submission_of(message: bytes, *, relay: str, sender: str | None = None) -> Submission:
    """Return the message in its envelope. `sender` is an address; by default that of the header.

    Raise UnsafeURL for a message that cannot be sent unchanged; UnsupportedOperation without a relay, or if the message
    has no recipient, hidden ones or too many, or not exactly one sender.
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
    recipients = _recipients(header)
    if sender is None:
        sender = _only_address(header, "Sender" if "Sender" in header else "From", "sender")
    return Submission(envelope_address(sender, "sender"), recipients, f"{host}:{port}", octets)


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
    try:
        header = _parse_header(header_octets)
    except UnicodeDecodeError:
        raise unsafe("has a header that is not UTF-8", "RFC 6532 section 3.1") from None
    # Python 3.11.2 misses the body of a multipart message, which is not here.
    defects = [each for each in header.defects if not isinstance(each, MultipartInvariantViolationDefect)]
    if defects or header.get_unixfrom() is not None:
        raise unsafe("does not begin with a header", "RFC 5322 section 2.2")
    return header


def _parse_header(octets: bytes) -> Message[Any, Any]:
    return HeaderParser(policy=SMTPUTF8).parsestr(octets.decode())


def _recipients(header: Message[Any, Any]) -> tuple[str, ...]:
    """Return the addresses in To and Cc, each once. Raise UnsafeURL, UnsupportedOperation."""
    hidden = [name for name in _HIDDEN_RECIPIENTS if name in header]
    found = tuple(dict.fromkeys(each for name in ("To", "Cc") for each in _addresses(header, name, "recipient")))
    problem = f"it has a field {hidden[0]}" if hidden else None
    if not found:
        problem = "it has no recipient"
    elif len(found) > MAX_RECIPIENTS:
        problem = f"it has {len(found)} recipients, and at most {MAX_RECIPIENTS} are allowed"
    if problem is not None:
        raise UnsupportedOperation(
            f"the message cannot be sent: {problem}",
            part="recipient",
            hint="name the recipients in To and Cc; send it to others separately",
        )
    return found


def _only_address(header: Message[Any, Any], name: str, part: str) -> str:
    """Return the one address in the one field `name`. Raise UnsafeURL, UnsupportedOperation."""
    found = _addresses(header, name, part)
    if len(found) != 1:
        raise UnsupportedOperation(
            f"expected exactly one {part}, but the field {name} of the message names {len(found)} addresses",
            part=part,
            hint=f"pass an address as {part}=",
        )
    return found[0]


def _addresses(header: Message[Any, Any], name: str, part: str) -> tuple[str, ...]:
    """Return the addresses in the one field `name`; none without one. Raise UnsafeURL, UnsupportedOperation."""
    fields = header.get_all(name, [])
    if len(fields) > 1 or not all(isinstance(field, AddressHeader) for field in fields):
        raise UnsupportedOperation(f"the message has {len(fields)} fields {name}: expected one", part=part)
    mailboxes = (mailbox for field in fields for mailbox in mailboxes_in(field, part))
    return tuple(join_address(each.username, each.domain, part) for each in mailboxes)
