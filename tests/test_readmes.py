"""The examples of the README of each distribution, with the server that they access.

A distribution whose README needs more has a test of its own, `tests/test_NAME_readme.py`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import NamedTuple

import pytest
from pages import blocks, check_readme, check_readme_commands
from workspace import Distribution, distributions

from urlschemes_servers import FtpUser, ftp_server, http_server
from urlschemes_servers.gopher import gopher_server, menu, text
from urlschemes_servers.http import echo
from urlschemes_servers.nntp import Newsgroup, article, nntp_server
from urlschemes_servers.prospero import directory, file, prospero_server
from urlschemes_servers.wais import wais_server


class Server(NamedTuple):
    """A server of a README: made for a folder, which holds `files`."""

    make: Callable[[Path], AbstractContextManager[object]]
    files: Mapping[str, str] = {}  # read only


NOTES = {"notes.txt": "Hello.\n"}
LETTER = article("Hello", "First words.\n", message_id="1@ucbvax.Berkeley.EDU")
BY_FTP = ("AFTP", "INTERNET-D", "ftp.dom", "ASCII", "/pub/rfc 1738.txt", "TEXT")
OBJECTS = directory({"notes": file(b"Where things are.\n", methods=[BY_FTP]), "old": directory({})})
RECIPES = {"rye bread": "Rye flour, water, sour dough, salt.\n", "soup": "Water, salt, and what there is.\n"}

SERVERS = {
    "urlschemes-access": Server(lambda folder: http_server(folder, writable=True), NOTES),
    "urlschemes-ftp": Server(
        lambda folder: ftp_server(folder, {"joe": FtpUser("secret", writable=True)}), {"pub/readme.txt": "Hello.\n"}
    ),
    "urlschemes-gateways": Server(lambda _: http_server(handler=echo)),
    "urlschemes-gopher": Server(
        lambda _: gopher_server(menu({"about": text("Hello.\n", title="About", abstract="A greeting.")}))
    ),
    "urlschemes-http": Server(lambda folder: http_server(folder, writable=True), NOTES),
    "urlschemes-mirror": Server(lambda folder: ftp_server(folder / "served"), {"served/notes.txt": "Hello.\n"}),
    "urlschemes-netrc": Server(
        lambda folder: ftp_server(folder, {"myname": FtpUser("mine")}, anonymous=False), {"notes.txt": "For me.\n"}
    ),
    "urlschemes-news": Server(lambda _: nntp_server({"misc.test": Newsgroup([LETTER])})),
    "urlschemes-nntp": Server(lambda _: nntp_server({"misc.test": Newsgroup([LETTER])})),
    "urlschemes-prospero": Server(lambda _: prospero_server(OBJECTS)),
    "urlschemes-rfc3986": Server(http_server, NOTES),
    "urlschemes-wais": Server(lambda _: wais_server({"recipes": RECIPES})),
}
OF_POSIX = {"urlschemes-file", "urlschemes-netrc"}
"""Distributions whose examples have paths or permissions of POSIX."""


def with_examples() -> list[Distribution]:
    """Return the plugins whose README has examples that no test of their own runs."""
    return [
        each
        for each in distributions()
        if each.folder.name != "core"  # test_docs.py runs its examples
        and not [*each.folder.glob("tests/test_*_readme.py")]
        and any(block.language == "console" or ">>> " in block.body for block in blocks(each.folder / "README.md"))
    ]


@pytest.mark.parametrize("distribution", with_examples(), ids=lambda each: each.name)
def test_the_examples_of_a_readme(distribution: Distribution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.name == "nt" and distribution.name in OF_POSIX:
        pytest.skip("the examples are for POSIX")
    server = SERVERS.get(distribution.name, Server(lambda _: nullcontext()))
    for name, content in server.files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "environ", os.environ.copy())
    with server.make(tmp_path) as address:
        check_readme(distribution.folder, address=address)
        if os.name != "nt" and any(block.language == "console" for block in blocks(distribution.folder / "README.md")):
            check_readme_commands(distribution.folder, tmp_path, address=address)


def test_each_server_is_that_of_a_readme() -> None:
    assert {*SERVERS} <= {each.name for each in with_examples()}
