"""Each fault of a rogue server, seen by sockets, ftplib and http.client."""

from __future__ import annotations

import ftplib
import gc
import http.client
import io
import socket
import ssl
import threading
import time
import warnings
from collections.abc import Iterator

import pytest

from urlschemes_servers import make_certificates
from urlschemes_testing.rogue import (
    Visitor,
    after_data,
    by_turns,
    closes,
    deaf,
    drips,
    ends_output,
    floods,
    hears,
    hears_exactly,
    hears_until,
    loops,
    offers_data,
    refusing,
    resets,
    rogue,
    says,
    starts_tls,
    stays_silent,
    waits,
)


@pytest.fixture(autouse=True)
def nothing_left_open() -> Iterator[None]:
    before = threading.active_count()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResourceWarning)
        yield
        gc.collect()
    assert [str(warning.message) for warning in caught] == []
    assert threading.active_count() == before


def call(address: tuple[str, int]) -> socket.socket:
    return socket.create_connection(address, 10)


def read_all(client: socket.socket) -> bytes:
    octets = b""
    while piece := client.recv(65536):
        octets += piece
    return octets


def test_a_dialogue_and_what_was_heard() -> None:
    acts = says("220 ready"), hears(), says("331 ", b"x"), hears_exactly(3), hears_until(b"!!"), says(b"bye")
    with rogue(*acts) as server, call(server) as client:
        assert client.recv(100) == b"220 ready\r\n"
        client.sendall(b"USER x\r\nabc")
        assert client.recv(8) == b"331 \r\nx"
        client.sendall(b"def!!")
        assert read_all(client) == b"bye"
        assert server.heard == [b"USER x\r\nabcdef!!"]


def test_reset() -> None:
    with rogue(says(b"half"), hears(), resets()) as server, call(server) as client:
        assert client.recv(100) == b"half"
        client.sendall(b"\n")
        with pytest.raises(ConnectionResetError):
            client.recv(100)


def test_half_closed() -> None:
    with rogue(says(b"x"), ends_output(), hears(), stays_silent()) as server:
        with call(server) as client:
            assert read_all(client) == b"x"
            client.sendall(b"still heard\n")
            client.shutdown(socket.SHUT_WR)
        deadline = time.monotonic() + 60
        while server.heard != [b"still heard\n"] and time.monotonic() < deadline:
            time.sleep(0.01)
        assert server.heard == [b"still heard\n"]


def test_silence_lasts_until_the_client_gives_up() -> None:
    with rogue(stays_silent()) as server, call(server) as client:
        client.settimeout(0.05)
        with pytest.raises(TimeoutError):
            client.recv(1)


def test_a_drip_comes_octet_by_octet() -> None:
    with rogue(drips(b"abc", every=0.005), closes()) as server, call(server) as client:
        pieces = list(iter(lambda: client.recv(100), b""))
    assert b"".join(pieces) == b"abc"


def test_endless_streams_end_with_the_client() -> None:
    for act in (floods(b"line\r\n"), loops(says("line"), waits(0.001)), loops(drips(b"line\r\n", every=0.001))):
        with rogue(act) as server, call(server) as client:
            got = b""
            while len(got) < 60:
                got += client.recv(60)
            assert got.startswith(b"line\r\nline\r\n")


def test_a_flood_can_be_measured() -> None:
    with rogue(floods(most=200_001)) as server, call(server) as client:
        assert len(read_all(client)) == 200_001


def test_turns() -> None:
    with rogue(by_turns([says(b"one")], [says(b"two"), says(b"!")])) as server:
        answers = []
        for _ in range(3):
            with call(server) as client:
                answers.append(read_all(client))
        assert answers == [b"one", b"two!", b"two!"]
        assert len(server.visits) == 3


