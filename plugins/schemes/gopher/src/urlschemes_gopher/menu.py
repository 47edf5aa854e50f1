"""Menus: the types of items, and what a line of a menu says (RFC 1436 sections 2 and 3.8)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.errors import InvalidURL, UnsafeURL
from urlschemes.grammar.octets import escape, octets_of, text_of
from urlschemes.redaction import one_line
from urlschemes_access.attributes import Entry, media_type_of
from urlschemes_gopher import GopherURL

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["KINDS", "TEXTS", "entry_of", "login_url", "media_type"]

KINDS: Mapping[str, str] = {
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
"""What the type of an item means: RFC 1436 section 3.8, Gopher+ section 2.9, and the types that are in wide use."""

TEXTS = frozenset({"0", "4", "6"})
"""The types whose content is a text that ends with a dot; all other content ends where the connection does."""

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
# The types that say what is to be done with the content, but not its format: the end of the selector has to.
_GUESSED: Mapping[str, str] = {
    "5": "",
    "9": "",
    "I": "image/",
    ":": "image/",
    ";": "video/",
    "<": "audio/",
    "s": "audio/",
}
_PORT = re.compile(rb"0*([1-9][0-9]{0,4})")
_GRAPHIC = re.compile(rb"[!-~]+")
_USER = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789$-_.+!*'(),;?&=")


def media_type(gtype: str, selector: str) -> str | None:
    """The media type of an item, from its type, or guessed from the end of its selector; None where neither says it."""
    if (known := _MEDIA_TYPES.get(gtype)) is not None:
        return known
    guessed = media_type_of(selector.rpartition("/")[2])
    if guessed is not None and guessed.startswith(_GUESSED.get(gtype, "")):
        return guessed
    return "application/octet-stream" if gtype in _GUESSED else None


def entry_of(line: bytes, asked: GopherURL, primary: str = "1") -> Entry:
    """What a line of the menu at `asked` says; `primary` is the type of the item that a redundant server (`+`) repeats.

    The URL is that of the item, with the Gopher+ string `+` or `?` where the line has that tag (section 3.4.4). An
    item of type 8 or T has a telnet URL; one of type h whose selector begins with `URL:` has the text after it, which
    is data from the server like any other. A line that no URL can come from is an entry with a `problem`.
    """
    name, *rest = line[1:].split(b"\t")
    gtype = text_of(line[:1])
    shown = text_of(name)
    if gtype in {"", "i"}:
        return Entry(name=shown, kind="info", fields={"type": "i"})
    if gtype == "3":
        return Entry(name=shown, kind="error", fields={"type": "3"})
    kind = "redundant server" if gtype == "+" else KINDS.get(gtype, "")
    if gtype == "+":
        gtype = primary
    if len(rest) < 3:
        return Entry(name=text_of(line), problem="the line has not the four fields of an item")
    selector, host, port = rest[:3]
    fields = {"type": gtype, "selector": text_of(selector), "host": text_of(host), "port": text_of(port)}
    try:
        url = _url_of(gtype, selector, host, port, rest[3] if len(rest) > 3 else b"", asked)
    except (InvalidURL, UnsafeURL) as error:
        return Entry(name=shown, kind=kind, fields=fields, problem=one_line(str(error)))
    return Entry(name=shown, url=url, kind=kind, fields={"type": gtype})


def login_url(host: str, port: int, login: bytes) -> str:
    """The telnet URL of an item of type 8 or T; its selector is the name to log in with (RFC 1436, appendix)."""
    user = f"{escape(login, _USER)}@" if login else ""
    return f"telnet://{user}{host}{'' if port == 23 else f':{port}'}/"


def _url_of(gtype: str, selector: bytes, host: bytes, port: bytes, tag: bytes, asked: GopherURL) -> str:
    if gtype == "h" and (target := re.match(rb"/?URL:", selector)):
        if not _GRAPHIC.fullmatch(selector, target.end()):
            raise UnsafeURL("the text after URL: cannot be a URL")
        return selector[target.end() :].decode("ascii")
    # In the link files of some servers `+` is the host and the port of that server; now and then it is passed on.
    digits = _PORT.fullmatch(port)
    number = asked.port if port == b"+" else int(digits[1]) if digits else 0
    if not 0 < number < 65536:
        raise UnsafeURL(f"{text_of(port)!r} is no port")
    url = GopherURL(
        host=asked.host if host == b"+" else text_of(host),
        port=number,
        gtype=gtype,
        selector=text_of(selector),
        gopher_plus=tag.decode("ascii") if tag in {b"+", b"?"} else None,
    )
    url.check_line()
    if gtype in {"8", "T"}:
        return login_url(url.host, number, octets_of(url.selector))
    return str(url)
