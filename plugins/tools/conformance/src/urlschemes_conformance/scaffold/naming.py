"""What a new scheme may be called, what its distribution and package are called then, and what is known of the name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from urlschemes.errors import RegistrationError
from urlschemes.grammar.octets import SCHEME_NAME
from urlschemes.registry.claims import SCHEMES, distribution_key
from urlschemes.registry.known_names import (
    attribution,
    core_ledger,
    install_command,
    known_names,
    merged,
    reserved_names,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes.registry.known_names import KnownName
    from urlschemes.registry.registry import Registry

__all__ = ["Naming", "naming_of", "registered_as", "remarks"]

EXPERIMENTAL = "x-"


@dataclass(frozen=True, slots=True)
class Naming:
    """The names of a scheme and of what it is made of."""

    asked: str
    """What was asked for."""
    scheme: str
    status: str
    """`experimental` with an `x-`, else `provisional`."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the scheme's name, in which a distribution and a package can be named after it."""
        return tuple(re.findall("[a-z0-9]+", self.scheme.replace("+", "-plus-")))

    @property
    def distribution(self) -> str:
        """The name of the distribution: `urlschemes-x-foo`."""
        return "-".join(("urlschemes", *self.words))

    @property
    def package(self) -> str:
        """The name of its package: `urlschemes_x_foo`."""
        return self.distribution.replace("-", "_")

    @property
    def stem(self) -> str:
        """The scheme's name as files and rules bear it: `x_foo`."""
        return "_".join(self.words)

    @property
    def url_type(self) -> str:
        """The name of the type of its URLs: `FooURL`."""
        words = self.words[1:] if self.status == "experimental" and self.words[1][0].isalpha() else self.words
        return "".join(word.capitalize() for word in words) + "URL"


def naming_of(name: str, *, registered: bool = False) -> Naming:
    """How a scheme called `name` is named: with an `x-` (RFC 1738 section 4), unless it is to be `registered`.

    Raises RegistrationError where no scheme can have that name, or this one must not.
    """
    if SCHEME_NAME.fullmatch(name) is None:
        near = "-".join(re.findall("[a-z0-9][a-z0-9+.]*", name.lower())) if name.isascii() else ""
        raise RegistrationError(
            f"no scheme can be called {name!r}: a name is made of letters, digits, +, - and . (RFC 1738 section 2.1)",
            field="scheme",
            hint=f"for example {near or 'tide'}",
        )
    scheme = name.lower()
    if registered and scheme.startswith(EXPERIMENTAL):
        raise RegistrationError(
            f"{scheme} cannot be registered: names with x- are for experiments (RFC 1738 section 4)",
            field="scheme",
            hint=f"leave out --registered, or the x-: {scheme.removeprefix(EXPERIMENTAL)}",
        )
    if not registered and not scheme.startswith(EXPERIMENTAL):
        scheme = EXPERIMENTAL + scheme
    naming = Naming(name, scheme, "provisional" if registered else "experimental")
    if not scheme[0].isalpha() or len(naming.words) < (1 if registered else 2):
        raise RegistrationError(
            f"no distribution and no type of URLs can be named after {scheme}",
            field="scheme",
            hint="let it begin with a letter, as RFC 3986 section 3.1 asks"
            + (", also behind the x-" * (not registered)),
        )
    return naming


def registered_as(naming: Naming, registry: Registry) -> KnownName | None:
    """What the registers say of a name without `x-`: those that are installed first, then the core's own ledger.

    That one knows of the names that RFC 1738 reserves where they are reserved, not where they are defined.
    """
    if naming.status == "experimental":
        return None
    own = core_ledger()
    registers = [each for each in registry.ledgers() if each != own]
    return merged((*registers, own)).get(naming.scheme)


def remarks(naming: Naming, registry: Registry) -> tuple[str, ...]:
    """What is known of the name, here and in the ledgers that are installed, and what to do about it.

    Raises RegistrationError where the name belongs to another distribution, so that a new one could never provide it.
    """
    return tuple(_remarks(naming, registry))


def _remarks(naming: Naming, registry: Registry) -> Iterator[str]:
    scheme, bare = naming.scheme, naming.scheme.removeprefix(EXPERIMENTAL)
    known, own = registry.known_names().get(bare), known_names().get(scheme)
    experimental = naming.status == "experimental"
    if naming.asked.lower() != scheme:
        yield f"it is called {scheme}: names without x- are for schemes that are registered (RFC 1738 section 4)"
    if own is not None and own.distribution:
        raise RegistrationError(
            f"the name {scheme} belongs to {own.distribution}: no other distribution can provide it",
            scheme=scheme,
            field="scheme",
            hint=f"for an experiment take {EXPERIMENTAL}{scheme}, or a name of your own",
        )
    if known is not None:
        found = install_command(bare) or attribution(bare, registry.ledgers())
        facts = ", ".join(filter(None, (known.means, known.status, known.reference, known.since, found)))
        if experimental:
            yield f"{bare} is the name of a scheme already ({facts}): if yours is another, choose another name"
        else:
            yield (
                f"{bare} is the name of a scheme already ({facts}): what is made here has a syntax of its own, to be "
                "replaced by that of its definition before anybody else gets it"
            )
    elif not experimental:
        asked = "" if len(registry.ledgers()) > 1 else f"; {reserved_names().iana} tells whether IANA has it: if not,"
        yield (
            f"no ledger that is installed knows {scheme}{asked or ':'} have it registered with IANA (RFC 7595 section "
            "7.2) before anybody else gets it"
        )
    for claim in registry.claims():
        if claim.group == SCHEMES and claim.name == scheme:
            if distribution_key(claim.distribution) == naming.distribution:
                yield f"{claim.provider} is installed here and provides {scheme}: to install the new one replaces it"
            else:
                yield (
                    f"{claim.provider} is installed here and provides {scheme}: beside the new one neither is used "
                    f"until one is chosen: uninstall it, or --pin {scheme}={naming.distribution}; or take another name"
                )
