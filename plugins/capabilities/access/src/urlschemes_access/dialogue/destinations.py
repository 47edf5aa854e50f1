"""The policy applied to the URLs, hosts, ports and addresses of one operation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import PluginContractError, URLError
from urlschemes.grammar.part import number_of
from urlschemes.redaction import one_line
from urlschemes.url.value import type_failed

if TYPE_CHECKING:
    from urlschemes.record.registration import Registration
    from urlschemes.url.value import URL
    from urlschemes_access.policy import Policy


class Destinations:
    """The destinations that one operation may reach: by the policy, and by where it has been before a redirect."""

    def __init__(self, policy: Policy, registration: Registration) -> None:
        self._policy = policy
        self._local = registration.local
        self._scheme_ports = _ports_of(registration)
        self._lines = _sends_lines(registration)
        self._reached: set[str] = set()
        self._redirected = False

    def check_url(self, url: URL) -> None:
        """Check the URL that the operation begins with. Raises UnsafeURL, PolicyDenied."""
        self._policy.check_scheme(url.scheme)
        url.check_line()
        if not self._local:  # the algorithm of a local scheme checks the host itself and connects to none
            self._check_authority(url)

    def check_redirect(self, target: URL) -> None:
        """Check the target of a redirect; from now on the stricter rules for redirects apply. Raises PolicyDenied."""
        if target.registration is not None:
            self._scheme_ports |= _ports_of(target.registration)
            self._lines |= _sends_lines(target.registration)
        self._policy.check_scheme(target.scheme)
        self._check_authority(target)
        self._redirected = True

    def check_host_and_port(self, host: str, port: int) -> None:
        """Check a host and port before the host is resolved. Raises UnsafeURL, PolicyDenied."""
        self._policy.check_host(host)
        self.check_port(port)

    def check_port(self, port: int) -> None:
        """Check the port of a connection. Raises UnsafeURL, PolicyDenied."""
        self._policy.check_port(port, self._scheme_ports, lines=self._lines)

    def allowed_addresses(self, addresses: list[str], host: str) -> list[str]:
        """Return the addresses of `host` to connect to: all of them, if all are allowed. Raises PolicyDenied.

        After a redirect these are the addresses that were reached before, if `host` has one: it may be in a network
        that the policy allows besides the public Internet, into which a redirect must not lead anywhere else.
        """
        reached = [address for address in addresses if address in self._reached] if self._redirected else []
        for address in reached or addresses:
            self._policy.check_address(address, host=host, redirected=self._redirected and not reached)
        return reached or addresses

    def add_reached(self, address: str) -> None:
        """Note that a connection to `address` was made."""
        self._reached.add(address)

    def _check_authority(self, url: URL) -> None:
        # The raw parts are those that the core matched. The algorithm uses the attributes of the type: they must agree.
        for name in ("host", "port"):
            _check_attribute(url, name)
        host, port = url.raw.get("host"), url.raw.get("port")
        if isinstance(host, str):
            self._policy.check_host(host)
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
