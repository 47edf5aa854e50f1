"""The telnet session against written dialogues, cut at every octet and with every fault."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest
from outcomes import checked, error_of

from urlschemes.errors import UnsafeURL, URLError
from urlschemes_access.attributes import Attributes
from urlschemes_access.errors import ConnectError, InputRequired, LimitExceeded, RemoteError, Truncated
from urlschemes_access.protocol import Algorithm, Connect, Deliver, Open, Peer, Receive, Send
from urlschemes_access.resources import Source
from urlschemes_telnet import TelnetURL
from urlschemes_telnet.access import open_session
from urlschemes_telnet.session import Advice, TelnetAttributes, TelnetSession
from urlschemes_testing.replay import (
    Outcome,
    Script,
    Step,
    client,
    connect,
    replay,
    server,
    server_closes,
    server_resets,
    silence,
    split_everywhere,
)

HOST = "host.dom"
NOP = b"\xff\xf1"
SB, SE, WILL, WONT, DO, DONT = b"\xff\xfa", b"\xff\xf0", b"\xff\xfb", b"\xff\xfc", b"\xff\xfd", b"\xff\xfe"
ECHO, SGA, NAWS, TTYPE = b"\x01", b"\x03", b"\x1f", b"\x18"


class Replayed:
    """A dialogue for the session that returns the algorithm of each call, for the replay to run."""

    def __init__(self, url: TelnetURL) -> None:
        self.url = url

    def call(self, algorithm: Any) -> Any:
        return algorithm

    def close(self) -> None:
        pass


def session_of(url: TelnetURL, attributes: Attributes, peer: Peer | None) -> TelnetSession:
    return TelnetSession(Source(cast("Any", Replayed(url)), lambda algorithm: algorithm), attributes, peer)


Talk = Callable[[Any], Algorithm[None]]
"""A function that uses a session, whose methods return algorithms here."""


def in_session(talk: Talk, url: str = f"telnet://{HOST}/", **options: Any) -> Algorithm[None]:
    """Open a session, run `talk`, and close it: one algorithm, which delivers what `talk` delivers as a document."""
    parsed = TelnetURL.parse(url)
    algorithm = open_session(parsed, **options)
    answer: object = None
    while not isinstance(request := algorithm.send(answer), Open):
        answer = yield from request
    assert (request.kind, request.session) == ("session", TelnetSession)
    session = session_of(parsed, request.attributes or TelnetAttributes(), request.peer)
    yield from Open("document")
    yield from talk(session)
    yield from algorithm


def read_all(session: Any) -> Algorithm[None]:
    """Read to the end."""
    while octets := (yield from session.read()):
        yield from Deliver(octets)
    assert (yield from session.read()) == b""


def outcome_of(
    talk: Talk, *steps: Step, url: str = f"telnet://{HOST}/", closing: bool = True, **options: int
) -> Outcome:
    """The outcome, which must not depend on how the octets are cut; no fault may look like a success."""
    return checked(lambda: in_session(talk, url, **options), Script(connect(HOST, 23), *steps), ends_by_closing=closing)


# reading and writing --------------------------------------------------------------------------------------------------


def test_the_output_of_the_service_is_unchanged() -> None:
    outcome = outcome_of(read_all, server(b"one\r\ntwo\r\0\x00\x80\xfe\xff\xff", NOP, b"end"), server_closes())
    assert outcome.content == b"one\r\ntwo\r\x00\x80\xfe\xffend"
    assert outcome.sent == {"connection": b""}


def test_reading_answers_proposals() -> None:
    outcome = outcome_of(
        read_all,
        server(WILL + ECHO, WILL + SGA, DO + TTYPE, DO + NAWS, b"login: "),
        client(DO + ECHO, DO + SGA, WONT + TTYPE, WILL + NAWS, SB + NAWS + b"\x00\x50\x00\x18" + SE, early=True),
        server(b"bye"),
        server_closes(),
        columns=80,
        rows=24,
    )
    assert outcome.content == b"login: bye"


def test_written_octets_arrive_unchanged() -> None:
    def talk(session: Any) -> Algorithm[None]:
        yield from session.write(b"a\r\nb\rc\nd\xff\x00")
        yield from session.write(b"")
        yield from read_all(session)

    outcome = outcome_of(talk, client(b"a\r\nb\r\0c\nd\xff\xff\x00"), server(b"ok"), server_closes())
    assert outcome.content == b"ok"


def test_read_returns_none_after_silence_and_no_octets_at_the_end() -> None:
    def talk(session: Any) -> Algorithm[None]:
        assert (yield from session.read(0.1)) is None
        yield from Deliver((yield from session.read(0.1)) or b"none")
        assert (yield from session.read(0.1)) == b""
        assert (yield from session.read()) == b""

    outcome = replay(in_session(talk), Script(connect(HOST, 23), silence(), server(b"x"), server_closes()))
    assert (outcome.content, outcome.error) == (b"x", None)


def test_negotiation_does_not_extend_a_read_with_a_time_limit() -> None:
    def talk(session: Any) -> Algorithm[None]:
        assert (yield from session.read(0.1)) is None
        assert (yield from session.read(0.1)) == b"x"

    script = Script(connect(HOST, 23), server(NOP * 100), server(b"x"), server_closes())
    assert replay(in_session(talk), script).error is None


def test_window_size_interrupt_and_binary_are_sent() -> None:
    def talk(session: Any) -> Algorithm[None]:
        yield from session.resize(132, 43)  # the service has not asked: nothing is sent
        assert (yield from session.read(1)) is None
        yield from session.resize(255, 1)
        yield from session.interrupt()
        yield from session.binary()
        assert (yield from session.read(1)) is None
        assert session.line_end == b"\r"
        yield from session.write(b"\r")
        yield from session.binary(on=False)

    script = Script(
        connect(HOST, 23),
        server(DO + NAWS),
        client(WILL + NAWS, SB + NAWS + b"\x00\x84\x00\x2b" + SE),
        client(SB + NAWS + b"\x00\xff\xff\x00\x01" + SE),
        client(b"\xff\xf4"),
        client(WILL + b"\0", DO + b"\0"),
        server(DO + b"\0", WILL + b"\0"),
        client(b"\r"),
        client(WONT + b"\0", DONT + b"\0"),
    )
    outcome = replay(in_session(talk), script)
    assert outcome.error is None, outcome


def test_echoes_tells_whether_the_service_echoes() -> None:
    def talk(session: Any) -> Algorithm[None]:
        assert not session.echoes
        yield from read_all(session)
        assert session.echoes

    steps = (server(WILL + ECHO, b"x"), client(DO + ECHO, early=True), server_closes())
    assert split_everywhere(lambda: in_session(talk), Script(connect(HOST, 23), *steps)).complete


# the login ------------------------------------------------------------------------------------------------------------


def logging_in(**login: Any) -> Talk:
    def talk(session: Any) -> Algorithm[None]:
        written = yield from session.login(**login)
        yield from Deliver(b"[" + written + b"]")
        yield from read_all(session)

    return talk


LOGIN = (
    server(WILL + ECHO, b"Welcome.\r\nlogin: "),
    client(DO + ECHO, early=True),
    silence(),
    client("joe"),
    server(b"joe\r\nPassword: "),
    silence(),
    client(b"s\xc3\xa9cret\xff\xff\r\n"),
    server(b"\r\n$ "),
    server_closes(),
)
URL = f"telnet://joe:s%C3%A9cret%FF@{HOST}/"


@pytest.mark.fault(51, 52)
def test_login_types_user_name_and_password_at_their_prompts() -> None:
    outcome = outcome_of(logging_in(), *LOGIN, url=URL)
    assert outcome.error is None
    assert outcome.content == b"[Welcome.\r\nlogin: joe\r\nPassword: ]\r\n$ "


@pytest.mark.rfc1738(118)
@pytest.mark.fault(43)
def test_only_login_types_the_advice() -> None:
    outcome = outcome_of(read_all, server(b"login: "), server_closes(), url=URL)
    assert outcome.sent == {"connection": b""}

    def talk(session: Any) -> Algorithm[None]:
        assert session.advice == Advice("joe", "s\u00e9cret\udcff")
        assert "cret" not in repr(session.advice)
        yield from ()

    outcome_of(talk, url=URL)


def test_the_password_is_a_secret_of_the_trace() -> None:
    algorithm = in_session(logging_in(), URL)
    sent: list[Send] = []
    received = iter([b"login: ", None, b"Password: ", None])
    answer: object = None
    while len(sent) < 2:
        request = algorithm.send(answer)
        if isinstance(request, Send):
            sent.append(request)
        answer = Peer("there") if isinstance(request, Connect) else None
        if isinstance(request, Receive):
            answer = next(received)
    algorithm.close()
    assert b"cret" in sent[1].octets
    assert "cret" not in repr(sent[1])


def test_the_arguments_of_login_override_the_url() -> None:
    outcome = outcome_of(
        logging_in(user="ann", password=""),
        server(b"Username> "),
        silence(),
        client("ann"),
        server(b"Enter your passphrase: "),
        silence(),
        client(""),
        server_closes(),
        url=URL,
    )
    assert outcome.error is None


def test_a_service_may_ask_for_a_password_alone() -> None:
    outcome = outcome_of(logging_in(password="x"), server(b"password: "), silence(), client("x"), server_closes())
    assert outcome.error is None


def test_a_prompt_that_was_already_read_counts() -> None:
    def talk(session: Any) -> Algorithm[None]:
        written = b""
        while not written.endswith(b": "):
            written += (yield from session.read()) or b""
        assert written == b"login: "
        assert (yield from session.login("joe", "x")) == b"password: "

    prompts = (server(b"login: "), silence(), client("joe"), server(b"password: "), silence(), client("x"))
    script = Script(connect(HOST, 23), *prompts)
    assert split_everywhere(lambda: in_session(talk), script).error is None


def test_a_prompt_that_was_answered_does_not_count_again() -> None:
    def talk(session: Any) -> Algorithm[None]:
        yield from session.login("joe", "x")
        with pytest.raises(RemoteError, match="its last line is ''"):
            yield from session.login("joe", "y")

    prompts = (server(b"login: "), silence(), client("joe"), server(b"password: "), silence(), client("x"), silence())
    assert replay(in_session(talk), Script(connect(HOST, 23), *prompts)).error is None


def test_a_word_within_a_text_is_not_a_prompt() -> None:
    """`Last login:` is followed by a date."""
    output = (server(b"Last login: "), server(b"Monday\r\nlogin: "))
    outcome = outcome_of(logging_in(), *output, silence(), client("joe"), *LOGIN[4:], url=URL)
    assert outcome.content.startswith(b"[Last login: Monday\r\nlogin: joe")


@pytest.mark.parametrize(
    ("login", "steps", "error", "words"),
    [
        ({"user": "joe"}, (server(b"> "), silence()), RemoteError, "did not ask for a user name or password"),
        ({"user": "joe"}, (server(b"hello\x1b[2J\r\n"),), RemoteError, r"its last line is 'hello\\x1b\[2J'"),
        ({"user": "joe"}, (), RemoteError, "did not ask"),
        ({}, (server(b"login: "), silence()), InputRequired, "asks for a user"),
        ({}, (server(b"password: "), silence()), InputRequired, "asks for a password"),
        ({"user": "jo\re"}, (), UnsafeURL, "control octet"),
        ({"user": "joe", "password": "\n"}, (), UnsafeURL, "control octet"),
        ({"user": "-f"}, (), UnsafeURL, "a command-line option"),
    ],
)
def test_a_failed_login_leaves_the_session_usable(
    login: dict[str, str], steps: tuple[Step, ...], error: type[URLError], words: str
) -> None:
    def talk(session: Any) -> Algorithm[None]:
        with pytest.raises(error, match=words):
            yield from session.login(**login, within=0.1)
        yield from read_all(session)

    outcome = replay(in_session(talk), Script(connect(HOST, 23), *steps, server_closes()))
    assert outcome.error is None
    output = b"".join(getattr(step, "octets", b"") for step in steps)
    assert outcome.content == output
    assert outcome.sent == {"connection": b""}


def test_a_service_that_never_asks_ends_the_login() -> None:
    script = Script(connect(HOST, 23), *(server(b"x" * 10_000) for _ in range(10)))
    refused = error_of(replay(in_session(logging_in(user="joe")), script), RemoteError)
    assert len(str(refused)) <= 300


# faults ---------------------------------------------------------------------------------------------------------------


def test_a_reset_is_truncated_and_a_connect_error_before_the_first_octet() -> None:
    error_of(replay(in_session(read_all), Script(connect(HOST, 23), server_resets())), ConnectError)
    outcome = replay(in_session(read_all), Script(connect(HOST, 23), server(b"some"), server_resets()))
    error_of(outcome, Truncated)
    assert outcome.content == b"some"


@pytest.mark.parametrize("begun", [b"\xff", DO, SB, SB + b"\x18\x01", SB + b"\x18\x01\xff"])
def test_an_end_within_a_command_is_truncated(begun: bytes) -> None:
    outcome = replay(in_session(read_all), Script(connect(HOST, 23), server(b"some", begun), server_closes()))
    assert "within a Telnet command" in str(error_of(outcome, Truncated))
    assert outcome.content == b"some"


@pytest.mark.fault(41)
def test_endless_negotiation_ends_the_session() -> None:
    script = Script(connect(HOST, 23), server((DO + TTYPE) * 65))
    error = error_of(replay(in_session(read_all), script), LimitExceeded)
    assert error.limit == "negotiation"


@pytest.mark.fault(14)
def test_the_octets_of_another_protocol_are_data() -> None:
    words = b"SSH-2.0-OpenSSH_9\r\n" + bytes(range(255))
    outcome = outcome_of(read_all, server(words), server_closes())
    assert outcome.content == words


def test_a_call_that_is_not_run_changes_nothing() -> None:
    session: Any = session_of(TelnetURL.parse("telnet://h/"), TelnetAttributes(), Peer("h"))
    for call in (session.write(b"x"), session.resize(1, 1), session.interrupt(), session.binary(), session.read()):
        call.close()
    assert next(iter(session.binary())).octets == WILL + b"\0" + DO + b"\0"
