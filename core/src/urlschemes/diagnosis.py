"""Who provides a scheme's name and why, and each claim looked at closely.

Words and facts only: which claims count is decided in `urlschemes.choice`, what is in use in `urlschemes.registry`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from urlschemes.beside import locate, read_beside
from urlschemes.choice import DISABLE
from urlschemes.claims import SCHEMES, Claim
from urlschemes.display import one_line
from urlschemes.registration import FILE

if TYPE_CHECKING:
    from urlschemes.scheme import Scheme

__all__ = ["TROUBLE", "Diagnosis", "Why", "examined", "examined_own", "why_installed", "why_own"]

TROUBLE = frozenset({"conflict", "reserved", "malformed", "broken"})
"""States of a claim that somebody has to do something about."""


class Why(NamedTuple):
    """Who provides a name, by which rule, who else wants it, and how to choose otherwise. Prints as several lines.

    `gateway` is the gateway that its URLs are reached through, and who says so; None where there is none.
    """

    name: str
    provider: str | None
    rule: str
    claims: tuple[Claim, ...]
    advice: str
    gateway: str | None = None

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.provider or 'nobody provides it'}", f"  because {self.rule}"]
        lines += [f"  claim: {claim}" for claim in self.claims]
        lines += [f"  gateway: {self.gateway}"] if self.gateway else []
        return "\n".join(one_line(line, 1000) for line in [*lines, f"  to choose otherwise: {self.advice}"])


def why_own(name: str, claims: tuple[Claim, ...], *, overridden: bool) -> Why:
    """Why the program itself provides the name: it has `overridden` it for a while, or registered it."""
    if overridden:
        return Why(name, "this program", "override(scheme) put it there for a while", claims, "leave its `with` block")
    return Why(name, "this program", "register(scheme) was called", claims, f"unregister({name!r})")


def why_installed(name: str, claims: tuple[Claim, ...], active: Claim, *, pinned: bool) -> Why:
    """Why it is `active`, of all the claims of the name, that counts."""
    if pinned:
        return Why(name, active.provider, "the name is pinned to it", claims, "pin another: Registry(pins={...})")
    rule = "no other distribution claims the name"
    if any(claim.state == "reserved" for claim in claims):
        rule = "the name is reserved to it"
    elif len(claims) > 1:
        rule = "the claims of other distributions do not count"
    advice = f"override(scheme), or switch it off: {DISABLE}={name}"
    return Why(name, active.provider, rule, claims, advice)


class Diagnosis(NamedTuple):
    """One claim, looked at closely.

    `file` is what would be imported for it, or the record where there is no code ("" where it cannot be found),
    `sha256` that file's hash, `seconds` how long the import took (None where nothing was imported). `changes` says in
    words what loading it changed for others in the process (None where it was not verified).
    """

    claim: Claim
    file: str = ""
    sha256: str = ""
    seconds: float | None = None
    changes: tuple[str, ...] | None = None

    @property
    def in_trouble(self) -> bool:
        """Whether somebody has to do something about it."""
        return self.claim.state in TROUBLE or bool(self.changes)


def examined(claim: Claim, seconds: float | None) -> Diagnosis:
    """The claim with its file, which is read and not executed."""
    from hashlib import sha256

    try:
        if claim.attribute or claim.group != SCHEMES:
            spec = locate(claim.module)
            file, read = spec.origin or "", getattr(spec.loader, "get_data", None)
            octets = read(file) if read else b""
        else:
            text, file = read_beside(claim.module, FILE)
            octets = text.encode()
    except Exception:  # noqa: BLE001  there may be nothing, or a finder of anybody's making
        return Diagnosis(claim)
    return Diagnosis(claim, file, sha256(octets).hexdigest(), seconds)


def examined_own(scheme: Scheme, reason: str) -> Diagnosis:
    """What stands in place of a claim for a scheme that the program registered itself."""
    kind = scheme.url_type
    claim = Claim(scheme.name, "(this program)", "", "", kind.__module__, kind.__qualname__)
    return Diagnosis(claim._replace(reason=reason))
