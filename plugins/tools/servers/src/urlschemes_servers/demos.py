"""A demonstration of each scheme that the servers of this distribution speak: what `urlschemes demo` shows.

Each is found by its entry point of the group `urlschemes.demos`. Its server listens on 127.0.0.1 within the block.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from urlschemes.errors import PluginError
from urlschemes_cli.demonstration import Demonstration
from urlschemes_servers.ftp import FtpUser, ftp_server
from urlschemes_servers.gopher import gopher_server, menu, search, text
from urlschemes_servers.http import HttpRequest, HttpResponse, http_server
from urlschemes_servers.nntp import Newsgroup, article, nntp_server
from urlschemes_servers.prospero import directory, external, link, prospero_server
from urlschemes_servers.prospero import file as prospero_file
from urlschemes_servers.smtp import smtp_server
from urlschemes_servers.telnet import telnet_server
from urlschemes_servers.tls import make_certificates
from urlschemes_servers.wais import wais_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["file", "ftp", "gopher", "http", "https", "mailto", "news", "nntp", "prospero", "telnet", "wais"]

NOTES = b"""\
Uniform Resource Locators

A locator says where a resource is and how to get it.
Of the rest it says nothing.
"""


@contextmanager
def ftp(folder: Path) -> Iterator[Demonstration]:
    """A document two directories down, fetched after a login."""
    (folder / "home" / "notes").mkdir(parents=True)
    (folder / "home" / "notes" / "rfc 1738.txt").write_bytes(NOTES)
    users = {"reader": FtpUser("open sesame", home="/home")}
    with ftp_server(folder, users) as (host, port):
        yield Demonstration(
            f"ftp://reader:open%20sesame@{host}:{port}/notes/rfc%201738.txt;type=i",
            "Each directory is a CWD of its own; the type asks for the octets as they are.",
        )


@contextmanager
def http(folder: Path) -> Iterator[Demonstration]:
    """The answer to a query."""
    del folder

    def answer(request: HttpRequest) -> HttpResponse:
        words = f"You asked for {request.target}\n".encode()
        return HttpResponse(200, words, [("Content-Type", "text/plain; charset=us-ascii")])

    with http_server(handler=answer) as (host, port):
        yield Demonstration(
            f"http://{host}:{port}/library/find?author=Berners-Lee&year=1994",
            "The request target is sent exactly as it stands in the URL.",
        )


@contextmanager
def https(folder: Path) -> Iterator[Demonstration]:
    """A document over TLS, from a server that only this access trusts."""
    (folder / "notes.txt").write_bytes(NOTES)
    try:
        certificates = make_certificates()
    except ModuleNotFoundError as error:
        raise PluginError(
            "a server with a certificate needs trustme", hint="pip install 'urlschemes-testing[tls]'"
        ) from error
    with http_server(folder, tls=certificates.server) as (host, port):
        yield Demonstration(
            f"https://{host}:{port}/notes.txt",
            "As http, over TLS: the certificate is checked before anything is sent.",
            ssl_context=certificates.client(),
        )


@contextmanager
def gopher(folder: Path) -> Iterator[Demonstration]:
    """A menu, whose entries are URLs."""
    del folder
    tree = menu(
        {
            "library": menu(
                {
                    "notes": text(NOTES, title="Notes on locators"),
                    "find": search(title="Search the library"),
                    "old": menu({}, title="Old things"),
                }
            )
        }
    )
    with gopher_server(tree) as (host, port):
        yield Demonstration(f"gopher://{host}:{port}/1/library", "A menu: every entry that leads somewhere has a URL.")


@contextmanager
def file(folder: Path) -> Iterator[Demonstration]:
    """A document in a folder that is allowed."""
    (folder / "notes.txt").write_bytes(NOTES)
    yield Demonstration(
        (folder / "notes.txt").resolve().as_uri(),
        "Local files are off until a folder is allowed, as this one is for this access.",
        roots=(str(folder.resolve()),),
    )


@contextmanager
def mailto(folder: Path) -> Iterator[Demonstration]:
    """A message, submitted to a relay that keeps it."""
    del folder
    header = b'From: ann@home.example\r\nTo: "Joe Public"@host.example\r\nSubject: Locators\r\n\r\n'
    with smtp_server() as relay:
        yield Demonstration(
            "mailto:%22Joe%20Public%22@host.example",
            "A mailbox, and no data object: what can be done is to send a message, shown before and to nobody else.",
            operation="send",
            options={"message": header + NOTES, "relay": str(relay), "confirm": True},
        )


@contextmanager
def nntp(folder: Path) -> Iterator[Demonstration]:
    """An article, by the number that its server gave it."""
    del folder
    with nntp_server(_newsgroups()) as (host, port):
        yield Demonstration(
            f"nntp://{host}:{port}/comp.infosystems.www.misc/1234",
            "The number is this server's own; a line that begins with a dot travels with one more.",
        )


@contextmanager
def news(folder: Path) -> Iterator[Demonstration]:
    """The articles of a group."""
    del folder
    with nntp_server(_newsgroups()) as server:
        yield Demonstration(
            "news:comp.infosystems.www.misc",
            "The URL says what to read; the option server, where. Every article has a URL that is good anywhere.",
            options={"server": str(server)},
        )


def _newsgroups() -> dict[str, Newsgroup]:
    name = "comp.infosystems.www.misc"
    notes = article("Notes on locators", NOTES + b"...\n", group=name, message_id="notes@host.dom")
    answer = article("Re: Notes on locators", "Agreed.\n", group=name, message_id="4123%@host.dom")
    return {name: Newsgroup([notes, answer], description="The World Wide Web, all else", first=1234)}


@contextmanager
def wais(folder: Path) -> Iterator[Demonstration]:
    """The documents that a search finds."""
    del folder
    library = {"Notes on locators": NOTES, "On finding": b"A document is found by its words.\n", "Errata": b"None.\n"}
    with wais_server({"library": library}) as (host, port):
        yield Demonstration(
            f"wais://{host}:{port}/library?locator%20document",
            "One request, one answer. Every document found has a URL, with the identifier that its server gave it.",
        )


@contextmanager
def telnet(folder: Path) -> Iterator[Demonstration]:
    """A login, a question, and the way out."""
    del folder

    def talk(session: Any) -> bytes:
        written: bytes = session.login()
        session.write(b"size\r\n")
        session.write(b"quit\r\n")
        while octets := session.read():
            written += octets
        return written

    with telnet_server({"guest": "open sesame"}) as (host, port):
        yield Demonstration(
            f"telnet://guest:open%20sesame@{host}:{port}/",
            "A conversation. User name and password are advice, and typed where the service asks for them.",
            operation="open session",
            options={"columns": 80, "rows": 24},
            talk=talk,
        )


@contextmanager
def prospero(folder: Path) -> Iterator[Demonstration]:
    """A directory, whose links lead to many servers, over UDP."""
    del folder
    tree = directory(
        {
            "notes": prospero_file(NOTES),
            "archive": directory({}),
            "protocol": external(("AFTP", "INTERNET-D", "ftp.host.dom", "ASCII", "/pub/prospero/protocol.txt", "TEXT")),
            "about": external(("GOPHER", "INTERNET-D", "gopher.host.dom", "ASCII", "/about", "0")),
            "elsewhere": link("other.dom(1526)", "/pros/name"),
        }
    )
    with prospero_server(directory({"pros": tree})) as (host, port):
        yield Demonstration(
            f"prospero://{host}:{port}//pros",
            "Datagrams. A link to what no Prospero server has is the URL of its own access method.",
        )
