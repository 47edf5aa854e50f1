"""Route: the hosts, ports and addresses that one operation may reach, and has reached."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Protocol

from urlschemes.errors import require_type
from urlschemes.redaction import one_line
from urlschemes_access.errors import PolicyDenied, RedirectRefused, ResolveError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes_access.dialogue.deadline import Deadline
    from urlschemes_access.policy import Policy
    from urlschemes_access.protocol.requests import Transport

__all__ = ["Resolver", "Route", "attempts", "resolve"]


class Resolver(Protocol):
    """A resolver of names: a backend, or the client's own. Raises OSError, and TimeoutError after `timeout` seconds."""

    async def resolve(self, host: str, port: int, transport: Transport, timeout: float) -> list[str]:
        """Return the addresses of `host` in the order to try them."""


class Route:
    """The hosts, ports and addresses that one operation may reach: by the policy, and by where it has been before.

    `own` are the ports of its schemes; `lines` is True if one of them sends decoded parts of a URL. `connections` and
    `hops` are counted.
    """

    __slots__ = ("_reached", "connections", "hops", "lines", "own", "policy", "redirected")

    def __init__(self, policy: Policy, own: frozenset[int] = frozenset(), *, lines: bool = False) -> None:
        self.policy = policy
        self.own = own
        self.lines = lines
        self.redirected = False
        self.connections = self.hops = 0
        self._reached: set[str] = set()

    def check_host_and_port(self, host: str, port: int) -> None:
        """Check a host and port before the host is resolved. Raises UnsafeURL, PolicyDenied."""
        self.policy.check_host(host)
        self.check_port(port)

    def check_port(self, port: int) -> None:
        """Check the port of a connection. Raises UnsafeURL, PolicyDenied."""
        self.policy.check_port(port, self.own, lines=self.lines)

    def add_hop(self, location: str) -> None:
        """Count a redirect that is about to be followed. Raises RedirectRefused after the last one allowed."""
        most = self.policy.limits.hops
        if self.hops >= most:
            shown = one_line(location, 120)
            why = f"{most} redirects were followed already"
            raise RedirectRefused(f"the redirect to {shown} is not followed: {why}", reason="hops", location=shown)
        self.hops += 1

    def add_connection(self) -> None:
        """Count a connection that is about to be made. Raises LimitExceeded after the last one allowed."""
        self.connections += 1
        if self.connections > self.policy.limits.connections:
            raise self.policy.limits.exceeded("connections", "the operation needs more connections than")

    def allowed_addresses(self, addresses: list[str], host: str) -> list[str]:
        """Return the addresses of `host` to connect to: all of them, if all are allowed. Raises PolicyDenied.

        After a redirect these are the addresses that were reached before, if `host` has one: it may be in a network
        that the policy allows besides the public Internet, into which a redirect must not lead anywhere else.
        """
        require_type("addresses", addresses, list)
        reached = [address for address in addresses if address in self._reached] if self.redirected else []
        for address in reached or addresses:
            self.check_address(address, host, redirected=self.redirected and not reached)
        return reached or addresses

    def check_address(self, address: str, host: str, *, redirected: bool) -> None:
        """Check an address of `host`. Raises PolicyDenied."""
        self.policy.check_address(address, host=host, redirected=redirected)

    def check_peer(self, peer: tuple[str, int], address: str, port: int, host: str) -> None:
        """Check that the system connected to the address that was checked, and note it. Raises PolicyDenied."""
        reached, at = peer
        if at != port or (reached != address and _address(reached) != _address(address)):
            raise PolicyDenied(
                f"the system connected to {reached} port {at} instead of {address} port {port}, the address of {host} "
                "that was checked",
                rule="networks",
            )
        self._reached.add(address)


async def resolve(
    backend: Resolver, deadline: Deadline, host: str, port: int, transport: Transport, most: float
) -> list[str]:
    """Return the addresses of the name `host`, in at most `most` seconds. Raises ResolveError, DeadlineExceeded."""
    timeout = min(deadline.time_for("resolve"), most)
    try:
        addresses = await backend.resolve(host, port, transport, timeout)
    except TimeoutError:
        raise deadline.error("resolve", timeout) from None
    except OSError as fault:
        why = getattr(fault, "strerror", None) or str(fault)
        raise ResolveError(f"host {host!r} has no address: {why}", part="host") from fault
    if not addresses:
        raise ResolveError(f"host {host!r} has no address", part="host")
    return addresses


def attempts(addresses: list[str], deadline: Deadline, seconds: float) -> Iterator[tuple[str, float]]:
    """Iterate over addresses to try one after another, each with the seconds that it may take of `seconds` in all.

    Each gets an equal share of the time left for those that remain; it ends early when there is none.
    """
    until = deadline.left() - seconds
    for index, address in enumerate(addresses):
        left = deadline.left() - until
        if left <= 0:
            return
        yield address, left / (len(addresses) - index)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    return ipaddress.ip_address(text.partition("%")[0])
