"""Uploads: what counts as sent, and the error if not all is sent or the server does not confirm it."""

from __future__ import annotations

import pytest

from urlschemes_access.attributes import Attributes
from urlschemes_access.errors import (
    AccessError,
    ConnectError,
    DeadlineExceeded,
    Indeterminate,
    ProtocolError,
    RemoteError,
    Truncated,
)
from urlschemes_access.protocol import Algorithm, Close, Connect, Open, Pull, Receive
from urlschemes_access.protocol.upload import Upload, decisive_answer
from urlschemes_testing.replay import (
    Script,
    client,
    connect,
    fault_everywhere,
    replay,
    server,
    server_closes,
    server_resets,
    split_everywhere,
    upload,
)


class Framed(Upload):
    """Lines of content in brackets, then a dot. The server answers by a plus, or refuses."""

    def early_error(self, within: float) -> Algorithm[AccessError | None]:
        answer = yield from self.answer(within)
        return RemoteError(f"refused; {self.sent} octets", text=answer.decode(), sent=self.sent) if answer else None

    def answer(self, within: float | None = None) -> Algorithm[bytes]:
        answer = yield from Receive(self.peer, within=within)
        if answer == b"":
            raise ConnectError("the server closed")
        if answer == b"?":
            raise ProtocolError("nonsense")
        return answer or b""


def store() -> Algorithm[None]:
    stored = Framed((yield from Connect("host.dom", 99)))
    while pieces := (yield from Pull()):
        yield from stored.send(pieces, before=b"<", after=b">\n")
    yield from stored.send((), after=b".")
    answer = yield from decisive_answer(stored.answer(), "plus", "it is stored or not", sent=stored.sent)
    yield from Open("attributes", Attributes(size=stored.sent, fields={"answer": answer.decode()}))
    yield from Close(stored.peer)


CONNECTED = Script(connect("host.dom", 99), upload(b"12345"), upload(b"678"))
HALF = CONNECTED.then(client(b"<12345>\n"))
ALL = HALF.then(client(b"<678>\n"), client(b"."))
STORED = ALL.then(server(b"+"))


def test_content_is_sent_piece_by_piece_and_counted() -> None:
    assert split_everywhere(store, STORED).attributes == Attributes(size=8, fields={"answer": "+"})


def test_after_every_fault_the_octets_of_content_that_were_sent_are_counted() -> None:
    errors = set()
    for run in fault_everywhere(store, STORED):
        error, octets = run.outcome.error, b"".join(run.outcome.sent.values())
        if isinstance(error, AccessError) and octets:
            sent = len(octets.translate(None, b"<>\n."))
            assert error.sent == sent, run
            assert not sent or f"{sent} octets" in str(error).replace("1 octet ", "1 octets ")
            errors.add(type(error))
        if "a reply" in run.fault and not octets.endswith(b"."):
            assert isinstance(error, RemoteError), run
    assert errors == {DeadlineExceeded, Indeterminate, RemoteError, Truncated}


@pytest.mark.parametrize(
    ("steps", "error", "sent", "words"),
    [
        (HALF.then(server(b"-")), RemoteError, 5, "refused; 5 octets"),
        (HALF.then(server(b"?")), ProtocolError, 5, "nonsense"),
        (HALF.then(server_closes()), Truncated, 5, "the upload was interrupted: the server closed; 5 octets"),
        (HALF.then(server_resets()), Truncated, 5, "reset by peer; 5 octets"),
        (HALF.then(client(b"<678>\n"), server(b"-")), RemoteError, 8, "refused; 8 octets"),
        (ALL.then(server_closes()), Indeterminate, 8, "sent all 8 octets, but received no plus: it is stored or not"),
        (ALL.then(server_resets()), Indeterminate, 8, "received no plus"),
        (ALL.then(server(b"?")), Indeterminate, 8, "received no valid plus"),
    ],
)
def test_an_upload_that_fails(steps: Script, error: type[AccessError], sent: int, words: str) -> None:
    failed = replay(store(), steps).error
    assert isinstance(failed, AccessError)
    assert (type(failed), failed.sent) == (error, sent)
    assert words in str(failed)
