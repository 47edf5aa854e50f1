"""What an access may do: which schemes, hosts, addresses, ports and files, and how much of everything.

A policy is a value, which prints what differs from the default; one is made from another by `dataclasses.replace`:

    careful = Policy.untrusted()                                    # what `access` uses: the public Internet, no files
    mine = replace(careful, networks=("127.0.0.0/8",), roots=("/srv/pub",))
    quick = replace(careful, limits=Limits(deadline=5, idle=2))

Every refusal is a PolicyDenied whose `rule` is the name of the field at fault and whose hint says how to allow it. What
no policy can allow, because it cannot be meant (port 70000, a host named 0177.0.0.1), is an UnsafeURL. RFC 1738 section
6 says why a client must look at ports and octets before it sends anything.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import TypeAlias

from urlschemes.errors import UnsafeURL
from urlschemes.redaction import one_line
from urlschemes_access.errors import PolicyDenied

__all__ = ["Limits", "Policy"]

_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


def _printed(value: Limits | Policy) -> str:
    """As a dataclass prints, without the fields that have their defaults; sets are sorted."""
    shown = []
    for each in fields(value):
        held, default = getattr(value, each.name), getattr(type(value)(), each.name)
        if held != default:
            text = f"{{{', '.join(map(repr, sorted(held)))}}}" if isinstance(held, frozenset) and held else repr(held)
            shown.append(f"{each.name}={text}")
    return f"{type(value).__name__}({', '.join(shown)})"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Limits:
    """How long and how much. Times are seconds, sizes are octets; all are positive and finite."""

    deadline: float = 60
    """The whole access, or one call of a session. The caller's own pauses do not count."""
    rate: float = 16 * 1024
    """The deadline grows by one second for so many octets received or sent."""
    resolve: float = 10
    """Finding the addresses of one host name."""
    connect: float = 10
    """Connecting to one host, over all of its addresses; also one TLS handshake."""
    first_octet: float = 20
    """From the last octet sent (or the connection) to the first octet of the answer."""
    idle: float = 15
    """Between two pieces of an answer."""
    content: int = 64 * 1024 * 1024
    """What is held at once: `Document.read()`, and what an algorithm may receive before it delivers anything."""
    entries: int = 100_000
    """Entries of one listing."""
    hops: int = 5
    """Redirects followed one after another."""
    connections: int = 16
    """Connections made in one access, or one call of a session."""
    datagrams: int = 1024
    """Datagrams received in one access."""
    datagram_octets: int = 1024 * 1024
    """Octets in those datagrams together."""

    def __post_init__(self) -> None:
        for limit in fields(self):
            value = getattr(self, limit.name)
            if not 0 < value < 2**63:  # false for NaN too
                raise ValueError(f"Limits.{limit.name} must be positive and finite, not {value!r}")

    __repr__ = _printed


