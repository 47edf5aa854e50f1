"""Redirects: which are followed, and how a server's location is read.

A redirect is followed only to the schemes that the record of the redirecting scheme names, at most `Limits.hops` times,
and only where the policy allows it. Credentials are never carried along.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.errors import InvalidURL, PluginError, UnknownScheme, URLError
from urlschemes.grammar.octets import ESCAPE, escape, octets_of
from urlschemes.grammar.profile import authority_of
from urlschemes.redaction import one_line
from urlschemes.scheme.scheme import lower_case, read_as
from urlschemes_access.dialogue.context import Context, DialoguePart
from urlschemes_access.errors import PolicyDenied, RedirectRefused

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes.url.value import URL
    from urlschemes_access.dialogue.destinations import Destinations
    from urlschemes_access.protocol import requests

__all__ = ["Redirects", "read_location"]

# Controls, blanks and backslashes are a trick, not a slip; some surrogates stand for no octet.
_SUSPICIOUS = re.compile(r"[\x00-\x20\x7f\\\ud800-\udc7f\udd00-\udfff]")
_STRAY_PERCENT = re.compile(f"(?!{ESCAPE.pattern})%")
_ENDS = "/?#"
"""The characters that end an authority, in whatever profile the client has: servers write the locations of today."""
_REPAIRS = 8
"""The most kinds of characters that are encoded because they are illegal at their place."""


class Redirects(DialoguePart):
    """The redirects of one operation. `url` is the current URL."""

    def __init__(self, context: Context, destinations: Destinations) -> None:
        super().__init__(context)
        self.url = context.operation.url
        self._first = self.url.registration
        self._destinations = destinations
        self._target_of = context.operation.redirect

    async def follow(self, request: requests.Follow) -> URL:
        """Return the URL that a redirect leads to, if it may be followed.

        Raises RedirectRefused, PolicyDenied; PluginError of the plugin that provides the target's scheme.
        """
        location = request.location
        shown = one_line(location, 120)

        def refused(why: str, reason: str) -> RedirectRefused:
            return RedirectRefused(f"the redirect to {shown} is not followed: {why}", reason=reason, location=shown)

        # The scheme is compared as text, before anything is parsed: a redirect must not load a plugin.
        name, colon, _ = location.partition(":")
        written = colon and self.url.syntax.profile.is_scheme_name(name)
        scheme = name.lower() if written else self.url.scheme
        allowed = self._allowed_schemes()
        if scheme not in allowed:
            raise refused(f"{self.url.scheme} may redirect to {' or '.join(allowed) or 'no scheme'}", "scheme")
        self._destinations.add_hop(location)
        if self._target_of is None:
            raise refused("this operation follows no redirects", "policy")
        try:
            target = self._target_of(self.url, location)
            if target.scheme not in allowed:
                raise refused(f"it leads to the scheme {target.scheme}", "scheme")
            target.check_line(include_checked=True)
        except (RedirectRefused, PolicyDenied, PluginError):
            raise
        except UnknownScheme as error:
            raise refused(f"scheme {scheme!r} is not installed", "scheme") from error
        except URLError as error:
            raise refused(str(error), "invalid") from error
        self._destinations.check_redirect(target)
        self.url = target
        self._trace.emit("follow", None, f"to {target}")
        return target

    def _allowed_schemes(self) -> tuple[str, ...]:
        """Return the schemes that both the first URL and the current one may redirect to."""
        first, current = self._first, self.url.registration
        return tuple(name for name in current.redirects if name in first.redirects) if first and current else ()


def read_location(base: URL, location: str, type_of: Callable[[str], type[URL]]) -> URL:
    """Return the URL that `location` means relative to `base`.

    Where a fragment is part of a URL, it is that of `location`, or else of `base` (RFC 9110 section 10.2.2); elsewhere
    it is left out. What real servers write is repaired: an illegal character after the authority is percent-encoded,
    and a `/` inserted that must stand between authority and query. `type_of` returns the URL type of a scheme. Raises
    InvalidURL, UnknownScheme, PluginError.
    """
    profile = base.syntax.profile
    text = base.resolve(location)
    kind = type_of(lower_case(text.partition(":")[0]))
    if _SUSPICIOUS.search(text):
        return read_as(kind, text)
    text, mark, fragment = text.partition("#")
    inherited = base.raw.get("fragment")
    authority = authority_of(text, profile, _ENDS)
    start = text.index(":") + 1 if authority is None else authority.end
    head, tail = text[:start], text[start:]
    if authority and tail.startswith("?") and "?" not in profile.authority_ends:
        tail = f"/{tail}"
    if profile.has_fragments and (mark or inherited is not None):
        tail += f"#{fragment if mark else inherited}"
    legal = frozenset(f"{profile.characters}%".encode())
    return _read_repaired(kind, head, escape(octets_of(_STRAY_PERCENT.sub("%25", tail)), legal))


def _read_repaired(kind: type[URL], head: str, tail: str) -> URL:
    """Parse `head + tail`; a character of `tail` that is illegal at its place is encoded there and further on."""
    # What is not reserved means the same when encoded; the others end the authority, or begin an escape.
    stay = f"{kind.syntax.profile.unreserved}%"
    for _ in range(_REPAIRS):
        try:
            return read_as(kind, head + tail)
        except InvalidURL as error:
            index = -1 if error.position is None else error.position - len(head)
            if not 0 <= index < len(tail) or tail[index] in (stay if index else stay + _ENDS):
                raise
            tail = tail[:index] + tail[index:].replace(tail[index], escape(octets_of(tail[index]), frozenset()))
    return read_as(kind, head + tail)
