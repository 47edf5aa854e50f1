"""The demonstrations of schemes, which `urlschemes demo` and the review access.

Each is an entry point of the group `urlschemes.demos`. Its server listens on 127.0.0.1 within the block.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from urlschemes.errors import PluginError
from urlschemes.registry.names import how_to_install
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
from urlschemes_testing.demonstration import Demonstration

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["data", "file", "ftp", "gopher", "http", "https", "mailto", "news", "nntp", "prospero", "telnet", "wais"]

NOTES = b"""\
Uniform Resource Locators

A locator says where a resource is and how to get it.
It says nothing else.
"""


@contextmanager
def data(_: Path) -> Iterator[Demonstration]:
    """Demonstrate a document within its URL."""
    yield Demonstration(f"data:text/plain,{quote(NOTES)}", "The document is in the URL: no server is asked for it.")


@contextmanager
def ftp(folder: Path) -> Iterator[Demonstration]:
    """Demonstrate a login, and a document two directories down."""
    (folder / "home" / "notes").mkdir(parents=True)
    (folder / "home" / "notes" / "rfc 1738.txt").write_bytes(NOTES)
    users = {"reader": FtpUser("open sesame", home="/home")}
    with ftp_server(folder, users) as (host, port):
        yield Demonstration(
            f"ftp://reader:open%20sesame@{host}:{port}/notes/rfc%201738.txt;type=i",
            "Each directory is a CWD command; the type requests the octets unchanged.",
            server="pyftpdlib",
        )


@contextmanager
def http(_: Path) -> Iterator[Demonstration]:
    """Demonstrate the response to a query."""

    def respond(request: HttpRequest) -> HttpResponse:
        body = f"You requested {request.target}\n".encode()
        return HttpResponse(200, body, [("Content-Type", "text/plain; charset=us-ascii")])

    with http_server(handler=respond) as (host, port):
        yield Demonstration(
            f"http://{host}:{port}/library/find?author=Berners-Lee&year=1994",
            "The request target is sent as it is written in the URL.",
            server="http_server",
        )


@contextmanager
def https(folder: Path) -> Iterator[Demonstration]:
    """Demonstrate a document over TLS, from a server that only this access trusts."""
    (folder / "notes.txt").write_bytes(NOTES)
    try:
        certificates = make_certificates()
    except ModuleNotFoundError as error:
        hint = how_to_install("urlschemes-servers", "tls")
        raise PluginError("a server with a certificate needs trustme", hint=hint) from error
    with http_server(folder, tls=certificates.server) as (host, port):
        yield Demonstration(
            f"https://{host}:{port}/notes.txt",
            "http over TLS: the certificate is verified before the request is sent.",
            server="http_server",
            ssl_context=certificates.client(),
        )


@contextmanager
def gopher(_: Path) -> Iterator[Demonstration]:
    """Demonstrate a menu, whose entries are URLs."""
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
        url = f"gopher://{host}:{port}/1/library"
        yield Demonstration(url, "A menu: every item has a URL.", server="gopher_server")


@contextmanager
def file(folder: Path) -> Iterator[Demonstration]:
    """Demonstrate a document in a folder that the policy allows."""
    (folder / "notes.txt").write_bytes(NOTES)
    yield Demonstration(
        (folder / "notes.txt").resolve().as_uri(),
        "Local files cannot be accessed unless the policy allows their folder, as here.",
        server="file system",
        roots=(str(folder.resolve()),),
    )


@contextmanager
def mailto(_: Path) -> Iterator[Demonstration]:
    """Demonstrate a message, submitted to a relay that does not deliver it."""
    header = b'From: ann@home.example\r\nTo: "joe@work"@host.example\r\nSubject: Locators\r\n\r\n'
    with smtp_server() as relay:
        yield Demonstration(
            "mailto:%22joe@work%22@host.example",
            "A mailbox is not a data object: it cannot be read, but a message can be sent to it.",
            server="aiosmtpd",
            operation="send",
            options={"message": header + NOTES, "relay": str(relay), "confirm": True},
        )


@contextmanager
def nntp(_: Path) -> Iterator[Demonstration]:
    """Demonstrate an article, by its number on the server."""
    with nntp_server(_newsgroups()) as (host, port):
        yield Demonstration(
            f"nntp://{host}:{port}/comp.infosystems.www.misc/1234",
            "The number is valid on this server only. A line that begins with a dot is sent with two.",
            server="nntp_server",
        )


@contextmanager
def news(_: Path) -> Iterator[Demonstration]:
    """Demonstrate the articles of a group."""
    with nntp_server(_newsgroups()) as server:
        yield Demonstration(
            "news:comp.infosystems.www.misc",
            "The URL names the group, and the option server the server. The URL of an article is valid on any server.",
            server="nntp_server",
            options={"server": str(server)},
        )


def _newsgroups() -> dict[str, Newsgroup]:
    name = "comp.infosystems.www.misc"
    notes = article("Notes on locators", NOTES + b"...\n", group=name, message_id="notes@host.dom")
    reply = article("Re: Notes on locators", "Agreed.\n", group=name, message_id="4123%@host.dom")
    return {name: Newsgroup([notes, reply], description="The World Wide Web, all else", first=1234)}


@contextmanager
def wais(_: Path) -> Iterator[Demonstration]:
    """Demonstrate a search."""
    library = {"Notes on locators": NOTES, "On finding": b"A document is found by its words.\n", "Errata": b"None.\n"}
    with wais_server({"library": library}) as (host, port):
        yield Demonstration(
            f"wais://{host}:{port}/library?locator%20document",
            "One request, one response. Every document found has a URL, with the identifier that the server gave it.",
            server="wais_server",
        )


@contextmanager
def telnet(_: Path) -> Iterator[Demonstration]:
    """Demonstrate a session: a login, and two commands."""

    def talk(session: Any) -> bytes:
        output: bytes = session.login()
        session.write(b"size\r\n")
        session.write(b"quit\r\n")
        while octets := session.read():
            output += octets
        return output

    with telnet_server({"guest": "open sesame"}) as (host, port):
        yield Demonstration(
            f"telnet://guest:open%20sesame@{host}:{port}/",
            "A session. User name and password are advice: they are sent when the server asks for them.",
            server="telnet_server",
            operation="open session",
            options={"columns": 80, "rows": 24},
            talk=talk,
        )


@contextmanager
def prospero(_: Path) -> Iterator[Demonstration]:
    """Demonstrate a directory with links to several servers, over UDP."""
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
            "UDP datagrams. A link to an object that no Prospero server has is the URL of its access method.",
            server="prospero_server",
        )
