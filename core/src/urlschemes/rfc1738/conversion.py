"""A URL as one of another profile: its text, parsed there."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from urlschemes.errors import InvalidURL
from urlschemes.grammar.profile import RFC1738
from urlschemes.registry.registry import Registry, default_registry
from urlschemes.url.value import LIMIT

if TYPE_CHECKING:
    from urlschemes.grammar.profile import Profile
    from urlschemes.url.value import URL

__all__ = ["as_profile", "registry_of"]


@cache
def registry_of(profile: Profile | str) -> Registry:
    """Return the registry of all installed schemes in a profile, or in that of a name. Raises PluginError."""
    return default_registry if profile in {RFC1738, RFC1738.name} else Registry(profile=profile)


def as_profile(url: URL, target: Registry | Profile | str) -> URL:
    """Return the URL of the same text in a registry, or in that of a profile. A generic URL stays generic.

    Raises what parsing raises there.
    """
    registry = target if isinstance(target, Registry) else registry_of(target)
    is_generic = type(url) is url.syntax.profile.algorithms.url_type
    text = str(url)
    try:
        return (registry.parse_generic if is_generic else registry.parse)(text, limit=max(LIMIT, len(text)))
    except InvalidURL as error:
        hint = _hint(error, registry.profile.document)
        if hint is not None:
            error.hint = hint
        raise


def _hint(error: InvalidURL, document: str) -> str | None:
    """Return what to do with a URL whose error says only how to write a text; None if that helps."""
    if error.code == "fragment-present":
        return f"{document} has no fragments: convert url.replace(fragment=None)"
    if error.part == "host" and error.text.startswith("[", error.position):
        return f"{document} has no IPv6 addresses: name the host, or give its IPv4 address"
    return None
