"""FTP with vsftpd and ProFTPD, where they are installed, compared with ftplib, curl and the files on the disk."""

from __future__ import annotations

import ftplib
import grp
import hashlib
import io
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from opening import HERE, content_of, entries_of
from real_servers import PATIENCE, account, free_port, greets, program, run_as, stop, wait

import urlschemes_access
from urlschemes import Registry
from urlschemes.grammar.octets import text_of
from urlschemes_access.attributes import name_of
from urlschemes_access.errors import AuthRequired, IsDirectory, PolicyDenied, RemoteError
from urlschemes_ftp import FtpURL

pytestmark = pytest.mark.real_server

PASSWORD = "s3cret"
HASHED = "$6$rfc1738ftp$E2vTR3zIE3jEtmKUkbfKwPouduRJHH.uS6H92SjZiklz7qOoNN3SBjxtBrllv1NHdi8QmUJIyS/n7ynmEJDH8."

FILES = {
    b"pub/readme.txt": b"Hello from FTP\nline two\n",
    b"pub/all-octets": bytes(range(256)) * 4,
    b"pub/empty": b"",
    b"pub/large": hashlib.shake_128(b"large").digest(8_000_001),
    b"pub/dir with space/f 1.txt": b"space\n",
    b"pub/odd;type=x.txt": b"semicolon\n",
    b"pub/100%.txt": b"percent\n",
    "pub/naïve.txt".encode(): b"utf-8\n",
    b"pub/latin-\xe9.txt": b"latin 1\n",
    b"pub/-rf": b"dash\n",
    b"pub/*": b"star\n",
    b"pub/sub/deep/file": b"deep\n",
    b"etc/motd": b"relative\n",
}

STORED = {
    b"incoming/readme.txt": b"Hello from a client\nline two\n",
    b"incoming/all-octets": bytes(range(256)) * 4,
    b"incoming/empty": b"",
    b"incoming/large": hashlib.shake_128(b"stored").digest(5_000_001),
    b"incoming/f 1.txt": b"space\n",
    b"incoming/odd;type=x.txt": b"semicolon\n",
    b"incoming/100%.txt": b"percent\n",
    "incoming/naïve.txt".encode(): b"utf-8\n",
    b"incoming/latin-\xe9.txt": b"latin 1\n",
    b"incoming/-rf": b"dash\n",
}


@dataclass(frozen=True)
class Server:
    name: str
    port: int
    root: Path
    user: str | None
    has_facts: bool

    @property
    def login(self) -> str:
        return "" if self.user is None else f"{self.user}:{PASSWORD}@"

    def url(self, path: bytes, typecode: str | None = None) -> str:
        """Return the URL of a file below the root, the directory after login."""
        *directories, name = (text_of(each) for each in path.split(b"/"))
        return str(
            FtpURL(
                host="127.0.0.1",
                port=self.port,
                user=self.user,
                password=PASSWORD if self.user else None,
                directories=tuple(directories),
                name=name,
                typecode=typecode,
            )
        )


@contextmanager
def _folder() -> Iterator[Path]:
    """Make a folder that the server's account can read, with the sample tree in `root`."""
    with tempfile.TemporaryDirectory(prefix="urlschemes-ftp-") as name:
        base = Path(name)
        base.chmod(0o755)
        for path, content in FILES.items():
            file = base / "root" / os.fsdecode(path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            os.utime(file, (1_000_000_000, 1_000_000_000))
        (base / "root" / "nothing").mkdir()
        (base / "run").mkdir(mode=0o700)
        for each in (base / "root").rglob("*"):
            each.chmod(0o755 if each.is_dir() else 0o644)
        (base / "root" / "incoming").mkdir()
        (base / "root" / "incoming").chmod(0o777)
        yield base


@contextmanager
def _running(command: list[str], base: Path, port: int, host: str = "127.0.0.1") -> Iterator[None]:
    """Run the server in the foreground, in an unprivileged account, until the block is left."""
    who = account()
    if os.getuid() == 0:
        for path in (base, *(each for each in base.iterdir() if each.name != "root")):
            os.chown(path, who.pw_uid, who.pw_gid)
    log = base / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdin=output, stdout=output, stderr=output, cwd=base, **run_as(who))
        try:
            wait(command[0], lambda: greets(port, host=host), process, log)
            yield
        finally:
            stop(process)


