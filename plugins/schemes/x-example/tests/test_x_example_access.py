"""The dialogue as it is written, cut everywhere, with every fault; and the whole of it over a socket."""

import pytest
from urlschemes.errors import UnsafeURL, URLError
from urlschemes_testing.replay import (
    Dialogue,
    client,
    connect,
    fault_everywhere,
    replay,
    server,
    server_closes,
    split_everywhere,
)

import urlschemes_access
from urlschemes_access import Document, Policy
from urlschemes_access.errors import ConnectError, ProtocolError, RemoteError, Truncated
from urlschemes_x_example import ExampleURL
from urlschemes_x_example.access import access
from urlschemes_x_example.demo import server as document_server

URL = ExampleURL(host="host.dom", name="house rules", edition=2)
ASKED = (connect("host.dom", 1021), client("house rules\t2"))
GOOD = Dialogue(*ASKED, server("OK 9", b"Be kind.\n"), server_closes())


def test_the_dialogue() -> None:
    outcome = replay(access(URL), GOOD)
    assert outcome.content == b"Be kind.\n"
    assert outcome.attributes is not None
    assert outcome.attributes.size == 9
    assert outcome.complete


def test_without_an_edition_the_newest_is_asked_for() -> None:
    asked = (connect("host.dom", 1021), client("house rules\t"))
    dialogue = Dialogue(*asked, server("OK 0"))
    outcome = replay(access(URL.replace(edition=None)), dialogue)
    assert outcome.content == b""
    assert outcome.complete


def test_it_is_the_same_however_the_answer_is_cut() -> None:
    assert split_everywhere(lambda: access(URL), GOOD).content == b"Be kind.\n"


def test_a_fault_is_an_error_and_never_a_shorter_document() -> None:
    runs = fault_everywhere(lambda: access(URL), GOOD)
    assert any(isinstance(run.outcome.error, Truncated) for run in runs)


@pytest.mark.parametrize(
    ("answer", "error", "says"),
    [
        (b"ERR no such document\r\n", RemoteError, "refused: no such document"),
        (b"HTTP/1.0 400 Bad Request\r\n", ProtocolError, "OK and a length"),
        (b"OK 9\r\nBe", Truncated, "2 of 9 octets came"),
        (b"OK", Truncated, "within a line"),
        (b"", ConnectError, "did not answer"),
    ],
)
def test_what_else_a_server_may_say(
    answer: bytes,
    error: type[URLError],
    says: str,
) -> None:
    said = (server(answer),) if answer else ()
    dialogue = Dialogue(*ASKED, *said, server_closes())
    outcome = split_everywhere(lambda: access(URL), dialogue)
    assert type(outcome.error) is error
    assert says in str(outcome.error)


def test_a_control_octet_is_refused_before_anything_is_connected() -> None:
    url = ExampleURL(host="host.dom", name="a\0b")
    assert isinstance(replay(access(url), Dialogue()).error, UnsafeURL)


def test_over_a_socket() -> None:
    here = Policy.interactive()
    rules = ["Be kind.\n", "Be kind, and quiet.\n"]
    with document_server({"house rules": rules}) as address:
        url = f"x-example://{address}/house%20rules"
        with urlschemes_access.access(f"{url};edition=1", policy=here) as document:
            assert isinstance(document, Document)
            assert document.read() == b"Be kind.\n"
        with urlschemes_access.access(url, policy=here) as document:
            assert isinstance(document, Document)
            assert document.read_text() == "Be kind, and quiet.\n"
        with pytest.raises(RemoteError, match="no such document"):
            urlschemes_access.access(f"{url};edition=3", policy=here)
