"""The schemes that the program itself registers, overrides for a while, or takes out of one registry."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from threading import Lock
from typing import Literal, TypeAlias

from urlschemes.registry.claims import SCHEMES, Claim, Diagnosis
from urlschemes.registry.names import Why
from urlschemes.scheme.scheme import Scheme

Change: TypeAlias = Literal["registered", "overridden", "unregistered"]
"""An override by the program: registered, overridden or unregistered."""


_RULES: dict[Change, tuple[str, str, str]] = {
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
"""Why the program's scheme counts, how to undo that, and the reason given for the installed one."""


class Overrides:
    """The program's own schemes, and the names of the installed ones that it took out.

    All names are in lower case. Every method may be called from several threads.
    """

    __slots__ = ("_hidden", "_lock", "_overrides", "_registered")

    def __init__(self) -> None:
        self._lock = Lock()
        self._registered: dict[str, Scheme] = {}
        self._overrides: dict[str, tuple[Scheme, ...]] = {}
        self._hidden: frozenset[str] = frozenset()

    def register(self, scheme: Scheme, *, replace: bool) -> bool:
        """Register the scheme. Return False if there is one of that name already and `replace` is false."""
        with self._lock:
            if scheme.name in self._registered and not replace:
                return False
            self._registered[scheme.name] = scheme
            self._hidden -= {scheme.name}
        return True

    def unregister(self, name: str, *, installed: bool) -> bool:
        """Undo `register`, or hide the installed scheme of that name. Return False if there is neither."""
        with self._lock:
            if self._registered.pop(name, None) is None:
                if not installed:
                    return False
                self._hidden |= {name}
        return True

    def push_override(self, scheme: Scheme) -> None:
        """Override whatever else has the scheme's name until `pop_override`."""
        with self._lock:
            self._overrides[scheme.name] = (*self._overrides.get(scheme.name, ()), scheme)

    def pop_override(self, scheme: Scheme) -> None:
        """Undo the last `push_override` of this scheme; overrides of several threads need not be nested."""
        with self._lock:
            latest_first = [*reversed(self._overrides[scheme.name])]
            latest_first.remove(scheme)
            self._overrides[scheme.name] = tuple(reversed(latest_first))
            if not latest_first:
                del self._overrides[scheme.name]

    def hides(self, name: str) -> bool:
        """Return True if the program took out the installed scheme of that name."""
        return name in self._hidden

    def current(self, name: str, loaded: Mapping[str, Scheme]) -> Scheme | None:
        """Return the scheme in use: the program's own, or that of the `loaded` ones unless it was taken out."""
        overrides = self._overrides.get(name)
        if overrides:
            return overrides[-1]
        registered = self._registered.get(name)
        if registered is not None or name in self._hidden:
            return registered
        return loaded.get(name)

    def change(self, name: str) -> Change | None:
        """Return what the program did with the name."""
        if name in self._overrides:
            return "overridden"
        if name in self._registered:
            return "registered"
        return "unregistered" if name in self._hidden else None

    def why(self, name: str, claims: tuple[Claim, ...] = ()) -> Why | None:
        """Return why the program's own scheme counts, if it has one of that name; `claims` are the installed ones."""
        change = self.change(name)
        if change is None or change not in _RULES:
            return None
        rule, hint, _ = _RULES[change]
        return Why(name, "this program", rule, claims, hint=hint.format(name))

    def judged(self, claim: Claim) -> Claim:
        """Return the claim, in the state that the program's own changes give it."""
        change = self.change(claim.name) if claim.group == SCHEMES and claim.state == "active" else None
        if change is None:
            return claim
        if change == "unregistered":
            return claim._replace(state="disabled", reason=f"unregister({claim.name!r}) was called")
        return claim._replace(state="shadowed", reason=_RULES[change][2])

    def diagnose(self) -> Iterator[Diagnosis]:
        """Yield a diagnosis for each of the program's own schemes, sorted by name."""
        for name in sorted({*self._registered, *self._overrides}):
            scheme, why = self.current(name, {}), self.why(name)
            if scheme is not None and why is not None:  # another thread may have taken it out
                module, kind = scheme.url_type.__module__, scheme.url_type.__qualname__
                yield Diagnosis(Claim(name, "(this program)", "", "", module, kind, reason=why.rule))

    def names(self, installed: Collection[str]) -> Collection[str]:
        """Return the names in use, given those that are `installed`."""
        return {*installed} - self._hidden | {*self._registered} | {*self._overrides}

    def snapshot(self) -> Mapping[str, Mapping[str, object]]:
        """Return the present state, by words that the name of a registry completes."""
        return {
            "the schemes of": dict(self._registered),
            "the overrides of": dict(self._overrides),
            "what is switched off in": dict.fromkeys(self._hidden),
        }