@contextmanager
def _vsftpd(host: str = "127.0.0.1", more: str = "") -> Iterator[Server]:
    vsftpd = program("vsftpd")
    listen = f"listen=YES\nlisten_address={host}"
    if ":" in host:
        listen = f"listen=NO\nlisten_ipv6=YES\nlisten_address6={host}"
    with _folder() as base:
        port = free_port()
        (base / "chroot").mkdir()
        config = base / "vsftpd.conf"
        config.write_text(
            f"""{listen}
{more}
listen_port={port}
background=NO
anonymous_enable=YES
local_enable=NO
write_enable=YES
anon_upload_enable=YES
anon_other_write_enable=YES
anon_world_readable_only=NO
anon_umask=022
ascii_upload_enable=YES
anon_root={base}/root
ftp_username={account().pw_name}
run_as_launching_user=YES
secure_chroot_dir={base}/chroot
ascii_download_enable=YES
connect_from_port_20=NO
xferlog_enable=NO
seccomp_sandbox=NO
"""
        )
        with _running([vsftpd, str(config)], base, port, host):
            yield Server("vsftpd", port, base / "root", None, has_facts=False)


@contextmanager
def _proftpd() -> Iterator[Server]:
    proftpd = program("proftpd")
    who = account()
    group = grp.getgrgid(who.pw_gid).gr_name
    with _folder() as base:
        port = free_port()
        passwords = base / "passwd"
        passwords.write_text(f"joe:{HASHED}:{who.pw_uid}:{who.pw_gid}::{base}/root:/bin/sh\n")
        passwords.chmod(0o600)
        groups = base / "group"
        groups.write_text(f"{group}:x:{who.pw_gid}:\n")
        config = base / "proftpd.conf"
        config.write_text(
            f"""ServerName "for tests"
ServerType standalone
DefaultAddress 127.0.0.1
SocketBindTight on
Port {port}
UseReverseDNS off
UseIPv6 off
User {who.pw_name}
Group {group}
PidFile {base}/run/pid
ScoreboardFile {base}/run/scoreboard
DelayTable none
WtmpLog off
TransferLog none
SystemLog {base}/run/log
AuthPAM off
AuthOrder mod_auth_file.c
AuthUserFile {passwords}
AuthGroupFile {groups}
RequireValidShell off
AllowOverwrite on
AllowStoreRestart on
<IfModule mod_ctrls.c>
ControlsEngine off
</IfModule>
"""
        )
        with _running([proftpd, "-n", "-c", str(config)], base, port):
            yield Server("proftpd", port, base / "root", "joe", has_facts=True)


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[ftplib.FTP]:
    """Return ftplib's client, logged in; each character of a name is an octet."""
    with ftplib.FTP(timeout=PATIENCE, encoding="latin-1") as session:
        session.connect("127.0.0.1", server.port)
        session.login(server.user or "anonymous", PASSWORD)
        yield session


