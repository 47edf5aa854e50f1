"""Access URLs of every scheme that offers it, on loopback servers; print, as JSON, which module opened what.

This is a script, since an audit hook stays for as long as its process:

    python audited.py FOLDER        FOLDER is served, and holds the file `motd`
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import urlschemes
import urlschemes_access
from urlschemes_servers import (
    ftp_server,
    gopher_server,
    http_server,
    make_certificates,
    prospero_server,
    smtp_server,
    wais_server,
)
from urlschemes_servers.gopher import folder
from urlschemes_servers.nntp import Newsgroup, article, nntp_server
from urlschemes_servers.prospero import directory
from urlschemes_servers.prospero import file as prospero_file
from urlschemes_testing.rogue import rogue, says

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from urlschemes_servers import SmtpAddress

NETWORK = {
    "socket.__new__",
    "socket.bind",
    "socket.connect",
    "socket.sendto",
    "socket.getaddrinfo",
    "socket.gethostbyname",
}
FILES = {"open", "os.listdir", "os.scandir"}
PROCESSES = {"os.exec", "os.posix_spawn", "os.system", "subprocess.Popen"}
SERVERS = {"urlschemes_servers", "urlschemes_testing", "pyftpdlib"}


class Watch:
    """Count what is opened while it is armed, by event and by the innermost module of this project."""

    def __init__(self, served: Path) -> None:
        self.served = str(served)
        self.identities = {identity(path.stat()) for path in (served, *served.iterdir())}
        self.armed = False
        self.openers: Counter[tuple[str, str]] = Counter()
        sys.addaudithook(self)

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.armed or event not in NETWORK | FILES | PROCESSES:
            return
        if event in FILES and not self.is_served(arguments[0]):
            return  # a module or a record that is imported, or its cache
        modules = list(packages(sys._getframe(1)))
        if SERVERS.isdisjoint(module.partition(".")[0] for module in modules):
            own = (module for module in modules if module.startswith("urlschemes"))
            self.openers[event, next(own, "another module")] += 1

    def is_served(self, path: object) -> bool:
        """Return True for the folder that is served and for its files, by path or by descriptor."""
        if isinstance(path, int):
            return identity(os.fstat(path)) in self.identities
        return path is not None and os.fsdecode(path).startswith(self.served)  # type: ignore[arg-type]  # of an event

    def found(self) -> list[tuple[str, str, int]]:
        """Return each event with its module and its count."""
        return [(event, module, count) for (event, module), count in sorted(self.openers.items())]


def identity(status: os.stat_result) -> tuple[int, int]:
    """Return what identifies a file."""
    return status.st_dev, status.st_ino


def packages(frame: FrameType | None) -> Iterator[str]:
    """Yield the modules of the functions that are running, the innermost first."""
    while frame is not None:
        yield str(frame.f_globals.get("__name__", ""))
        frame = frame.f_back


def sent(watch: Watch, relay: SmtpAddress, policy: urlschemes_access.Policy, text: bytes) -> dict[str, Any]:
    """Send a message with the text; return what the server received."""
    message = b"From: ann@home.dom\r\nTo: joe@host.dom\r\n\r\n" + text
    watch.openers.clear()
    watch.armed = True
    urlschemes_access.operate(
        "send", "mailto:joe@host.dom", options={"message": message, "relay": str(relay), "confirm": True}, policy=policy
    )
    watch.armed = False
    content = relay.messages[0].content.partition(b"\r\n\r\n")[2].replace(b"\r\n", b"\n")
    return {"content": content.decode(), "entries": 0, "openers": watch.found()}


def talked(watch: Watch, policy: urlschemes_access.Policy, text: bytes) -> dict[str, Any]:
    """Open a session with a server that sends the text and closes; return what was read."""
    watch.openers.clear()
    content = b""
    with rogue(says(text)) as server:
        watch.armed = True
        session: Any = urlschemes_access.operate("open session", f"telnet://{server}/", policy=policy)
        with session:
            while octets := session.read():
                content += octets
        watch.armed = False
    return {"content": content.decode(), "entries": 0, "openers": watch.found()}


def main(served: Path) -> None:
    """Access one file by every scheme, and its folder by those that list folders."""
    watch = Watch(served)
    certificates = make_certificates()
    policy = replace(urlschemes_access.Policy.untrusted(), networks=("127.0.0.0/8",), roots=(str(served),))
    accesses = {}
    with ExitStack() as stack:
        ftp = stack.enter_context(ftp_server(served))
        http = stack.enter_context(http_server(served))
        https = stack.enter_context(http_server(served, tls=certificates.server))
        gopher = stack.enter_context(gopher_server(folder(served)))
        wais = stack.enter_context(wais_server({"served": {"motd": (served / "motd").read_bytes()}}))
        tree = directory({"motd": prospero_file((served / "motd").read_bytes())})
        prospero = stack.enter_context(prospero_server(tree))
        motd = article("motd", (served / "motd").read_bytes(), message_id="motd@host.dom")
        nntp = stack.enter_context(nntp_server({"misc.test": Newsgroup([motd])}))
        places = {
            "file": [f"file://{served}/motd", f"file://{served}/"],
            "ftp": [f"ftp://{ftp}/motd", f"ftp://{ftp}/"],
            "gopher": [f"gopher://{gopher}/0/motd", f"gopher://{gopher}/"],
            "http": [f"http://{http}/motd"],
            "https": [f"https://{https}/motd"],
            "news": ["news:motd@host.dom", "news:misc.test"],
            "nntp": [f"nntp://{nntp}/misc.test/1", f"nntp://{nntp}/misc.test"],
            "prospero": [f"prospero://{prospero}//motd", f"prospero://{prospero}/"],
            "wais": [f"wais://{wais}/served/TEXT/2%3Dserved%3B3%3Dmotd%3B", f"wais://{wais}/served?message"],
        }
        records = urlschemes.Registry().registrations()
        specified = [record for record in records if record.status != "experimental"]
        offered = {record.scheme for record in specified if "access" in record.operations}
        assert offered == set(places), "a scheme without a URL here"
        for scheme, texts in places.items():
            watch.openers.clear()
            content, entries = b"", 0
            for text in texts:
                arguments: dict[str, Any] = {"policy": policy}
                if scheme == "https":
                    arguments["ssl_context"] = certificates.client()
                if scheme == "news":
                    arguments["options"] = {"server": str(nntp)}
                watch.armed = True
                with urlschemes_access.access(urlschemes.parse(text), **arguments) as resource:
                    if isinstance(resource, urlschemes_access.Document):
                        content += resource.read()
                    elif isinstance(resource, urlschemes_access.Listing):
                        entries += sum(1 for _ in resource)
                watch.armed = False
            if scheme in {"news", "nntp"}:
                content = content.partition(b"\r\n\r\n")[2].replace(b"\r\n", b"\n")
            accesses[scheme] = {"content": content.decode(), "entries": entries, "openers": watch.found()}
        accesses["telnet"] = talked(watch, policy, (served / "motd").read_bytes())
        accesses["mailto"] = sent(watch, stack.enter_context(smtp_server()), policy, (served / "motd").read_bytes())
    print(json.dumps(accesses))  # noqa: T201  what the test reads


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
