"""Parts of FTP dialogues, for the tests of this folder."""

from __future__ import annotations

from urlschemes_testing.replay import (
    Script,
    Step,
    client,
    client_closes,
    connect,
    connect_back,
    exchange,
    server,
    server_closes,
)

HOST = "host.dom"


def steps(*parts: Step | tuple[Step, ...]) -> tuple[Step, ...]:
    """Return all steps as one tuple."""
    return tuple(step for part in parts for step in (part if isinstance(part, tuple) else (part,)))


CONNECTED = (connect(HOST, 21),)
GREETING = Script(*CONNECTED, server("220 host.dom FTP server ready"))
LOGIN = GREETING.then(
    *exchange(*("USER anonymous", "331 Send your address as password"), *("PASS anonymous@example.com", "230 Welcome"))
)
QUIT = exchange("QUIT", "221 Goodbye")
NO_FEATURES = exchange("FEAT", "500 Unknown command")
FEATURES = (
    client("FEAT"),
    server("211-Extensions supported:", " MDTM", " MLST size*;modify*;type*;", " SIZE", "211 End"),
)
TYPE_A = exchange("TYPE A", "200 Type set to A")
TYPE_I = exchange("TYPE I", "200 Type set to I")


def epsv(port: int = 40001) -> tuple[Step, ...]:
    """Return the steps that open a data connection."""
    return *exchange("EPSV", f"229 Entering extended passive mode (|||{port}|)"), connect_back(port)


def cwd(*directories: str | bytes) -> tuple[Step, ...]:
    """Return the steps that change to each directory."""
    return steps(*((_command("CWD", directory), server("250 Changed")) for directory in directories))


def type_and_size(name: str | bytes, size: int | None) -> tuple[Step, ...]:
    """Return the steps before the transfer of a file; None as size means that the server does not know SIZE."""
    return *TYPE_I, _command("SIZE", name), server("500 What?" if size is None else f"213 {size}")


def download(command: str, name: str | bytes, content: bytes, end: str = "226 Transfer complete") -> tuple[Step, ...]:
    """Return the steps of a transfer to the client."""
    return steps(
        _command(command, name) if name else client(command),
        server("150 Here it comes"),
        (server(content, on="data"),) if content else (),
        server_closes(on="data"),
        server(end),
    )


def retrieve(name: str | bytes, content: bytes, end: str = "226 Transfer complete") -> tuple[Step, ...]:
    """Return the steps from TYPE to the confirmation, with the file's size."""
    return steps(type_and_size(name, len(content)), epsv(), download("RETR", name, content, end))


def store(command: str, *pieces: bytes, end: str = "226 Stored") -> tuple[Step, ...]:
    """Return the steps of a transfer to the server."""
    return (
        client(command),
        server("150 Send it"),
        *(client(piece, on="data") for piece in pieces),
        client_closes(on="data"),
        server(end),
    )


def _command(verb: str, argument: str | bytes) -> Step:
    octets = argument if isinstance(argument, bytes) else argument.encode()
    return client(b"%b %b\r\n" % (verb.encode(), octets))
