"""Mailboxes: what stands between the brackets of `MAIL FROM:<>` and `RCPT TO:<>` (RFC 5321 section 4.1.2).

RFC 822 writes one address in many ways, `"joe"@host.dom` and `joe@host.dom`; in an envelope it is written in the way
that has the fewest quotation marks. What RFC 822 derives and no envelope can carry is refused.
"""

from __future__ import annotations

import re

from urlschemes.errors import InvalidURL, UnsafeURL
from urlschemes.redaction import one_line
from urlschemes_mailto import MailtoURL, registration

__all__ = ["mailbox", "mailbox_of", "spelt"]

MOST = 254
"""Octets of a mailbox: 256 of a path, without its brackets (RFC 5321 section 4.5.3.1.3)."""
SECTION = "RFC 5321 section 4.1.2"

_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|([^"]+)', re.DOTALL)
_QUOTED_PAIR = re.compile(r"\\(.)", re.DOTALL)
_DOT_STRING = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_PRINTABLE = re.compile(r"[ -~]*")
# The name of a host, with the underscore that some have; or a literal, which holds nothing that could end the path.
_DOMAIN = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*|\[[!-;=?-Z^-~]+\]")


def mailbox_of(url: MailtoURL) -> str:
    """The mailbox that `url` names. Raises UnsafeURL.

    What the record warns of is refused: whoever wrote a bare `?` into an address, or `//` before it, meant another.
    """
    url.check_line()
    raw = str(url.raw["address"])
    for caution in registration.cautions:
        if any(caution.spans(raw, 0, len(raw))):
            raise UnsafeURL(
                caution.message, scheme=url.scheme, part=caution.part, section=caution.section, hint=caution.hint
            )
    return _mailbox(url, "address")


def mailbox(address: str, part: str) -> str:
    """The mailbox of an address that a caller gave as the `part` of an envelope. Raises UnsafeURL."""
    try:
        url = MailtoURL(address=address)
    except InvalidURL as error:
        raise UnsafeURL(f"the {part} '{one_line(address, 80)}' is no address", part=part, section=SECTION) from error
    return _mailbox(url, part)


def _mailbox(url: MailtoURL, part: str) -> str:
    """The local part is words with dots between them, some of them quoted."""
    words = (word.groups() for word in _WORD.finditer(url.local_part))
    return spelt("".join(bare or _QUOTED_PAIR.sub(r"\1", quoted) for quoted, bare in words), url.domain, part)


def spelt(local_part: str, domain: str, part: str) -> str:
    """The mailbox of a local part, without quotation marks, and a domain. Raises UnsafeURL."""
    why = None
    if not _PRINTABLE.fullmatch(local_part):
        why = "its local part holds what is not printable US-ASCII"
    elif not _DOMAIN.fullmatch(domain):
        why = "its domain is neither the name of a host nor an address in brackets"
    if not _DOT_STRING.fullmatch(local_part):
        local_part = '"' + local_part.replace("\\", "\\\\").replace('"', '\\"') + '"'
    address = f"{local_part}@{domain}"
    if len(address) > MOST:
        why = f"it is longer than {MOST} octets"
    if why is not None:
        raise UnsafeURL(
            f"the {part} '{one_line(address, 80)}' cannot stand in an envelope: {why}", part=part, section=SECTION
        )
    return address
