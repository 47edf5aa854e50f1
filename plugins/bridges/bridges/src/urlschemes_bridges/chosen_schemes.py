"""URLs of the schemes that a caller chose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import URL
from urlschemes.errors import invalid_url
from urlschemes.registry.registry import registry_or_default
from urlschemes.url.value import LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from urlschemes import Registry

__all__ = ["ChosenSchemes", "scheme_names"]


def scheme_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of schemes in small letters, sorted. Raises TypeError."""
    found = tuple(names)
    for name in found:
        if not isinstance(name, str):
            raise TypeError(f'a scheme must be a str, not {type(name).__name__}: write "http", "https"')
    return tuple(sorted({name.lower() for name in found}))


class ChosenSchemes:
    """The schemes of a registry that a caller chose, or all of them if none is named. Raises UnknownScheme."""

    def __init__(self, *names: str, registry: Registry | None = None) -> None:
        self.names = scheme_names(names)
        self.registry = registry_or_default(registry)
        for name in self.names:
            self.registry.registration(name)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.names))})"

    def read(self, value: object) -> URL:
        """Return the URL that `value` is, or is the text of, in the profile of the registry.

        Raises InvalidURL, also for the URL of another scheme; UnknownScheme; PluginError.
        """
        self.check(str(value))
        return self.registry.parse(str(self.registry.convert(value) if isinstance(value, URL) else value))

    def check(self, text: str) -> None:
        """Raise InvalidURL if `text` begins with a scheme that was not chosen, whose plugin is not loaded then.

        Also if it is too long: the hint of `parse` names an argument that bridges do not have.
        """
        if len(text) > LIMIT:
            message = f"the URL has {len(text)} characters: expected at most {LIMIT}"
            raise invalid_url(text, message, code="url-too-long", span=(LIMIT, len(text)))
        name, colon, _ = text.partition(":")
        if not (self.names and colon and self.registry.profile.is_scheme_name(name)) or name.lower() in self.names:
            return
        one_of = "one of " if len(self.names) > 1 else ""
        message = f"scheme {name.lower()!r} at position 0: expected {one_of}{', '.join(self.names)}"
        span, section = (0, len(name)), self.registry.profile.section("scheme")
        raise invalid_url(text, message, scheme=name.lower(), part="scheme", span=span, section=section)
