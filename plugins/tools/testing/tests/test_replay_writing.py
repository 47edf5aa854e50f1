"""Dialogues of writing: what is sent and stored is all of the content, or the replay says what was not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from urlschemes_access import Attributes, Policy
from urlschemes_access.dialogue import Dialogue, Operation
from urlschemes_access.errors import AccessError, PolicyDenied, RemoteError, Truncated
from urlschemes_access.protocol import (
    Algorithm,
    Close,
    Connect,
    ConnectBack,
    Keep,
    Open,
    OpenFile,
    Pull,
    Reader,
    Receive,
    Remove,
    Send,
)
from urlschemes_access.resources.synchronous import run
from urlschemes_access.settings import Settings
from urlschemes_file import FileURL
from urlschemes_testing.replay import (
    Departure,
    Recording,
    Script,
    client,
    client_closes,
    connect,
    connect_back,
    fault_everywhere,
    file,
    folder,
    removed,
    replay,
    server,
    split_everywhere,
    upload,
    written,
)

# --- Files ------------------------------------------------------------------------------------------------------------


def store(path: str = "/a", to: Any = "replace") -> Algorithm[None]:
    pieces = yield from Pull()
    output = yield from OpenFile(path, to=to)
    while pieces:
        yield from Send(output, pieces)
        pieces = yield from Pull()
    facts = yield from Keep(output)
    yield from Open("attributes", Attributes(size=facts.size))


def remove() -> Algorithm[None]:
    yield from Remove("/a")
    yield from Open("attributes")


TWO = (upload(b"one"), upload(b"two"))


def test_a_file_is_written_completely() -> None:
    good = Script(*TWO, written("/a", b"onetwo"))
    outcome = split_everywhere(store, good)
    assert (outcome.files, outcome.sent) == ({"/a": b"onetwo"}, {})
    assert outcome.attributes == Attributes(size=6)
    assert {run.fault for run in fault_everywhere(store, good)} == {"unreadable", "forbidden", "disk full", "cancelled"}
    assert not any(run.outcome.files for run in fault_everywhere(store, good) if run.outcome.error)


def test_a_file_is_appended_to_and_removed() -> None:
    good = Script(file("/a", b"old"), *TWO, written("/a", b"onetwo", to="append"))
    outcome = replay(store(to="append"), good)
    assert (outcome.files, outcome.attributes) == ({"/a": b"onetwo"}, Attributes(size=9))
    assert replay(remove(), Script(file("/a"), removed("/a"))).files == {"/a": None}


def test_files_that_are_missing_or_not_regular() -> None:
    for there, error in (((), RemoteError), ((file("/a", kind="other"),), None), ((folder("/a"),), None)):
        outcome = replay(remove(), Script(*there, removed("/a")))
        assert isinstance(outcome.error, error) if error else outcome.error is None
    outcome = replay(
        store(to="append"), Script(upload(b"x"), written("/a", b"x", to="append", error=PolicyDenied("no")))
    )
    assert isinstance(outcome.error, PolicyDenied)
    assert isinstance(replay(remove(), Script(removed("/a", error=RemoteError("no")))).error, RemoteError)


def other(*, octets: bytes = b"onetwo", keeps: bool = True, reads: bool = False) -> Algorithm[None]:
    output = yield from OpenFile("/a", to="replace")
    yield from Send(output, octets)
    if reads:
        yield from Receive(output)
    if keeps:
        yield from Keep(output)
    yield from Open("attributes")


@pytest.mark.parametrize("how", [{"octets": b"one"}, {"octets": b"other!"}, {"keeps": False}, {"reads": True}])
def test_another_use_of_a_file_is_a_departure(how: dict[str, Any]) -> None:
    with pytest.raises(Departure):
        replay(other(**how), Script(written("/a", b"onetwo")))


def test_a_file_that_is_read_cannot_be_written() -> None:
    def algorithm() -> Algorithm[None]:
        peer = yield from OpenFile("/a")
        yield from Send(peer, b"x")

    with pytest.raises(Departure, match="to a file opened for writing"):
        replay(algorithm(), Script(file("/a")))
    with pytest.raises(Departure):
        replay(store(), Script(upload(b"x"), file("/a")))
    with pytest.raises(Departure):
        replay(remove(), Script(file("/a")))


def test_an_algorithm_that_keeps_a_part_of_a_file_is_found() -> None:
    def careless() -> Algorithm[None]:
        output = yield from OpenFile("/a", to="replace")
        for octets in (b"one", b"two"):
            try:
                yield from Send(output, octets)
            except RemoteError:
                break
        yield from Keep(output)
        yield from Open("attributes")

    with pytest.raises(AssertionError, match="'disk full' at request"):
        fault_everywhere(careless, Script(written("/a", b"onetwo")))


# --- Connections ------------------------------------------------------------------------------------------------------

CONTROL = Script(connect("h", 21), *TWO, connect_back(2000))
STORED = CONTROL.then(
    client(b"one", on="data"), client(b"two", on="data"), client_closes(on="data"), server("226", on="connection")
)


def send(
    *, sends: bool = True, early: bool = False, swallows: bool = False, waits: bool = True
) -> Callable[[], Algorithm[None]]:
    """Return an algorithm for the script STORED; each argument can make it wrong."""

    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("h", 21)
        data = yield from ConnectBack(peer, 2000, sends=sends)
        lost = False
        while not lost and (pieces := (yield from Pull())):
            try:
                yield from Send(data, pieces)
            except AccessError:
                lost = True
                if early:
                    yield from Close(data)
                if not swallows:
                    raise
        if not lost:
            yield from Close(data)
        if waits and (yield from Reader(peer).line()) != b"226":
            raise Truncated("no reply confirms the upload")
        yield from Open("attributes")

    return algorithm


def test_a_good_upload_passes_with_every_fault() -> None:
    assert split_everywhere(send(), STORED).complete
    runs = fault_everywhere(send(), STORED)
    assert {run.fault for run in runs} >= {"reset", "timeout", "end", "cancelled"}


def test_a_part_of_what_is_sent_is_accepted_before_a_fault() -> None:
    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("h", 21)
        data = yield from ConnectBack(peer, 2000, sends=True)
        try:
            while pieces := (yield from Pull()):
                yield from Send(data, pieces)
        except AccessError as error:
            reply = yield from Receive(peer, within=1)
            raise RemoteError(f"the reply was {reply!r}", sent=error.accepted) from error
        yield from Close(data)
        yield from Reader(peer).line()
        yield from Open("attributes")

    runs = [each for each in fault_everywhere(algorithm, STORED) if " of " in each.fault]
    assert [each.fault for each in runs[:9]] == [
        "1 of 3 octets, then reset",
        "1 of 3 octets, then timeout",
        "1 of 3 octets, then a reply",
        "1 of 3 octets, then a reply and reset",
        "2 of 3 octets, then reset",
        "2 of 3 octets, then timeout",
        "2 of 3 octets, then a reply",
        "2 of 3 octets, then a reply and reset",
        "3 of 3 octets, then a reply",
    ]
    assert len(runs) == 18
    for each in runs:
        count = int(each.fault[0])
        if each.fault.endswith("a reply"):  # all is sent, and the reply is read when it is looked for
            assert (each.outcome.complete, each.outcome.sent["data"]) == (True, b"onetwo")
            continue
        error = each.outcome.error
        assert isinstance(error, AccessError)
        assert error.sent == count
        assert each.outcome.sent["data"] in {b"one"[:count], b"one" + b"two"[:count]}
        assert (r"the reply was b'226\r\n'" in str(error)) == each.fault.endswith("a reply and reset")


@pytest.mark.parametrize(
    ("careless", "complaint"),
    [
        pytest.param(send(sends=False), "is closed, not reset", id="what is given up ends in good order"),
        pytest.param(send(early=True), "is closed, not reset", id="it is closed in good order after a part"),
        pytest.param(send(swallows=True, waits=False), "part of the upload was lost", id="what was lost is forgotten"),
        pytest.param(send(swallows=True), "part of the upload was lost", id="a reply is trusted more than the loss"),
    ],
)
def test_an_upload_whose_part_looks_complete_is_found(careless: Callable[[], Algorithm[None]], complaint: str) -> None:
    assert replay(careless(), STORED).error is None
    with pytest.raises(AssertionError, match=complaint):
        fault_everywhere(careless, STORED)


def test_only_the_algorithm_closes_what_it_sent() -> None:
    def algorithm() -> Algorithm[None]:
        peer = yield from Connect("h", 21)
        data = yield from ConnectBack(peer, 2000)
        yield from Send(data, b"one")
        yield from Open("attributes")

    script = Script(connect("h", 21), connect_back(2000), client(b"one", on="data"), client_closes(on="data"))
    with pytest.raises(Departure, match=r"a step is missing: client_closes\(on='data'\)"):
        replay(algorithm(), script)


# --- Recording --------------------------------------------------------------------------------------------------------


def test_writing_is_recorded(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"old")
    policy = replace(Policy.untrusted(), writable=(str(tmp_path),))

    def recorded(algorithm: Algorithm[None], content: Any = None) -> str:
        recording = Recording()
        url = FileURL.from_path(tmp_path)
        run(Dialogue(recording.of(algorithm), Operation(url, Settings(policy=policy), content=content)))
        return recording.script.source().replace(str(tmp_path), "")

    assert recorded(store(f"{tmp_path}/a"), [b"one", b"two"]).split("\n")[1:-1] == [
        "    upload(b'one'),",
        "    upload(b'two'),",
        "    written('/a', b'onetwo'),",
    ]
    assert "written('/b', b'x', to='append')" in recorded(store(f"{tmp_path}/b", "append"), b"x")

    def removing() -> Algorithm[None]:
        yield from Remove(f"{tmp_path}/b")
        yield from Open("attributes")

    assert "removed('/b')" in recorded(removing())


def test_a_reply_on_the_connection_of_the_upload_arrives_before_the_connection_breaks() -> None:
    def post() -> Algorithm[None]:
        peer = yield from Connect("h", 7)
        try:
            yield from Send(peer, (yield from Pull()))
        except AccessError as error:
            raise RemoteError(f"the reply was {(yield from Reader(peer).line())}") from error
        yield from Reader(peer).line()
        yield from Open("attributes")

    script = Script(connect("h", 7), upload(b"one"), client(b"one"), server("250"))
    answered = {each.fault for each in fault_everywhere(post, script) if "250" in str(each.outcome.error)}
    assert answered == {"1 of 3 octets, then a reply and reset", "2 of 3 octets, then a reply and reset"}
