"""Credentials, answers and content from the caller."""

from __future__ import annotations

import socket
from typing import cast

import pytest
from fake_servers import (
    Serve,
)
from talk_scheme import Clock, run

from urlschemes.errors import UnsafeURL
from urlschemes_access.credentials import Credentials, Form, Question
from urlschemes_access.errors import (
    InputRequired,
)
from urlschemes_access.protocol import (
    Algorithm,
    Ask,
    Authenticate,
    Connect,
    Deliver,
    Open,
    Pull,
    Receive,
    Send,
)
from urlschemes_access.trace_event import TraceEvent

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
    form = Form("Who are you?", (Question("Ask", "Name"), Question("Ask", "Town")))
    given: list[object] = []

    def algorithm() -> Algorithm[None]:
        given.append((yield from Ask(form)))
        yield from Open("document")

    with pytest.raises(InputRequired, match="asks 2 questions: Who are you"):
        run(algorithm())
    with pytest.raises(InputRequired, match="not answered"):
        run(algorithm(), ask=lambda _: None)
    with pytest.raises(TypeError, match="ask must return 2 answers, one for each question, not 1"):
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