@pytest.mark.parametrize("reply", ["227 go (127,0,0,1,{high},{low})", "227 go 127,0,0,1,{high},{low}"])
def test_data_connections_as_ftplib_sees_them(reply: str) -> None:
    acts = (
        says("220 ready"),
        *(hears(), says("230 in")),
        *(hears(), says("200 ok")),
        *(hears(), offers_data(reply, says(b"cont"), drips(b"ent", every=0.001))),
        *(hears(), says("150 here"), after_data(), says("226 done")),
        *(hears(), says("221 bye")),
    )
    with rogue(*acts) as server, ftplib.FTP() as ftp:
        ftp.connect(*server, timeout=10)
        ftp.af = socket.AF_INET
        ftp.login()
        content = io.BytesIO()
        assert ftp.retrbinary("RETR x", content.write) == "226 done"
        assert content.getvalue() == b"content"
        ftp.quit()
        assert server.heard[0].splitlines() == [b"USER anonymous", b"TYPE I", b"PASV", b"RETR x", b"QUIT"]


def test_lying_lengths_as_http_client_sees_them() -> None:
    head = says("HTTP/1.1 200 OK", "Content-Length: 10", "")
    with rogue(hears_until(b"\r\n\r\n"), head, says(b"short")) as server:
        client = http.client.HTTPConnection(*server, timeout=10)
        client.request("GET", "/")
        with pytest.raises(http.client.IncompleteRead):
            client.getresponse().read()
        client.close()


def test_tls_that_is_broken_off() -> None:
    pytest.importorskip("trustme")
    certificates = make_certificates()
    # How Python says that TLS was broken off depends on its version and on OpenSSL.
    for last, expected in ((resets(), (ConnectionResetError, ssl.SSLError)), (ends_output(), (ssl.SSLError,))):
        with rogue(starts_tls(certificates.server), hears(), says(b"secret"), hears(), last) as server:
            context = certificates.client()
            context.options &= ~ssl.OP_IGNORE_UNEXPECTED_EOF  # set before Python 3.11.4
            client = context.wrap_socket(call(server), server_hostname="127.0.0.1", suppress_ragged_eofs=False)
            with client:
                client.sendall(b"\n")
                assert client.recv(100) == b"secret"
                client.sendall(b"\n")
                with pytest.raises(expected):
                    client.recv(100)


def test_a_port_that_refuses() -> None:
    with refusing() as address, pytest.raises(ConnectionRefusedError):
        call(address)


def test_a_port_that_never_answers() -> None:
    try:
        with deaf() as address, pytest.raises(TimeoutError):
            socket.create_connection(address, 0.1)
    except RuntimeError as reason:
        pytest.skip(str(reason))


def mistaken(visitor: Visitor) -> None:
    visitor.say(b"%d" % visitor.number)
    raise ValueError("a mistake in the test")


def test_a_mistake_in_an_act_of_ones_own_is_raised_at_the_end() -> None:
    def run() -> None:
        with rogue(by_turns([says(b"fine")], [mistaken])) as server:
            for expected in (b"fine", b"1"):
                with call(server) as client:
                    assert read_all(client) == expected

    with pytest.raises(ValueError, match="a mistake in the test"):
        run()


def test_a_mistake_in_an_act_on_a_data_connection_is_raised_at_the_end() -> None:
    def run() -> None:
        with rogue(offers_data("{port}", mistaken), after_data()) as server, call(server) as client:
            with call(("127.0.0.1", int(client.recv(100)))) as data:
                assert read_all(data) == b"0"
            assert read_all(client) == b""

    with pytest.raises(ValueError, match="a mistake in the test"):
        run()


def test_leaving_ends_all_waiting() -> None:
    with socket.socket() as one, socket.socket() as two, socket.socket() as three:
        with rogue(by_turns([waits(60)], [stays_silent()], [floods()])) as server:
            for client in (one, two, three):
                client.connect(server)
            deadline = time.monotonic() + 60
            while len(server.visits) < 3 and time.monotonic() < deadline:
                time.sleep(0.01)
        # Here at all: the acts would go on for a minute, and longer than a test may take.
        assert len(server.visits) == 3
