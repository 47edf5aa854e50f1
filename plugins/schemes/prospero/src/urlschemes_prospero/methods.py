"""Access methods: how an object can be had, as URLs of other schemes (RFC 1738 section 3.11).

The value of an ACCESS-METHOD attribute is a tuple: the method, type and name of a host, type and name of the object
there, and for some methods a sixth element. An empty element means what the link, or the URL, says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from urlschemes.errors import InvalidURL, UnsafeURL
from urlschemes.grammar.octets import escape, octets_of, text_of
from urlschemes.redaction import one_line
from urlschemes_access.attributes import Entry
from urlschemes_access.protocol.replies import CONTROL_OCTET
from urlschemes_prospero import ProsperoURL

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["CONTENTS", "method_of", "object_url", "place_of"]

CONTENTS = b"PROSPERO-CONTENTS"
"""The method by which the Prospero server gives the object itself."""
PORT = 1525

_ALPHANUMERIC = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_UNRESERVED = frozenset(_ALPHANUMERIC + b"$-_.+!*'(),")
_PATH = _UNRESERVED | frozenset(b"/:@&=")  # what http, ftp and gopher all let stand in a path, and is no delimiter
_HOST = re.compile(rb"([^()]*)(?:\(([0-9]{1,5})\))?")
_TYPECODES = {b"BINARY": ";type=i", b"TEXT": ";type=a"}


@dataclass(frozen=True, slots=True)
class _Method:
    """A method whose empty elements are filled in. `host` is ready for a URL, with its port where that is named."""

    host: str
    name: bytes
    more: bytes

    @property
    def path(self) -> str:
        return escape(self.name.removeprefix(b"/"), _PATH)


def place_of(host_type: bytes, host: bytes) -> tuple[str, int | None]:
    """Host and port of `host(port)`. Raises UnsafeURL where it is no host of the Internet."""
    found = _HOST.fullmatch(host)
    if not host_type.startswith(b"INTERNET") or found is None:
        raise UnsafeURL(f"'{one_line(text_of(host_type + b' ' + host), 120)}' is no host of the Internet")
    port = None if found[2] is None else int(found[2])
    if port is not None and not 0 < port < 65536:
        raise UnsafeURL(f"{port} is no port")
    return text_of(found[1]), port


def object_url(host_type: bytes, host: bytes, name_type: bytes, name: bytes, version: bytes = b"0") -> ProsperoURL:
    """The URL of an object of a Prospero server. Raises InvalidURL, UnsafeURL where there is none."""
    at, port = place_of(host_type, host)
    if name_type != b"ASCII":
        raise UnsafeURL(f"a name of the type '{one_line(text_of(name_type), 60)}' cannot stand in a URL")
    url = ProsperoURL(
        host=at,
        port=port or PORT,
        hsoname=text_of(name),
        fields=() if version in {b"", b"0"} else (("OBJECT-VERSION", text_of(version)),),
    )
    url.check_line()
    return url


def method_of(value: tuple[bytes, ...], of: ProsperoURL) -> Entry:
    """An access method of the object `of`, as an entry: its URL, or a `problem` where no URL says the same."""
    name = text_of(value[0]) if value else ""
    fields = {"access-method": text_of(b" ".join(value))}
    try:
        if len(value) < 5:
            raise UnsafeURL("an access method has five elements at least")
        url = _url_of(value, of)
    except (InvalidURL, UnsafeURL) as error:
        return Entry(name=name, kind=name.lower(), fields=fields, problem=one_line(str(error)))
    return Entry(name=name, kind=name.lower(), url=url, fields=fields)


def _url_of(value: tuple[bytes, ...], of: ProsperoURL) -> str:
    method, host_type, host, _, name = value[:5]
    if method == CONTENTS:
        return str(of) if not host and not name else str(object_url(*_filled(value, of)))
    make = _MAKERS.get(method)
    if make is None:
        raise UnsafeURL(f"{_WITHOUT_URL.get(method, 'no URL says the same as this access method')}")
    at, port = place_of(host_type, host) if host else (of.host, None)
    name = name or octets_of(of.hsoname)
    more = value[5] if value[5:] else b""
    if CONTROL_OCTET.search(name + more):
        raise UnsafeURL("a control octet is in it")
    ProsperoURL(host=at)  # raises InvalidURL unless it is a host
    return make(_Method(at if port is None else f"{at}:{port}", name, more))


def _filled(value: tuple[bytes, ...], of: ProsperoURL) -> tuple[bytes, bytes, bytes, bytes]:
    _, host_type, host, name_type, name = value[:5]
    if not host:
        host_type, host = b"INTERNET-D", b"%b(%d)" % (of.host.encode(), of.port)
    return host_type, host, name_type or b"ASCII", name or octets_of(of.hsoname)


def _gopher(method: _Method) -> str:
    gtype = method.more[:1] or method.name[:1]
    if not gtype:
        raise UnsafeURL("neither a sixth element nor a selector tells the type of the gopher item")
    return f"gopher://{method.host}/{escape(gtype, _UNRESERVED)}{escape(method.name, _PATH)}"


_MAKERS: Mapping[bytes, Callable[[_Method], str]] = {
    # The name is relative to the root of the anonymous user, which the URL's path is too.
    b"AFTP": lambda method: f"ftp://{method.host}/{method.path}{_TYPECODES.get(method.more, '')}",
    b"GOPHER": _gopher,
    b"HTTP": lambda method: f"http://{method.host}/{method.path}",
    b"TELNET": lambda method: f"telnet://{method.host}/",
}
_WITHOUT_URL: Mapping[bytes, str] = {
    b"FTP": "it needs a login of one's own, which is not named",
    b"LOCAL": "it is for who shares the file system of that server",
    b"NFS": "it is for who may mount the file system of that server",
    b"AFS": "it is for who has the Andrew File System",
    b"RCP": "it needs a login of one's own, which is not named",
    b"WAIS": "its document identifier names no database",
}