@pytest.fixture(scope="module", params=["vsftpd", "proftpd"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with {"vsftpd": _vsftpd, "proftpd": _proftpd}[request.param]() as running:
        yield running


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.decode("latin-1"))
def test_a_file_is_what_the_disk_and_ftplib_have(server: Server, client: ftplib.FTP, path: bytes) -> None:
    octets = content_of(server.url(path))
    assert octets == FILES[path]
    received = bytearray()
    client.retrbinary(f"RETR {path.decode('latin-1')}", received.extend)
    assert octets == received


def test_curl_takes_the_same_urls_for_the_same_files(server: Server, tmp_path: Path) -> None:
    command = [program("curl"), "--silent", "--show-error", "--globoff", "--noproxy", "*", "--max-time", "20"]
    for number, path in enumerate(FILES):
        command += ["--output", str(tmp_path / str(number)), server.url(path)]
    subprocess.run(command, check=True, timeout=30)
    for number, path in enumerate(FILES):
        file = tmp_path / str(number)
        assert (file.read_bytes() if file.exists() else b"") == FILES[path]  # curl makes no file of an empty one


def test_type_a_is_what_ftplib_receives(server: Server, client: ftplib.FTP) -> None:
    received = bytearray()
    client.voidcmd("TYPE A")
    with client.transfercmd("RETR pub/readme.txt") as data:
        while octets := data.recv(65536):
            received += octets
    client.voidresp()
    assert received == b"Hello from FTP\r\nline two\r\n"
    assert content_of(server.url(b"pub/readme.txt", "a")) == received


@pytest.mark.parametrize("path", ["pub", "pub/sub", "pub/dir with space", "nothing", ""])
def test_a_listing_has_the_names_of_the_disk_and_of_ftplib(server: Server, client: ftplib.FTP, path: str) -> None:
    home = client.pwd()
    client.cwd(path or ".")
    names = client.nlst()
    client.cwd(home)
    for url in (server.url(f"{path}/".encode() if path else b""), server.url(path.encode(), "d")):
        entries = entries_of(url)
        files = {name_of(os.fsencode(file.name)): file for file in (server.root / path).iterdir()}
        assert sorted(entry.name for entry in entries) == sorted(files)
        assert sorted(files) == sorted(name_of(name.encode("latin-1")) for name in names)
        for entry in entries:
            file = files[entry.name]
            assert entry.url is not None
            if server.has_facts:
                assert entry.kind == ("directory" if file.is_dir() else "file")
                assert entry.size == (None if file.is_dir() else file.stat().st_size)
                assert entry.modified == datetime.fromtimestamp(int(file.stat().st_mtime), UTC)
            if file.is_file():
                assert content_of(entry.url) == file.read_bytes()


def test_attributes_are_those_of_the_disk_and_of_ftplib(server: Server, client: ftplib.FTP) -> None:
    for path in (b"pub/readme.txt", b"pub/large", b"pub/-rf"):
        found = urlschemes_access.find_attributes(server.url(path), policy=HERE)
        client.voidcmd("TYPE I")
        assert found.size == client.size(path.decode()) == len(FILES[path])
        assert found.modified is not None
        assert client.voidcmd(f"MDTM {path.decode()}") == f"213 {found.modified:%Y%m%d%H%M%S}"
        assert found.modified == datetime.fromtimestamp(1_000_000_000, UTC)
    assert urlschemes_access.find_attributes(server.url(b"pub/sub/"), policy=HERE).size is None


def test_the_server_says_no(server: Server) -> None:
    with pytest.raises(IsDirectory) as named:
        content_of(server.url(b"pub"))
    assert str(named.value.listing) == f"{server.url(b'pub')}/"
    for path, command in ((b"pub/absent", "RETR"), (b"absent/x", "CWD"), (b"/x", "CWD")):
        with pytest.raises(RemoteError) as refused:
            content_of(server.url(path))
        assert refused.value.status in (501, 550)
        assert f"refused {command}" in str(refused.value)
    with pytest.raises(AuthRequired):
        content_of(f"ftp://joe:wrong@127.0.0.1:{server.port}/pub/readme.txt")


def test_an_encoded_slash_begins_at_the_root_of_the_machine() -> None:
    with _proftpd() as server, tempfile.TemporaryDirectory(prefix="urlschemes-ftp-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "file").write_bytes(b"elsewhere\n")
        (folder / "file").chmod(0o644)
        assert content_of(f"ftp://{server.login}127.0.0.1:{server.port}/%2F{name[1:]}/file") == b"elsewhere\n"
        with pytest.raises(RemoteError):
            content_of(f"ftp://{server.login}127.0.0.1:{server.port}/{name[1:]}/file")


def test_a_relative_and_an_absolute_path_are_two_files(server: Server) -> None:
    """After `CWD pub`, the name `pub` is relative to it, and `/pub` is not."""
    url = FtpURL.parse(server.url(b"pub/sub/readme.txt"))
    assert content_of(str(url.replace(directories=["pub", f"{server.root}/etc"], name="motd"))) == b"relative\n"
    with pytest.raises(RemoteError):
        content_of(str(url.replace(directories=["pub", "etc"], name="motd")))
    if Path("/etc/motd").is_file():
        assert content_of(str(url.replace(directories=["etc"], name="motd"))) == b"relative\n"
        assert content_of(str(url.replace(directories=["/etc"], name="motd"))) == Path("/etc/motd").read_bytes()


# --- Writing ----------------------------------------------------------------------------------------------------------


def _on_disk(server: Server, path: bytes) -> Path:
    return server.root / os.fsdecode(path)


def _retrieved(client: ftplib.FTP, path: bytes) -> bytes:
    received = bytearray()
    client.retrbinary(f"RETR {path.decode('latin-1')}", received.extend)
    return bytes(received)


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.decode("latin-1"))
@pytest.mark.parametrize("size", [None, 60_001], ids=["whole", "in pieces"])
def test_what_is_stored_is_on_the_disk_and_ftplib_gets_it(
    server: Server, client: ftplib.FTP, path: bytes, size: int | None
) -> None:
    content = STORED[path]
    pieces = content if size is None else [content[at : at + size] for at in range(0, len(content), size)]
    found = urlschemes_access.replace(server.url(path), pieces, policy=HERE)
    assert found.size == len(content)
    assert found.fields["reply"].startswith("226 ")
    assert _on_disk(server, path).read_bytes() == content
    assert _retrieved(client, path) == content
    assert content_of(server.url(path)) == content
    urlschemes_access.replace(server.url(path), b"shorter", policy=HERE)
    assert _on_disk(server, path).read_bytes() == b"shorter"
    urlschemes_access.delete(server.url(path), policy=HERE)
    assert not _on_disk(server, path).exists()
    assert path.split(b"/")[1].decode("latin-1") not in client.nlst("incoming")


def test_curl_stores_the_same_under_the_same_urls(server: Server, tmp_path: Path) -> None:
    command = [program("curl"), "--silent", "--show-error", "--globoff", "--noproxy", "*", "--max-time", "20"]
    for number, (path, content) in enumerate(STORED.items()):
        (tmp_path / str(number)).write_bytes(content)
        command += ["--upload-file", str(tmp_path / str(number)), server.url(path)]
    subprocess.run(command, check=True, timeout=30)
    by_curl = {each.name: each.read_bytes() for each in (server.root / "incoming").iterdir()}
    for path in STORED:
        urlschemes_access.delete(server.url(path), policy=HERE)
    assert list((server.root / "incoming").iterdir()) == []
    for path, content in STORED.items():
        urlschemes_access.replace(server.url(path), content, policy=HERE)
    assert {each.name: each.read_bytes() for each in (server.root / "incoming").iterdir()} == by_curl
    for path in STORED:
        urlschemes_access.delete(server.url(path), policy=HERE)


def test_update_appends_as_ftplib_does(server: Server, client: ftplib.FTP) -> None:
    ours, theirs = b"incoming/ours", b"incoming/theirs"
    for piece in (b"made\n", bytes(range(256)), b"", b"end"):
        found = urlschemes_access.update(server.url(ours), piece, policy=HERE)
        assert found.size is None
        client.storbinary(f"APPE {theirs.decode()}", io.BytesIO(piece))
    assert _on_disk(server, ours).read_bytes() == _on_disk(server, theirs).read_bytes()
    assert _on_disk(server, ours).read_bytes() == b"made\n" + bytes(range(256)) + b"end"
    for path in (ours, theirs):
        urlschemes_access.delete(server.url(path), policy=HERE)


def test_text_is_stored_as_ftplib_stores_it(server: Server, client: ftplib.FTP) -> None:
    text = b"one\ntwo\r\n\nthree"
    urlschemes_access.replace(server.url(b"incoming/ours", "a"), text, policy=HERE)
    client.storlines("STOR incoming/theirs", io.BytesIO(text))
    ours, theirs = (_on_disk(server, b"incoming/" + name).read_bytes() for name in (b"ours", b"theirs"))
    assert ours + b"\n" == theirs  # ftplib ends the last line too
    assert ours == b"one\ntwo\n\nthree"
    for path in (b"incoming/ours", b"incoming/theirs"):
        urlschemes_access.delete(server.url(path), policy=HERE)


def test_what_the_server_does_not_let_be_written(server: Server) -> None:
    for operation, path, command in (
        ("replace", b"pub/readme.txt", "STOR readme.txt"),
        ("update", b"pub/readme.txt", "APPE readme.txt"),
        ("delete", b"pub/readme.txt", "DELE readme.txt"),
        ("replace", b"pub/new", "STOR new"),
        ("replace", b"incoming/missing/new", "CWD missing"),
        ("delete", b"incoming/missing", "DELE missing"),
    ):
        with pytest.raises(RemoteError) as refused:
            urlschemes_access.operate(operation, server.url(path), None if operation == "delete" else b"x", policy=HERE)
        assert refused.value.status in (550, 553)
        assert f"refused {command}" in str(refused.value)
        assert refused.value.sent is None
    assert _on_disk(server, b"pub/readme.txt").read_bytes() == FILES[b"pub/readme.txt"]


def test_an_upload_that_is_given_up_is_not_taken_for_whole(server: Server) -> None:
    def content() -> Iterator[bytes]:
        yield b"x" * 100_000
        raise KeyError("the caller's own")

    with pytest.raises(KeyError):
        urlschemes_access.replace(server.url(b"incoming/cut"), content(), policy=HERE)
    ends = time.monotonic() + PATIENCE
    while not (cut := _on_disk(server, b"incoming/cut")).exists() and time.monotonic() < ends:
        time.sleep(0.05)
    assert cut.stat().st_size <= 100_000
    urlschemes_access.delete(server.url(b"incoming/cut"), policy=HERE)


def test_the_urls_of_today_over_ipv6() -> None:
    arguments: dict[str, Any] = {"policy": HERE, "registry": Registry(profile="rfc3986")}
    with _vsftpd("::1") as server:
        base = f"ftp://[::1]:{server.port}"
        assert content_of(f"{base}/pub/na%C3%AFve.txt;type=a#top", **arguments) == b"utf-8\r\n"
        assert [entry.url for entry in entries_of(f"{base}/pub/sub/#top", **arguments)] == [f"{base}/pub/sub/deep/"]
        urlschemes_access.replace(f"{base}/incoming/~a%3F#top", b"new", **arguments)
        stored = server.root / "incoming" / "~a?"
        assert stored.read_bytes() == b"new"
        assert urlschemes_access.find_attributes(f"{base}/incoming/~a%3F", **arguments).size == 3
        urlschemes_access.delete(f"{base}/incoming/~a%3F#top", **arguments)
        assert not stored.exists()


def test_an_exact_list_of_ports_holds_for_the_port_that_the_server_opens() -> None:
    port = free_port()
    with _vsftpd(more=f"pasv_min_port={port}\npasv_max_port={port}") as server:
        url, events = server.url(b"pub/readme.txt"), list[Any]()
        strict = replace(HERE, only_ports=frozenset({server.port}))
        with pytest.raises(PolicyDenied, match=f"^data connection: port {port} is not among") as refused:
            urlschemes_access.access(url, policy=strict, trace=events.append)
        assert refused.value.rule == "only_ports"
        assert [event.octets for event in events if event.kind == "send"].count(b"EPSV\r\n") == 2
        assert len([event for event in events if event.kind == "connect"]) == 1
        both = replace(strict, only_ports=frozenset({server.port, port}))
        assert content_of(url, policy=both) == FILES[b"pub/readme.txt"]
