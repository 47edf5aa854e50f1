"""Inspection of a registry: who provides a name and why, and the state of every claim."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from urlschemes.errors import PluginError
from urlschemes.redaction import one_line
from urlschemes.registry.claim_selection import DISABLE, switch
from urlschemes.registry.claims import SCHEMES, Claim
from urlschemes.registry.plugins import load_object, load_record, subject
from urlschemes.registry.unknown_scheme import no_provider
from urlschemes.storage.package_data import locate, read_file

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from urlschemes.errors import PluginConflict, UnknownScheme
    from urlschemes.grammar.profile import Profile
    from urlschemes.registry.claim_selection import Selection
    from urlschemes.registry.claims import State
    from urlschemes.registry.known_names import Ledger
    from urlschemes.registry.overrides import Change, Overrides
    from urlschemes.registry.plugins import Plugins

__all__ = ["Diagnosis", "Inspection", "Why"]

# For each change by the program: why its scheme counts, how to undo that, and the reason given for the installed one.
_CHANGES: Mapping[Change, tuple[str, str, str]] = {
    "registered": (
        "register(scheme) was called",
        "unregister({!r})",
        "the program registered a scheme of that name itself",
    ),
    "overridden": (
        "override(scheme) is in effect",
        "leave its `with` block",
        "the program overrides the scheme for a while",
    ),
}


class Why(NamedTuple):
    """The provider of a name, the rule by which it counts, the other claims, and ways to choose another.

    `pins` are the distributions that a pin could choose instead. `switch` is the name that switches the scheme off, or
    None if no distribution provides it. `hint` says what else can be done. `str()` gives several lines.
    """

    name: str
    provider: str | None
    rule: str
    claims: tuple[Claim, ...]
    pins: tuple[str, ...] = ()
    switch: str | None = None
    hint: str | None = None

    @property
    def advice(self) -> str:
        """Ways for a program to choose another plugin."""
        if self.switch is None:
            return self.hint or "install a distribution that provides it, or make one with `urlschemes new`"
        pin = f"pin another: Registry(pins={{{self.name!r}: {self.pins[0]!r}}}), " if self.pins else ""
        return f"{pin}override(scheme), or switch it off: {DISABLE}={self.switch}"

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.provider or 'no provider'}", f"  because {self.rule}"]
        lines += [f"  claim: {claim}" for claim in self.claims]
        return "\n".join(one_line(line, 1000) for line in [*lines, f"  to choose otherwise: {self.advice}"])


class Diagnosis(NamedTuple):
    """The result of examining one claim.

    `file` is what would be imported for it, or the record if there is no code ("" if it cannot be found), `sha256` that
    file's hash, `seconds` how long the import took (None if nothing was imported).
    """

    claim: Claim
    file: str = ""
    sha256: str = ""
    seconds: float | None = None


class Inspection(NamedTuple):
    """Questions about one registry, given its plugins, the program's own changes, and its ledgers."""

    plugins: Plugins
    overrides: Overrides
    ledgers: Callable[[], tuple[Ledger, ...]]

    def claims(self) -> tuple[Claim, ...]:
        """Return every claim in its present state; nothing is imported."""
        return tuple(map(self._in_present_state, self.plugins.selection().claims))

    def claims_of(self, name: str) -> tuple[Claim, ...]:
        """Return the claims for the scheme `name`."""
        claims = self.plugins.selection().claims
        return tuple(self._in_present_state(each) for each in claims if each.name == name and each.group == SCHEMES)

    def no_provider(self, name: str) -> UnknownScheme | PluginConflict:
        """Return the error for a name, in lower case, that nothing provides."""
        return no_provider(name, self.claims_of(name), self.ledgers, self.names)

    def why(self, name: str) -> Why:
        """Return who provides `name`, which is in lower case, and why."""
        claims = self.claims_of(name)
        change = self.overrides.change(name)
        if change is not None and change in _CHANGES:
            rule, hint, _ = _CHANGES[change]
            return Why(name, "this program", rule, claims, hint=hint.format(name))
        errors = [error for claim, error in self.plugins.broken.items() if (claim.group, claim.name) == (SCHEMES, name)]
        claims = tuple(_checked(claim, self.plugins.profile, errors) for claim in claims)
        active = next((claim for claim in claims if claim.state == "active"), None)
        if active is not None:
            rule = _rule(claims, pinned=name in self.plugins.rules.pins)
            return Why(name, active.provider, rule, claims, _in_state("shadowed", claims), switch(active))
        error = no_provider(name, claims, self.ledgers, self.names)
        advice = (errors[0] if errors else error).hint
        return Why(name, None, error.message, claims, _in_state("conflict", claims), hint=advice)

    def diagnose(self, *, load: bool) -> tuple[Diagnosis, ...]:
        """Search again, without the cache, and examine every claim, and the program's own schemes.

        Records are read; with `load`, plugins are imported too. The registry itself does not change: it provides
        afterwards what it provided before.
        """
        selection = self.plugins.search_again()
        found = [self._diagnosis(self._in_present_state(each), selection, load=load) for each in selection.claims]
        for scheme in self.overrides:
            kind = scheme.url_type
            claim = Claim(scheme.name, "(this program)", "", "", kind.__module__, kind.__qualname__)
            found.append(Diagnosis(claim._replace(reason=self.why(scheme.name).rule)))
        return tuple(found)

    def names(self) -> Collection[str]:
        """Return the names of all schemes that are installed or registered; nothing is imported."""
        return self.overrides.names(self.plugins.selection().chosen.keys())

    def _in_present_state(self, claim: Claim) -> Claim:
        if claim.state != "active":
            return claim
        change = self.overrides.change(claim.name) if claim.group == SCHEMES else None
        if change == "unregistered":
            return claim._replace(state="disabled", reason=f"unregister({claim.name!r}) was called")
        if change is not None:
            return claim._replace(state="shadowed", reason=_CHANGES[change][2])
        error = self.plugins.broken.get(claim)
        return _broken(claim, error) if error else claim

    def _diagnosis(self, claim: Claim, selection: Selection, *, load: bool) -> Diagnosis:
        seconds = self.plugins.seconds.get(claim)
        if claim.state == "active":
            began = perf_counter()
            try:
                if load:
                    load_object(claim, self.plugins.profile, selection.claims, selection.hook_names)
                    seconds = perf_counter() - began if seconds is None else seconds
                elif claim.group == SCHEMES:
                    load_record(claim, self.plugins.profile)
            except PluginError as error:
                claim, seconds = _broken(claim, error), None
        return _with_file(claim, seconds, self.plugins.profile)


