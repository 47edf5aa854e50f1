"""Where an access may go: what the policy says, and what follows from where it has been."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from urlschemes.policy import Policy
    from urlschemes.registration import Registration
    from urlschemes.url import URL

__all__ = ["Reach"]


class Reach:
    """The policy of one access, its scheme's own ports, and whether it was among public hosts before a redirect."""

    __slots__ = ("_from_public", "_local", "_own_ports", "_policy", "_reached_public")

    def __init__(self, policy: Policy, registration: Registration) -> None:
        self._policy = policy
        self._local = registration.local
        self._own_ports = _ports_of(registration)
        self._reached_public = False
        self._from_public = False

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
        self._from_public |= self._reached_public

    def _check_place(self, url: URL) -> None:
        # The parts as the core's own pattern finds them, not as the plugin's type tells them.
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
        """Check what `host` was resolved to. Raises PolicyDenied."""
        self._policy.check_address(address, host=host, from_public=self._from_public)

    def reached(self, address: str) -> None:
        """A connection was made: after a public one, no redirect leads into a private network."""
        self._reached_public |= self._policy.is_public(address)


def _ports_of(registration: Registration) -> frozenset[int]:
    return frozenset(() if registration.default_port is None else (registration.default_port,))
