"""Addresses as SMTP envelopes write them: in `MAIL FROM:<>` and `RCPT TO:<>` (RFC 5321 section 4.1.2).

In a local part, characters outside US-ASCII stand where letters may stand (RFC 6531 section 3.3); a domain has its
IDNA form.

RFC 822 writes one address in many ways, such as `"joe"@host.dom` and `joe@host.dom`; an envelope has the one with the
fewest quotation marks. Addresses that RFC 822 derives and no envelope can carry are refused.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from urlschemes.errors import InvalidURL, UnsafeURL, UnsupportedOperation
from urlschemes.redaction import one_line
from urlschemes_mailto.url_types import MailtoURL

if TYPE_CHECKING:
    from urlschemes_mailto.url_types import MailURL

__all__ = ["addresses_of", "ascii_domain", "envelope_address", "join_address", "mailboxes_in"]

MAX_ADDRESS = 254
"""Octets in an address: 256 in a path, without its brackets (RFC 5321 section 4.5.3.1.3)."""
SECTION = "RFC 5321 section 4.1.2"

# The forms of SMTP, which are narrower than the addresses of either profile.
_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|([^"]+)', re.DOTALL)
_QUOTED_PAIR = re.compile(r"\\(.)", re.DOTALL)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\x80-\U0010ffff-]+"
_DOT_STRING = re.compile(rf"{_ATOM}(?:\.{_ATOM})*")
# A host name, with the underscore that some have; or a literal without anything that could end the path.
_DOMAIN = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*|\[[!-;=?-Z^-~]+\]")


def addresses_of(url: MailURL) -> tuple[str, ...]:
    """Return the envelope addresses that `url` names, without those in its header fields.

    Raise UnsafeURL if no envelope can carry one, and for what the record warns of, such as an address of RFC 1738 that
    contains `?` or begins with `//`, whose author meant another one.
    """
    url.check_line()
    for caution in url.registration.cautions if url.registration is not None else ():
        raw = url.raw[caution.part] or ()
        texts = [raw] if isinstance(raw, str) else map(str, raw)
        if any(any(caution.spans(text, 0, len(text))) for text in texts):
            raise UnsafeURL(
                caution.message, scheme=url.scheme, part=caution.part, section=caution.section, hint=caution.hint
            )
    return tuple(envelope_address(address, "address") for address in url.to)


def mailboxes_in(field: Any, part: str) -> tuple[Any, ...]:
    """Return the addresses, with `username` and `domain`, in a header field of addresses.

    Raise UnsafeURL for a field with mistakes, UnsupportedOperation for a group.
    """
    from email.errors import NonASCIILocalPartDefect, ObsoleteHeaderDefect  # it takes long to import

    if any(group.display_name is not None for group in field.groups):
        raise UnsupportedOperation(f"the field {field.name} names a group: expected addresses", part=part)
    if not all(isinstance(defect, ObsoleteHeaderDefect | NonASCIILocalPartDefect) for defect in field.defects):
        raise UnsafeURL(f"invalid address '{one_line(str(field), 80)}' in the field {field.name}", part=part)
    return tuple(field.addresses)


def ascii_domain(domain: str, part: str) -> str:
    """Return the domain in the form of IDNA 2008, if it is not US-ASCII (RFC 6068 section 2).

    Raise UnsafeURL for a domain that has no such form, UnsupportedOperation without the library idna.
    """
    if domain.isascii():
        return domain
    shown = one_line(domain, 80)
    try:
        import idna  # few addresses need it
    except ImportError:
        raise UnsupportedOperation(
            f"the domain '{shown}' is not US-ASCII, and the library idna is not installed",
            part=part,
            hint="pip install idna",
        ) from None
    try:
        return idna.encode(domain).decode("ascii")
    except UnicodeError as error:  # IDNAError is one
        problem = one_line(str(error), 80)
        raise UnsafeURL(
            f"'{shown}' is not an internationalized domain name: {problem}", part=part, section="RFC 5891 section 4"
        ) from None


def envelope_address(address: str, part: str) -> str:
    """Return the envelope address for an address, that of the URL or of another `part`.

    Raise UnsafeURL; UnsupportedOperation without the library idna.
    """
    local_part, _, domain = address.rpartition("@")
    domain = ascii_domain(domain, part)
    try:
        MailtoURL(address=f"{_NOT_ASCII.sub('a', local_part)}@{domain}")
    except InvalidURL as error:
        raise UnsafeURL(
            f"invalid {part} '{one_line(address, 80)}': expected an address", part=part, section=SECTION
        ) from error
    # The words of the local part are separated by dots and partly quoted.
    words = (word.groups() for word in _WORD.finditer(local_part))
    return join_address("".join(plain or _QUOTED_PAIR.sub(r"\1", quoted) for quoted, plain in words), domain, part)


def join_address(local_part: str, domain: str, part: str) -> str:
    """Return the envelope address of a local part without quotation marks and a domain. Raise UnsafeURL."""
    problem = None
    if not local_part.isprintable():
        problem = "its local part contains a character that cannot be printed"
    elif not _DOMAIN.fullmatch(domain):
        problem = "its domain is neither a host name nor an address in brackets"
    if not _DOT_STRING.fullmatch(local_part):
        local_part = '"' + local_part.replace("\\", "\\\\").replace('"', '\\"') + '"'
    address = f"{local_part}@{domain}"
    if len(address.encode("utf-8", "replace")) > MAX_ADDRESS:
        problem = f"it is longer than {MAX_ADDRESS} octets"
    if problem is not None:
        raise UnsafeURL(
            f"the {part} '{one_line(address, 80)}' is not allowed in an SMTP envelope: {problem}",
            part=part,
            section=SECTION,
        )
    return address
