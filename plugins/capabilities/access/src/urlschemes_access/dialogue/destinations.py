"""The policy applied to the URLs of one operation; `urlschemes_access.guard` applies it to hosts, ports, addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import PluginContractError, URLError
from urlschemes.grammar.part import number_of
from urlschemes.redaction import one_line
from urlschemes.url.value import type_failed
from urlschemes_access.guard.route import Route

if TYPE_CHECKING:
    from urlschemes.record.registration import Registration
    from urlschemes.url.value import URL
    from urlschemes_access.policy import Policy


class Destinations(Route):
    """The route of an operation, which knows URLs and the records of their schemes."""

    __slots__ = ("_local",)

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
        for name in ("host", "port"):
            _check_attribute(url, name)
        if url.raw.get("user") is not None or url.raw.get("password") is not None:
            self.policy.check_user_information(defined=True)
        host, port = url.raw.get("host"), url.raw.get("port")
        if isinstance(host, str):
            self.policy.check_host(host)
        if isinstance(port, str) and port.isdecimal():
            self.check_port(number_of(port))


def _check_attribute(url: URL, name: str) -> None:
    """Raise PluginContractError if the attribute `name` of a URL type is not the part of the URL."""
    part = url.raw.get(name)
    if not isinstance(part, str):
        return
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
