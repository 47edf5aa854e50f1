"""The real servers vsftpd, nginx and OpenSMTPD, where they are installed: on 127.0.0.1, with the octets in a folder."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["real_servers"]

HOST = "127.0.0.1"
START_TIMEOUT = 5.0
NOBODY = 65534
PATH = f"{os.environ.get('PATH', '')}:/usr/sbin"

VSFTPD = """\
listen=YES
listen_address=127.0.0.1
listen_port={port}
background=NO
anonymous_enable=YES
no_anon_password=YES
anon_root={root}
anon_upload_enable=YES
anon_other_write_enable=YES
anon_umask=022
write_enable=YES
local_enable=NO
pasv_address=127.0.0.1
xferlog_enable=NO
seccomp_sandbox=NO
secure_chroot_dir={empty}
run_as_launching_user=YES
allow_writeable_chroot=YES
"""
NGINX = """\
daemon off; master_process off; pid {root}/../nginx.pid; error_log /dev/null;
events {{ worker_connections 16; }}
http {{
  access_log off; sendfile on; default_type application/octet-stream;
  client_body_temp_path {tmp}/1; proxy_temp_path {tmp}/2; fastcgi_temp_path {tmp}/3; uwsgi_temp_path {tmp}/4;
  scgi_temp_path {tmp}/5;
  server {{ listen 127.0.0.1:{port}; root {root}; client_max_body_size 0; dav_methods PUT; }}
}}
"""
SMTPD = """\
smtp max-message-size 64M
table catchall {{ "@" = "mail" }}
listen on 127.0.0.1 port {port} hostname smtp.test
action "drop" mda "cat >/dev/null" virtual <catchall>
match from any for any action "drop"
"""
OWN_SPOOL = """\
mount -t tmpfs tmpfs /run && mkdir -p /var/spool/smtpd &&
mount -t tmpfs -o mode=0711 tmpfs /var/spool/smtpd && exec "$@"
"""
"""The paths of smtpd's control socket and spool are compiled in, and may be in use by a service."""


@dataclass(frozen=True)
class Server:
    """A server program, its settings, and the command in which {config} and {folder} are replaced.

    `as_root`: it starts as root only, and changes to accounts of its own.
    """

    program: str
    settings: str
    command: tuple[str, ...]
    as_root: bool = False


SERVERS = {
    "ftp": Server("vsftpd", VSFTPD, ("vsftpd", "{config}")),
    "http": Server("nginx", NGINX, ("nginx", "-p", "{folder}", "-c", "{config}")),
    "mailto": Server(
        "smtpd",
        SMTPD,
        (
            "unshare",
            "--mount",
            "--propagation",
            "private",
            "sh",
            "-c",
            OWN_SPOOL,
            "sh",
            "smtpd",
            "-d",
            "-f",
            "{config}",
        ),
        as_root=True,
    ),
}


@contextmanager
def real_servers(*sizes: int) -> Iterator[dict[str, tuple[str, int]]]:
    """Start those that are installed; yield the name and port of each by protocol. Each serves files of these sizes."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        root, empty, tmp = folder / "root", folder / "empty", folder / "tmp"
        for made in (root, empty, tmp):
            made.mkdir()
        for size in sizes:
            with (root / str(size)).open("wb") as file:
                file.truncate(size)
        started = {}
        for protocol, server in SERVERS.items():
            if shutil.which(server.program, path=PATH) is None or (server.as_root and os.geteuid() != 0):
                continue
            port = _free_port()
            config = folder / f"{server.program}.conf"
            config.write_text(server.settings.format(port=port, root=root, empty=empty, tmp=tmp))
            _give_to_nobody(folder)
            process = _start(server, config=config, folder=folder)
            stack.callback(_stop, process)
            if _listens(process, port):
                started[protocol] = server.program, port
        yield started


def _give_to_nobody(folder: Path) -> None:
    """Let the servers, which do not run as root, use the folder."""
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, NOBODY)


def _start(server: Server, **replaced: Path) -> subprocess.Popen[bytes]:
    command = [part.format(**replaced) for part in server.command]
    drops = os.geteuid() == 0 and not server.as_root
    as_nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if drops else {}
    quiet, environment = subprocess.DEVNULL, {**os.environ, "PATH": PATH}
    return subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, env=environment, **as_nobody)  # type: ignore[call-overload,no-any-return]  # keywords of one type only


def _stop(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    server.wait(10)


def _free_port() -> int:
    with socket.create_server((HOST, 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def _listens(server: subprocess.Popen[bytes], port: int) -> bool:
    until = time.monotonic() + START_TIMEOUT
    while server.poll() is None and time.monotonic() < until:
        try:
            socket.create_connection((HOST, port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return True
    return False
