"""Checks of the name, and of the status that goes with it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.errors import RegistrationError
from urlschemes.registry.claims import SCHEMES, distribution_key
from urlschemes.registry.known_names import core_ledger, known_names
from urlschemes.registry.registry import Registry
from urlschemes_conformance.review.catalogue import asks
from urlschemes_conformance.review.verdicts import failed, passed, warned

if TYPE_CHECKING:
    from urlschemes_conformance.review.subject import Subject
    from urlschemes_conformance.review.verdicts import Judgement

__all__: list[str] = []

_LEGAL = re.compile(r"[a-z][a-z0-9+.\-]*")


@asks("name", "RFC 1738 section 2.1; RFC 7595 section 3.8")
def name(subject: Subject) -> Judgement:
    """The name is a scheme name that can be registered: lower case, a letter first, no dot without a domain."""
    found = subject.record.scheme
    if _LEGAL.fullmatch(found) is None:
        return failed(
            f"{found!r} cannot be registered: since RFC 3986 a name begins with a letter", "begin it with a letter"
        )
    if "." in found:
        return warned(
            f"{found!r} has a dot, which is for names made of a domain, reversed: com.example.thing",
            "leave the dot out, unless the domain is yours",
        )
    return passed(f"{found!r} is a legal name")


@asks("name-free", "RFC 1738 section 4; RFC 7595 sections 3.8 and 4")
def name_free(subject: Subject) -> Judgement:
    """Nobody else has the name: no other installed distribution, and no one it is reserved to."""
    found, own = subject.record.scheme, distribution_key(subject.target.distribution)
    others = sorted(
        {
            f"{each.provider} in {each.origin}"
            for each in Registry().claims()
            if each.group == SCHEMES and each.name == found and distribution_key(each.distribution) != own
            if each.state not in {"malformed", "ignored", "reserved"}
        }
    )
    reserved = known_names().get(found)
    if reserved is not None and own and reserved.distribution and distribution_key(reserved.distribution) != own:
        return failed(
            f"the name {found} is reserved to {reserved.distribution}",
            "choose another name; x- names are for experiments",
        )
    if others and not own:
        return warned(
            f"the record belongs to no distribution, and {others[0]} provides {found}",
            "if it is not that one's record, choose another name",
        )
    if others:
        return failed(
            f"{others[0]} provides {found} as well, so that neither is used", "choose another name, or uninstall it"
        )
    if reserved is not None and not reserved.distribution:
        return warned(
            f"{reserved.reference} reserves {found} for {reserved.means}", "define just that, or choose another name"
        )
    return passed(f"nobody else provides {found}")


@asks("status", "RFC 1738 section 4; RFC 7595 sections 3 to 5")
def status(subject: Subject) -> Judgement:
    """The status agrees with the name: experimental for x- and for no other, else what IANA's registry says."""
    try:
        found = subject.read()
    except RegistrationError as error:
        if error.field == "status":
            return failed(error.message, "the status of an x- name is experimental, of no other name it is")
        found = subject.record  # raises Missing
    if found.status == "experimental":
        return passed("x- names are for experiments by mutual agreement")
    registers = [each for each in Registry().ledgers() if each != core_ledger()]
    known = {
        each.name: each for ledger in (*registers, core_ledger()) for each in reversed(ledger.names) if each.status
    }
    listed = known[found.scheme].status if found.scheme in known else ""
    if not listed and not registers:
        return passed(f"{found.status}; nothing is installed that knows IANA's registry (urlschemes-iana does)")
    if not listed and found.status == "provisional":
        return warned(
            f"{found.status}, and {registers[0].title} does not have {found.scheme}",
            "have it registered: a provisional registration needs no standard (RFC 7595 section 4)",
        )
    if listed != found.status:
        return failed(
            f"the record says {found.status}, and the registers {listed or 'do not have the name'}",
            f'write status = "{listed}", or choose another name' if listed else 'write status = "provisional"',
        )
    return passed(f"{found.status}, as the registers have it")
