"""Where an access may go: what the policy says, and what follows from where it has been."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import PluginContractError, URLError
from urlschemes.redaction import one_line
from urlschemes.url.value import type_failed

if TYPE_CHECKING:
    from urlschemes.scheme.registration import Registration
    from urlschemes.url.value import URL
    from urlschemes_access.policy import Policy

__all__ = ["Reach"]


class Reach:
    """The policy of one access, its scheme's own ports, and the addresses that it reached before a redirect."""

    __slots__ = ("_local", "_own_ports", "_policy", "_reached", "_redirected")

    def __init__(self, policy: Policy, registration: Registration) -> None:
        self._policy = policy
        self._local = registration.local
        self._own_ports = _ports_of(registration)
        self._reached: set[str] = set()
        self._redirected = False

    def admit(self, url: URL) -> None:
        """Check the URL that the access begins with. Raises UnsafeURL, PolicyDenied."""
        self._policy.check_scheme(url.scheme)
        url.check_line()
        if not self._local:  # the host of a local scheme is for its algorithm to look at, and no place to go to
            self._check_place(url)

    def admit_redirect(self, target: URL) -> None:
        """Check the URL that a redirect leads to. Raises PolicyDenied."""
        if target.registration is not None:
            self._own_ports |= _ports_of(target.registration)
        self._policy.check_scheme(target.scheme)
        self._check_place(target)
        self._redirected = True

    def _check_place(self, url: URL) -> None:
        # The parts as the core's own pattern finds them, not as the plugin's type tells them. An algorithm dials what
        # that type tells: it must be the same.
        for name in ("host", "port"):
            _check_told(url, name)
        host, port = url.raw.get("host"), url.raw.get("port")
        if isinstance(host, str):
            self._policy.check_host(host)
        if isinstance(port, str) and port.isdecimal():
            self._policy.check_port(int(port), self._own_ports)

    def check_destination(self, host: str, port: int) -> None:
        """Check what is about to be resolved. Raises UnsafeURL, PolicyDenied."""
        self._policy.check_host(host)
        self._policy.check_port(port, self._own_ports)

    def check_address(self, address: str, host: str) -> None:
        """Check what `host` was resolved to. Raises PolicyDenied.

        The URL that a redirect gives was found, not typed: of what the policy allows beside the public Internet, it may
        only lead back to an address that was reached before (or to this machine, from this machine).
        """
        back = address in self._reached or (
            self._policy.is_this_machine(address) and any(map(self._policy.is_this_machine, self._reached))
        )
        self._policy.check_address(address, host=host, redirected=self._redirected and not back)

    def reached(self, address: str) -> None:
        """A connection to `address` was made."""
        self._reached.add(address)


def _check_told(url: URL, name: str) -> None:
    """Raise PluginContractError for a type whose `host` or `port` is not what stands in the URL."""
    written = url.raw.get(name)
    captured = int(written) if isinstance(written, str) and name == "port" else written
    if captured is None:
        return
    try:
        told: object = getattr(url, name, captured)
    except (URLError, KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:
        raise type_failed(type(url), error, f"its {name} cannot be read") from error
    if type(told) not in {str, int} or str(told).lower() != str(captured).lower():
        stands, kind = one_line(str(captured), 80), type(url).__name__
        raise PluginContractError(
            f"the type {kind} says of another {name} than {stands!r}, which stands in the URL",
            scheme=url.scheme,
            part=name,
            wants=stands,
            has=one_line(str(told), 80) if type(told) in {str, int} else type(told).__name__,
        )


def _ports_of(registration: Registration) -> frozenset[int]:
    own = registration.ports if registration.default_port is None else (registration.default_port, *registration.ports)
    return frozenset(own)
