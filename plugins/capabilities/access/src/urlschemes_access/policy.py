"""Policies: the schemes, hosts, addresses, ports and files that an operation may reach, and its limits.

A policy is a value; its repr shows the fields that differ from the default. `dataclasses.replace` makes one from
another:

    careful = Policy.untrusted()                                    # the default: the public Internet, no files
    mine = replace(careful, networks=("127.0.0.0/8",), roots=("/srv/pub",))
    quick = replace(careful, limits=Limits(deadline=5, idle=2))
    same = Policy.from_dict(json.loads(json.dumps(quick.to_dict())))

Every refusal is a PolicyDenied: `rule` names the field that refuses, the hint says how to allow it. Hosts and ports
that no policy can allow, such as port 70000 or the host 0177.0.0.1, raise UnsafeURL. RFC 1738 section 6 and RFC 3986
section 7 explain why a client must check ports and addresses before it sends anything.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any, NamedTuple, Self

from urlschemes.errors import Hint, Remedy, UnsafeURL, members, require_type
from urlschemes.grammar.octets import SCHEME_NAME_FORM, SCHEME_NAME_WORDS
from urlschemes.redaction import one_line, redact_url
from urlschemes.scheme.scheme import lower_case
from urlschemes_access.errors import LimitExceeded, PolicyDenied
from urlschemes_access.protocol.hosts import Address, Host, read_host, url_host
from urlschemes_access.protocol.networks import METADATA, PRIVATE, Network, contained_addresses, special_purpose
from urlschemes_access.protocol.ports import LINE_SERVICES, OTHER_PROTOCOLS

__all__ = ["Kind", "Limits", "Policy", "kinds"]


def _repr_without_defaults(value: Limits | Policy) -> str:
    """Return the repr of a dataclass without the fields that have their defaults; sets are sorted."""
    shown = []
    for each in fields(value):
        held, default = getattr(value, each.name), getattr(type(value)(), each.name)
        if held != default:
            text = f"{{{', '.join(map(repr, sorted(held)))}}}" if isinstance(held, frozenset) and held else repr(held)
            shown.append(f"{each.name}={text}")
    return f"{type(value).__name__}({', '.join(shown)})"


def _check_names(kind: type[Limits | Policy], values: Mapping[str, Any]) -> None:
    """Raise ValueError for a name that is not a field of the dataclass: a misspelt rule must not count as absent."""
    if not isinstance(values, Mapping):
        raise TypeError(f"expected a dict of the fields of {kind.__name__}, not {values!r}")
    names = [each.name for each in fields(kind)]
    for name in values:
        if name not in names:
            raise ValueError(f"{name!r} is not a field of {kind.__name__}: expected one of {', '.join(names)}")


class Kind(NamedTuple):
    """The kind of a field of Policy or Limits.

    `expected` describes its values in plain data such as TOML. `of` is their type, or that of their members. `meaning`
    returns what one of them means, and raises ValueError. Members of `folders` are paths.
    """

    expected: str
    of: type[Any]
    meaning: Callable[[Any], object]
    collection: type[Any] | None = None
    folders: bool = False

    def checked(self, name: str, value: Any) -> Any:
        """Return what `value` means for the field `name`. Raises TypeError, ValueError."""
        if self.collection is not None:
            given = members(name, value, self.of)  # found now, a str instead of a collection allows nothing later
        elif isinstance(value, (self.of, int)) and isinstance(value, bool) == (self.of is bool):
            given = (value,)
        else:
            raise TypeError(f"{name} must be {self.expected}, not {value!r}")
        try:
            meant = tuple(map(self.meaning, given))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        return meant[0] if self.collection is None else self.collection(meant)


def kinds(of: type[Limits | Policy]) -> dict[str, Kind]:
    """Return the kind of each field by its name, but for the limits of a policy."""
    return {each.name: each.metadata["kind"] for each in fields(of) if each.metadata}


def _check_fields(value: Limits | Policy) -> None:
    for each in fields(value):
        given = getattr(value, each.name)
        if each.metadata and not (given is None and each.default is None):
            checked = each.metadata["kind"].checked(f"{type(value).__name__}.{each.name}", given)
            object.__setattr__(value, each.name, checked)


def _field(kind: Kind, default: object) -> Any:
    return field(default=default, metadata={"kind": kind})


def _positive(number: float) -> float:
    if not 0 < number < 2**63:  # false for NaN too
        raise ValueError(f"{number} is not positive and finite")
    return number


def _port(number: int) -> int:
    if isinstance(number, bool) or not 0 < number < 65536:
        raise ValueError(f"{number} is not a number from 1 to 65535")
    return number


def _network_text(text: str) -> str:
    _network(text)
    return text


def _quoted(text: str) -> str:
    return f"'{one_line(redact_url(text), 80)}'"


def _scheme(name: str) -> str:
    lower = lower_case(name)
    if SCHEME_NAME_FORM.fullmatch(lower) is None:
        raise ValueError(f"{_quoted(name)} is not the name of a scheme: expected {SCHEME_NAME_WORDS}, as in 'ftp'")
    return lower


def _host(text: str) -> str:
    """Return a host in its one spelling, or a domain with a leading dot."""
    try:
        if not text.startswith("."):
            return _host_name(read_host(url_host(text)))
        if (domain := read_host(text[1:])).address is None:
            return f".{domain}"
    except UnsafeURL:
        pass
    wants = "a domain name (xn--... if not in US-ASCII), '.evil.com' for every name under it, or an address"
    raise ValueError(f"{_quoted(text)} can never be a host: expected {wants}")


def _ipv4_mapped(address: Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address to which a connection to an IPv4-mapped one leads; None for all others."""
    return address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None


