"""What one registry can say of itself: who provides a name and why, every claim, and each looked at closely."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from urlschemes.absence import absence
from urlschemes.beside import locate, read_beside, read_with
from urlschemes.choice import switch
from urlschemes.claims import SCHEMES, Claim
from urlschemes.diagnosis import Diagnosis, Why
from urlschemes.errors import PluginError
from urlschemes.ledger import known_names
from urlschemes.loading import record, used
from urlschemes.registration import FILE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from urlschemes.claims import State
    from urlschemes.configuration import Configuration
    from urlschemes.errors import PluginConflict, UnknownScheme
    from urlschemes.own import Deed, OwnSchemes
    from urlschemes.plugins import Plugins
    from urlschemes.scheme import Scheme

__all__ = ["Inspection"]

_MOST = 64 * 1024 * 1024
"""Octets that a file may have whose hash is worked out: enough for an extension module."""

# Why a scheme is the program's own, how to undo that, and what is said of the installed one that gives way to it.
_OWN: Mapping[Deed, tuple[str, str, str]] = {
    "registered": (
        "register(scheme) was called",
        "unregister({!r})",
        "the program registered a scheme of that name itself",
    ),
    "overridden": (
        "override(scheme) put it there for a while",
        "leave its `with` block",
        "the program overrides the scheme for a while",
    ),
}


@dataclass(frozen=True, slots=True)
class Inspection:
    """What is asked of the registry that it belongs to.

    `plugins` are its plugins, `own` is what the program did with its schemes, `configuration` what is configured, if
    anything.
    """

    plugins: Plugins
    own: OwnSchemes
    configuration: Configuration | None

    # Who provides what, and why

    def why(self, name: str) -> Why:
        """Who provides `name`, which is in lower case."""
        return self._why_provided(name)._replace(gateway=self._gateway(name))

    def claims(self) -> tuple[Claim, ...]:
        """Every claim that was found and what became of it as far as is known; nothing is imported."""
        return tuple(map(self._as_known, self.plugins.installed().claims))

    def claims_of(self, name: str) -> tuple[Claim, ...]:
        """Those that want the name of that scheme."""
        claims = self.plugins.installed().claims
        return tuple(self._as_known(claim) for claim in claims if claim.name == name and claim.group == SCHEMES)

    def absent(self, name: str) -> UnknownScheme | PluginConflict:
        """Why nobody provides `name`, which is in lower case, and what is known of it, as an error to raise."""
        return absence(name, self.claims_of(name), self.plugins.ledgers, self._names)

    def _names(self) -> Collection[str]:
        return self.own.names(self.plugins.names())

    def _as_known(self, claim: Claim) -> Claim:
        if claim.state != "active":
            return claim
        deed = self.own.deed(claim.name) if claim.group == SCHEMES else None
        if deed == "unregistered":
            return claim._replace(state="disabled", reason=f"unregister({claim.name!r}) was called")
        if deed is not None:
            return claim._replace(state="shadowed", reason=_OWN[deed][2])
        broken = self.plugins.broken.get(claim)
        return claim._replace(state="broken", reason=broken.message) if broken else claim

    def _why_provided(self, name: str) -> Why:
        claims = self.claims_of(name)
        deed = self.own.deed(name)
        if deed is not None and deed in _OWN:
            rule, hint, _ = _OWN[deed]
            return Why(name, "this program", rule, claims, hint=hint.format(name))
        claims = tuple(map(_read, claims))
        active = next((claim for claim in claims if claim.state == "active"), None)
        if active is not None:
            rule = _rule(claims, pinned=name in self.plugins.rules.pins)
            return Why(name, active.provider, rule, claims, _in_state("shadowed", claims), switch(active))
        error = absence(name, claims, self.plugins.ledgers, self._names)
        return Why(name, None, error.message, claims, _in_state("conflict", claims), hint=error.hint)

    def _gateway(self, name: str) -> str | None:
        """The gateway for `name`, in words. Nothing is imported to tell."""
        setting = self.configuration.gateway(name) if self.configuration else None
        if setting is not None:
            return f"{setting.shown}, from {setting.source}"
        hooks = self.plugins.hooks("gateway")
        who = hooks.implementers("urlschemes_gateway") if hooks else ()
        return f"{' and '.join(who)} may name one, by the hook urlschemes_gateway" if who else None

    # What is wrong

    def diagnose(self, *, load: bool, verify: bool) -> tuple[Diagnosis, ...]:
        """Every claim, looked for anew and looked at closely, and the schemes that the program put there itself.

        The records are read; with `load` the plugins are imported, with `verify` each in a process of its own. What is
        found wrong changes nothing: a scheme can be used afterwards as it could before.
        """
        self.plugins.look_again()
        found = [self._examined(claim, load=load) for claim in self.claims()]
        if verify:
            found = self._verified(found)
        found += (_in_place_of_a_claim(scheme, self._why_provided(scheme.name).rule) for scheme in self.own)
        return tuple(found)

    def _examined(self, claim: Claim, *, load: bool) -> Diagnosis:
        seconds = self.plugins.seconds.get(claim)
        if claim.state == "active":
            began = perf_counter()
            try:
                if load:
                    used(claim, self.plugins.installed().claims)
                    seconds = perf_counter() - began if seconds is None else seconds
                elif claim.group == SCHEMES:
                    record(claim)
            except PluginError as error:
                claim, seconds = claim._replace(state="broken", reason=error.message), None
        return _with_file(claim, seconds)

    def _verified(self, found: list[Diagnosis]) -> list[Diagnosis]:
        """The same, with what came of loading those that are active in other processes."""
        from urlschemes.verification import verify

        reserved = {name for name, known in known_names().items() if known.distribution}
        active = [each.claim for each in found if each.claim.state == "active"]
        others = [claim for claim in active if claim.group == SCHEMES and claim.name in reserved]
        verified = verify(active, others, self.plugins.installed().claims)
        made = []
        for each in found:
            seen = verified.get(each.claim)
            if seen is None:
                made.append(each)
                continue
            claim = each.claim._replace(state="broken", reason=seen.fault) if seen.fault else each.claim
            made.append(each._replace(claim=claim, seconds=seen.seconds, changes=seen.changes))
        return made


def _read(claim: Claim) -> Claim:
    """The claim, which is broken where its record cannot be read."""
    if claim.state == "active":
        try:
            record(claim)
        except PluginError as error:
            return claim._replace(state="broken", reason=error.message)
    return claim


def _rule(claims: tuple[Claim, ...], *, pinned: bool) -> str:
    """Why one of the claims of a name counts."""
    if pinned:
        return "the name is pinned to it"
    if any(claim.state == "reserved" for claim in claims):
        return "the name is reserved to it"
    return (
        "the claims of other distributions do not count" if len(claims) > 1 else "no other distribution claims the name"
    )


def _in_state(state: State, claims: tuple[Claim, ...]) -> tuple[str, ...]:
    return tuple(claim.distribution for claim in claims if claim.state == state)


def _with_file(claim: Claim, seconds: float | None) -> Diagnosis:
    """The claim with its file, which is read and not executed."""
    from hashlib import sha256

    try:
        if claim.attribute or claim.group != SCHEMES:
            spec = locate(claim.module)
            file = spec.origin or ""
            octets = read_with(file, (spec.loader,), _MOST) if spec.has_location else b""
        else:
            text, file = read_beside(claim.module, FILE)
            octets = text.encode()
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  there may be nothing, or a finder of anybody's making
        return Diagnosis(claim)
    return Diagnosis(claim, file, sha256(octets).hexdigest(), seconds)


def _in_place_of_a_claim(scheme: Scheme, reason: str) -> Diagnosis:
    """What stands in place of a claim for a scheme that the program registered itself."""
    kind = scheme.url_type
    claim = Claim(scheme.name, "(this program)", "", "", kind.__module__, kind.__qualname__)
    return Diagnosis(claim._replace(reason=reason))
