"""The FTP server, tested with ftplib."""

from __future__ import annotations

import ftplib
import io
import socket
from pathlib import Path

import pytest

from urlschemes_servers import FtpUser, ftp_server

pytestmark = pytest.mark.usefixtures("no_open_sockets")


def retrieve(ftp: ftplib.FTP, path: str) -> bytes:
    content = io.BytesIO()
    ftp.retrbinary(f"RETR {path}", content.write)
    return content.getvalue()


def test_ftplib_reads_files_and_directories(folder: Path) -> None:
    with ftp_server(folder) as (host, port), ftplib.FTP() as ftp:
        assert host == "127.0.0.1"
        ftp.connect(host, port, 10)
        ftp.login()
        assert retrieve(ftp, "pub/all.bin") == bytes(range(256)) * 400
        assert sorted(ftp.nlst("pub")) == ["all.bin", "dot.gif", "page.html", "read me.txt"]
        assert dict(ftp.mlsd("pub"))["all.bin"]["size"] == "102400"
        with pytest.raises(ftplib.error_perm, match="550"):
            ftp.storbinary("STOR new", io.BytesIO(b"x"))
        ftp.quit()


def test_users_have_a_password_and_a_home(folder: Path) -> None:
    users = {"joe": FtpUser("s3cret", home="/home/joe"), "ann": FtpUser("pw", writable=True)}
    assert "s3cret" not in repr(users)
    with ftp_server(folder, users, anonymous=False) as (host, port):
        with ftplib.FTP() as ftp:
            ftp.connect(host, port, 10)
            ftp.login("joe", "s3cret")
            assert ftp.pwd() == "/home/joe"
            assert retrieve(ftp, "etc/motd") == b"of joe\n"
            assert retrieve(ftp, "/etc/motd") == b"of the machine\n"
        with ftplib.FTP() as ftp:
            ftp.connect(host, port, 10)
            with pytest.raises(ftplib.error_perm, match="530"):
                ftp.login("joe", "wrong")
        with ftplib.FTP() as ftp:
            ftp.connect(host, port, 10)
            with pytest.raises(ftplib.error_perm, match="530"):
                ftp.login()
        with ftplib.FTP() as ftp:
            ftp.connect(host, port, 10)
            ftp.login("ann", "pw")
            ftp.storbinary("STOR new", io.BytesIO(b"written"))
    assert (folder / "new").read_bytes() == b"written"


def test_two_servers_share_nothing(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "which").write_text(name)
    with ftp_server(tmp_path / "a") as one, ftp_server(tmp_path / "b", {"joe": FtpUser("x")}) as two:
        for address, content in ((one, b"a"), (two, b"b")):
            with ftplib.FTP() as ftp:
                ftp.connect(*address, 10)
                ftp.login()
                assert retrieve(ftp, "which") == content
        with ftplib.FTP() as ftp:
            ftp.connect(*one, 10)
            with pytest.raises(ftplib.error_perm):
                ftp.login("joe", "x")


def test_the_server_closes_while_a_client_is_connected(folder: Path) -> None:
    with ftplib.FTP() as ftp:
        with ftp_server(folder) as address:
            ftp.connect(*address, 10)
        with pytest.raises((EOFError, OSError, ftplib.Error)):
            ftp.login()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(address, 1)
