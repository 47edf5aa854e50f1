"""The WAIS server, tested octet by octet: it behaves as freeWAIS-sf does."""

import socket
from collections.abc import Iterator

import pytest

from urlschemes_servers.wais import WaisDocument, wais_server
from urlschemes_testing.loopback import Address

DATABASES = {
    "sky": {"comets": "A comet has a tail.\n", "picture": WaisDocument({"GIF": b"GIF89a"}, headline="A picture")}
}
COMETS = b"\x02\x03sky\x03\x0b0 20 comets"
TEXT, WHOLE = (b"wt re", b"TEXT"), ((b"wb ro", b"0"), (b"wb rl", b"20"))


@pytest.fixture(scope="module")
def server() -> Iterator[Address]:
    with wais_server(DATABASES) as address:
        yield address


def element(tag: int, value: bytes) -> bytes:
    size = bytes([len(value)]) if len(value) < 128 else bytes([0x80 | len(value) >> 7, len(value) & 0x7F])
    return bytes([tag]) + size + value


def message(header: bytes, information: bytes = b"") -> bytes:
    body = len(header).to_bytes(2, "big") + header + information
    return b"%010dz2host.dom    0" % len(body) + body


def init(options: int = 0x80, most: bytes = b"\x01\x86\xa0") -> bytes:
    return message(b"\x14" + element(4, bytes([options])) + element(6, most) + element(7, b"a test"))


def search(words: bytes, more: bytes = b"", *, database: bytes = b"sky") -> bytes:
    header = b"\x16\x00\x00\x1e\x00\x13\x88\x00\x00\x1e\x01" + element(18, database) + element(20, b"3")
    return message(header, element(99, element(106, words) + more + element(114, b"\x28")))


def retrieval(identifier: bytes, *terms: tuple[bytes, bytes]) -> bytes:
    header = b"\x16\x00\x00\x0a\x00\x00\x10\x00\x00\x0f\x01" + element(18, b"sky") + element(20, b"1")
    asked = ((b"un re", identifier), *terms)
    query = b"".join(element(44, use + b" ig ig ig ig") + element(45, term) + element(46, b"a") for use, term in asked)
    return message(header, element(21, query))


def exchange(server: Address, *requests: bytes) -> list[bytes]:
    """Return the bodies of the responses; b"" if the server closed the connection."""
    responses = []
    with socket.create_connection(server, timeout=10) as connection, connection.makefile("rb") as stream:
        for request in requests:
            connection.sendall(request)
            head = stream.read(25)
            assert head[10:] in {b"z2host.dom    0", b""}  # the server returns the name in the request
            responses.append(stream.read(int(head[:10])) if head else b"")
    return responses


def test_an_association_offers_only_searching(server: Address) -> None:
    accepted, refused, again = exchange(server, init(), init(0xC0), init())
    assert (accepted[2:4], refused[2:4], again) == (b"\x15\x01", b"\x15\x00", accepted)
    assert element(6, b"\x01\x86\xa0") in accepted
    assert element(6, b"\x10\x00") in exchange(server, init(most=b"\x10\x00"))[0]


def test_searches_need_no_association(server: Address) -> None:
    found = exchange(server, search(b"comet"), search(b"picture"))
    assert [b"{\x06comets" in found[0], b"{\x09A picture" in found[1]] == [True, True]


@pytest.mark.parametrize(
    ("request_", "status", "records"),
    [
        (search(b"comet"), 1, 1),
        (search(b""), 1, 2),
        (search(b"?"), 0, 3),  # the two, and a diagnostic
        (search(b"zzzzqq"), 1, 1),  # the catalog
        (search(b"(comet"), 0, 2),
        (search(b"comet", database=b"nosuch"), 0, 1),
        (retrieval(COMETS, TEXT, *WHOLE), 0, 1),
        (retrieval(b"zzzz", TEXT, *WHOLE), 0, 1),
    ],
)
def test_the_number_of_records_includes_diagnostics(
    server: Address, request_: bytes, status: int, records: int
) -> None:
    (answer,) = exchange(server, request_)
    header = answer[2 : 2 + int.from_bytes(answer[:2], "big")]
    result_count, returned = header[2:5], int.from_bytes(header[5:8], "big")
    assert (header[0], header[1], result_count, returned) == (23, status, bytes(3), records)


@pytest.mark.parametrize(
    ("start", "end", "text", "beyond"),
    [
        (b"0", b"20", b"A comet has a tail.\n", False),
        (b"0", b"10000", b"A comet has a tail.\n", True),
        (b"2", b"7", b"comet", False),
        (b"20", b"30", b"", False),
        (b"30", b"40", None, True),
    ],
)
def test_a_piece_of_a_document_is_sent(
    server: Address, start: bytes, end: bytes, text: bytes | None, beyond: bool
) -> None:
    (answer,) = exchange(server, retrieval(COMETS, TEXT, (b"wb ro", start), (b"wb rl", end)))
    assert (b"SFRequest out of range\x01\x1d" in answer) is beyond
    assert (text is None) is (COMETS not in answer)
    assert text is None or COMETS + b"\x75\x01\x00" + element(127, text) in answer


@pytest.mark.parametrize(
    "request_",
    [
        search(b"comet") * 2,  # two at once
        retrieval(COMETS, *WHOLE),  # no type
        retrieval(b"\x03\x0b0 20 comets", TEXT, *WHOLE),  # no database
        retrieval(COMETS, TEXT, (b"wb ro", b"9"), (b"wb rl", b"3")),  # the end before the start
        retrieval(COMETS, TEXT, (b"wb ro", b"x"), (b"wb rl", b"3")),
        message(b"\x18"),  # Present
        message(b"\x16" + bytes(10) + b"\x12\x7f"),
        b"GET / HTTP/1.0\r\n\r\n",
    ],
)
def test_a_request_on_which_freewais_crashes_ends_the_connection(server: Address, request_: bytes) -> None:
    assert exchange(server, request_) == [b""]


def test_a_response_over_the_size_is_empty(server: Address) -> None:
    with socket.create_connection(server, timeout=10) as connection, connection.makefile("rb") as stream:
        connection.sendall(init(most=b"\x50"))
        stream.read(int(stream.read(25)[:10]))
        connection.sendall(search(b"comet"))
        assert stream.read(25)[:10] == b"0000000000"
