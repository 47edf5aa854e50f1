"""What a block list says, and whether it says it of a URL.

    # a comment, also behind an entry
    host.example                 this host
    .example                     this host and all below it
    192.0.2.7  198.51.100.0/24   an address, a network (IPv6 too), where the host of the URL is an address
    gopher:                      a scheme
    0.0.0.0 ads.example b.example  as in the file hosts(5): these hosts

Names are compared without regard to letter case and to a dot at the end. A name that is written in other letters than
those of US-ASCII stands for its encoded form, which is the only one that a URL can hold.
"""

from __future__ import annotations

import os
import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from urlschemes.grammar.octets import SCHEME_NAME_FORM, unescape
from urlschemes.redaction import one_line
from urlschemes.storage.user_dirs import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from urlschemes import URL

__all__ = ["BlockList", "verdict"]

_MOST = 64 * 1024 * 1024
"""Octets that a list may have."""
_SINKS = frozenset({"0.0.0.0", "127.0.0.1", "::", "::1"})  # noqa: S104  nothing is bound to them
"""The addresses to which a hosts file sends what it blocks."""
_OWN = frozenset({"localhost", "localhost.localdomain", "local", "broadcasthost", "0.0.0.0"})  # noqa: S104  as above
"""What every hosts file says of the machine itself."""
_NAME = re.compile(r"\.?[a-z0-9_](?:[a-z0-9_.\-]{0,252}[a-z0-9_])?", re.ASCII)
_QUAD = re.compile(r"\d{1,10}(?:\.\d{1,10}){3}", re.ASCII)
_HOST = re.compile(r"//(?:[^/?#]*@)?([^/?#:@]*)")

_Address: TypeAlias = "IPv4Address | IPv6Address"
_Network: TypeAlias = "IPv4Network | IPv6Network"


def verdict(url: URL, files: Sequence[str]) -> str | None:
    """Why one of the lists forbids the URL, or why one of them cannot be used; None where they let it pass."""
    for file in files:
        try:
            lines = _read(file)
        except _UnusableError as error:
            return str(error)
        found = lines.line_for(url)
        if found is not None:
            what, line = found
            return f"{what} is blocked by line {line} of {file}"
    return None


class _UnusableError(Exception):
    """A list cannot be used; the text says why."""


class BlockList(NamedTuple):
    """What a file says: names, domains and schemes with their lines, and networks with theirs."""

    names: dict[str, int]
    domains: dict[str, int]
    schemes: dict[str, int]
    networks: tuple[tuple[_Network, int], ...]

    def line_for(self, url: URL) -> tuple[str, int] | None:
        """What of the URL is blocked, and the line that says so."""
        if url.scheme in self.schemes:
            return f"the scheme {url.scheme}", self.schemes[url.scheme]
        for host in _hosts(url):
            line = self.names.get(host)
            parent = host
            while line is None and parent:
                line = self.domains.get(parent)
                parent = parent.partition(".")[2]
            for address in _addresses(host):
                line = line or next((at for network, at in self.networks if address in network), None)
            if line is not None:
                return host, line
        return None


def _hosts(url: URL) -> Iterator[str]:
    """The hosts that the URL names: also that of a mail address, and of a URL whose scheme nobody provides."""
    for part in ("host", "domain"):
        if isinstance(value := url.parts.get(part), str):
            yield _folded(value.strip("[]"))
    found = _HOST.match(str(url).partition(":")[2])
    if found:  # who reads such a URL may decode what stands there
        yield _folded(unescape(found[1]))


def _folded(name: str) -> str:
    return name.lower().rstrip(".")


def _addresses(host: str) -> Iterator[_Address]:
    """The addresses that the host may be meant as: numbers with a zero in front are read as octal by some systems."""
    try:
        yield ip_address(host)
    except ValueError:
        if _QUAD.fullmatch(host):
            for base in (10, 8):
                try:
                    yield IPv4Address(bytes(int(number, base) for number in host.split(".")))
                except ValueError:
                    continue


_State: TypeAlias = tuple[int, ...]
"""What changes when a file does."""

_last_read: dict[str, tuple[_State, BlockList]] = {}


def _read(file: str) -> BlockList:
    """What the file says now, read once for each state of it. Raises _UnusableError."""
    if not os.path.isabs(file):  # noqa: PTH117  a text, to be shown
        raise _UnusableError(f"the block list {file} is no whole path")
    try:
        with open(open_regular(file), encoding="utf-8-sig") as stream:  # noqa: PTH123  of a descriptor
            status = os.fstat(stream.fileno())
            if status.st_size > _MOST:
                raise _UnusableError(f"the block list {file} is longer than {_MOST} octets")
            state = status.st_mtime_ns, status.st_size, status.st_ino, status.st_dev
            known = _last_read.get(file)
            if known is None or known[0] != state:
                known = _last_read[file] = state, _parsed(file, stream)
            return known[1]
    except UnicodeDecodeError:
        raise _UnusableError(f"the block list {file} is not UTF-8") from None
    except OSError as error:
        raise _UnusableError(f"the block list {file} cannot be used: {error.strerror}") from None


def _parsed(file: str, stream: Iterable[str]) -> BlockList:
    """What the lines of the file say. Raises _UnusableError."""
    lists = BlockList({}, {}, {}, ())
    networks: list[tuple[_Network, int]] = []
    for number, line in enumerate(stream, 1):
        words = line.partition("#")[0].split()
        if len(words) > 1 and words[0] in _SINKS:
            words = [word for word in words[1:] if word.lower() not in _OWN and not word.startswith("ip6-")]
        elif len(words) > 1 and _network(words[0]) is not None and any(map(_is_name, words[1:])):
            raise _UnusableError(f"line {number} of the block list {file} gives a host an address, and blocks none")
        for word in words:
            network = _network(word)
            if network is not None:
                networks.append((network, number))
            elif scheme := _scheme(word):
                lists.schemes.setdefault(scheme, number)
            else:
                for name in _names(word, number, file):
                    (lists.domains if name[0] == "." else lists.names).setdefault(name.lstrip("."), number)
    return lists._replace(networks=tuple(networks))


def _is_name(word: str) -> bool:
    return _network(word) is None


def _network(word: str) -> _Network | None:
    try:
        return ip_network(word, strict=False)
    except ValueError:
        return None


def _scheme(word: str) -> str | None:
    """The scheme that the word names; what is an address or a domain otherwise is none because a colon follows it."""
    name = word.lower().removesuffix(":")
    if name == word.lower() or name[:1] in {"", "."} or SCHEME_NAME_FORM.fullmatch(name) is None or not _is_name(name):
        return None
    return name


def _names(word: str, number: int, file: str) -> Iterator[str]:
    """The name as URLs can hold it: of one with other letters, as either edition of IDNA encodes it."""
    folded = _folded(word)
    forms = {folded} if folded.isascii() else {*_encoded(folded)}
    for form in forms or {""}:
        if _NAME.fullmatch(form) is None:
            raise _UnusableError(
                f"line {number} of the block list {file} is understood by nobody: {one_line(repr(word), 80)} "
                "is no host (a.example), no domain (.a.example), no address, no network (192.0.2.0/24), "
                "no scheme (gopher:)"
            )
        yield form


def _encoded(name: str) -> Iterator[str]:
    dot = "." if name.startswith(".") else ""
    labels = re.split("[.\u3002\uff0e\uff61]", name.removeprefix("."))
    try:
        yield dot + ".".join(label.encode("idna").decode("ascii").lower() for label in labels)
        yield dot + ".".join(_punycode(label) for label in labels)
    except UnicodeError:
        return


def _punycode(label: str) -> str:
    return label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}"
