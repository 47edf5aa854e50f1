"""What a program itself does with the schemes of one registry: registered, overridden for a while, taken out."""

from __future__ import annotations

from _thread import allocate_lock  # what `threading.Lock` is, without the import of `threading`

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Literal, TypeAlias

    from urlschemes.scheme import Scheme

    Deed: TypeAlias = Literal["registered", "overridden", "unregistered"]

__all__ = ["OwnSchemes"]


class OwnSchemes:
    """The schemes that a program put into its registry, and the names of the installed ones that it took out.

    All names are in lower case. Each method may be called from several threads.
    """

    __slots__ = ("_hidden", "_lock", "_overrides", "_registered")

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._registered: dict[str, Scheme] = {}
        self._overrides: dict[str, tuple[Scheme, ...]] = {}
        self._hidden: frozenset[str] = frozenset()

    def put(self, scheme: Scheme, *, replace: bool) -> bool:
        """Register the scheme; one that was taken out is there again. False where `replace` would have to be true."""
        with self._lock:
            if scheme.name in self._registered and not replace:
                return False
            self._registered[scheme.name] = scheme
            self._hidden -= {scheme.name}
        return True

    def take_out(self, name: str, *, installed: bool) -> bool:
        """Undo `put`; or take out what is `installed` of that name. False where there is neither."""
        with self._lock:
            if self._registered.pop(name, None) is None:
                if not installed:
                    return False
                self._hidden |= {name}
        return True

    def lay_over(self, scheme: Scheme) -> None:
        """Override whatever else has the scheme's name, until `lift`."""
        with self._lock:
            self._overrides[scheme.name] = (*self._overrides.get(scheme.name, ()), scheme)

    def lift(self, scheme: Scheme) -> None:
        """Undo `lay_over`, in any order: what several threads override need not be nested."""
        with self._lock:
            left = [*self._overrides[scheme.name]]
            left.reverse()
            left.remove(scheme)  # the latest of its kind
            left.reverse()
            self._overrides[scheme.name] = tuple(left)
            if not left:
                del self._overrides[scheme.name]

    def hides(self, name: str) -> bool:
        """Whether the installed scheme of that name was taken out."""
        return name in self._hidden

    def current(self, name: str, loaded: Mapping[str, Scheme]) -> Scheme | None:
        """The scheme in use: the program's own, or the one of those `loaded` that was not taken out."""
        overrides = self._overrides.get(name)
        if overrides:
            return overrides[-1]
        registered = self._registered.get(name)
        if registered is not None or name in self._hidden:
            return registered
        return loaded.get(name)

    def deed(self, name: str) -> Deed | None:
        """What the program did with the name."""
        if name in self._overrides:
            return "overridden"
        if name in self._registered:
            return "registered"
        return "unregistered" if name in self._hidden else None

    def __iter__(self) -> Iterator[Scheme]:
        """The program's own schemes that are in use, sorted by name."""
        for name in sorted({*self._registered, *self._overrides}):
            scheme = self.current(name, {})
            if scheme is not None:  # it may have been taken out meanwhile
                yield scheme

    def names(self, installed: Collection[str]) -> Collection[str]:
        """The names in use, where those are `installed`."""
        if not (self._hidden or self._registered or self._overrides):
            return installed
        return {*installed} - self._hidden | {*self._registered} | {*self._overrides}

    def state(self) -> Mapping[str, Mapping[str, object]]:
        """All of it as it is now, by words that the name of a registry completes."""
        return {
            "the schemes of": dict(self._registered),
            "the overrides of": dict(self._overrides),
            "what is switched off in": dict.fromkeys(self._hidden),
        }
