"""Operations on gopher URLs, by Gopher (RFC 1436) and Gopher+ (RFC 1738 section 3.4).

    > selector [TAB search] [TAB gopher+] CR LF
    < the item                              to a line with a single dot, or to the end of the connection

A Gopher+ response begins with a line that says how long it is, or that it is an error. If the server does not know
Gopher+ and sends the item itself, the item is delivered, and its attributes say so.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from urlschemes.grammar.octets import octets_of, text_of
from urlschemes_access.attributes import Attributes
from urlschemes_access.credentials import Form, Question
from urlschemes_access.protocol import LINE, Algorithm, Ask, Close, Deliver, Open, Unterminated
from urlschemes_gopher.attributes import Item, ItemParser
from urlschemes_gopher.forms import encode_answer, encode_answers, parse_form
from urlschemes_gopher.menu import TEXT_TYPES, media_type, parse_entry
from urlschemes_gopher.request import check_type, gopher_plus_string, request_line
from urlschemes_gopher.response import Response, check_error_item, raise_error, send_request

if TYPE_CHECKING:
    from urlschemes_access.attributes import Entry
    from urlschemes_gopher import GopherURL

__all__ = ["access", "find_attributes"]

MAX_UNDECIDED = 32
"""Lines to read, before the first item with a URL, to tell a menu from an error."""

_WORDS = Question("Ask", "Words to search for")
_VIEW = re.compile(rb"\+([^\s]*)")


def access(url: GopherURL, *, submit_form: bool = False, octets: bool = False) -> Algorithm[None]:
    """Deliver the entries of a menu or search, or the octets of a document.

    The Gopher+ string `!` returns the attributes as a text, `$` the items of a menu with their attributes. `?` asks for
    answers to the item's form, and delivers the result. A filled form in the URL (section 3.4.9) is sent only if
    `submit_form` is true. The words of a search are asked for if the URL has none. A text ends at a line with a single
    dot; with `octets`, all that the server sends is delivered unchanged. Raises UnsafeURL before connecting;
    UnsupportedOperation for items that are not on a gopher server; RemoteError, LimitExceeded; Truncated, also if
    octets follow the dot of a text; InputRequired if the form or the search is not answered.
    """
    check_type(url)
    plus = gopher_plus_string(url, submit_form=submit_form)
    if plus == b"?":
        yield from _access_through_form(url, octets=octets)
        return
    words = None if url.search is None else octets_of(url.search)
    if url.effective_gtype == "7" and (words is None or (not words and plus == b"+")):
        (given,) = yield from Ask(Form(f"{url.host} searches '{url.selector}'", (_WORDS,)))
        (words,) = encode_answer(_WORDS, given)
    response = yield from send_request(url, request_line(url, words, plus), gopher_plus=bool(plus))
    yield from _deliver(url, response, plus, octets=octets)


def find_attributes(url: GopherURL) -> Algorithm[None]:
    """Find the Gopher+ attributes of the item (section 3.4.6): blocks by name in `fields`, and what they mean.

    A URL with the Gopher+ string `!+NAME` asks for those blocks only. If the server does not know Gopher+, the
    attributes are those of the item's type. Raises what `access` raises.
    """
    check_type(url)
    plus = gopher_plus_string(url, submit_form=False)
    if not plus.startswith(b"!"):
        plus = b"!"
    response = yield from send_request(url, request_line(url, b"", plus), gopher_plus=True)
    if not response.is_gopher_plus and plus != b"!":  # a server may know all attributes, but no single one
        yield from Close(response.reader.peer)
        response = yield from send_request(url, request_line(url, b"", b"!"), gopher_plus=True)
    item = None
    if response.is_gopher_plus:
        item = yield from _first_item(response)
    else:
        yield from check_error_item(response.reader)
    attributes = replace(_attributes(url, response, b"", fallback=not response.is_gopher_plus), size=None)
    yield from Open("attributes", item.attributes(url, attributes) if item else attributes)
    yield from Close(response.reader.peer)


def _access_through_form(url: GopherURL, *, octets: bool) -> Algorithm[None]:
    """Fetch the form, ask for the answers, and request the item with them (section 3.4.5)."""
    response = yield from send_request(url, request_line(url, b"", b"!"), gopher_plus=True)
    if not response.is_gopher_plus:
        yield from _deliver(url, response, b"?", octets=octets)
        return
    item = yield from _first_item(response)
    yield from Close(response.reader.peer)
    form = parse_form(item) if item else None
    if form is None:
        response = yield from send_request(url, request_line(url, b"", b"+"), gopher_plus=True)
    else:
        answers = yield from Ask(form)
        block, secret = encode_answers(form, answers)
        request = request_line(url, b"", b"+\t1") + block
        response = yield from send_request(url, request, gopher_plus=True, secret=secret)
    yield from _deliver(url, response, b"+", octets=octets)


def _deliver(url: GopherURL, response: Response, plus: bytes, *, octets: bool) -> Algorithm[None]:
    """Deliver the response: as the Gopher+ string `plus` says if the server used it, else by the type of the item."""
    used = plus if response.is_gopher_plus else b""
    attributes = _attributes(url, response, used, fallback=bool(plus) and not used)
    if used.startswith(b"$") or (used and attributes.media_type == "application/gopher+-menu"):
        yield from _deliver_items(url, response, attributes)
    elif attributes.media_type == "application/gopher-menu":
        yield from _deliver_menu(url, response, attributes)
    else:
        yield from _deliver_document(url, response, attributes, octets=octets)
    yield from Close(response.reader.peer)


def _attributes(url: GopherURL, response: Response, plus: bytes, *, fallback: bool) -> Attributes:
    """Return the attributes of what is delivered for `plus`; `fallback` if the server ignored the Gopher+ string."""
    fields = {"protocol": "Gopher+" if response.is_gopher_plus else "Gopher"}
    if fallback:
        fields["fallback"] = "the server ignored the Gopher+ string"
    view = _VIEW.match(plus)
    if plus.startswith(b"!"):
        type_: str | None = "text/plain"
    elif view and view[1]:
        type_ = text_of(view[1]).lower()
    else:
        type_ = media_type(url.effective_gtype, url.selector)
    return Attributes(media_type=type_, size=response.size, fields=fields)


def _deliver_document(url: GopherURL, response: Response, attributes: Attributes, *, octets: bool) -> Algorithm[None]:
    """Deliver a document. A text whose final dot is missing is delivered, and marked."""
    is_text = False
    if not response.is_gopher_plus:
        yield from check_error_item(response.reader)
        is_text = url.effective_gtype in TEXT_TYPES
    content = response.octets() if octets else response.content(dot_ends=is_text)
    yield from Open("document", attributes)
    while piece := (yield from content.read()):
        yield from Deliver(piece)
    yield from content.check_end()
    if content.lacks_dot:
        yield from Unterminated()


def _deliver_menu(url: GopherURL, response: Response, attributes: Attributes) -> Algorithm[None]:
    """Deliver the entries of a menu. Raises RemoteError if the first lines are an error message."""
    content = response.content(dot_ends=True, max_line=LINE)
    undecided: list[Entry] | None = []  # until it is clear that this is a menu
    has_tabs = False
    primary = "1"
    while (line := (yield from content.line())) is not None:
        entry = parse_entry(line, url, primary)
        if line[:1] not in {b"+", b"i", b"3", b""}:
            primary = text_of(line[:1])
        if undecided is None:
            yield from Deliver(entry)
            continue
        has_tabs = has_tabs or b"\t" in line
        undecided.append(entry)
        if entry.url is not None or len(undecided) == MAX_UNDECIDED:
            yield from _open_listing(attributes, undecided, is_menu=has_tabs)
            undecided = None
    if undecided is not None:
        yield from _open_listing(attributes, undecided, is_menu=has_tabs or not content.lacks_dot)
    if content.lacks_dot:
        yield from Unterminated()


def _open_listing(attributes: Attributes, first: list[Entry], *, is_menu: bool) -> Algorithm[None]:
    """Open the listing with its `first` entries, unless they are an error message.

    An error is an item of type 3 with no other items. From simple servers it is a text without a TAB and without the
    final dot.
    """
    errors = [entry.name for entry in first if entry.kind == "error"]
    if errors and all(entry.kind in {"error", "info"} for entry in first):
        raise_error(" ".join(errors))
    if not is_menu and any(entry.kind != "info" for entry in first):
        raise_error(" ".join(entry.name for entry in first))
    yield from Open("listing", attributes)
    for entry in first:
        yield from Deliver(entry)


def _deliver_items(url: GopherURL, response: Response, attributes: Attributes) -> Algorithm[None]:
    """Deliver the items of a menu with their attributes. Lines before the first `+INFO` are those of a plain menu."""
    yield from Open("listing", attributes)
    parser = ItemParser()
    content = response.content(dot_ends=True, max_line=LINE)
    while (line := (yield from content.line())) is not None:
        if not parser.begun and not line.startswith(b"+"):
            yield from Deliver(parse_entry(line, url))
        elif item := parser.feed(line):
            yield from Deliver(item.entry(url))
    if item := parser.end():
        yield from Deliver(item.entry(url))


def _first_item(response: Response) -> Algorithm[Item | None]:
    """Return the attributes of the item that was requested; None if there are none."""
    parser = ItemParser()
    content = response.content(dot_ends=True, max_line=LINE)
    while (line := (yield from content.line())) is not None:
        if item := parser.feed(line):
            return item
    return parser.end()