def _host_name(host: Host) -> str:
    """Return a host in its one spelling: an IPv4-mapped address as the IPv4 address."""
    return str((host.address and _ipv4_mapped(host.address)) or host)


def _folder(path: str) -> str:
    if "\0" in path:
        raise ValueError("a folder contains a NUL character")
    return path


_SECONDS = _RATE = Kind("a number", float, _positive)
_COUNT = Kind("a whole number", int, _positive)
_FLAG = Kind("true or false", bool, bool)
_SCHEMES = Kind("a list of strings", str, _scheme, frozenset)
_HOSTS = Kind("a list of strings", str, _host, frozenset)
_NETWORKS = Kind("a list of strings", str, _network_text, tuple)
_PORTS = Kind("a list of numbers from 1 to 65535", int, _port, frozenset)
_FOLDERS = Kind("a list of strings", str, _folder, tuple, folders=True)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Limits:
    """Limits of one operation. Times are in seconds, sizes in octets; all are positive and finite."""

    deadline: float | None = _field(_SECONDS, None)
    """Time for the whole operation, or for one call of a session; None sets no such wall. Pauses of the caller do not
    count; everything else does, and nothing moves the deadline."""
    resolve: float = _field(_SECONDS, 10)
    """Time to resolve one host name."""
    connect: float = _field(_SECONDS, 10)
    """Time to connect to one host, over all of its addresses; also the time for one TLS handshake."""
    first_octet: float = _field(_SECONDS, 20)
    """Time from the last octet sent, or from the connection, to the first octet of the response."""
    idle: float = _field(_SECONDS, 60)
    """Time without an octet of content delivered and without an octet sent."""
    lowest_rate: float = _field(_RATE, 1024)
    """Octets per second that content must reach in each `rate_window`, from its first octet on."""
    rate_window: float = _field(_SECONDS, 30)
    """Time over which `lowest_rate` is measured."""
    content: int = _field(_COUNT, 64 * 1024 * 1024)
    """Octets held in memory: by `Document.read()`, and by an algorithm before it delivers anything."""
    decoded: int = _field(_COUNT, 256 * 1024 * 1024)
    """Octets that a document may be longer than what was received: compressed content may grow without end."""
    entries: int = _field(_COUNT, 100_000)
    """Entries of one listing."""
    hops: int = _field(_COUNT, 5)
    """Redirects followed."""
    connections: int = _field(_COUNT, 16)
    """Connections made in one operation, or in one call of a session."""
    datagrams: int = _field(_COUNT, 1024)
    """Datagrams received in one operation."""

    def __post_init__(self) -> None:
        _check_fields(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the limits of `to_dict`; those that are absent have their defaults. Raises TypeError, ValueError."""
        _check_names(cls, values)
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """Return every limit by its name, as plain data."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def exceeded(self, limit: str, what: str) -> LimitExceeded:
        """Return the error for exceeding a limit. `what` begins the message; the value of the limit ends it."""
        value = getattr(self, limit)
        hint = Hint(Remedy("changes it", f"Limits.{limit}"))
        return LimitExceeded(f"{what} {value}", limit=limit, value=value, hint=hint)

    __repr__ = _repr_without_defaults


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Policy:
    """The URLs and files that an operation may reach. The default is the public Internet, and no files."""

    schemes: AbstractSet[str] | None = _field(_SCHEMES, None)
    """The only schemes allowed; None allows every installed scheme."""
    denied_schemes: AbstractSet[str] = _field(_SCHEMES, frozenset())
    hosts: AbstractSet[str] | None = _field(_HOSTS, None)
    """The only hosts allowed, by name or address; a leading dot allows every name under it. None allows every host."""
    denied_hosts: AbstractSet[str] = _field(_HOSTS, frozenset())
    public: bool = _field(_FLAG, True)
    """True if the addresses of the public Internet are allowed."""
    networks: Sequence[str] = _field(_NETWORKS, ())
    """Networks allowed in addition, such as `"127.0.0.0/8"`; a redirect may lead into them only to go back. They leave
    out the metadata services of clouds, but for one that is named by its own address."""
    denied_networks: Sequence[str] = _field(_NETWORKS, ())
    ports: AbstractSet[int] = _field(_PORTS, frozenset())
    """Ports allowed in addition to the scheme's own and to those from 1024 up that belong to no other protocol; nor, if
    the scheme sends decoded parts of a URL as lines, to a service that obeys lines of text."""
    only_ports: AbstractSet[int] | None = _field(_PORTS, None)
    """The only ports allowed, whatever the scheme, and also for data connections; `ports` adds nothing to them. None
    leaves the rule to `ports`."""
    user_information: bool | None = _field(_FLAG, None)
    """True if every URL may hold a user name and a password, False if none may. None: only URLs of the schemes that
    define them, such as ftp; http does not (RFC 9110 section 4.2.4)."""
    roots: Sequence[str] = _field(_FOLDERS, ())
    """Folders whose files may be read. By default, none."""
    writable: Sequence[str] = _field(_FOLDERS, ())
    """Folders whose files may be written and removed, even if they may not be read. By default, none."""
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        _check_fields(self)
        require_type("Policy.limits", self.limits, Limits)

    __repr__ = _repr_without_defaults

    @classmethod
    def untrusted(cls) -> Policy:
        """Return the policy for a URL found in a text, in a menu or in a response of a server."""
        return cls()

    @classmethod
    def interactive(cls) -> Policy:
        """Return the policy for a URL that a user typed: it allows this machine and private networks too, not files."""
        return cls(networks=PRIVATE)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the policy of `to_dict`; rules that are absent have their defaults. Raises TypeError, ValueError."""
        _check_names(cls, values)
        limits = values.get("limits", {})
        return cls(**{**values, "limits": limits if isinstance(limits, Limits) else Limits.from_dict(limits)})

    def to_dict(self) -> dict[str, Any]:
        """Return every rule by its name, as plain data that JSON can hold."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        plain = {name: _plain(value) for name, value in values.items()}
        return plain | {"limits": self.limits.to_dict()}

    def check_scheme(self, scheme: str) -> None:
        """Raise PolicyDenied unless URLs of `scheme`, in lower case, may be accessed."""
        require_type("scheme", scheme, str)
        if scheme in self.denied_schemes:
            raise _denied(f"scheme {scheme!r} is denied", "denied_schemes", f"remove {scheme!r} from denied_schemes")
        if self.schemes is not None and scheme not in self.schemes:
            raise _denied(
                f"scheme {scheme!r} is not among the allowed schemes", "schemes", f"add {scheme!r} to schemes"
            )

    def check_user_information(self, *, defined: bool) -> None:
        """Check a URL that has a user name or a password. `defined` is True if its scheme defines them for its URLs.

        Raises PolicyDenied.
        """
        if self.user_information is None and not defined:
            message = "the scheme has no user name and no password in its URLs"
            raise _denied(message, "user_information", "to allow it: user_information=True")
        if self.user_information is False:
            message = "URLs with a user name or a password are denied"
            hint = "remove the user name and the password, or set user_information=None"
            raise _denied(message, "user_information", hint)

    def check_host(self, host: str) -> None:
        """Check the host of a URL, before it is resolved.

        Raises UnsafeURL if it is neither a domain name nor an address, PolicyDenied if it is not allowed.
        """
        parsed = read_host(host)
        if self.hosts is None and not self.denied_hosts:
            return
        name = _host_name(parsed)
        if self.denied_hosts:
            contained = () if parsed.address is None else map(str, contained_addresses(parsed.address))
            if entry := next(filter(None, (_entry(each, self.denied_hosts) for each in (name, *contained))), None):
                raise _denied(f"host {name!r} is denied", "denied_hosts", f"remove {entry!r} from denied_hosts")
        if self.hosts is not None and not _entry(name, self.hosts):
            raise _denied(f"host {name!r} is not among the allowed hosts", "hosts", f"add {name!r} to hosts")

    def check_port(self, port: int, own: frozenset[int] = frozenset(), *, lines: bool = True) -> None:
        """Check a port; `own` are the registered ports of the schemes of this operation.

        `lines` is True if one of them sends decoded parts of a URL, so that its author writes lines for the server.
        Raises UnsafeURL for a number that is not a port, PolicyDenied for a port that is not allowed.
        """
        require_type("port", port, int)
        if not 0 < port < 65536:
            raise UnsafeURL(f"invalid port {one_line(str(port), 20)}: expected a number from 1 to 65535", part="port")
        if self.only_ports is not None:
            if port not in self.only_ports:
                raise _denied(f"port {port} is not among the allowed ports", "only_ports", f"add {port} to only_ports")
            return
        if port in own or port in self.ports:
            return
        how = f"to allow it: ports={{{port}}}"
        if port < 1024:
            raise _denied(f"port {port} belongs to another protocol", "ports", how)
        if port in OTHER_PROTOCOLS:
            raise _denied(f"port {port} is known for another protocol", "ports", how)
        if lines and port in LINE_SERVICES:
            raise _denied(f"port {port} belongs to {LINE_SERVICES[port]}, which obeys lines of text", "ports", how)

    def check_address(self, address: str, *, host: str = "", redirected: bool = False) -> None:
        """Check an address that `host` resolved to, as the system writes it.

        An address that contains others (IPv4-mapped and -compatible, 6to4, Teredo, NAT64, ISATAP) counts as those. With
        `redirected`, a redirect led here and `networks` do not count. Raises PolicyDenied.
        """
        require_type("address", address, str)
        parsed, held = _parts_of(address)
        if any(one in _network(network) for network in self.denied_networks for one in (parsed, *held)):
            raise _denied(
                f"{_named(address, host)} is in a denied network",
                "denied_networks",
                "remove its network from it",
                address,
            )
        for one in held:
            if not redirected and _named_in(self.networks, one):
                continue
            purpose = special_purpose(one)
            if purpose is not None:
                message = f"{_named(address, host, purpose)} is not on the public Internet"
                if redirected:
                    raise _denied(
                        f"{message}, and a redirect led there",
                        "redirect",
                        "access that URL directly" if _named_in(self.networks, one) else None,
                        address,
                    )
                raise _denied(message, "networks", f'to allow it: networks=("{one}",)', address)
            if not self.public:
                raise _denied(
                    f"{_named(address, host)} is in none of the allowed networks",
                    "public",
                    "to allow it: public=True",
                    address,
                )


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    return list(value) if isinstance(value, tuple) else value


def _denied(message: str, rule: str, how: str | None, address: str | None = None) -> PolicyDenied:
    return PolicyDenied(message, address=address, rule=rule, hint=f"policy rule {rule!r}: {how}" if how else None)


def _named(address: str, host: str, purpose: str = "") -> str:
    """Return the subject of a message about an address. `host` is the name that resolved to it, if there is one."""
    the = f"the {purpose} address {address}" if purpose else f"the address {address}"
    return the if host.strip("[]") in {"", address} else f"{host} has {the}, which"


def _entry(name: str, hosts: AbstractSet[str]) -> str | None:
    """Return the entry of `hosts` that a host matches: its name, or a domain that it is in."""
    return name if name in hosts else next((each for each in hosts if each[0] == "." and name.endswith(each)), None)


@lru_cache(maxsize=256)
def _parts_of(address: str) -> tuple[Address, list[Address]]:
    """Return an address, and the addresses that it counts as."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    return parsed, contained_addresses(parsed) or [parsed]


@lru_cache(maxsize=256)
def _named_in(networks: Sequence[str], address: Address) -> bool:
    """Return True if a network allows an address; a metadata service, only a network that is its address alone."""
    alone = str(address) in METADATA
    return any(address in network and (network.num_addresses == 1 or not alone) for network in map(_network, networks))


@lru_cache(maxsize=256)
def _network(text: str) -> Network:
    """Return the network that a rule names. Raises ValueError."""
    try:
        network, address = ipaddress.ip_network(text, strict=False), ipaddress.ip_interface(text).ip
    except ValueError:
        message = f"{_quoted(text)} is neither an address nor a network: expected one, such as '127.0.0.0/8'"
        raise ValueError(message) from None
    if "%" in text:
        raise ValueError(f"{_quoted(text)} has a zone: write the network without it")
    if address != network.network_address:
        raise ValueError(f"{_quoted(text)} is not a network: write '{network}', or '{address}' for the address alone")
    mapped = _ipv4_mapped(address)  # then all of the network is: a shorter prefix would leave bits of the address
    return ipaddress.ip_network((mapped, network.prefixlen - 96)) if mapped else network
