"""The checks of the URLs that an operation visits: the policy for each, and the rules for redirects.

A redirect is followed if the policy allows its URL, if the record of the redirecting scheme names the new scheme, and
at most `Limits.hops` times in one operation. Credentials are not sent to the new URL. `urlschemes_access.guard` checks
hosts, ports and addresses.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from urlschemes.errors import InvalidURL, PluginContractError, PluginError, UnknownScheme, URLError
from urlschemes.grammar.octets import ESCAPE, escape, octets_of
from urlschemes.grammar.part import number_of
from urlschemes.grammar.profile import authority_of
from urlschemes.record.registration import Registration
from urlschemes.redaction import one_line
from urlschemes.scheme.scheme import lower_case, read_as
from urlschemes.url.value import URL, type_failed
from urlschemes_access.dialogue.context import Context, DialoguePart
from urlschemes_access.errors import PolicyDenied, RedirectRefused
from urlschemes_access.guard.route import Route
from urlschemes_access.policy import Policy
from urlschemes_access.protocol import requests

# Controls and backslashes are a trick, not a slip; some surrogates stand for no octet.
_SUSPICIOUS = re.compile(r"[\x00-\x1f\x7f\\\ud800-\udc7f\udd00-\udfff]")
_STRAY_PERCENT = re.compile(f"(?!{ESCAPE.pattern})%")
_ENDS = "/?#"
"""The characters that end an authority, in whatever profile the client has: servers write the locations of today."""
_REPAIRS = 8
"""The most kinds of characters that are encoded because they are illegal at their place."""


class Destinations(Route):
    """The route of an operation, which knows URLs and the records of their schemes."""

    def __init__(self, policy: Policy, registration: Registration) -> None:
        super().__init__(policy, _ports_of(registration), lines=_sends_lines(registration))
        self._local = registration.local

    def check_url(self, url: URL) -> None:
        """Check the URL that the operation begins with. Raises UnsafeURL, PolicyDenied."""
        self.policy.check_scheme(url.scheme)
        url.check_line()
        if not self._local:  # the algorithm of a local scheme checks the host itself and connects to none
            self._check_authority(url)

    def check_redirect(self, target: URL) -> None:
        """Check the target of a redirect; from now on the stricter rules for redirects apply. Raises PolicyDenied."""
        if target.registration is not None:
            self.own |= _ports_of(target.registration)
            self.lines |= _sends_lines(target.registration)
        self.policy.check_scheme(target.scheme)
        self._check_authority(target)
        self.redirected = True

    def _check_authority(self, url: URL) -> None:
        # The raw parts are those that the core matched. The algorithm uses the attributes of the type: they must agree.
        raw = url.raw
        host, port = raw.get("host"), raw.get("port")
        for name, part in (("host", host), ("port", port)):
            if isinstance(part, str):
                _check_attribute(url, name, part)
        if raw.get("user") is not None or raw.get("password") is not None:
            self.policy.check_user_information(defined=True)
        if isinstance(host, str):
            self.policy.check_host(host)
        if isinstance(port, str) and port.isdecimal():
            self.check_port(number_of(port))


def _check_attribute(url: URL, name: str, part: str) -> None:
    """Raise PluginContractError if the attribute `name` of a URL type is not the `part` of the URL."""
    if part.isdecimal():
        part = part.lstrip("0") or "0"
    try:
        value: object = getattr(url, name, part)
    except URLError:
        raise
    except Exception as error:
        raise type_failed(type(url), error, f"its {name} cannot be read") from error
    if str(value).lower() != part.lower():
        expected, got, kind = one_line(part, 80), one_line(str(value), 80), type(url).__name__
        raise PluginContractError(
            f"the type {kind} returns {got!r} as {name}, but the URL has {expected!r}",
            scheme=url.scheme,
            part=name,
            wants=expected,
            has=got,
        )


def _ports_of(registration: Registration) -> frozenset[int]:
    default = registration.default_port
    return frozenset(registration.ports if default is None else (default, *registration.ports))


def _sends_lines(registration: Registration) -> bool:
    """Return True if the scheme sends parts of a URL decoded, but for those whose octets the protocol counts."""
    parts = registration.syntax.parts.values()
    return any(part.travels in {"line", "checked"} for part in parts if part.name not in {"host", "port"})


class Redirects(DialoguePart):
    def __init__(self, context: Context, destinations: Destinations) -> None:
        super().__init__(context)
        self._first = context.url.registration
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
        current = self._context.url
        name, colon, _ = location.partition(":")
        written = colon and current.syntax.profile.is_scheme_name(name)
        scheme = name.lower() if written else current.scheme
        allowed = self._allowed_schemes()
        if scheme not in allowed:
            raise refused(
                f"{current.scheme} may redirect {'only to ' + ' or '.join(allowed) if allowed else 'to no scheme'}",
                "scheme",
            )
        self._destinations.add_hop(location)
        if self._target_of is None:
            raise refused("this operation follows no redirects", "policy")
        try:
            target = self._target_of(current, location)
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
        self._context.url = target
        note = "" if location in str(target) else f", written {shown}"
        self._trace.emit("follow", None, f"to {target}{note}")
        return target

    def _allowed_schemes(self) -> tuple[str, ...]:
        """Return the schemes that both the first URL and the current one may redirect to."""
        first, current = self._first, self._context.url.registration
        return tuple(name for name in current.redirects if name in first.redirects) if first and current else ()


def read_location(base: URL, location: str, type_of: Callable[[str], type[URL]]) -> URL:
    """Return the URL that `location` means relative to `base`.

    Where a fragment is part of a URL, it is that of `location`, or else of `base` (RFC 9110 section 10.2.2); elsewhere
    it is left out. What real servers write is repaired, as other clients do: an illegal character after the authority,
    such as a blank, is percent-encoded, and a `/` inserted that must stand between authority and query. `type_of`
    returns the URL type of a scheme. Raises InvalidURL, UnknownScheme, PluginError.
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