_COLLECTIONS: dict[str, type[frozenset[object] | tuple[object, ...]]] = {
    "schemes": frozenset,
    "denied_schemes": frozenset,
    "hosts": frozenset,
    "denied_hosts": frozenset,
    "networks": tuple,
    "denied_networks": tuple,
    "ports": frozenset,
    "roots": tuple,
    "writable": tuple,
}
_NAMES = {"schemes", "denied_schemes", "hosts", "denied_hosts"}
_FOLDERS = {"roots", "writable"}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Policy:
    """What may be accessed. Without arguments: `Policy.untrusted()`, the public Internet and nothing else."""

    schemes: frozenset[str] | None = None
    """The only schemes allowed; None allows every installed one."""
    denied_schemes: frozenset[str] = frozenset()
    hosts: frozenset[str] | None = None
    """The only hosts allowed, by name, a leading dot meaning every name under it; None allows every host."""
    denied_hosts: frozenset[str] = frozenset()
    public: bool = True
    """Whether the addresses of the public Internet are allowed."""
    networks: tuple[str, ...] = ()
    """Networks allowed beside them, as `"127.0.0.0/8"`. A redirect leads into none, but back to where it came from."""
    denied_networks: tuple[str, ...] = ()
    ports: frozenset[int] = frozenset()
    """Ports allowed beside the scheme's own one and those from 1024 that are not known for another protocol."""
    roots: tuple[str, ...] = ()
    """The folders whose files may be read. None are, until some are given."""
    writable: tuple[str, ...] = ()
    """The folders whose files may be written and removed, whether or not they may be read. None are, until given."""
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        # A TypeError or ValueError now, rather than an access too many later: a single text is a collection too, of its
        # characters, and a name in capitals would never be met.
        for name, kind in _COLLECTIONS.items():
            given = getattr(self, name)
            if given is None:
                continue
            member = int if name == "ports" else str
            if isinstance(given, str) or not all(isinstance(each, member) for each in given):
                raise TypeError(f"Policy.{name} is a collection of {member.__name__}, not {given!r}")
            if name in _FOLDERS and any("\0" in each for each in given):
                raise ValueError(f"a folder of Policy.{name} holds a NUL, which ends a file name")
            lower = (each.lower() for each in given) if name in _NAMES else given
            object.__setattr__(self, name, kind(lower))
        for network in (*self.networks, *self.denied_networks):
            _network(network)

    __repr__ = _printed

    @classmethod
    def untrusted(cls) -> Policy:
        """For a URL that was found: in a text, in a menu, in the words of a server."""
        return cls()

    @classmethod
    def interactive(cls) -> Policy:
        """For a URL that a person typed: this machine and private networks are allowed too. Files are still off."""
        return cls(networks=PRIVATE, denied_networks=METADATA)

    def check_scheme(self, scheme: str) -> None:
        """Raises PolicyDenied unless URLs of `scheme` (lower case) may be accessed."""
        if scheme in self.denied_schemes:
            raise _denied(f"scheme {scheme!r} is denied", "denied_schemes", f"take {scheme!r} out of denied_schemes")
        if self.schemes is not None and scheme not in self.schemes:
            raise _denied(f"scheme {scheme!r} is not among those allowed", "schemes", f"add {scheme!r} to schemes")

    def check_host(self, host: str) -> None:
        """Look at a host name or dotted quad before anything is resolved.

        Raises UnsafeURL for what is neither (bounds: RFC 1034 section 3.1), PolicyDenied for what is not allowed.
        """
        _check_form(host)
        name = host.lower()
        if _listed(name, self.denied_hosts):
            raise _denied(f"host {name!r} is denied", "denied_hosts", f"take {name!r} out of denied_hosts")
        if self.hosts is not None and not _listed(name, self.hosts):
            raise _denied(f"host {name!r} is not among those allowed", "hosts", f"add {name!r} to hosts")

    def check_port(self, port: int, own: frozenset[int] = frozenset()) -> None:
        """`own` holds the ports that the schemes of this access are registered with.

        Raises UnsafeURL for a number that is no port, PolicyDenied for a port that is not allowed.
        """
        if not 0 < port < 65536:
            raise UnsafeURL(
                f"{one_line(str(port), 20)} is no port: they go from 1 to 65535",
                part="port",
                section="RFC 1738 section 3.1",
            )
        if port in own or port in self.ports:
            return
        if port < 1024:
            raise _denied(f"port {port} belongs to another protocol", "ports", f"to allow it: ports={{{port}}}")
        if port in OTHER_PROTOCOLS:
            raise _denied(f"port {port} is known for another protocol", "ports", f"to allow it: ports={{{port}}}")

    def check_address(self, address: str, *, host: str = "", redirected: bool = False) -> None:
        """`address` is one that `host` resolved to, or was connected to, as the system writes it.

        An address that only wraps others (IPv4-mapped, 6to4, Teredo, NAT64) counts as those. With `redirected`, a
        redirect led here, so that `networks` do not count. Raises PolicyDenied.
        """
        parsed = ipaddress.ip_address(address.partition("%")[0])
        held = list(_contained(parsed))
        named = f"{host} has the address {address}, which" if host and host != address else f"the address {address}"
        if any(one in _network(network) for network in self.denied_networks for one in (parsed, *held)):
            raise _denied(f"{named} is in a denied network", "denied_networks", "take its network out of it")
        for one in held or [parsed]:
            if not redirected and any(one in _network(network) for network in self.networks):
                continue
            if not _is_public(one):
                message = f"{named} is not of the public Internet"
                if redirected:
                    raise _denied(f"{message}, and a redirect led there", "redirect", "access that URL by itself")
                raise _denied(message, "networks", f'to allow it: networks=("{one}",)')
            if not self.public:
                raise _denied(f"{named} is in none of the allowed networks", "public", "to allow it: public=True")

    def is_this_machine(self, address: str) -> bool:
        """Whether the address is one of the loopback addresses."""
        parsed = ipaddress.ip_address(address.partition("%")[0])
        return all(one.is_loopback for one in list(_contained(parsed)) or [parsed])


