"""Networks that are not the public Internet, metadata services of clouds, and addresses within addresses.

The rows of `SPECIAL` are those of IANA's registries of special-purpose addresses (RFC 6890), as they were on
`REGISTERED`, with multicast and the deprecated networks beside them. Some of them the registries call globally
reachable: they are anycast services of the nearest network, which is no part of the public Internet either.
"""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from urlschemes_access.protocol.hosts import Address

__all__ = ["METADATA", "PRIVATE", "REGISTERED", "SPECIAL", "Network", "contained_addresses", "special_purpose"]

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

REGISTERED = "2026-08-22"
"""The day on which the registries had these entries."""

SPECIAL = {
    "0.0.0.0/8": "local",
    "10.0.0.0/8": "private-use",
    "100.64.0.0/10": "shared",
    "127.0.0.0/8": "loopback",
    "169.254.0.0/16": "link-local",
    "172.16.0.0/12": "private-use",
    "192.0.0.0/24": "IETF protocol",
    "192.0.2.0/24": "documentation",
    "192.31.196.0/24": "AS112",
    "192.52.193.0/24": "AMT",
    "192.88.99.0/24": "6to4 relay",
    "192.168.0.0/16": "private-use",
    "192.175.48.0/24": "AS112",
    "198.18.0.0/15": "benchmarking",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved",
    "::/128": "unspecified",
    "::1/128": "loopback",
    "64:ff9b:1::/48": "local translation",
    "100::/64": "discard-only",
    "100:0:0:1::/64": "dummy",
    "2001::/23": "IETF protocol",
    "2001:db8::/32": "documentation",
    "2002::/16": "6to4",
    "2620:4f:8000::/48": "AS112",
    "3fff::/20": "documentation",
    "5f00::/16": "segment routing",
    "fc00::/7": "unique local",
    "fe80::/10": "link-local",
    "fec0::/10": "site-local",
    "ff00::/8": "multicast",
}
"""The special-purpose networks, and what they are for."""

PRIVATE = ("127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
"""This machine and private networks (RFC 1918, RFC 4193), not link-local ones: there are metadata services."""

METADATA = {
    "100.100.100.200": "Alibaba Cloud",
    "168.63.129.16": "Azure",
    "169.254.42.42": "Scaleway",
    "169.254.169.254": "cloud",
    "169.254.170.2": "AWS ECS",
    "169.254.170.23": "AWS EKS",
    "192.0.0.192": "Oracle Cloud",
    "fd00:42::42": "Scaleway",
    "fd00:c1::a9fe:a9fe": "Oracle Cloud",
    "fd00:ec2::23": "AWS EKS",
    "fd00:ec2::254": "AWS",
    "fd20:ce::254": "Google Cloud",
    "fe80::a9fe:a9fe": "OpenStack",
}
"""Addresses of metadata services, which give a cloud machine its secrets: each is allowed by its own name alone."""

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_IPV4_COMPATIBLE = ipaddress.ip_network("::/96")
_ISATAP = {0x00005EFE, 0x02005EFE}  # RFC 5214 section 6.1
_LOW = 0xFFFFFFFF
_ASSIGNED = 0b001
"""The first bits of 2000::/3, which is all of IPv6 that IANA has assigned (RFC 4291 section 2.4)."""


def _by_length(version: int) -> dict[int, dict[int, str]]:
    """Return the prefixes of the networks of one version of IP, by the number of bits that follow: longest first."""
    found: dict[int, dict[int, str]] = {}
    for text, purpose in SPECIAL.items():
        network = ipaddress.ip_network(text)
        if network.version == version:
            rest = network.max_prefixlen - network.prefixlen
            found.setdefault(rest, {})[int(network.network_address) >> rest] = purpose
    return dict(sorted(found.items()))


_PURPOSES = {version: _by_length(version) for version in (4, 6)}


@lru_cache(maxsize=256)
def special_purpose(address: Address) -> str | None:
    """Return what an address is for that is not on the public Internet, in words; None for a public one."""
    service = METADATA.get(str(address))
    if service is not None:
        return f"{service} metadata"
    number = int(address)
    for rest, purposes in _PURPOSES[address.version].items():
        if (purpose := purposes.get(number >> rest)) is not None:
            return purpose
    return "unassigned" if address.version == 6 and number >> 125 != _ASSIGNED else None


def contained_addresses(address: Address) -> list[Address]:
    """Return the addresses that traffic to an IPv6 address may reach in its place; none for most.

    They are the IPv4 addresses that it contains: IPv4-mapped and IPv4-compatible (RFC 4291 section 2.5.5), 6to4
    (RFC 3056), Teredo (RFC 4380) and NAT64 (RFC 6052). Behind ISATAP (RFC 5214) it may be the address itself as well.
    """
    if isinstance(address, ipaddress.IPv4Address):
        return []
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    if address.sixtofour is not None:
        return [address.sixtofour]
    if address.teredo is not None:
        return list(address.teredo)
    number = int(address)
    if address in _NAT64 or (address in _IPV4_COMPATIBLE and number > 1):
        return [ipaddress.IPv4Address(number & _LOW)]
    if (number >> 32) & _LOW in _ISATAP:
        return [address, ipaddress.IPv4Address(number & _LOW)]
    return []
