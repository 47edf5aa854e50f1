"""FTP with a server that follows the RFC, on this machine."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from opening import HERE, content_of, open_document, open_listing

import urlschemes_access
from urlschemes_access import Credentials
from urlschemes_access.errors import AuthRequired
from urlschemes_access.protocol import Authenticate
from urlschemes_ftp import FtpURL
from urlschemes_servers.ftp import FtpUser, ftp_server
from urlschemes_testing.loopback import Address

CONTENTS = {
    "pub/readme.txt": b"Hello from FTP\nline two\n",
    "pub/all-octets": bytes(range(256)) * 4,
    "pub/empty": b"",
    "pub/dir with space/f 1.txt": b"space\n",
    "pub/odd;type=x.txt": b"semicolon\n",
    "pub/100%.txt": b"percent\n",
    "pub/naïve.txt": b"utf-8\n",
    "pub/-rf": b"dash\n",
    "pub/big": hashlib.shake_128(b"big").digest(3_000_001),
    "etc/motd": b"the one of the root\n",
    "home/joe/etc/motd": b"the one of joe\n",
}
JOE = "joe:s3cret%2F%40%3A"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    root = tmp_path_factory.mktemp("ftp")
    for name, content in CONTENTS.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        os.utime(file, (1_000_000_000, 1_000_000_000))
    (root / "nothing").mkdir()
    with ftp_server(root, {"joe": FtpUser("s3cret/@:", home="/home/joe")}) as address:
        yield address


@pytest.mark.rfc1738(48)
@pytest.mark.parametrize("name", CONTENTS)
def test_files_come_octet_by_octet(server: Address, name: str) -> None:
    *directories, last = name.split("/")
    url = FtpURL(host=server.host, port=server.port, directories=directories, name=last)
    with open_document(str(url)) as found:
        assert found.size == len(CONTENTS[name])
        assert found.read() == CONTENTS[name]
        assert found.terminated


@pytest.mark.decision(27)
@pytest.mark.rfc1738(61)
def test_an_encoded_slash_is_not_the_default_directory(server: Address) -> None:
    assert content_of(f"ftp://{JOE}@{server}/etc/motd") == b"the one of joe\n"
    assert content_of(f"ftp://{JOE}@{server}/%2Fetc/motd") == b"the one of the root\n"
    # The server decides what an empty CWD means (decision 27); this one changes to the root.
    assert content_of(f"ftp://{JOE}@{server}//etc/motd") == b"the one of the root\n"


@pytest.mark.rfc1738(58)
@pytest.mark.parametrize("path", ["pub/", "pub;type=d", "pub/;type=D", "etc/../pub/"])
def test_a_directory_lists_urls_that_lead_on(server: Address, path: str) -> None:
    with open_listing(f"ftp://{server}/{path}") as found:
        entries = {entry.name: entry for entry in found}
    assert entries.keys() == {name.split("/")[1] for name in CONTENTS if name.startswith("pub/")}
    for name, entry in entries.items():
        assert entry.problem is None
        assert entry.url is not None
        if entry.kind == "directory":
            assert name == "dir with space"
            with open_listing(entry.url) as inside:
                assert [each.name for each in inside] == ["f 1.txt"]
        else:
            assert (entry.kind, entry.size) == ("file", len(CONTENTS[f"pub/{name}"]))
            assert entry.modified is not None
            assert entry.modified.timestamp() == 1_000_000_000
            assert content_of(entry.url) == CONTENTS[f"pub/{name}"]


@pytest.mark.rfc1738(50)
def test_logins(server: Address) -> None:
    with pytest.raises(AuthRequired):
        content_of(f"ftp://joe@{server}/etc/motd")
    with pytest.raises(AuthRequired) as refused:
        content_of(f"ftp://joe:hunter2@{server}/etc/motd")
    assert "hunter2" not in str(refused.value)
    asked = []

    def credentials(request: Authenticate) -> Credentials:
        asked.append((request.host, request.port, request.user))
        return Credentials("joe", "s3cret/@:")

    assert content_of(f"ftp://joe@{server}/etc/motd", credentials=credentials) == b"the one of joe\n"
    assert asked == [(server.host, server.port, "joe")]
    login = Credentials("joe", "s3cret/@:")
    for place in (server, f"joe@{server}"):
        assert content_of(f"ftp://{place}/etc/motd", credentials=login) == b"the one of joe\n"
    with pytest.raises(AuthRequired, match="requires a password for the user 'ann'"):
        content_of(f"ftp://ann@{server}/etc/motd", credentials=login)
    with pytest.raises(AuthRequired, match="not a token"):
        content_of(f"ftp://{server}/etc/motd", credentials=Credentials(token="abc"))


def test_the_trace_shows_the_dialogue_without_the_password(server: Address) -> None:
    events: list[object] = []
    content_of(f"ftp://{JOE}@{server}/etc/motd", trace=events.append)
    shown = repr(events)
    for command in ("USER joe", "PASS ***", "CWD etc", "TYPE I", "SIZE motd", "EPSV", "RETR motd", "QUIT"):
        assert command in shown
    assert "s3cret" not in shown


# Writing


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "home" / "etc").mkdir(parents=True)
    (tmp_path / "etc").mkdir()
    (tmp_path / "home" / "etc" / "motd").write_bytes(b"relative\n")
    (tmp_path / "etc" / "motd").write_bytes(b"absolute\n")
    return tmp_path


@pytest.fixture
def writable(root: Path) -> Iterator[str]:
    """Login, host and port of a user who may write."""
    with ftp_server(root, {"joe": FtpUser("secret", home="/home", writable=True)}) as address:
        yield f"joe:secret@{address}"


@pytest.mark.rfc1738(62)
def test_relative_and_absolute_paths_are_written(writable: str, root: Path) -> None:
    urlschemes_access.replace(f"ftp://{writable}/etc/motd", b"new\n", policy=HERE)
    assert (root / "home" / "etc" / "motd").read_bytes() == b"new\n"
    assert (root / "etc" / "motd").read_bytes() == b"absolute\n"
    urlschemes_access.update(f"ftp://{writable}/%2Fetc/motd", [b"and ", b"more\n"], policy=HERE)
    assert (root / "etc" / "motd").read_bytes() == b"absolute\nand more\n"
    found = urlschemes_access.delete(f"ftp://{writable}/%2Fetc/motd", policy=HERE)
    assert found.fields["reply"].startswith("250 ")
    assert not (root / "etc" / "motd").exists()
    assert (root / "home" / "etc" / "motd").exists()
