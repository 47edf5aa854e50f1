"""The names of a new scheme, its distribution and its package, and what is known of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from urlschemes import default_registry
from urlschemes.errors import RegistrationError
from urlschemes.registry.claims import SCHEMES, distribution_key
from urlschemes.registry.names import core_ledger, known_names, merged, reserved_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes.registry.names import KnownName
    from urlschemes.registry.registry import Registry

__all__ = ["Naming", "name_notes", "naming_of", "registered_name"]

EXPERIMENTAL = "x-"


@dataclass(frozen=True, slots=True)
class Naming:
    """The names of a scheme and its distribution."""

    asked: str
    """The name that the user gave."""
    scheme: str
    status: str
    """`experimental` for names with `x-`, else `provisional`."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the scheme's name, of which the other names are made."""
        return tuple(re.findall("[a-z0-9]+", self.scheme.replace("+", "-plus-")))

    @property
    def distribution(self) -> str:
        """The name of the distribution, such as `urlschemes-x-foo`."""
        return "-".join(("urlschemes", *self.words))

    @property
    def package(self) -> str:
        """The name of the package, such as `urlschemes_x_foo`."""
        return self.distribution.replace("-", "_")

    @property
    def stem(self) -> str:
        """The scheme's name in names of files and rules, such as `x_foo`."""
        return "_".join(self.words)

    @property
    def url_type(self) -> str:
        """The name of the type of its URLs, such as `FooURL`."""
        words = self.words[1:] if self.status == "experimental" and self.words[1][0].isalpha() else self.words
        return "".join(word.capitalize() for word in words) + "URL"


def naming_of(name: str, *, registered: bool = False) -> Naming:
    """Return the names for a scheme called `name`: with an `x-` (RFC 1738 section 4), unless it is to be `registered`.

    Raises RegistrationError for a name that a scheme cannot have, or this one should not.
    """
    profile = default_registry.profile
    if not profile.is_scheme_name(name):
        near = "-".join(re.findall("[a-z0-9][a-z0-9+.]*", name.lower())) if name.isascii() else ""
        raise RegistrationError(
            f"invalid scheme name {name!r}: expected letters, digits, '+', '-' and '.' ({profile.section('scheme')})",
            field="scheme",
            hint=f"write a name such as {near or 'tide'}",
        )
    scheme = name.lower()
    if registered and scheme.startswith(EXPERIMENTAL):
        raise RegistrationError(
            f"{scheme} cannot be registered: names with x- are for experiments (RFC 1738 section 4)",
            field="scheme",
            hint=f"register {scheme.removeprefix(EXPERIMENTAL)}, or leave {scheme} unregistered",
        )
    if not registered and not scheme.startswith(EXPERIMENTAL):
        scheme = EXPERIMENTAL + scheme
    naming = Naming(name, scheme, "provisional" if registered else "experimental")
    if not scheme[0].isalpha() or len(naming.words) < (1 if registered else 2):
        hint = "begin the name with a letter (RFC 3986 section 3.1)" if registered else "write a name after the x-"
        raise RegistrationError(f"no distribution can be named after {scheme}", field="scheme", hint=hint)
    return naming


def registered_name(naming: Naming, registry: Registry) -> KnownName | None:
    """Return what the ledgers know of a name without `x-`; the core's own ledger counts last.

    That ledger says where RFC 1738 reserves a name, not where the scheme is defined.
    """
    if naming.status == "experimental":
        return None
    own = core_ledger()
    others = [each for each in registry.ledgers() if each != own]
    return merged((*others, own)).get(naming.scheme)


def name_notes(naming: Naming, registry: Registry) -> tuple[str, ...]:
    """Return notes on the name: what is known of it, here and in the installed ledgers, and what to do about that.

    Raises RegistrationError if the name is reserved for another distribution.
    """
    return tuple(_name_notes(naming, registry))


def _name_notes(naming: Naming, registry: Registry) -> Iterator[str]:
    scheme = naming.scheme
    reserved = known_names().get(scheme)
    if naming.asked.lower() != scheme:
        yield f"the scheme is named {scheme}, because names without x- must be registered (RFC 1738 section 4)"
    if reserved is not None and reserved.distribution:
        raise RegistrationError(
            f"the name {scheme} is reserved for {reserved.distribution}: no other distribution can provide it",
            scheme=scheme,
            field="scheme",
            hint=f"choose {EXPERIMENTAL}{scheme} for an experiment, or another name",
        )
    yield from _notes_of_ledgers(naming, registry)
    for claim in registry.claims():
        if claim.group != SCHEMES or claim.name != scheme or claim.in_ledger:
            continue
        if distribution_key(claim.distribution) == naming.distribution:
            yield f"{claim.provider} is installed and provides {scheme}: installing the new one replaces it"
        else:
            yield (
                f"{claim.provider} is installed and provides {scheme}: if both are installed, neither is used until "
                f"you uninstall it or choose one with --pin {scheme}={naming.distribution}"
            )


def _notes_of_ledgers(naming: Naming, registry: Registry) -> Iterator[str]:
    name = naming.scheme.removeprefix(EXPERIMENTAL)
    known = registry.known_names().get(name)
    if known is not None:
        sources = [each.dated for each in registry.ledgers() if any(other.name == name for other in each.names)]
        facts = ", ".join(filter(None, (known.means, known.status, known.reference)))
        facts = f"{facts}; listed in {' and '.join(sources)}"
        if naming.status == "experimental":
            yield (
                f"{name} without x- is another scheme ({facts}): choose another name, unless {naming.scheme} is an "
                f"experiment with it"
            )
        else:
            yield (
                f"{name} is the name of a scheme ({facts}): replace the syntax of the template by that of its "
                "definition before you publish the distribution"
            )
    elif naming.status != "experimental":
        if len(registry.ledgers()) > 1:
            yield f"{name} is in no installed ledger: register it with IANA before you publish (RFC 7595 section 7.2)"
        else:
            yield (
                f"{name} is in no installed ledger, and {reserved_names().iana}, which has IANA's registry, is not "
                "installed: register the name with IANA before you publish (RFC 7595 section 7.2)"
            )
