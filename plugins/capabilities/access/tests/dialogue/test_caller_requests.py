"""Credentials, answers and content from the caller."""

from __future__ import annotations

import socket
from io import BytesIO
from typing import TYPE_CHECKING, cast

import pytest
from fake_servers import Serve
from talk_scheme import Clock, run

from urlschemes.errors import UnsafeURL
from urlschemes_access.credentials import Credentials, Form, Question
from urlschemes_access.dialogue.caller_requests import LARGE, TOGETHER, Pieces, in_large_pieces
from urlschemes_access.errors import InputRequired
from urlschemes_access.protocol import Algorithm, Ask, Authenticate, Connect, Deliver, Open, Pull, Receive, Send
from urlschemes_access.trace_event import TraceEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.usefixtures("backend")


def test_credentials_of_the_caller_are_hidden_in_the_trace(serve: Serve) -> None:
    def talk(connection: socket.socket) -> None:
        connection.sendall(b"you said " + connection.recv(100))

    port = serve(talk)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        known = yield from Authenticate("127.0.0.1", port, user="me")
        assert known is not None
        secret = known.password.encode()
        yield from Send(peer, b"PASS " + secret + b"\r\n", secret=secret)
        yield from Open("document")
        yield from Deliver((yield from Receive(peer)) or b"")

    def credentials(request: Authenticate) -> Credentials:
        assert (request.host, request.port, request.user) == ("127.0.0.1", port, "me")
        clock.now += 1001  # a person types; the deadline waits
        return Credentials("me", "hunter22")

    events: list[TraceEvent] = []
    clock = Clock()
    document = run(algorithm(), port=port, deadline=1000, credentials=credentials, trace=events.append, clock=clock)
    assert document.read() == b"you said PASS hunter22\r\n"
    assert [(event.kind, event.octets) for event in events] == [
        ("connect", b""),
        ("send", b"PASS ***\r\n"),
        ("open", b""),
        ("receive", b"you said PASS ***\r\n"),
        ("close", b""),
    ]
    assert {event.peer for event in events} == {"connection", ""}
    assert events[0].text == f"127.0.0.1 port {port}"


def test_without_credentials_the_answer_is_none() -> None:
    def algorithm() -> Algorithm[None]:
        assert (yield from Authenticate("host.example", 7)) is None
        yield from Open("document")

    run(algorithm()).close()
    run(algorithm(), credentials=lambda _: None).close()


def test_credentials_that_no_protocol_line_can_carry_are_refused() -> None:
    def algorithm() -> Algorithm[None]:
        yield from Authenticate("host.example", 7)

    with pytest.raises(UnsafeURL) as refusal:
        run(algorithm(), credentials=lambda _: Credentials("me\r\nDELE x", "p"))
    assert refusal.value.part == "user"
    with pytest.raises(UnsafeURL, match="surrogate"):
        run(algorithm(), credentials=lambda _: Credentials("me", "p\ud800"))
    with pytest.raises(TypeError, match="credentials must return Credentials or None, not tuple"):
        run(algorithm(), credentials=lambda _: ("me", "p"))
    with pytest.raises(TypeError, match="the password of credentials must be a str, not NoneType"):
        Credentials("me", cast("str", None))


def test_questions_are_answered_by_the_caller() -> None:
    form = Form("Who are you?\nAnd where?", (Question("Ask", "Name"), Question("Ask", "Town")))
    given: list[object] = []

    def algorithm() -> Algorithm[None]:
        given.append((yield from Ask(form)))
        yield from Open("document")

    with pytest.raises(InputRequired, match="the server asks for 'Name', 'Town': Who are you\\?; And where\\?"):
        run(algorithm())
    with pytest.raises(InputRequired, match="not answered"):
        run(algorithm(), ask=lambda _: None)
    with pytest.raises(TypeError, match="one answer for each question: expected 2, got 1"):
        run(algorithm(), ask=lambda _: ("one",))
    run(algorithm(), ask=lambda form: tuple(question.prompt for question in form.questions)).close()
    assert given == [("Name", "Town")]


def test_exceptions_of_the_callers_functions_pass_through() -> None:
    def algorithm() -> Algorithm[None]:
        yield from Authenticate("host.example", 7)

    def credentials(_: Authenticate) -> Credentials:
        raise LookupError("the caller's own")

    with pytest.raises(LookupError, match="the caller's own"):
        run(algorithm(), credentials=credentials)


@pytest.mark.parametrize("traced", [False, True])
def test_content_is_sent_in_the_callers_pieces(serve: Serve, traced: bool) -> None:
    got = bytearray()
    events: list[TraceEvent] = []

    def talk(connection: socket.socket) -> None:
        while octets := connection.recv(65536):
            got.extend(octets)
            if got.endswith(b"."):
                connection.sendall(b"ok")
                return

    port = serve(talk)

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("127.0.0.1", port)
        while pieces := (yield from Pull()):
            yield from Send(peer, pieces)
        yield from Send(peer, (b"", b"."))
        yield from Receive(peer)
        yield from Open("attributes")

    trace = events.append if traced else None
    run(algorithm(), port=port, content=[b"one", b"", b"x" * 3_000_000, b"y" * 300_000, b"z"], trace=trace)
    assert bytes(got) == b"one" + b"x" * 3_000_000 + b"y" * 300_000 + b"z."
    assert b"".join(event.octets for event in events if event.kind == "send") == (bytes(got) if traced else b"")
    with pytest.raises(InputRequired, match="none was given"):
        run(algorithm(), port=port)


def test_small_pieces_that_come_fast_are_joined() -> None:
    sent = list(in_large_pieces(b"%08d" % number for number in range(100_000)))
    pieces = [piece for group in sent for piece in group.pieces]
    assert b"".join(pieces) == b"".join(b"%08d" % number for number in range(100_000))
    assert len(pieces) < 100_000 * 8 / LARGE + 10


@pytest.mark.parametrize("make", [bytes, bytearray, lambda size: memoryview(bytes(size))])
def test_large_pieces_are_sent_together_as_they_are(make: Callable[[int], bytes]) -> None:
    given = [make(TOGETHER // 2) for _ in range(5)]
    sent = list(in_large_pieces(given))
    assert [len(group.pieces) for group in sent] == [1, 2, 2, 0]  # the first is not held back
    assert all(one is two for one, two in zip(given, (each for group in sent for each in group.pieces), strict=True))


def test_the_first_piece_and_slow_ones_are_not_held_back(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("urlschemes_access.dialogue.caller_requests.monotonic", lambda: now)
    asked: list[int] = []

    def pieces() -> Iterator[bytes]:
        nonlocal now
        for number in range(3):
            asked.append(number)
            yield b"x"
            now += 60

    sent = in_large_pieces(pieces())
    for number in range(3):
        assert next(sent) == Pieces((b"x",))
        assert asked[-1] == number


def test_a_file_is_read_in_large_pieces() -> None:
    octets = b"a line\n" * 100_000
    pieces = list(in_large_pieces(BytesIO(octets)))
    assert b"".join(pieces) == octets
    assert set(map(len, pieces[:-1])) == {LARGE}
