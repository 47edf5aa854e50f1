"""Small servers on 127.0.0.1 (or `host="::1"`) for tests and demonstrations. Each yields its address in a `with` block.

    with ftp_server("some/folder") as (host, port): ...
    with http_server("some/folder") as (host, port): ...
    with gopher_server("some/folder") as (host, port): ...
    with nntp_server({"misc.test": Newsgroup([article("Hello", "First.")])}) as (host, port): ...
    with smtp_server() as relay: ...        # relay.messages are the messages that it received
    with telnet_server({"guest": "welcome"}) as (host, port): ...
    with wais_server({"recipes": {"bread": "Flour, water, salt."}}) as (host, port): ...
    with prospero_server(directory({"notes": file(b"Hello.")}), loss=0.15, seed=1) as (host, port): ...

A server takes a free port and runs in daemon threads. It closes when the block is left, and after five minutes in any
case. A client that sends nothing for 30 seconds is disconnected.

| module | content |
| --- | --- |
| `ftp`, `http`, `gopher`, `nntp`, `smtp`, `telnet`, `wais`, `prospero` | one server each, and its content |
| `http_handler` | the responses of `http`; imported, as pyftpdlib and aiosmtpd are, when a server starts |
| `tls` | certificates for 127.0.0.1 |
| `demos` | the demonstrations of the schemes of RFC 1738 |
| `command` | `urlschemes demo`, which accesses them and those of plugins |
"""

from urlschemes_servers.ftp import FtpUser, ftp_server
from urlschemes_servers.gopher import gopher_server
from urlschemes_servers.http import HttpRequest, HttpResponse, http_server
from urlschemes_servers.nntp import Newsgroup, nntp_server
from urlschemes_servers.prospero import prospero_server
from urlschemes_servers.smtp import Received, SmtpAddress, smtp_server
from urlschemes_servers.telnet import TelnetAddress, telnet_server
from urlschemes_servers.tls import Certificates, make_certificates
from urlschemes_servers.wais import WaisDocument, wais_server

__all__ = [
    "Certificates",
    "FtpUser",
    "HttpRequest",
    "HttpResponse",
    "Newsgroup",
    "Received",
    "SmtpAddress",
    "TelnetAddress",
    "WaisDocument",
    "ftp_server",
    "gopher_server",
    "http_server",
    "make_certificates",
    "nntp_server",
    "prospero_server",
    "smtp_server",
    "telnet_server",
    "wais_server",
]
