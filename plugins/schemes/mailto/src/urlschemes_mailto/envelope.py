"""A message in its SMTP envelope, and its delivery to a relay."""

from __future__ import annotations

from dataclasses import dataclass

from urlschemes.redaction import one_line, shown
from urlschemes_access.attributes import Attributes

__all__ = ["Delivery", "RecipientOutcome", "Submission"]


@dataclass(frozen=True, slots=True)
class Submission:
    """A message in its envelope (RFC 5321 section 2.3.1): what a user must see before it is sent.

    `relay` is `host:port`. `message` holds the octets of header and body, each line ended by CR LF. `str` has all of
    it, safe to print.
    """

    sender: str
    recipients: tuple[str, ...]
    relay: str
    message: bytes

    @property
    def envelope(self) -> str:
        """Sender, recipients and relay, each on a line of its own, safe to print."""
        to = (f"to    {recipient}" for recipient in self.recipients)
        return "\n".join(map(one_line, (f"from  {self.sender}", *to, f"by    {self.relay}")))

    @property
    def is_international(self) -> bool:
        """True if an address or the header is not US-ASCII: such a message needs a relay with SMTPUTF8 (RFC 6531)."""
        header = self.message.partition(b"\r\n\r\n")[0]
        return not (header.isascii() and "".join((self.sender, *self.recipients)).isascii())

    def first_lines(self, most: int) -> tuple[str, int]:
        """Return at most `most` lines of the message, safe to print, and the number of lines left out."""
        *lines, rest = self.message.split(b"\r\n", most)
        text = b"\n".join(lines).decode("utf-8", "surrogateescape")
        return shown(text), rest.count(b"\r\n")

    def __str__(self) -> str:
        message = self.message.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
        return f"{self.envelope}\n\n{shown(message)}"


@dataclass(frozen=True, slots=True)
class RecipientOutcome:
    """The relay's last reply for one recipient: its code as `status`, and its text."""

    recipient: str
    status: int
    text: str

    @property
    def accepted(self) -> bool:
        """True if the relay accepted the message for this recipient."""
        return self.status // 100 == 2


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Delivery(Attributes):
    """A message that the relay accepted for at least one recipient. The relay may still fail to deliver it.

    `outcomes` has one outcome for each recipient. `size` counts the octets of the message; `fields` holds the replies,
    by the step that they answer.
    """

    sender: str
    relay: str
    outcomes: tuple[RecipientOutcome, ...]

    @property
    def refused(self) -> tuple[RecipientOutcome, ...]:
        """The outcomes of the recipients whom the relay refused: they do not get the message."""
        return tuple(outcome for outcome in self.outcomes if not outcome.accepted)