PRIVATE = ("127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
"""This machine and private networks (RFC 1918, RFC 4193). Not the link-local ones: there clouds keep their secrets."""

METADATA = ("169.254.169.254/32", "fd00:ec2::254/128")
"""Where a machine in a cloud asks for its secrets; the second lies in a private network."""

# Ports from 1024 up where another protocol would take what we send for its own: the "bad ports" of the Fetch standard.
OTHER_PROTOCOLS = frozenset(
    (1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080)
)

# What Python's `is_global` lets through, in one of its versions or another: multicast, anycast for tunnels, and
# prefixes of IANA's special-purpose registries that are younger than it.
_SPECIAL = tuple(
    ipaddress.ip_network(network)
    for network in ("192.0.0.0/24", "192.88.99.0/24", "224.0.0.0/3", "2001:db8::/32", "3fff::/20", "2001::/23")
)
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")  # all that IANA has given out (RFC 4291 section 2.4)
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_IPV4_COMPATIBLE = ipaddress.ip_network("::/96")

_QUAD_LIKE = re.compile(r"[0-9.]+")
_GROUP = re.compile(r"0|[1-9][0-9]{0,2}")
_LABEL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?")


def is_dotted_quad(host: str) -> bool:
    """Whether a host that passed `check_host` is four groups of digits, and so needs no resolution."""
    return _QUAD_LIKE.fullmatch(host) is not None


def _denied(message: str, rule: str, how: str) -> PolicyDenied:
    return PolicyDenied(message, rule=rule, hint=f"policy rule {rule!r}: {how}", section="RFC 1738 section 6")


def _check_form(host: str) -> None:
    def unsafe(why: str) -> UnsafeURL:
        return UnsafeURL(f"host '{one_line(host, 80)}': {why}", part="host", section="RFC 1738 section 3.1")

    if not host:
        raise unsafe("there is none")
    if not host.isascii():
        raise unsafe("it is not in US-ASCII")
    if len(host) > 253:
        raise unsafe("it is longer than 253 octets")
    labels = host.split(".")
    if _QUAD_LIKE.fullmatch(host):
        if len(labels) != 4 or not all(map(_GROUP.fullmatch, labels)):
            raise unsafe("an address is four groups of digits without leading zeros")
        if any(int(label) > 255 for label in labels):
            raise unsafe("no group of an address is over 255")
        return
    for label in labels:
        if len(label) > 63:
            raise unsafe("a label is longer than 63 octets")
        if not _LABEL.fullmatch(label):
            raise unsafe("it is no domain name")
    # `0x7f.1` and `127.0x1` are addresses to some resolvers; a top label that begins with a digit never names a host.
    if labels[-1][0].isdigit():
        raise unsafe("the last label of a domain name begins with a letter")


def _listed(name: str, hosts: frozenset[str]) -> bool:
    return name in hosts or any(entry.startswith(".") and name.endswith(entry) for entry in hosts)


@lru_cache(maxsize=256)
def _network(text: str) -> _Network:
    return ipaddress.ip_network(text, strict=False)


def _contained(address: _Address) -> list[_Address]:
    """The addresses that traffic to `address` may end up at, where it only wraps them."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    last = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    if address.sixtofour is not None:
        return [address.sixtofour]
    if address.teredo is not None:
        return list(address.teredo)
    if address in _NAT64 or (address in _IPV4_COMPATIBLE and int(address) > 1):
        return [last]
    return []


def _is_public(address: _Address) -> bool:
    if any(address in network for network in _SPECIAL):
        return False
    if isinstance(address, ipaddress.IPv6Address) and address not in _GLOBAL_UNICAST:
        return False
    return address.is_global and not address.is_multicast
