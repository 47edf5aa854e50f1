"""Parts of Gopher dialogues, for the tests of this folder."""

from __future__ import annotations

from functools import partial

from outcomes import checked

from urlschemes_gopher import GopherURL
from urlschemes_gopher.access import access, find_attributes
from urlschemes_testing.replay import Outcome, Script, client, connect, server, server_closes

HOST = "host.dom"
MENU = ("0About\t0/about\thost.dom\t70", "1More\t1/more\tother.dom\t7070\t+", "7Find\t7/find\thost.dom\t70")
INFO = "+INFO: 0Some file\tmoo\thost.dom\t70\t+"
BLOCKS = (
    INFO,
    "+ADMIN:",
    " Admin: Frodo <fng@bogus.edu>",
    " Creation-Date: then <19900101000000>",
    " Mod-Date: Wed Jul 28 17:02:01 1993 <19930728170201>",
    "+VIEWS:",
    " Text/plain: <10k>",
    " application/postscript De_DE: <100k>",
    "+ABSTRACT: 0long abstract\tlong\thost2.dom\t70\t+",
    "+SMELL: 0reference\tsmell\thost2.dom\t70",
    " sweet",
    "+URL: http://host.dom/",
    "+EMPTY",
)


def url_of(path: str) -> GopherURL:
    """Return the URL of this path on HOST."""
    return GopherURL.parse(f"gopher://{HOST}/{path}")


def exchange(request: str | bytes, *response: str | bytes, port: int = 70) -> Script:
    """Return the dialogue of one request and one response, after which the server closes."""
    steps = (server(*response),) if response else ()
    return Script(connect(HOST, port), client(request), *steps, server_closes())


def outcome_of(url: str | GopherURL, script: Script, *, closing: bool = False, submit_form: bool = False) -> Outcome:
    """Return the outcome of an access: the same however the response is cut, and honest after every fault.

    `closing` if only the end of the connection ends the content.
    """
    parsed = url_of(url) if isinstance(url, str) else url
    return checked(partial(access, parsed, submit_form=submit_form), script, ends_by_closing=closing)


def attributes_outcome(path: str, script: Script, *, closing: bool = False) -> Outcome:
    """Return the outcome of finding attributes, with the same checks."""
    return checked(partial(find_attributes, url_of(path)), script, ends_by_closing=closing)
