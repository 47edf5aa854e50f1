"""The real servers vsftpd and nginx, where they are installed: on 127.0.0.1, with a folder that holds the octets."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["real_servers"]

HOST = "127.0.0.1"
START_TIMEOUT = 5.0
NOBODY = 65534

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
SERVERS = {"ftp": ("vsftpd", VSFTPD), "http": ("nginx", NGINX)}


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
        for protocol, (name, settings) in SERVERS.items():
            program = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
            if program is None:
                continue
            port = _free_port()
            config = folder / f"{name}.conf"
            config.write_text(settings.format(port=port, root=root, empty=empty, tmp=tmp))
            _give_to_nobody(folder)
            command = [program, str(config)] if name == "vsftpd" else [program, "-p", str(folder), "-c", str(config)]
            server = _start(command)
            stack.callback(_stop, server)
            if _listens(server, port):
                started[protocol] = name, port
        yield started


def _give_to_nobody(folder: Path) -> None:
    """Let the servers, which do not run as root, use the folder."""
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, NOBODY)


def _start(command: list[str]) -> subprocess.Popen[bytes]:
    as_nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, **as_nobody)  # type: ignore[call-overload,no-any-return]  # keywords of one type only


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
