"""The schemes that the program itself registers, overrides for a while, or takes out of one registry."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from threading import Lock
from typing import Literal, TypeAlias

from urlschemes.registry.claims import SCHEMES, Claim, Diagnosis, State
from urlschemes.registry.names import Why
from urlschemes.scheme.scheme import Scheme

Change: TypeAlias = Literal["registered", "overridden", "unregistered"]

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
    "unregistered": ("", "", "unregister({!r}) was called"),
}
"""Why the program's scheme counts, how to undo that, and the reason given for the installed one."""


class Overrides:
    """The program's own schemes, and the names of the installed ones that it took out.

    All names are in lower case. Every method may be called from several threads.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._own: dict[str, Scheme | None] = {}  # None: the installed scheme is taken out
        self._overrides: dict[str, tuple[Scheme, ...]] = {}  # the latest first

    def register(self, scheme: Scheme, *, replace: bool) -> bool:
        """Register the scheme. Return False if there is one of that name already and `replace` is false."""
        with self._lock:
            if self._own.get(scheme.name) is not None and not replace:
                return False
            self._own[scheme.name] = scheme
        return True

    def unregister(self, name: str, *, installed: bool) -> bool:
        """Undo `register`, or take out the installed scheme of that name. Return False if there is neither."""
        with self._lock:
            if self._own.get(name) is not None:
                del self._own[name]
            elif installed:
                self._own[name] = None
            else:
                return False
        return True

    def push_override(self, scheme: Scheme) -> None:
        """Override whatever else has the scheme's name until `pop_override`."""
        with self._lock:
            self._overrides[scheme.name] = (scheme, *self._overrides.get(scheme.name, ()))

    def pop_override(self, scheme: Scheme) -> None:
        """Undo the last `push_override` of this scheme; overrides of several threads need not be nested."""
        with self._lock:
            left = [*self._overrides[scheme.name]]
            left.remove(scheme)
            self._overrides[scheme.name] = tuple(left)
            if not left:
                del self._overrides[scheme.name]

    def current(self, name: str, loaded: Mapping[str, Scheme]) -> Scheme | None:
        """Return the scheme in use: the program's own, or that of the `loaded` ones unless it was taken out."""
        if overrides := self._overrides.get(name):
            return overrides[0]
        return self._own.get(name, loaded.get(name))

    def change(self, name: str) -> Change | None:
        """Return what the program did with the name."""
        if name in self._overrides:
            return "overridden"
        own = self._own.get(name, False)
        return "unregistered" if own is None else "registered" if own else None

    def why(self, name: str, claims: tuple[Claim, ...] = ()) -> Why | None:
        """Return why the program's own scheme counts, if it has one of that name; `claims` are the installed ones."""
        change = self.change(name)
        if change is None or change == "unregistered":
            return None
        rule, hint, _ = _RULES[change]
        return Why(name, "this program", rule, claims, hint=hint.format(name))

    def judged(self, claim: Claim) -> Claim:
        """Return the claim, in the state that the program's own changes give it."""
        change = self.change(claim.name) if claim.group == SCHEMES and claim.state == "active" else None
        if change is None:
            return claim
        state: State = "disabled" if change == "unregistered" else "shadowed"
        return claim._replace(state=state, reason=_RULES[change][2].format(claim.name))

    def diagnose(self) -> Iterator[Diagnosis]:
        """Yield a diagnosis for each of the program's own schemes, sorted by name."""
        for name in sorted({*self._own, *self._overrides}):
            scheme, why = self.current(name, {}), self.why(name)
            if scheme is not None and why is not None:  # another thread may have taken it out
                module, kind = scheme.url_type.__module__, scheme.url_type.__qualname__
                yield Diagnosis(Claim(name, "(this program)", "", "", module, kind, reason=why.rule))

    def names(self, installed: Collection[str]) -> Collection[str]:
        """Return the names in use, given those that are `installed`."""
        return {name for name in (*installed, *self._own, *self._overrides) if self.change(name) != "unregistered"}

    def snapshot(self) -> Mapping[str, Mapping[str, object]]:
        """Return the present state, by words that the name of a registry completes."""
        own = dict(self._own)
        return {
            "the schemes of": {name: scheme for name, scheme in own.items() if scheme},
            "the overrides of": dict(self._overrides),
            "what is switched off in": {name: scheme for name, scheme in own.items() if not scheme},
        }
