"""Server programs of this machine, for the tests marked `real_server`: found, run without privileges, and awaited."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 20
"""Seconds that a program may take to start or to end."""

_PATH = os.pathsep.join(
    [os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin", "/usr/lib/news/bin", "/usr/local/news/bin"]
)


def program(*names: str, package: str = "", says: str = "", asked: str = "--version") -> str:
    """Return the first of these programs that is installed and prints `says` if `asked`; skip the test if none is."""
    for name in names:
        if found := shutil.which(name, path=_PATH):
            if not says:
                return found
            done = subprocess.run([found, asked], capture_output=True, text=True, timeout=PATIENCE, check=False)
            if says in done.stdout + done.stderr:
                return found
    pytest.skip(f"{names[0]} is not installed (on Debian: apt-get install {package or names[0]})")


def has_ipv6() -> bool:
    """Return True if the system has the address ::1."""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


HAS_IPV6 = has_ipv6()


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def account(name: str = "nobody") -> pwd.struct_passwd:
    """Return the account of a server, which is never root: that of the tests, or `name` if they run as root."""
    who = pwd.getpwuid(os.getuid())
    if who.pw_uid == 0:
        return pwd.getpwnam(name)
    if name not in ("nobody", who.pw_name):
        pytest.skip(f"this server runs only as {name}")
    return who


def run_as(who: pwd.struct_passwd) -> dict[str, Any]:
    """Return the arguments of subprocess that run a program in this account."""
    return {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []} if os.getuid() == 0 else {}


def greets(port: int, greeting: bytes = b"220", host: str = "127.0.0.1") -> bool:
    """Return True if a server at the port begins with `greeting`; with an empty one, if it listens."""
    with socket.create_connection((host, port), 1) as connection:
        return connection.recv(len(greeting)) == greeting


def wait(
    name: str, ready: Callable[[], bool], process: subprocess.Popen[bytes] | None = None, log: Path | None = None
) -> None:
    """Wait until `ready()` is true; skip the test if the server ends or takes too long."""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends and (process is None or process.poll() is None):
        try:
            if ready():
                return
        except OSError:
            pass
        time.sleep(0.05)
    pytest.skip(f"{name} cannot be started here: {log.read_text('utf-8', 'replace').strip()[-300:] if log else ''}")


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a server."""
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def inetd(command: list[str], listener: socket.socket, **options: Any) -> Iterator[None]:
    """Run a program for each connection, on its standard input and output."""
    running: list[subprocess.Popen[bytes]] = []

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                streams: dict[str, Any] = {"stdin": connection, "stdout": connection, "stderr": subprocess.DEVNULL}
                running.append(subprocess.Popen(command, **streams, **options))

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(PATIENCE)
        listener.close()
        for process in running:
            stop(process)
