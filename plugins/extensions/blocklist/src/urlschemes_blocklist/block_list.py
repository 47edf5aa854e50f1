"""Block lists: files of hosts, domains, networks and schemes.

    # a comment, which may follow an entry
    host.example                   this host
    .example                       this host and all hosts below it
    192.0.2.7  198.51.100.0/24     an address or network (IPv6 too): blocks URLs whose host is such an address
    gopher:                        a scheme
    0.0.0.0 ads.example b.example  a line of a hosts(5) file: these hosts

The case of names and a final dot do not matter. A name with letters outside US-ASCII stands for its encoded form, the
only one that a URL can contain.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from urlschemes.grammar.octets import SCHEME_NAME_FORM, unescape
from urlschemes.grammar.profile import authority_of
from urlschemes.redaction import one_line
from urlschemes.storage.user_dirs import open_regular
from urlschemes_access.guard import RequestedURL
from urlschemes_access.protocol.networks import contained_addresses

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from urlschemes import URL

__all__ = ["BlockList", "read_list", "reason_to_block"]

MAX_OCTETS = 64 * 1024 * 1024
"""Octets that a list may have."""
_SINKS = frozenset({"0.0.0.0", "127.0.0.1", "::", "::1"})  # noqa: S104  nothing is bound to them
"""The addresses that hosts files give to blocked hosts."""
_LOCAL_NAMES = frozenset({"localhost", "localhost.localdomain", "local", "broadcasthost", "0.0.0.0"})  # noqa: S104  as above
"""The names that every hosts file gives to the machine itself."""
_NAME = re.compile(r"\.?[a-z0-9_](?:[a-z0-9_.\-]{0,252}[a-z0-9_])?", re.ASCII)
_QUAD = re.compile(r"\d{1,10}(?:\.\d{1,10}){3}", re.ASCII)
_READINGS = ("/?#", "/")
"""The ends of authorities by RFC 3986, and by RFC 1738, where a user name may contain a question mark."""
_ENDS_HOST = re.compile("[?#]")
_DOMAIN = re.compile(r"@([^\s,;<>()\"@]+)")
_RECIPIENTS = frozenset({"to", "cc", "bcc"})
"""The header fields of mail that hold addresses to send to."""

_Address: TypeAlias = "IPv4Address | IPv6Address"
_Network: TypeAlias = "IPv4Network | IPv6Network"


def reason_to_block(url: URL | RequestedURL, files: Sequence[str]) -> str | None:
    """Return why a list forbids the URL, or why a list cannot be used; None if all lists permit the URL."""
    for file in files:
        try:
            block_list = read_list(file)
        except _UnusableError as error:
            return str(error)
        match = block_list.find_line(url)
        if match is not None:
            what, line = match
            return f"{what} is blocked by line {line} of {file}"
    return None


class _UnusableError(Exception):
    """A list cannot be used; the message says why."""


@dataclass(slots=True)
class BlockList:
    """The entries of a list, with the number of the line of each."""

    names: dict[str, int] = field(default_factory=dict)
    domains: dict[str, int] = field(default_factory=dict)
    schemes: dict[str, int] = field(default_factory=dict)
    networks: list[tuple[_Network, int]] = field(default_factory=list)

    def find_line(self, url: URL | RequestedURL) -> tuple[str, int] | None:
        """Return the host or scheme of the URL that is blocked, and the line that blocks it; None if there is none."""
        if url.scheme in self.schemes:
            return f"the scheme {url.scheme}", self.schemes[url.scheme]
        for host in _hosts(url):
            line = self._line_of(host)
            if line is not None:
                return host, line
        return None

    def _line_of(self, host: str) -> int | None:
        line = self.names.get(host)
        parent = host
        while line is None and parent:
            line = self.domains.get(parent)
            parent = parent.partition(".")[2]
        for address in _addresses(host):
            line = line or next((number for network, number in self.networks if address in network), None)
        return line


def _hosts(url: URL | RequestedURL) -> Iterator[str]:
    """Yield the hosts that the URL names, including the domains of mail addresses and the host of an unknown scheme."""
    if isinstance(url, RequestedURL):
        yield _folded(url.host)
        return
    parts: Mapping[str, Any] = url.parts
    for part in ("host", "domain"):
        if isinstance(value := parts.get(part), str):
            yield _folded(unescape(value))
    fields = (value for name, value in parts.get("headers") or () if name.lower() in _RECIPIENTS)
    for text in (*(parts.get("to") or ()), *fields):
        for domain in _DOMAIN.findall(text):
            yield _folded(domain)
    # What opens a URL of an unknown scheme may read it in another profile than this one, and decode its host.
    for ends in _READINGS:
        place = authority_of(str(url), url.syntax.profile, ends)
        if place is not None:
            yield _folded(unescape(_ENDS_HOST.split(str(url)[place.host : place.colon])[0]))


def _folded(name: str) -> str:
    return name.lower().rstrip(".").strip("[]").removeprefix("ipv6:")


def _addresses(host: str) -> Iterator[_Address]:
    """Yield the addresses that the host may mean, and those that an IPv6 address contains.

    Some systems read numbers with a leading zero as octal.
    """
    try:
        address = ip_address(host)
        yield address
        yield from contained_addresses(address)
    except ValueError:
        if _QUAD.fullmatch(host):
            for base in (10, 8):
                try:
                    yield IPv4Address(bytes(int(number, base) for number in host.split(".")))
                except ValueError:
                    continue


_FileState: TypeAlias = tuple[int, ...]
"""Values of a file's status that change with the file."""

