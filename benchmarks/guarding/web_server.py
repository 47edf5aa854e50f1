"""A process that answers HTTP on 127.0.0.1, as fast as Python can.

`python -m guarding.web_server` prints its port, and ends when its standard input does. `/kept` keeps the connection,
`/new` closes it after the answer.
"""

from __future__ import annotations

import socket
import sys
import threading
from contextlib import suppress

PATIENCE = 120.0
BODY = b"x" * 1000
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: %s\r\n\r\n"
KEPT, NEW = (HEAD % (len(BODY), how) + BODY for how in (b"keep-alive", b"close"))


def main() -> None:
    """Serve until standard input ends."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)

    def accept() -> None:
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=attend, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    print(listener.getsockname()[1], flush=True)
    sys.stdin.read()


def attend(connection: socket.socket) -> None:
    """Answer the requests of one connection: each arrives in one piece, for it is short."""
    with connection, suppress(OSError):
        connection.settimeout(PATIENCE)
        while request := connection.recv(65536):
            if request.startswith(b"GET /new"):
                connection.sendall(NEW)
                return
            connection.sendall(KEPT)


if __name__ == "__main__":
    main()
