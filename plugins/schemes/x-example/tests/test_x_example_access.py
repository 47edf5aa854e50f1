"""The access of x-example: the dialogue, split at each octet and with every fault, and over a socket."""

import pytest
from urlschemes import Registry
from urlschemes.errors import UnsafeURL, URLError
from urlschemes_access import Client, Document, Policy
from urlschemes_access.errors import (
    ConnectError,
    ProtocolError,
    RemoteError,
    Truncated,
)
from urlschemes_testing.replay import (
    Script,
    client,
    connect,
    fault_everywhere,
    replay,
    server,
    server_closes,
    split_everywhere,
)

from urlschemes_x_example import ExampleURL
from urlschemes_x_example.access import access
from urlschemes_x_example.demo import server as document_server

URL = ExampleURL(host="host.dom", name="house rules", edition=2)
REQUEST = (connect("host.dom", 1021), client("house rules\t2"))
GOOD = Script(*REQUEST, server("OK 9", b"Be kind.\n"), server_closes())


def test_the_document_is_delivered_with_its_size() -> None:
    outcome = replay(access(URL), GOOD)
    assert outcome.content == b"Be kind.\n"
    assert outcome.attributes is not None
    assert outcome.attributes.size == 9
    assert outcome.complete


def test_without_an_edition_the_client_requests_the_newest() -> None:
    request = (connect("host.dom", 1021), client("house rules\t"))
    url = URL.replace(edition=None)
    outcome = replay(access(url), Script(*request, server("OK 0")))
    assert outcome.content == b""
    assert outcome.complete


def test_the_outcome_is_the_same_however_the_network_splits_the_response() -> None:
    assert split_everywhere(lambda: access(URL), GOOD).content == b"Be kind.\n"


def test_a_fault_is_an_error_and_never_a_shorter_document() -> None:
    runs = fault_everywhere(lambda: access(URL), GOOD)
    assert any(isinstance(run.outcome.error, Truncated) for run in runs)


@pytest.mark.parametrize(
    ("response", "error", "message"),
    [
        (b"ERR no such document\r\n", RemoteError, "refused: no such document"),
        (b"HTTP/1.0 400 Bad Request\r\n", ProtocolError, "OK and a length"),
        (b"OK 9\r\nBe", Truncated, "received 2 of 9 octets"),
        (b"OK", Truncated, "within a line"),
        (b"", ConnectError, "without a reply"),
    ],
)
def test_other_responses_are_errors(
    response: bytes,
    error: type[URLError],
    message: str,
) -> None:
    steps = (server(response),) if response else ()
    script = Script(*REQUEST, *steps, server_closes())
    outcome = split_everywhere(lambda: access(URL), script)
    assert type(outcome.error) is error
    assert message in str(outcome.error)


def test_a_control_octet_is_refused_before_connecting() -> None:
    url = ExampleURL(host="host.dom", name="a\0b")
    assert isinstance(replay(access(url), Script()).error, UnsafeURL)


def test_the_documents_of_a_server_are_read_over_sockets() -> None:
    registry = Registry(profile="rfc1738")
    reader = Client(registry=registry, policy=Policy.interactive())
    editions = ["Be kind.\n", "Be kind, and quiet.\n"]
    with document_server({"house rules": editions}) as address:
        url = f"x-example://{address}/house%20rules"
        with reader.access(f"{url};edition=1") as document:
            assert isinstance(document, Document)
            assert document.read() == b"Be kind.\n"
        with reader.access(url) as document:
            assert isinstance(document, Document)
            assert document.read_text() == "Be kind, and quiet.\n"
        with pytest.raises(RemoteError, match="no such document"):
            reader.access(f"{url};edition=3")
