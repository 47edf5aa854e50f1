"""Access methods: how an object can be accessed, as URLs of other schemes (RFC 1738 section 3.11).

The value of an ACCESS-METHOD attribute is a tuple: the method, type and name of a host, type and name of the object
there, and for some methods a sixth element. An empty element stands for that of the link or the URL.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from urlschemes.errors import InvalidURL, UnsafeURL
from urlschemes.grammar.octets import escape, octets_of, text_of
from urlschemes.redaction import one_line
from urlschemes_access.attributes import Entry, without_fragment
from urlschemes_access.protocol.hosts import url_host
from urlschemes_access.protocol.replies import CONTROL_OCTET

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from urlschemes.grammar.profile import Profile
    from urlschemes_prospero import ProsperoURL

__all__ = ["CONTENTS", "method_entry", "object_url"]

CONTENTS = b"PROSPERO-CONTENTS"
"""The method by which the Prospero server itself sends the object."""
PORT = 1525
"""The port of a host that names none."""

_NOT_IN_PATH = frozenset(b";?#[]")  # delimiters in the URLs of http, ftp or gopher, or not allowed in a path
_HOST = re.compile(rb"([^()]*)(?:\(([0-9]{1,5})\))?")
_TYPECODES = {b"BINARY": ";type=i", b"TEXT": ";type=a"}


@dataclass(frozen=True, slots=True)
class _Location:
    """The location of an access method. `host` is ready for a URL of the profile, with its port if it has one."""

    host: str
    name: bytes
    extra: bytes
    profile: Profile

    @property
    def path(self) -> str:
        return self.as_path(self.name.removeprefix(b"/"))

    def as_path(self, octets: bytes) -> str:
        """Return `octets` as a path, or the end of one."""
        return escape(octets, frozenset(self.profile.characters.encode()) - _NOT_IN_PATH)


def _host_and_port(host_type: bytes, host: bytes) -> tuple[str, int | None]:
    """Return host and port of `host(port)`. Raise UnsafeURL if it is not an Internet host."""
    match = _HOST.fullmatch(host)
    if not host_type.startswith(b"INTERNET") or match is None:
        raise UnsafeURL(f"'{one_line(text_of(host_type + b' ' + host), 120)}' is not an Internet host")
    port = None if match[2] is None else int(match[2])
    if port is not None and not 0 < port < 65536:
        raise UnsafeURL(f"invalid port {port}: expected 1 to 65535")
    return url_host(text_of(match[1])), port


def object_url(
    kind: type[ProsperoURL], host_type: bytes, host: bytes, name_type: bytes, name: bytes, version: bytes = b"0"
) -> ProsperoURL:
    """Return the URL of an object of a Prospero server. Raise InvalidURL or UnsafeURL if it has none."""
    host_name, port = _host_and_port(host_type, host)
    if name_type != b"ASCII":
        raise UnsafeURL(f"no URL can hold a name of type '{one_line(text_of(name_type), 60)}'")
    url = kind(
        host=host_name,
        port=port or PORT,
        hsoname=text_of(name),
        fields=() if version in {b"", b"0"} else (("OBJECT-VERSION", text_of(version)),),
    )
    url.check_line()
    return url


def method_entry(value: tuple[bytes, ...], accessed: ProsperoURL) -> Entry:
    """Return the entry of an access method of the object `accessed`: its URL, or a `problem` if it has none."""
    name = text_of(value[0]) if value else ""
    fields = {"access-method": text_of(b" ".join(value))}
    try:
        if len(value) < 5:
            raise UnsafeURL(f"the access method has {len(value)} elements: expected at least 5")
        url = _method_url(value, accessed)
    except (InvalidURL, UnsafeURL) as error:
        return Entry(name=name, kind=name.lower(), fields=fields, problem=one_line(str(error)))
    return Entry(name=name, kind=name.lower(), url=url, fields=fields)


def _method_url(value: tuple[bytes, ...], accessed: ProsperoURL) -> str:
    method, host_type, host, _, name = value[:5]
    if method == CONTENTS:
        if not host and not name:
            return without_fragment(accessed)
        return str(object_url(type(accessed), *_complete(value, accessed)))
    make_url = _URL_MAKERS.get(method)
    if make_url is None:
        raise UnsafeURL(_WITHOUT_URL.get(method, "no URL scheme corresponds to this access method"))
    host_name, port = _host_and_port(host_type, host) if host else (accessed.host, None)
    name = name or octets_of(accessed.hsoname)
    extra = value[5] if value[5:] else b""
    if CONTROL_OCTET.search(name + extra):
        raise UnsafeURL("it contains a control octet")
    type(accessed)(host=host_name)  # raises InvalidURL unless it is a host
    where = host_name if port is None else f"{host_name}:{port}"
    return make_url(_Location(where, name, extra, accessed.syntax.profile))


def _complete(value: tuple[bytes, ...], accessed: ProsperoURL) -> tuple[bytes, bytes, bytes, bytes]:
    """Return the second to fifth elements, with empty ones replaced by those of the object."""
    _, host_type, host, name_type, name = value[:5]
    if not host:
        host_type, host = b"INTERNET-D", b"%b(%d)" % (accessed.host.encode(), accessed.port)
    return host_type, host, name_type or b"ASCII", name or octets_of(accessed.hsoname)


def _gopher_url(location: _Location) -> str:
    gtype = location.extra[:1] or location.name[:1]
    if not gtype:
        raise UnsafeURL("neither the sixth element nor the selector has a gopher type")
    return f"gopher://{location.host}/{location.as_path(gtype + location.name)}"


_URL_MAKERS: Mapping[bytes, Callable[[_Location], str]] = {
    # The name is relative to the directory after an anonymous login, and so is the path of an ftp URL.
    b"AFTP": lambda location: f"ftp://{location.host}/{location.path}{_TYPECODES.get(location.extra, '')}",
    b"GOPHER": _gopher_url,
    b"HTTP": lambda location: f"http://{location.host}/{location.path}",
    b"TELNET": lambda location: f"telnet://{location.host}/",
}
_WITHOUT_URL: Mapping[bytes, str] = {
    b"FTP": "it needs a login that it does not name",
    b"LOCAL": "it is only for clients that share the server's file system",
    b"NFS": "it is only for clients that can mount the server's file system",
    b"AFS": "it is only for clients of the Andrew File System",
    b"RCP": "it needs a login that it does not name",
    b"WAIS": "its document identifier names no database",
}
