"""The line that asks a server for an item (RFC 1738 sections 3.4.1 to 3.4.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import UnsafeURL, UnsupportedOperation
from urlschemes.grammar.octets import octets_of
from urlschemes_gopher.forms import FILLED_FORM
from urlschemes_gopher.menu import login_url

if TYPE_CHECKING:
    from urlschemes_gopher import GopherURL

__all__ = ["check_type", "gopher_plus_string", "request_line"]

_NOT_AN_ITEM = {
    "2": "a phone book, which has another protocol (CSO)",
    "3": "an error message",
    "8": "a login",
    "T": "a login",
    "i": "a line of text in a menu",
}


def check_type(url: GopherURL) -> None:
    """Raise UnsupportedOperation if an item of this type is not on a gopher server."""
    gtype = url.effective_gtype
    if gtype in _NOT_AN_ITEM:
        telnet = login_url(url) if gtype in {"8", "T"} else None
        raise UnsupportedOperation(
            f"an item of type {gtype} is {_NOT_AN_ITEM[gtype]}, not a resource of a gopher server",
            scheme="gopher",
            part="gtype",
            section="RFC 1436 section 3.8",
            hint=f"its URL is {telnet}" if telnet else None,
        )


def gopher_plus_string(url: GopherURL, *, submit_form: bool) -> bytes:
    """Return the Gopher+ string. Raises UnsafeURL for control characters, except in a form that may be submitted."""
    octets = octets_of(url.gopher_plus or "")
    if not FILLED_FORM.fullmatch(octets):
        return url.line("gopher_plus")
    problem, hint = "", None
    if url.port != 70:
        problem, hint = "a filled form is sent to port 70 only", "the Gopher+ string `?` asks for the answers to a form"
    elif not submit_form:
        problem = "the URL contains a filled form, which may change something on the server"
        hint = "the option submit_form sends it"
    if problem:
        raise UnsafeURL(problem, scheme="gopher", part="gopher_plus", hint=hint)
    return octets


def request_line(url: GopherURL, words: bytes | None, plus: bytes) -> bytes:
    """Return the request for an item with these search words and this Gopher+ string.

    The Gopher+ string follows the selector without an empty search between them, as in the example of section 3.4.9.
    For a search (type 7) it follows the words, even empty ones (the Gopher+ document, section 2.4 and appendix II).
    """
    fields = [octets_of(url.selector)]
    if words or (words is not None and (not plus or url.effective_gtype == "7")):
        fields.append(words)
    if plus:
        fields.append(plus)
    return b"\t".join(fields) + (b"" if plus.endswith(b"\r\n") else b"\r\n")
