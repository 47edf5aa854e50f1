"""Checks of the name of the scheme, and of its status."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.registry.claims import SCHEMES, distribution_key
from urlschemes.registry.names import core_ledger, known_names
from urlschemes_conformance.review.catalogue import check
from urlschemes_conformance.review.verdicts import failed, passed, warned

if TYPE_CHECKING:
    from urlschemes.registry.claims import Claim
    from urlschemes.registry.registry import Registry
    from urlschemes_conformance.review.reviewed_scheme import ReviewedScheme
    from urlschemes_conformance.review.verdicts import Verdict

__all__: list[str] = []

_REGISTRABLE = re.compile(r"[a-z][a-z0-9+.\-]*")
_COMPETING = frozenset({"active", "shadowed", "conflict", "disabled", "broken"})
"""States of claims that compete for the name, or could."""


@check("name", "RFC 1738 section 2.1; RFC 3986 section 3.1; RFC 7595 section 3.8", of_new=True)
def name(scheme: ReviewedScheme) -> Verdict:
    """The name can be registered: a letter first, all in lower case, no dot except in a reversed domain name."""
    found = scheme.record.scheme
    if _REGISTRABLE.fullmatch(found) is None:
        return failed(
            f"{found!r} cannot be registered: since RFC 3986 a name begins with a letter",
            "begin the name with a letter",
        )
    if "." in found:
        return warned(
            f"{found!r} contains a dot, which is for reversed domain names such as com.example.thing",
            "remove the dot, unless you own the domain",
        )
    return passed(f"{found!r} can be registered")


@check("name-free", "RFC 1738 section 4; RFC 7595 sections 3.8 and 4")
def name_free(scheme: ReviewedScheme) -> Verdict:
    """No other installed distribution provides the name, and it is not reserved for another."""
    found, own = scheme.record.scheme, distribution_key(scheme.target.claim.distribution)
    others = _other_providers(found, scheme.target.claim, scheme.installed)
    reserved = known_names().get(found)
    if reserved is not None and own and reserved.distribution and distribution_key(reserved.distribution) != own:
        return failed(
            f"the name {found} is reserved for {reserved.distribution}",
            "choose another name; names with x- are for experiments",
        )
    if others and not own:
        return warned(
            f"{others[0]} provides {found}, and the record belongs to no distribution",
            "choose another name, unless the record is that of this distribution",
        )
    if others:
        return failed(
            f"{others[0]} provides {found} too, so that neither of them is used", "choose another name, or uninstall it"
        )
    if reserved is not None and not reserved.distribution:
        return warned(
            f"{reserved.reference} reserves {found} for {reserved.means}",
            "define the scheme for which the name is reserved, or choose another name",
        )
    return passed(f"no other installed distribution provides {found}")


def _other_providers(name: str, own: Claim, registry: Registry) -> list[str]:
    """Return who else provides the name. A plugin and a ledger are in no conflict: the plugin counts."""
    distribution = distribution_key(own.distribution)
    return sorted(
        {
            f"{claim.provider} in {claim.origin}"
            for claim in registry.claims()
            if claim.group == SCHEMES and claim.name == name and claim.state in _COMPETING
            if distribution_key(claim.distribution) != distribution and {*claim.records}.isdisjoint(own.records)
            if not distribution or claim.in_ledger == own.in_ledger
        }
    )


@check("status", "RFC 1738 section 4; RFC 7595 sections 3 to 5")
def status(scheme: ReviewedScheme) -> Verdict:
    """The status is experimental for names with x-, and that of IANA's registry for all others."""
    found = scheme.record
    if found.status == "experimental":
        return passed("experimental, as names with x- are")
    ledgers = [each for each in scheme.installed.ledgers() if each != core_ledger()]
    listed, source = scheme.listed or ("", ledgers[0].dated if ledgers else "")
    if not listed and not ledgers:
        return passed(f"{found.status}; urlschemes-iana is not installed, which could compare it with IANA's registry")
    if not listed and found.status == "provisional":
        return warned(
            f"the status is {found.status}, but {found.scheme} is not in {source}",
            "register the scheme with IANA: a provisional registration needs no standard (RFC 7595 section 4)",
        )
    if not listed:
        return failed(
            f"the status is {found.status}, but {found.scheme} is not in {source}",
            'write status = "provisional"',
        )
    if listed != found.status:
        return failed(
            f"the status is {found.status}, but {found.scheme} is {listed} in {source}",
            f'write status = "{listed}", or choose another name',
        )
    return passed(f"{found.status}, as in {source}")