_cache: dict[str, tuple[_FileState, BlockList]] = {}


def read_list(file: str) -> BlockList:
    """Return the list in a file, which is parsed again after each change. Raises _UnusableError."""
    if not Path(file).is_absolute():
        raise _UnusableError(f"cannot use the block list {file}: the path is not absolute")
    try:
        with open(open_regular(file), encoding="utf-8-sig") as stream:  # noqa: PTH123  a descriptor
            status = os.fstat(stream.fileno())
            if status.st_size > MAX_OCTETS:
                raise _UnusableError(f"cannot use the block list {file}: it is longer than {MAX_OCTETS} octets")
            state = status.st_mtime_ns, status.st_size, status.st_ino, status.st_dev
            cached = _cache.get(file)
            if cached is None or cached[0] != state:
                cached = _cache[file] = state, _parse_list(file, stream)
            return cached[1]
    except UnicodeDecodeError:
        raise _UnusableError(f"cannot use the block list {file}: it is not UTF-8") from None
    except OSError as error:
        raise _UnusableError(f"cannot use the block list {file}: {error.strerror}") from None


def _parse_list(file: str, lines: Iterable[str]) -> BlockList:
    """Return the list with these lines. Raises _UnusableError."""
    block_list = BlockList()
    for number, line in enumerate(lines, 1):
        try:
            for word in _entries(line):
                _add(block_list, word, number)
        except ValueError as error:
            raise _UnusableError(f"invalid line {number} in the block list {file}: {error}") from None
    return block_list


def _entries(line: str) -> list[str]:
    """Return the entries of a line. Raises ValueError for a line of a hosts file that blocks nothing."""
    words = line.partition("#")[0].split()
    if len(words) > 1 and words[0] in _SINKS:
        return [word for word in words[1:] if word.lower() not in _LOCAL_NAMES and not word.startswith("ip6-")]
    if len(words) > 1 and _network(words[0]) is not None and any(map(_is_name, words[1:])):
        raise ValueError("it gives a host an address: expected 0.0.0.0, 127.0.0.1, :: or ::1, which block the host")
    return words


def _add(block_list: BlockList, word: str, number: int) -> None:
    """Add one entry, which is on the line of this number. Raises ValueError if it is not one."""
    network = _network(word)
    if network is not None:
        block_list.networks.append((network, number))
    elif scheme := _scheme(word):
        block_list.schemes.setdefault(scheme, number)
    else:
        for name in _encoded_names(word):
            names = block_list.domains if name.startswith(".") else block_list.names
            names.setdefault(name.lstrip("."), number)


def _is_name(word: str) -> bool:
    return _network(word) is None


def _network(word: str) -> _Network | None:
    try:
        return ip_network(word, strict=False)
    except ValueError:
        return None


def _scheme(word: str) -> str | None:
    """Return the scheme in a word like `gopher:`; None for anything else, such as an address with a colon."""
    name = word.lower().removesuffix(":")
    if name == word.lower() or name[:1] in {"", "."} or SCHEME_NAME_FORM.fullmatch(name) is None or not _is_name(name):
        return None
    return name


def _encoded_names(word: str) -> Iterator[str]:
    """Yield the name as URLs contain it: a name outside US-ASCII as both editions of IDNA encode it."""
    folded = _folded(word)
    forms = {folded} if folded.isascii() else {*_idna_forms(folded)}
    for form in forms or {""}:
        if _NAME.fullmatch(form) is None:
            raise ValueError(
                f"expected a host (a.example), a domain (.a.example), an address, a network (192.0.2.0/24) or "
                f"a scheme (gopher:), got {one_line(repr(word), 80)}"
            )
        yield form


def _idna_forms(name: str) -> Iterator[str]:
    dot = "." if name.startswith(".") else ""
    labels = re.split("[.\u3002\uff0e\uff61]", name.removeprefix("."))
    try:
        yield dot + ".".join(label.encode("idna").decode("ascii").lower() for label in labels)
        yield dot + ".".join(_punycode(label) for label in labels)
    except UnicodeError:
        return


def _punycode(label: str) -> str:
    return label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}"
