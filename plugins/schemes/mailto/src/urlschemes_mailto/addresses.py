"""Addresses as SMTP envelopes write them: in `MAIL FROM:<>` and `RCPT TO:<>` (RFC 5321 section 4.1.2).

RFC 822 writes one address in many ways, such as `"joe"@host.dom` and `joe@host.dom`; an envelope has the one with the
fewest quotation marks. Addresses that RFC 822 derives and no envelope can carry are refused.
"""

from __future__ import annotations

import re

from urlschemes.errors import InvalidURL, UnsafeURL
from urlschemes.redaction import one_line
from urlschemes_mailto import MailtoURL, registration

__all__ = ["address_of", "envelope_address", "join_address"]

MAX_ADDRESS = 254
"""Octets in an address: 256 in a path, without its brackets (RFC 5321 section 4.5.3.1.3)."""
SECTION = "RFC 5321 section 4.1.2"

_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|([^"]+)', re.DOTALL)
_QUOTED_PAIR = re.compile(r"\\(.)", re.DOTALL)
_DOT_STRING = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_PRINTABLE = re.compile(r"[ -~]*")
# A host name, with the underscore that some have; or a literal without anything that could end the path.
_DOMAIN = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*|\[[!-;=?-Z^-~]+\]")


def address_of(url: MailtoURL) -> str:
    """Return the envelope address that `url` names.

    Raise UnsafeURL if no envelope can carry it, and for what the record warns of: the author of an address that
    contains `?` or begins with `//` meant another one.
    """
    url.check_line()
    raw = str(url.raw["address"])
    for caution in registration.cautions:
        if any(caution.spans(raw, 0, len(raw))):
            raise UnsafeURL(
                caution.message, scheme=url.scheme, part=caution.part, section=caution.section, hint=caution.hint
            )
    return _without_quotes(url, "address")


def envelope_address(address: str, part: str) -> str:
    """Return the envelope address for an address that the caller passed as `part`. Raise UnsafeURL."""
    try:
        url = MailtoURL(address=address)
    except InvalidURL as error:
        raise UnsafeURL(
            f"invalid {part} '{one_line(address, 80)}': expected an address", part=part, section=SECTION
        ) from error
    return _without_quotes(url, part)


def _without_quotes(url: MailtoURL, part: str) -> str:
    """Join the words of the local part, separated by dots and partly quoted, without their quotation marks."""
    words = (word.groups() for word in _WORD.finditer(url.local_part))
    local_part = "".join(plain or _QUOTED_PAIR.sub(r"\1", quoted) for quoted, plain in words)
    return join_address(local_part, url.domain, part)


def join_address(local_part: str, domain: str, part: str) -> str:
    """Return the envelope address of a local part without quotation marks and a domain. Raise UnsafeURL."""
    problem = None
    if not _PRINTABLE.fullmatch(local_part):
        problem = "its local part is not printable US-ASCII"
    elif not _DOMAIN.fullmatch(domain):
        problem = "its domain is neither a host name nor an address in brackets"
    if not _DOT_STRING.fullmatch(local_part):
        local_part = '"' + local_part.replace("\\", "\\\\").replace('"', '\\"') + '"'
    address = f"{local_part}@{domain}"
    if len(address) > MAX_ADDRESS:
        problem = f"it is longer than {MAX_ADDRESS} octets"
    if problem is not None:
        raise UnsafeURL(
            f"the {part} '{one_line(address, 80)}' is not allowed in an SMTP envelope: {problem}",
            part=part,
            section=SECTION,
        )
    return address
