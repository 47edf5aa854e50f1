"""The replay driver is itself tried on small algorithms: good ones, and each kind of bad one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import urlschemes
from urlschemes import InternetURL, Registration
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.credentials import Form, Question
from urlschemes_access.dialogue import Dialogue, Operation
from urlschemes_access.errors import (
    AccessError,
    ConnectError,
    DeadlineExceeded,
    InputRequired,
    LimitExceeded,
    PolicyDenied,
    RedirectRefused,
    RemoteError,
    ResolveError,
    Truncated,
)
from urlschemes_access.policy import Policy
from urlschemes_access.protocol import (
    Algorithm,
    Ask,
    Authenticate,
    Close,
    Connect,
    ConnectBack,
    Deliver,
    Examine,
    Follow,
    ListFolder,
    Open,
    OpenFile,
    Pull,
    Reader,
    Ready,
    Receive,
    Send,
    StartTLS,
    Unterminated,
)
from urlschemes_access.resources.synchronous import Document, run
from urlschemes_access.settings import Settings
from urlschemes_testing.replay import (
    Departure,
    Outcome,
    Recording,
    Script,
    answers,
    client,
    client_closes,
    connect,
    connect_back,
    credentials,
    fault_everywhere,
    file,
    folder,
    follow,
    replay,
    server,
    server_closes,
    server_resets,
    silence,
    split_everywhere,
    start_tls,
    steps,
    upload,
)
from urlschemes_testing.replay.backend import ReplayBackend
from urlschemes_testing.replay.replaying import Replay
from urlschemes_testing.rogue import after_data, hears, offers_data, rogue, says, waits

COUNTED = Script(connect("host.dom", 7), client("GET"), server("5"), server(b"hello"), server_closes())


def counted() -> Algorithm[None]:
    """A made-up protocol that does everything right: a length, then so many octets."""
    peer = yield from Connect("host.dom", 7)
    yield from Send(peer, b"GET\r\n")
    reader = Reader(peer)
    line = yield from reader.line()
    if line is None:
        raise ConnectError("closed")
    yield from Open("document", Attributes(size=int(line)))
    left = int(line)
    while left:
        octets = yield from reader.some(left)
        if not octets:
            raise Truncated("closed early", expected=int(line))
        left -= len(octets)
        yield from Deliver(octets)
    yield from Close(peer)


TRANSFER = Script(
    connect("host.dom", 21, on="control"),
    server("220 ready"),
    client("PASV"),
    server("227 4000"),
    connect_back(4000),
    client("RETR"),
    server("150 here"),
    server(b"content", on="data"),
    server_closes(on="data"),
    server("226 done"),
)


def transfer(*, retr_first: bool = False, confirmed: bool = True) -> Algorithm[None]:
    control = yield from Connect("host.dom", 21)
    replies = Reader(control)
    try:
        yield from reply(replies, b"220")
        yield from Send(control, b"PASV\r\n")
        port = int((yield from reply(replies, b"227"))[4:])
        if retr_first:
            yield from Send(control, b"RETR\r\n")
        data = yield from ConnectBack(control, port)
        if not retr_first:
            yield from Send(control, b"RETR\r\n")
        yield from reply(replies, b"150")
        yield from Open("document")
        while octets := (yield from Receive(data)):
            yield from Deliver(octets)
        if confirmed:
            yield from reply(replies, b"226")
    finally:
        yield from Close(control)


def reply(replies: Reader, code: bytes) -> Algorithm[bytes]:
    line = yield from replies.line()
    if line is None:
        raise Truncated("no reply")
    assert line.startswith(code)
    return line


def test_a_replay_returns_the_outcome() -> None:
    outcome = replay(counted(), COUNTED)
    assert outcome == Outcome(
        kind="document", attributes=Attributes(size=5), delivered=(b"hello",), sent={"connection": b"GET\r\n"}
    )
    assert outcome.complete
    assert outcome.content == b"hello"
    assert replay(counted(), COUNTED, chunk=1).delivered == (b"h", b"e", b"l", b"l", b"o")


def test_an_outcome_has_the_connections_left_open() -> None:
    assert replay(transfer(), TRANSFER).unclosed == ("data",)


def test_every_split_gives_the_same_outcome() -> None:
    assert split_everywhere(counted, COUNTED).content == b"hello"
    assert split_everywhere(transfer, TRANSFER).content == b"content"


def test_the_client_may_use_two_connections_in_either_order() -> None:
    assert split_everywhere(lambda: transfer(retr_first=True), TRANSFER).content == b"content"


class Interrupted(ReplayBackend):
    """A backend that is interrupted at operation number `last`, and at each one after it."""

    count = last = 0

    def perform(self, operation: Callable[..., Any], *arguments: Any) -> Any:
        self.count += 1
        if self.last and self.count >= self.last:
            raise KeyboardInterrupt
        return super().perform(operation, *arguments)


@pytest.mark.parametrize(("algorithm", "script"), [(counted, COUNTED), (transfer, TRANSFER)])
def test_an_interrupt_at_any_operation_closes_everything_at_once(
    algorithm: Callable[[], Algorithm[None]], script: Script
) -> None:
    """Nothing is awaited after it."""
    good = Interrupted(script)
    Replay(good).run(algorithm())
    assert good.count >= len(script)
    for number in range(1, good.count + 1):
        backend = Interrupted(script)
        backend.last = number
        with pytest.raises(KeyboardInterrupt):
            Replay(backend).run(algorithm())
        assert backend.count == number
        assert all(channel.closed for channel in backend.channels)
        assert not backend.departures


def test_an_algorithm_that_depends_on_the_split_is_found() -> None:
    def careless() -> Algorithm[None]:
        peer = yield from Connect("host.dom", 7)
        yield from Send(peer, b"GET\r\n")
        yield from Open("document")
        yield from Receive(peer)
        yield from Deliver((yield from Receive(peer)) or b"")

    assert replay(careless(), COUNTED).content == b"hello"
    with pytest.raises(AssertionError, match="another outcome"):
        split_everywhere(careless, COUNTED)


@pytest.mark.parametrize("place", [32, 70])
def test_a_long_message_is_split_at_each_octet(place: int) -> None:
    def unlucky() -> Algorithm[None]:
        peer = yield from Connect("host.dom", 7)
        yield from Open("document")
        total = 0
        while octets := (yield from Receive(peer)):
            total += len(octets)
            yield from Deliver(octets if len(octets) == 1 or total != place else b"x")

    script = Script(connect("host.dom", 7), server(bytes(100)), server_closes())
    with pytest.raises(AssertionError, match=rf"another outcome, step 1 split at octet {place}: server\("):
        split_everywhere(unlucky, script)


@pytest.mark.parametrize(("piece", "step"), [(b"5\r", "step 2 split at octet 2"), (b"hel", "step 3 split at octet 3")])
def test_the_step_whose_split_matters_is_named(piece: bytes, step: str) -> None:
    def unlucky() -> Algorithm[None]:
        peer = yield from Connect("host.dom", 7)
        yield from Send(peer, b"GET\r\n")
        yield from Open("document")
        while octets := (yield from Receive(peer)):
            yield from Deliver(octets if octets != piece else b"x")

    with pytest.raises(AssertionError, match=rf"another outcome, {step}: server\("):
        split_everywhere(unlucky, COUNTED)


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        (Script(connect("other.dom", 7)), "no such step"),
        (Script(connect("host.dom", 8)), "no such step"),
        (Script(connect("host.dom", 7), client("PUT")), r"expected: client\('PUT', on='connection'\)"),
        (
            Script(connect("host.dom", 7), server("hello"), client("GET")),
            r"expected: server\('hello', on='connection'\)",
        ),
        (COUNTED.then(client("QUIT")), r"a step is missing: client\('QUIT', on='connection'\)"),
        (COUNTED.then(credentials("joe")), r"a step is missing: credentials\('joe'\)"),
    ],
)
def test_an_algorithm_that_departs_from_the_script_is_found(script: Script, complaint: str) -> None:
    with pytest.raises(Departure, match=complaint):
        replay(counted(), script)


def test_octets_sent_before_a_reply_are_a_departure_unless_early() -> None:
    def hasty() -> Algorithm[None]:
        peer = yield from Connect("host.dom", 7)
        yield from Send(peer, b"A\r\nB\r\n")
        yield from Receive(peer)
        yield from Open("document")

    with pytest.raises(Departure, match=r"expected: server\('go on'"):
        replay(hasty(), Script(connect("host.dom", 7), client("A"), server("go on"), client("B")))
    outcome = replay(hasty(), Script(connect("host.dom", 7), client("A"), server("go on"), client("B", early=True)))
    assert outcome.complete


def test_a_broken_contract_is_a_departure() -> None:
    def bare() -> Algorithm[None]:
        yield "something"  # type: ignore[misc]

    def nothing() -> Algorithm[None]:
        yield from Connect("host.dom", 7)

    def wrong_item() -> Algorithm[None]:
        yield from Open("document")
        yield from Deliver(Entry(name="x"))

    def twice() -> Algorithm[None]:
        yield from Open("document")
        yield from Open("document")

    def after_close() -> Algorithm[None]:
        peer = yield from Connect("host.dom", 7)
        yield from Close(peer)
        yield from Send(peer, b"GET\r\n")

    for algorithm, complaint in (
        (bare, "expected a request, by `yield from`, got something"),
        (nothing, "expected Open before anything is delivered"),
        (wrong_item, "got Entry"),
        (twice, "expected Open only once"),
        (after_close, "expected an open peer of this operation"),
    ):
        with pytest.raises(Departure, match=complaint):
            replay(algorithm(), Script(connect("host.dom", 7)))


def test_errors_of_the_access_are_part_of_the_outcome() -> None:
    start = (connect("host.dom", 7), client("GET"))
    for script, error in (
        (Script(connect("host.dom", 7, error=ConnectError("refused"))), ConnectError),
        (Script(*start), DeadlineExceeded),
        (Script(*start, server_resets()), ConnectError),
        (Script(*start, server("5"), server(b"abc"), server_resets()), Truncated),
        (Script(*start, server("9"), server(b"abc"), server_closes()), Truncated),
    ):
        outcome = replay(counted(), script)
        assert type(outcome.error) is error
        assert not outcome.complete


def test_an_endless_wait_exceeds_the_deadline() -> None:
    waits_for_data = Script(*TRANSFER.steps[:4], connect_back(4000), client("RETR", on="control"))
    outcome = replay(transfer(), waits_for_data)
    assert isinstance(outcome.error, DeadlineExceeded)
    assert str(outcome.error) == "20 seconds passed while waiting for response"

    def never_connects() -> Algorithm[None]:
        control = yield from Connect("host.dom", 21)
        yield from Receive(control)

    with pytest.raises(Departure, match=r"a step is missing: connect_back\(4000\)") as departure:
        replay(never_connects(), Script(connect("host.dom", 21), connect_back(4000), server("150", on="connection")))
    assert isinstance(departure.value.__cause__, DeadlineExceeded)


def test_a_bounded_wait_returns_none() -> None:
    def patient() -> Algorithm[None]:
        peer = yield from Connect("host.dom", 1525, transport="udp")
        octets = None
        while octets is None:
            yield from Send(peer, b"ask")
            octets = yield from Receive(peer, within=4)
        yield from Open("document")
        yield from Deliver(octets)

    lost = Script(connect("host.dom", 1525, transport="udp"), client(b"ask"), client(b"ask"), server(b"answer"))
    assert split_everywhere(patient, lost).content == b"answer"
    faults = {run.fault: run.outcome.error for run in fault_everywhere(patient, lost)}
    assert isinstance(faults["timeout"], DeadlineExceeded)
    assert isinstance(faults["reset"], ConnectError)
    assert "end" not in faults


def test_silence_is_one_wait_without_octets() -> None:
    def listening() -> Algorithm[None]:
        peer = yield from Connect("host.dom", 23)
        yield from Open("document")
        assert (yield from Receive(peer, within=1)) is None
        assert (yield from Ready([peer], within=1)) is None
        assert (yield from Ready([peer], within=1)) is peer
        yield from Deliver((yield from Receive(peer)) or b"")

    script = Script(connect("host.dom", 23), silence(), silence(), server(b"late"))
    assert replay(listening(), script).content == b"late"


def test_each_connection_is_read_first_once() -> None:
    def either() -> Algorithm[None]:
        control = yield from Connect("host.dom", 21)
        data = yield from ConnectBack(control, 4000)
        yield from Open("document")
        peer = yield from Ready([control, data])
        assert peer is not None
        yield from Deliver(peer.label.encode())

    script = Script(connect("host.dom", 21), connect_back(4000), server(b"content", on="data"), server(b"226"))
    assert replay(either(), script).content == b"data"
    with pytest.raises(AssertionError, match="another outcome, connection first"):
        split_everywhere(either, script)


def test_a_good_algorithm_passes_with_every_fault() -> None:
    runs = fault_everywhere(counted, COUNTED)
    assert {run.fault for run in runs} >= {"refused", "reset", "end", "timeout", "one octet", "cancelled", "unresolved"}
    runs = fault_everywhere(transfer, TRANSFER, ends_by_closing=True)
    cut = [run for run in runs if "data" in run.request and run.fault in ("end", "reset", "one octet, then end")]
    assert len(cut) == 4
    assert all(run.outcome.error for run in cut)


def test_an_unnoticed_end_of_data_must_be_detected() -> None:
    with pytest.raises(AssertionError, match=r"'end, unnoticed' at request .*: truncated content counts as complete"):
        fault_everywhere(transfer, TRANSFER)


def test_an_end_of_data_must_be_confirmed_even_if_only_closing_marks_it() -> None:
    with pytest.raises(AssertionError, match=r"'end' at request .*: truncated content counts as complete"):
        fault_everywhere(lambda: transfer(confirmed=False), TRANSFER, ends_by_closing=True)


def test_each_fault_happens_where_it_is_possible() -> None:
    def redirected() -> Algorithm[None]:
        yield from Follow("/a")
        yield from counted()

    target = urlschemes.parse("http://host.dom/a")
    runs = fault_everywhere(redirected, Script(follow("/a", target), COUNTED))
    assert {(run.request.partition("(")[0], run.fault): type(run.outcome.error) for run in runs[:7]} == {
        ("Follow", "redirect refused"): RedirectRefused,
        ("Follow", "cancelled"): type(None),
        ("Connect", "unresolved"): ResolveError,
        ("Connect", "refused"): ConnectError,
        ("Connect", "timeout"): DeadlineExceeded,
        ("Connect", "forbidden"): PolicyDenied,
        ("Connect", "cancelled"): type(None),
    }
    left = {run.request.partition("(")[0]: run.outcome.delivered for run in runs if run.fault == "cancelled"}
    assert (left["Open"], left["Deliver"]) == ((), (b"hello",))


def bad_swallows() -> Algorithm[None]:
    peer = yield from Connect("host.dom", 7)
    yield from Send(peer, b"GET\r\n")
    yield from Open("document")
    try:
        while octets := (yield from Receive(peer)):
            yield from Deliver(octets)
    except AccessError:
        pass


def bad_assumes() -> Algorithm[None]:
    peer = yield from Connect("host.dom", 7)
    yield from Send(peer, b"GET\r\n")
    first = yield from Receive(peer)
    assert first is not None
    first[0]
    yield from Open("document")
    while octets := (yield from Receive(peer)):
        yield from Deliver(octets)


def bad_retries() -> Algorithm[None]:
    try:
        yield from counted()
    except ConnectError:
        yield from counted()


def bad_sends() -> Algorithm[None]:
    peer = yield from Connect("host.dom", 7)
    yield from Send(peer, b"GET\r\n")
    reader = Reader(peer)
    try:
        yield from reader.line()
        yield from Open("document")
        yield from Deliver((yield from reader.exactly(5)))
    except AccessError:
        yield from Send(peer, b"ABORT\r\n")
        raise


def bad_insists() -> Algorithm[None]:
    peer = yield from Connect("host.dom", 7)
    yield from Send(peer, b"GET\r\n")
    yield from Open("document")
    try:
        while octets := (yield from Receive(peer)):
            yield from Deliver(octets)
    except Truncated:
        yield from Send(peer, b"AGAIN\r\n")


def bad_stays() -> Algorithm[None]:
    peer = yield from Connect("host.dom", 7)
    try:
        yield from Send(peer, b"GET\r\n")
        reader = Reader(peer)
        yield from reader.line()
        yield from Open("document")
        yield from Deliver((yield from reader.exactly(5)))
    finally:
        yield from Receive(peer)


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (bad_swallows, "truncated content counts as complete"),
        (bad_assumes, "IndexError was raised, which is not a URLError"),
        (bad_retries, "no such step left"),
        (bad_sends, "ABORT"),
        (bad_insists, r"then reset' at request .*: the algorithm requests Send\(.*AGAIN"),
        (bad_stays, "after the caller had left"),
    ],
)
def test_a_bad_algorithm_is_found_by_faults(bad: object, complaint: str) -> None:
    assert callable(bad)
    assert replay(bad(), COUNTED).error is None
    with pytest.raises(AssertionError, match=complaint):
        fault_everywhere(bad, COUNTED, ends_by_closing=True)


def bad_guesses() -> Algorithm[None]:
    peer = yield from Connect("host.dom", 7)
    line = yield from Reader(peer).line()
    yield from Open("attributes", Attributes(size=int(line or 0)))


def bad_forgives() -> Algorithm[None]:
    peer = yield from Connect("host.dom", 7)
    line = yield from Reader(peer).line()
    if line:
        raise RemoteError("refused")
    yield from Open("document")


def bad_invents() -> Algorithm[None]:
    peer = yield from Connect("host.dom", 7)
    line = b""
    while not line.endswith(b"\n") and (octets := (yield from Receive(peer))):
        line += octets
    yield from Open("listing")
    if line:
        yield from Deliver(Entry(name=line.decode()))
    if not line.endswith(b"\n"):
        raise Truncated("closed early")


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (bad_guesses, "truncated content counts as complete"),
        (bad_forgives, "the access succeeded, but fails without the fault"),
        (bad_invents, "delivered content that the script does not have"),
    ],
)
def test_another_result_than_that_without_a_fault_is_found(bad: object, complaint: str) -> None:
    assert callable(bad)
    with pytest.raises(AssertionError, match=complaint):
        fault_everywhere(bad, Script(connect("host.dom", 7), server("52")))


def test_octets_can_be_allowed_after_a_fault() -> None:
    runs = fault_everywhere(bad_sends, COUNTED, also=["ABORT"], ends_by_closing=True)
    assert any(run.outcome.sent.get("connection", b"").endswith(b"ABORT\r\n") for run in runs)


def test_the_server_does_not_answer_octets_that_are_allowed_only_after_a_fault() -> None:
    def leaving() -> Algorithm[None]:
        peer = yield from Connect("host.dom", 7)
        yield from Send(peer, b"GET\r\n")
        try:
            yield from Receive(peer)
        except LimitExceeded:
            yield from Send(peer, b"ABORT\r\n")
            assert (yield from Receive(peer, within=1)) is None
            raise
        yield from Open("document")

    assert fault_everywhere(leaving, Script(*COUNTED.steps[:3]), also=["ABORT"])


def test_an_early_end_is_allowed_or_reported_by_the_algorithm() -> None:
    def until_closed(*, honest: bool) -> Algorithm[None]:
        peer = yield from Connect("host.dom", 7)
        yield from Send(peer, b"GET\r\n")
        yield from Open("document")
        content = b""
        while octets := (yield from Receive(peer)):
            content += octets
            yield from Deliver(octets)
        if honest and not content.endswith(b"o"):
            yield from Unterminated()

    with pytest.raises(AssertionError, match="truncated content counts as complete"):
        fault_everywhere(lambda: until_closed(honest=False), COUNTED)
    assert fault_everywhere(lambda: until_closed(honest=False), COUNTED, ends_by_closing=True)
    runs = fault_everywhere(lambda: until_closed(honest=True), COUNTED)
    assert any(not run.outcome.terminated and not run.outcome.complete for run in runs)


def test_the_caller_may_leave_early() -> None:
    outcome = replay(transfer(), TRANSFER, take=0)
    assert (outcome.kind, outcome.delivered, outcome.unclosed) == ("document", (), ("data",))
    assert replay(counted(), COUNTED, take=1, chunk=2).content == b"he"


def test_files_are_read_and_folders_are_listed() -> None:
    def reading() -> Algorithm[None]:
        facts = yield from Examine("/pub/a")
        peer = yield from OpenFile("/pub/a")
        yield from Open("document", Attributes(size=facts.size))
        left = facts.size
        while left:
            octets = yield from Receive(peer)
            if not octets:
                raise Truncated("the file became shorter")
            left -= len(octets)
            yield from Deliver(octets)

    def listing() -> Algorithm[None]:
        held = yield from ListFolder("/pub")
        yield from Open("listing")
        for facts in held:
            yield from Deliver(Entry(name=facts.path, kind=facts.kind))

    tree = Script(folder("/pub"), file("/pub/b"), file("/pub/a", b"some text"), folder("/pub/c"), file("/pub/c/d"))
    assert split_everywhere(reading, tree).content == b"some text"
    assert {run.fault for run in fault_everywhere(reading, tree)} >= {"unreadable", "forbidden", "end"}
    assert [(entry.name, entry.kind) for entry in replay(listing(), tree).entries] == [
        ("/pub/a", "file"),
        ("/pub/b", "file"),
        ("/pub/c", "directory"),
    ]
    assert isinstance(replay(listing(), Script()).error, RemoteError)
    denied = Script(file("/pub/a", error=PolicyDenied("no")))
    assert isinstance(replay(reading(), denied).error, PolicyDenied)


def test_credentials_answers_and_content_of_the_caller() -> None:
    form = Form("a form", (Question("Ask", "how many?"),))

    def asking() -> Algorithm[None]:
        login = yield from Authenticate("host.dom", 7)
        given = yield from Ask(form)
        peer = yield from Connect("host.dom", 7)
        yield from StartTLS(peer, "host.dom")
        assert peer.secure
        yield from Send(peer, (login.user if login else "nobody").encode() + b"\r\n" + given[0].encode() + b"\r\n")
        data = yield from ConnectBack(peer, 2000)
        while pieces := (yield from Pull()):
            yield from Send(data, pieces)
        yield from Close(data)
        yield from Open("document")
        yield from Deliver((yield from Reader(peer).line()) or b"")

    script = Script(
        credentials("joe", "secret"),
        answers("two"),
        connect("host.dom", 7),
        start_tls("host.dom"),
        client("joe", "two"),
        connect_back(2000),
        upload(b"some"),
        upload(b"thing"),
        client(b"something", on="data"),
        client_closes(on="data"),
        server("done"),
    )
    outcome = split_everywhere(asking, script)
    assert outcome.content == b"done"
    assert outcome.sent == {"connection": b"joe\r\ntwo\r\n", "data": b"something"}
    assert outcome.forms == (form,)
    without = Script(*script.steps[2:])
    with pytest.raises(Departure):
        replay(asking(), without)
    elsewhere = [replace(step, host="other.dom") if step.call == "start_tls" else step for step in script.steps]
    with pytest.raises(Departure, match=r"StartTLS\(.*expected: start_tls\('other.dom'"):
        replay(asking(), Script(*elsewhere))
    assert isinstance(replay(asking(), Script()).error, InputRequired)


def test_a_recorded_dialogue_can_be_replayed_and_pasted() -> None:
    recording = Recording()
    replay(recording.of(transfer()), TRANSFER, chunk=4)
    again = recording.script
    assert split_everywhere(transfer, again).content == b"content"
    assert "connect_back(4000),\n" in again.source()
    recording = Recording()
    replay(recording.of(transfer()), TRANSFER)
    pasted = eval(recording.script.source())
    assert pasted == recording.script
    assert isinstance(pasted, Script)
    assert split_everywhere(transfer, pasted).content == b"content"


def test_files_and_answers_of_the_caller_are_recorded_as_they_are() -> None:
    def looking() -> Algorithm[None]:
        for host in ("a.dom", "b.dom"):
            yield from Authenticate(host, 7, tokens=True)
        for path in ("/pub/a", "/pub/pipe"):
            yield from Examine(path)
        yield from ListFolder("/pub")
        peer = yield from OpenFile("/pub/a")
        yield from Open("document")
        while octets := (yield from Receive(peer)):
            yield from Deliver(octets)

    script = Script(
        credentials("", token="secret"),
        credentials(None),
        file("/pub/a", b"some text", size=9),
        file("/pub/pipe", kind="other"),
        folder("/pub"),
    )
    recording = Recording()
    replay(recording.of(looking()), script, chunk=2)
    assert {*recording.script} == {*script}
    assert replay(looking(), recording.script).content == b"some text"


STEPS = [
    "connect('host.dom', 7)",
    "connect('host.dom', 7, on='datagrams', error=ConnectError('refused'), transport='udp')",
    "connect_back(4000)",
    "connect_back(4000, on='data 2')",
    "start_tls('host.dom')",
    "client('GET /', 'Host: host.dom', '')",
    "client(b'no line', on='data', early=True)",
    "client_closes()",
    "server('ready')",
    "server(b'\\xff\\r\\n')",
    "silence()",
    "server_closes(on='data')",
    "server_resets()",
    "follow('/a', ConnectError('refused'))",
    "credentials('joe', 'secret')",
    "credentials('', token='secret')",
    "credentials(None)",
    "answers('yes', '')",
    "upload('one', 'two')",
    "file('/a')",
    "file('/a', b'one\\r\\n', error=PolicyDenied('no'), size=9)",
    "file('/a', kind='other')",
    "folder('/a')",
    "written('/a', b'one\\r\\n', to='append')",
    "removed('/a')",
]


@pytest.mark.parametrize("call", STEPS)
def test_a_step_prints_the_call_that_makes_it(call: str) -> None:
    assert repr(eval(call, vars(steps) | globals())) == call


def test_a_script_prints_its_steps_as_they_were_written() -> None:
    longer = Script(TRANSFER, file("/a", modified=dt.datetime(1993, 6, 1, tzinfo=dt.UTC)))
    assert str(longer).splitlines()[4:8] == [
        "  4 connect_back(4000)",
        "  5 client('RETR')",
        "  6 server('150 here')",
        "  7 server(b'content', on='data')",
    ]
    pasted = eval(longer.source(), globals() | {"datetime": dt})
    assert (pasted, str(pasted)) == (longer, str(longer))


def test_a_step_without_a_connection_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="connection 'data' is not open"):
        Script(connect("host.dom", 7), server("x", on="data"))
    with pytest.raises(ValueError, match="no connection is open"):
        Script(server("x"))


def test_each_connection_of_one_name_gets_a_number() -> None:
    two = Script(connect("a.dom", 80), server("a"), connect("b.dom", 80), server("b"))
    assert [step.on for step in two] == ["connection", "connection", "connection 2", "connection 2"]
    assert [step.on for step in two.then(connect("c.dom", 80), server("c"))][4:] == ["connection 3", "connection 3"]


RECORD = """
scheme = "x-count"
operations = ["access"]
[syntax]
bnf = 'counturl = "x-count://" hostport'
parts = { host = "host", port = { at = "port", number = true } }
"""


def test_an_access_over_real_sockets_can_be_recorded_and_replayed() -> None:
    registration = Registration.from_text(RECORD, source="the tests")

    class CountURL(InternetURL, registration=registration):
        pass

    def retrieve(url: InternetURL) -> Algorithm[None]:
        control = yield from Connect(url.host, url.port or 0, label="control")
        replies = Reader(control)
        data = yield from ConnectBack(control, int((yield from replies.line()) or b""))
        yield from Send(control, b"GET\r\n")
        yield from Open("document")
        while octets := (yield from Receive(data)):
            yield from Deliver(octets)
        assert (yield from replies.line()) == b"done"

    recording = Recording()
    acts = offers_data("{port}", waits(0.01), says(b"content")), hears(), after_data(), says("done")
    with rogue(*acts) as address:
        url = CountURL.parse(f"x-count://{address}")
        algorithm = recording.of(retrieve(url))
        document = run(Dialogue(algorithm, Operation(url, Settings(policy=Policy.interactive()))))
        assert isinstance(document, Document)
        with document:
            assert document.read() == b"content"
    outcome = split_everywhere(lambda: retrieve(url), recording.script)
    assert outcome.content == b"content"
    assert outcome.sent == {"connection": b"GET\r\n", "data": b""}
