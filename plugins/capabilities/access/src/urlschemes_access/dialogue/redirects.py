"""How an access follows redirects: only to the schemes of its record, only so often, only where the policy allows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.errors import PluginError, UnknownScheme, URLError
from urlschemes.grammar.octets import SCHEME_NAME
from urlschemes.redaction import one_line
from urlschemes_access.dialogue.system_errors import are, breach
from urlschemes_access.errors import PolicyDenied, RedirectRefused

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes.scheme.registration import Registration
    from urlschemes.url.value import URL
    from urlschemes_access.dialogue.destinations import Reach
    from urlschemes_access.dialogue.trace import Trace
    from urlschemes_access.protocol import requests

__all__ = ["Redirects"]

_SCHEME = re.compile(f"({SCHEME_NAME.pattern}):")


class Redirects:
    """The redirects of one access. `url` is the URL that is accessed now."""

    __slots__ = ("_follow", "_followed", "_hops", "_reach", "_registration", "_trace", "url")

    def __init__(
        self,
        url: URL,
        registration: Registration,
        hops: int,
        *,
        reach: Reach,
        trace: Trace,
        follow: Callable[[URL, str], URL] | None,
    ) -> None:
        self.url = url
        self._registration = registration
        self._hops = hops
        self._reach = reach
        self._trace = trace
        self._follow = follow
        self._followed = 0

    def follow(self, request: requests.Follow) -> URL:
        """Raises RedirectRefused, PolicyDenied; PluginError of a plugin that the redirect would have loaded."""
        location = request.location
        if not are(str, location):
            raise breach(self._registration.scheme, "Follow of a location, as text", type(location).__name__)
        told = one_line(location, 120)

        def refused(why: str, reason: str) -> RedirectRefused:
            return RedirectRefused(f"the redirect to {told} is not followed: {why}", reason=reason, location=told)

        allowed = self._registration.redirects
        # The scheme is compared as text before anything reads the rest: a redirect must not be what loads a plugin.
        written = _SCHEME.match(location)
        scheme = written[1].lower() if written else self.url.scheme
        if scheme not in allowed:
            raise refused(
                f"{self._registration.scheme!r} is redirected to {' or '.join(allowed) or 'nothing'}", "scheme"
            )
        if self._followed >= self._hops:
            raise refused(f"{self._hops} were followed already", "hops")
        if self._follow is None:
            raise refused("nothing is followed in this access", "policy")
        try:
            target = self._follow(self.url, location)
            if target.scheme not in allowed:
                raise refused(f"it leads to scheme {target.scheme!r}", "scheme")
            target.check_line()
        except (RedirectRefused, PolicyDenied, PluginError):
            raise
        except UnknownScheme as fault:
            raise refused(f"scheme {scheme!r} is not installed", "scheme") from fault
        except URLError as fault:
            raise refused(str(fault), "invalid") from fault
        self._reach.admit_redirect(target)
        self._followed += 1
        self.url = target
        self._trace.tell("follow", None, f"to {target}")
        return target
