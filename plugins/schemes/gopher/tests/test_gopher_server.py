"""Gopher with servers on this machine: a Gopher+ server, and servers that misbehave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

import pytest

import urlschemes_access
from urlschemes.errors import UnsafeURL, URLError
from urlschemes_access import Document, Limits, Listing, Policy
from urlschemes_access.attributes import Entry
from urlschemes_access.credentials import Form
from urlschemes_access.errors import (
    InputRequired,
    LimitExceeded,
    PolicyDenied,
    RemoteError,
    Truncated,
)
from urlschemes_servers.gopher import binary, failing, form, gopher_server, link, menu, search, text
from urlschemes_testing.loopback import Address
from urlschemes_testing.rogue import (
    Act,
    floods,
    hears,
    rogue,
    says,
    stays_silent,
)

HERE = Policy.interactive()

ALL_OCTETS = bytes(range(256)) * 300
POEM = "Roses are red.\n.Violets are dotted.\n..\n.\nThe end.\n"
SENT = POEM.replace("\n", "\r\n").encode()

TREE = menu(
    {
        "poem": text(POEM, title="A poem", abstract="Short.\nVery short."),
        "open": text("Hello.\n", terminated=False, plus=False),
        "dotted": text(POEM, block="dot"),
        "closing": text(POEM, block="close"),
        "octets": binary(ALL_OCTETS),
        "logo": binary(b"GIF89a", gtype="g", media_type="image/gif", block="close"),
        "report": text("English\n", views={"text/plain De_DE": b"Deutsch\r\n", "application/pdf": b"%PDF"}),
        "sub menu": menu({"inner": text("Inside.\n")}, title="A menu", block="dot"),
        "find": search(title="Search"),
        "order": form(
            ["Ask: How many?", "AskL: Remarks", "Choose: Sure?\tYes\tNo"],
            lambda answers: "|".join(answers).encode(),
            title="Order",
        ),
        "busy": failing(2, "come back later"),
        "moved": failing(3, "0Poem\t/poem\telsewhere.dom\t7070"),
        "elsewhere": link("1", "/", "other.dom", 70, title="Another server"),
        "login": link("8", "guest", "other.dom", 23, title="A login"),
    }
)


@pytest.fixture(scope="module")
def server() -> Iterator[Address]:
    with gopher_server(TREE) as address:
        yield address


def access(url: str, **options: Any) -> Document | Listing:
    found = urlschemes_access.access(url, **{"policy": HERE, **options})
    assert isinstance(found, Document | Listing)
    return found


def read(url: str, **options: Any) -> bytes:
    with access(url, **options) as found:
        assert isinstance(found, Document)
        return found.read()


def entries(url: str, **options: Any) -> dict[str, str | None]:
    with access(url, **options) as found:
        assert isinstance(found, Listing)
        return {entry.name: entry.url for entry in found}


# A Gopher+ server


@pytest.mark.rfc1738(74)
def test_the_top_menu_leads_everywhere(server: Address) -> None:
    found = entries(f"gopher://{server}")
    assert found["A poem"] == f"gopher://{server}/0/poem%09%09+"
    assert found["A menu"] == f"gopher://{server}/1/sub%20menu%09%09+"
    assert found["Order"] == f"gopher://{server}/0/order%09%09?"
    assert found["open"] == f"gopher://{server}/0/open"
    assert found["Another server"] == "gopher://other.dom/1/"
    assert found["A login"] == "telnet://guest@other.dom/"
    assert entries(f"gopher://{server}/1%09%09+") == found
    assert entries(str(found["A menu"])) == {"inner": f"gopher://{server}/0/sub%20menu/inner%09%09+"}


@pytest.mark.parametrize("path", ["poem", "poem%09%09+", "dotted%09%09+", "closing%09%09+"])
def test_a_text_keeps_its_dots_however_it_is_sent(server: Address, path: str) -> None:
    with access(f"gopher://{server}/0/{path}") as document:
        assert isinstance(document, Document)
        assert document.media_type == "text/plain"
        assert document.read() == SENT
        assert document.terminated is True


def test_a_text_without_its_dot_is_not_terminated(server: Address) -> None:
    with access(f"gopher://{server}/0/open") as document:
        assert isinstance(document, Document)
        assert document.terminated is None
        assert document.read() == b"Hello.\r\n"
        assert document.terminated is False


@pytest.mark.parametrize("path", ["9/octets", "9/octets%09%09+"])
def test_octets_are_delivered_unchanged(server: Address, path: str) -> None:
    assert read(f"gopher://{server}/{path}") == ALL_OCTETS


@pytest.mark.rfc1738(90)
def test_views(server: Address) -> None:
    assert read(f"gopher://{server}/0/report%09%09+text/plain%20De_DE") == b"Deutsch\r\n"
    with access(f"gopher://{server}/0/report%09%09+application/pdf") as document:
        assert isinstance(document, Document)
        assert (document.media_type, document.size, document.read()) == ("application/pdf", 4, b"%PDF")
    with pytest.raises(RemoteError) as refused:
        read(f"gopher://{server}/0/report%09%09+image/gif")
    assert (refused.value.status, refused.value.text) == (1, "there is no view image/gif")


@pytest.mark.rfc1738(86)
def test_searches(server: Address) -> None:
    expected = {"A poem": f"gopher://{server}/0/poem%09%09+"}
    for path in ("7/find%09a%20poem", "7/find%09a%20poem%09+"):
        assert expected.items() <= entries(f"gopher://{server}/{path}").items()
    assert entries(f"gopher://{server}/7/find%09nothing%20has%20these%20words") == {}


def test_attributes(server: Address) -> None:
    for path in ("0/poem", "0/poem%09%09+", "0/poem%09%09!"):
        found = urlschemes_access.find_attributes(f"gopher://{server}/{path}", policy=HERE)
        assert (found.media_type, found.name) == ("text/plain", "A poem")
        assert found.fields["+ABSTRACT"] == "Short.\nVery short."
        assert found.modified is not None
        assert found.modified.year == 1994
    one = urlschemes_access.find_attributes(f"gopher://{server}/0/poem%09%09!+ABSTRACT", policy=HERE)
    assert set(one.fields) == {"protocol", "+INFO", "+ABSTRACT"}
    search_engine = urlschemes_access.find_attributes(f"gopher://{server}/7/find", policy=HERE)
    assert search_engine.name == "Search"


def test_attributes_as_a_text_and_as_a_menu(server: Address) -> None:
    assert read(f"gopher://{server}/0/poem%09%09!+ABSTRACT").startswith(b"+INFO: 0A poem\t/poem\t")
    with access(f"gopher://{server}/1%09%09$") as listing:
        assert isinstance(listing, Listing)
        found = {entry.name: entry for entry in listing}
    assert found["A poem"].fields["+ABSTRACT"] == "Short.\nVery short."
    assert found["report"].fields["+VIEWS"].splitlines()[1] == "text/plain De_DE: <1k>"
    assert found["Another server"].url == "gopher://other.dom/1/"


def test_the_caller_answers_a_form(server: Address) -> None:
    seen: list[Form] = []

    def ask(asked: Form) -> tuple[str, ...]:
        seen.append(asked)
        return "3", "one\n.two", "No"

    assert read(f"gopher://{server}/0/order%09%09?", ask=ask) == b"3|2|one|.two|No"
    assert (seen[0].title, [question.prompt for question in seen[0].questions]) == (
        "Order",
        ["How many?", "Remarks", "Sure?"],
    )
    with pytest.raises(InputRequired):
        access(f"gopher://{server}/0/order%09%09?")


def test_errors(server: Address) -> None:
    for path in ("0/nothing", "1/nothing", "9/nothing"):
        for plus in ("", "%09%09+"):
            with pytest.raises(RemoteError) as refused:
                access(f"gopher://{server}/{path}{plus}")
            assert refused.value.text == "no such item"
    with pytest.raises(RemoteError) as busy:
        access(f"gopher://{server}/0/busy%09%09+")
    assert (busy.value.status, busy.value.temporary) == (2, True)
    with pytest.raises(RemoteError) as moved:
        access(f"gopher://{server}/0/moved%09%09+")
    assert (moved.value.status, moved.value.text) == (3, "gopher://elsewhere.dom:7070/0/poem")


# Refused before connecting


@pytest.mark.parametrize(
    "path",
    [
        "_HELO%20x%00",
        "%0D",
        "%0A",
        "%09",
        "0%00",
        "0a%1B",
        "0a%7F",
        "7a%09b%00",
        "0a%09q%09+x%09y",
        "0a%09%09+%0D%0AQUIT%0D%0A",
        "0a%09%09+%091%0D%0A+-1%0D%0Aone%0D%0A.%0D%0A",  # not port 70
    ],
)
def test_control_characters_never_reach_a_server(path: str) -> None:
    with rogue(stays_silent()) as server:
        for options in ({}, {"submit_form": True}):
            with pytest.raises(UnsafeURL):
                access(f"gopher://{server}/{path}", options=options)
        with pytest.raises(UnsafeURL):
            urlschemes_access.find_attributes(f"gopher://{server}/{path}", policy=HERE)
        assert server.visits == []


def test_the_port_of_another_protocol_is_refused() -> None:
    with pytest.raises(PolicyDenied) as refused:
        access("gopher://127.0.0.1:25/_HELO%20x")
    assert refused.value.rule == "ports"


# Servers that misbehave

PATHS = ["0a", "1a", "9a", "7a%09b", "0a%09%09+", "1a%09%09$", "0a%09%09!", "0a%09%09?"]


def exhaust(url: str, policy: Policy) -> None:
    with access(url, policy=policy) as found:
        for _ in found:
            pass


def attributes(url: str, policy: Policy) -> None:
    urlschemes_access.find_attributes(url, policy=policy)


Failure = TypeVar("Failure", bound=URLError)


def fails(
    path: str,
    error: type[Failure],
    *acts: Act,
    policy: Policy = HERE,
    operation: Callable[[str, Policy], None] = exhaust,
) -> Failure:
    """Return the error of an operation on a server with these acts."""
    with rogue(*acts) as server, pytest.raises(error) as caught:
        operation(f"gopher://{server}/{path}", policy)
    assert str(caught.value).isascii()
    assert str(caught.value).isprintable()
    return caught.value


@pytest.mark.fault(11)
def test_an_endless_stream() -> None:
    small = replace(HERE, limits=Limits(content=300_000, entries=1000))

    def whole(url: str, policy: Policy) -> None:
        with access(url, policy=policy) as found:
            assert isinstance(found, Document)
            found.read()

    lines = floods(b"x\r\n" * 1000)
    assert fails("0a", LimitExceeded, hears(), lines, policy=small, operation=whole).limit == "content"
    entry = floods(b"0A\ta\th.dom\t70\r\n" * 100)
    assert fails("1a", LimitExceeded, hears(), entry, policy=small).limit == "entries"
    # What is not delivered is bounded too.
    blocks = floods(b"+X:\r\n" * 1000)
    assert (
        fails("0a", LimitExceeded, hears(), says("+-2"), blocks, policy=small, operation=attributes).limit == "content"
    )


@pytest.mark.fault(13)
@pytest.mark.parametrize(
    ("path", "most"), [("0a", 65536), ("1a", 8192), ("7a%09b", 8192), ("0a%09%09+", 65536), ("1a%09%09$", 8192)]
)
def test_an_endless_line(path: str, most: int) -> None:
    head = says("+-1") if "+" in path or "$" in path else says(b"x")
    error = fails(path, LimitExceeded, hears(), head, floods(b"x" * 1000))
    assert (error.limit, error.value) == ("line", most)


@pytest.mark.fault(14)
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("octets", [b"\0" * 5000, bytes(range(256)) * 20, b"\x1b]52;c;x\x07\r\n" * 5])
def test_noise(path: str, octets: bytes) -> None:
    found: list[object] = []
    errors: list[URLError] = []
    with rogue(hears(), says(octets)) as server:
        try:
            with access(f"gopher://{server}/{path}", policy=HERE) as resource:
                found += resource
        except URLError as error:
            errors.append(error)
    assert found or errors
    assert all(str(error).isascii() and str(error).isprintable() for error in errors)
    assert all(item.url is None for item in found if isinstance(item, Entry))


@pytest.mark.fault(39)
def test_a_text_without_a_dot_and_one_that_goes_on_after_it() -> None:
    with rogue(hears(), says("one", "two")) as server, access(f"gopher://{server}/0a", policy=HERE) as document:
        assert isinstance(document, Document)
        assert (document.read(), document.terminated) == (b"one\r\ntwo\r\n", False)
    with rogue(hears(), says("one", ".", "two")) as server, access(f"gopher://{server}/0a", policy=HERE) as document:
        assert isinstance(document, Document)
        with pytest.raises(Truncated, match="5 octets follow") as cut:
            document.read()
        assert cut.value.partial == b"one\r\n"
    with rogue(hears(), says("one", ".", "two")) as server:
        assert read(f"gopher://{server}/0a", policy=HERE, options={"octets": True}) == b"one\r\n.\r\ntwo\r\n"


def test_a_server_that_does_not_close_after_the_dot() -> None:
    with rogue(hears(), says("one", "."), stays_silent()) as server:
        assert read(f"gopher://{server}/0a", policy=HERE) == b"one\r\n"
    with rogue(hears(), says("0A\ta\th.dom\t70", "."), stays_silent()) as server:
        assert entries(f"gopher://{server}/1a", policy=HERE) == {"A": "gopher://h.dom/0a"}
    with rogue(hears(), says("+3", b"abc"), stays_silent()) as server:
        assert read(f"gopher://{server}/0a%09%09+", policy=HERE) == b"abc"


@pytest.mark.fault(40)
def test_bad_lines_of_a_menu_are_entries_with_a_problem() -> None:
    lines = (
        "no tabs",
        "0A\ta\th.dom\t99999",
        "0A\ta\t-o\t70",
        b"0A\ta\rb\th.dom\t70\r\n",
        "0Mail\ta\t127.0.0.1\t25",
        ".",
    )
    with rogue(hears(), says(*lines)) as server, access(f"gopher://{server}/1", policy=HERE) as listing:
        assert isinstance(listing, Listing)
        *bad, mail = listing
    assert [bool(entry.problem) for entry in bad] == [True] * 4
    assert mail.url == "gopher://127.0.0.1:25/0a"
    with pytest.raises(PolicyDenied):
        access(mail.url, policy=HERE)


@pytest.mark.fault(40)
def test_no_server_of_a_menu_is_contacted() -> None:
    with rogue(stays_silent()) as other:
        lines = (f"0A\ta\t127.0.0.1\t{other.port}", f"hB\tURL:gopher://{other}/0b\t127.0.0.1\t{other.port}", ".")
        with rogue(hears(), says(*lines)) as server:
            found = entries(f"gopher://{server}/1", policy=HERE)
        assert list(found.values()) == [f"gopher://{other}/0a", f"gopher://{other}/0b"]
        assert other.visits == []
