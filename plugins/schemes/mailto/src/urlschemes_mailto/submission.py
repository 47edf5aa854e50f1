"""What is submitted, and what becomes of it."""

from __future__ import annotations

from dataclasses import dataclass

from urlschemes.redaction import one_line, shown
from urlschemes_access.attributes import Attributes

__all__ = ["Delivery", "RecipientOutcome", "Submission"]


@dataclass(frozen=True, slots=True)
class Submission:
    """A message in its envelope, as it will be sent (RFC 5321 section 2.3.1): what a person must see before it is.

    `relay` is `host:port`. `message` holds the octets, header and body, with CR LF behind every line. As a text it is
    safe to print.
    """

    sender: str
    recipient: str
    relay: str
    message: bytes

    def __str__(self) -> str:
        envelope = (f"from  {self.sender}", f"to    {self.recipient}", f"by    {self.relay}")
        message = self.message.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
        return "\n".join(map(one_line, envelope)) + f"\n\n{shown(message)}"


@dataclass(frozen=True, slots=True)
class RecipientOutcome:
    """What the relay said last of one recipient: `status` is the code of its reply, `text` the words."""

    recipient: str
    status: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Delivery(Attributes):
    """A message that the relay took. It is the relay's from now on, which may still fail to deliver it.

    `outcomes` has one for each recipient. `size` counts the octets of the message; `fields` holds the replies by what
    they answer.
    """

    sender: str
    relay: str
    outcomes: tuple[RecipientOutcome, ...]