def _checked(claim: Claim, profile: Profile, errors: list[PluginError]) -> Claim:
    """Return the claim, in the state `broken` if its record cannot be used; add the error to `errors`."""
    if claim.state == "active":
        try:
            load_record(claim, profile)
        except PluginError as error:
            errors.append(error)
            return _broken(claim, error)
    return claim


def _broken(claim: Claim, error: PluginError) -> Claim:
    """Return the claim in the state `broken`. The reason does not name the distribution, as the claim does."""
    return claim._replace(state="broken", reason=error.message.removeprefix(subject(claim)))


def _rule(claims: tuple[Claim, ...], *, pinned: bool) -> str:
    """Return why one of the claims for a name counts."""
    if pinned:
        return "the name is pinned to it"
    if any(claim.state == "reserved" for claim in claims):
        return "the name is reserved for it"
    return "the other claims do not count" if len(claims) > 1 else "no other distribution claims the name"


def _in_state(state: State, claims: tuple[Claim, ...]) -> tuple[str, ...]:
    return tuple(claim.distribution for claim in claims if claim.state == state)


def _with_file(claim: Claim, seconds: float | None, profile: Profile) -> Diagnosis:
    """Return the diagnosis with the claim's file, which is read and not executed."""
    from hashlib import sha256  # it loads OpenSSL, which nothing else here needs

    try:
        if claim.attribute or claim.group != SCHEMES:
            spec = locate(claim.module)
            file = spec.origin or ""
            octets = spec.loader.get_data(file)  # type: ignore[union-attr]  # without a loader, there is no file
        else:
            text, file = read_file(claim.module, profile.record)
            octets = text.encode()
    except Exception:  # noqa: BLE001  there may be no such file, or another package's finder failed
        return Diagnosis(claim, seconds=seconds)
    return Diagnosis(claim, file, sha256(octets).hexdigest(), seconds)
