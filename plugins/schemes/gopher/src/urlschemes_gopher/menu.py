"""Menus: the types of items, and the entries that their lines describe (RFC 1436 sections 2 and 3.8)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.errors import InvalidURL, UnsafeURL
from urlschemes.grammar.octets import escape, octets_of, text_of
from urlschemes.redaction import one_line
from urlschemes_access.attributes import Entry, media_type_of, name_of
from urlschemes_access.protocol.hosts import url_host

if TYPE_CHECKING:
    from collections.abc import Mapping

    from urlschemes_gopher import GopherURL

__all__ = ["TEXT_TYPES", "login_url", "media_type", "parse_entry"]

_KINDS: Mapping[str, str] = {
    "0": "text",
    "1": "menu",
    "2": "phone book",
    "3": "error",
    "4": "binhex",
    "5": "archive",
    "6": "uuencoded",
    "7": "search",
    "8": "telnet",
    "9": "binary",
    "T": "tn3270",
    "g": "image",
    "I": "image",
    "p": "image",
    ":": "image",
    ";": "video",
    "<": "sound",
    "s": "sound",
    "d": "document",
    "P": "document",
    "r": "document",
    "h": "html",
    "x": "xml",
    "i": "info",
}
"""The kinds of items by type: RFC 1436 section 3.8, Gopher+ section 2.9, and types that are in wide use."""

TEXT_TYPES = frozenset({"0", "4", "6"})
"""The types whose content is a text that ends with a dot; all other content ends with the connection."""

_MEDIA_TYPES: Mapping[str, str] = {
    "0": "text/plain",
    "1": "application/gopher-menu",
    "4": "application/mac-binhex40",
    "6": "text/x-uuencode",
    "7": "application/gopher-menu",
    "P": "application/pdf",
    "g": "image/gif",
    "h": "text/html",
    "p": "image/png",
    "r": "application/rtf",
    "x": "text/xml",
}
# Types that do not define a format: the suffix of the selector tells it.
_FORMAT_BY_SUFFIX: Mapping[str, str] = {
    "5": "",
    "9": "",
    "I": "image/",
    ":": "image/",
    ";": "video/",
    "<": "audio/",
    "s": "audio/",
}
_PORT = re.compile(rb"0*([1-9][0-9]{0,4})")
# What a server writes after `URL:` may be of a scheme that is not installed.
_GRAPHIC = re.compile(rb"[!-~]+")


def media_type(gtype: str, selector: str) -> str | None:
    """Return the media type of an item: by its type, else by the suffix of its selector; None if neither tells it."""
    if gtype in _MEDIA_TYPES:
        return _MEDIA_TYPES[gtype]
    by_suffix = media_type_of(selector.rpartition("/")[2])
    if by_suffix is not None and by_suffix.startswith(_FORMAT_BY_SUFFIX.get(gtype, "")):
        return by_suffix
    return "application/octet-stream" if gtype in _FORMAT_BY_SUFFIX else None


def parse_entry(line: bytes, menu: GopherURL, primary: str = "1") -> Entry:
    """Return the entry that a line of `menu` describes.

    A redundant server (type `+`) has the type of the item before it, which is `primary`. The entry's URL has the
    Gopher+ string `+` or `?` if the line has that tag (section 3.4.4). Items of type 8 or T have a telnet URL. An item
    of type h whose selector begins with `URL:` has the text after it. A line that no URL can describe gets a `problem`.
    A text at port 1 of `error.host` is an error, as servers of the University of Minnesota send it.
    """
    name, *rest = line[1:].split(b"\t")
    gtype = text_of(line[:1])
    shown = name_of(name)
    if gtype in {"", "i"}:
        return Entry(name=shown, kind="info", fields={"type": "i"})
    if gtype == "3" or (gtype == "0" and rest[1:3] == [b"error.host", b"1"]):
        return Entry(name=shown, kind="error", fields={"type": gtype})
    kind = "redundant server" if gtype == "+" else _KINDS.get(gtype, "")
    if gtype == "+":
        gtype = primary
    if len(rest) < 3:
        return Entry(name=name_of(line), problem="the line does not have the four fields of an item")
    selector, host, port = rest[:3]
    fields = {"type": gtype, "selector": text_of(selector), "host": text_of(host), "port": text_of(port)}
    try:
        url = _url_of(gtype, selector, host, port, rest[3] if len(rest) > 3 else b"", menu)
    except (InvalidURL, UnsafeURL) as error:
        return Entry(name=shown, kind=kind, fields=fields, problem=one_line(str(error)))
    return Entry(name=shown, url=url, kind=kind, fields={"type": gtype})


def login_url(item: GopherURL) -> str:
    """Return the telnet URL that an item of type 8 or T stands for; its selector is the user name (RFC 1436, appendix).

    All characters of the name are encoded that may be reserved in the profile of the item's URL.
    """
    login = octets_of(item.selector)
    user = f"{escape(login, frozenset(item.syntax.profile.unreserved.encode()))}@" if login else ""
    return f"telnet://{user}{item.host}{'' if item.port == 23 else f':{item.port}'}/"


def _url_of(gtype: str, selector: bytes, host: bytes, port: bytes, tag: bytes, menu: GopherURL) -> str:
    if gtype == "h" and (target := re.match(rb"/?URL:", selector)):
        if not _GRAPHIC.fullmatch(selector, target.end()):
            raise UnsafeURL("invalid URL after 'URL:': expected printable US-ASCII without spaces")
        return selector[target.end() :].decode("ascii")
    # In link files of some servers, `+` is the host and port of that server; some send it on.
    digits = _PORT.fullmatch(port)
    number = menu.port if port == b"+" else int(digits[1]) if digits else 0
    if not 0 < number < 65536:
        raise UnsafeURL(f"invalid port '{one_line(text_of(port), 60)}': expected 1 to 65535")
    url = type(menu)(
        host=menu.host if host == b"+" else url_host(text_of(host)),
        port=number,
        gtype=gtype,
        selector=text_of(selector),
        gopher_plus=tag.decode("ascii") if tag in {b"+", b"?"} else None,
    )
    url.check_line()
    if gtype in {"8", "T"}:
        return login_url(url)
    return str(url)
