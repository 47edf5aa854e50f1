"""The body of a response: one that is shorter than announced, and small chunks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from http_dialogues import CHUNKED, OK, OPENING, URL, outcome_of

from urlschemes_access.errors import Truncated
from urlschemes_http.access import access
from urlschemes_testing.replay import Step, replay, server, server_closes, server_resets

SHORT: dict[str, tuple[bytes, bytes, int | None]] = {
    "B17 no body": (OK + b"Content-Length: 10\r\n\r\n", b"", 10),
    "B17 half a body": (OK + b"Content-Length: 10\r\n\r\nhello", b"hello", 10),
    "B16 a huge length": (OK + b"Content-Length: 9223372036854775807\r\n\r\nhello", b"hello", 2**63 - 1),
    "B17 no chunk": (CHUNKED, b"", None),
    "B17 half a chunk": (CHUNKED + b"a\r\nhello", b"hello", None),
    "B17 a chunk without its end": (CHUNKED + b"5\r\nhello", b"hello", None),
    "B17 no last chunk": (CHUNKED + b"5\r\nhello\r\n", b"hello", None),
    "B17 half a chunk size": (CHUNKED + b"5\r\nhello\r\n1", b"hello", None),
    "B17 no end of the trailer": (CHUNKED + b"5\r\nhello\r\n0\r\n", b"hello", None),
    "B17 half a trailer": (CHUNKED + b"5\r\nhello\r\n0\r\nA: b\r\n", b"hello", None),
}


@pytest.mark.fault(17)
@pytest.mark.parametrize("ending", [server_closes, server_resets])
@pytest.mark.parametrize("name", SHORT)
def test_a_short_body_is_truncated(name: str, ending: Callable[[], Step]) -> None:
    octets, received, expected = SHORT[name]
    outcome = replay(access(URL), OPENING.then(server(octets), ending()))
    assert isinstance(outcome.error, Truncated), outcome
    assert (outcome.content, outcome.error.received, outcome.error.expected) == (received, len(received), expected)


def test_a_reset_in_a_body_that_ends_with_the_connection_is_truncated() -> None:
    outcome = replay(access(URL), OPENING.then(server(OK + b"\r\nhello"), server_resets()))
    assert isinstance(outcome.error, Truncated)
    assert (outcome.error.received, outcome.error.expected) == (5, None)


def test_small_chunks_are_delivered_together() -> None:
    body = b"1\r\nx\r\n" * 50 + b"0\r\n\r\n"
    assert outcome_of(OPENING.then(server(CHUNKED), server(body))).delivered == (b"x" * 50,)
