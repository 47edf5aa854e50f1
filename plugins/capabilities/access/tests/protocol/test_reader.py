"""Errors for unexpected octets, and addresses of servers in options."""

from __future__ import annotations

import pytest

from urlschemes.errors import UnsafeURL
from urlschemes_access.protocol import server_address, unexpected


@pytest.mark.parametrize(
    ("octets", "shown"),
    [
        (b"250 ready", "250 ready"),
        (b"\x1b[2J\r\n", r"\x1b[2J\x0d\x0a"),
        (b"gr\xfcn", r"gr\xfcn"),
        (rb"C:\a", r"C:\a"),
        (b"x" * 61, "x" * 60),
    ],
)
def test_unexpected_octets_are_shown_safely(octets: bytes, shown: str) -> None:
    error = unexpected(octets, "reply", "a reply")
    assert error.message == f"expected a reply, got '{shown}'"
    assert error.where == "reply"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("relay.dom", ("relay.dom", 587)),
        ("relay.dom:25", ("relay.dom", 25)),
        ("192.0.2.1:01119", ("192.0.2.1", 1119)),
        ("mail_relay", ("mail_relay", 587)),
        ("relay.dom:99999", ("relay.dom", 99999)),
        ("[::1]", ("[::1]", 587)),
        ("[2001:db8::1]:25", ("[2001:db8::1]", 25)),
    ],
)
def test_the_address_of_a_server_has_a_host_and_perhaps_a_port(text: str, place: tuple[str, int]) -> None:
    """The policy checks the host and the port later."""
    assert server_address(text, 587, option="relay") == place


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":25",
        "relay.dom:",
        "relay.dom:x",
        "relay.dom:123456",
        "smtp://relay.dom",
        "a b",
        "a\r\nQUIT",
        "a:25\n",
        "::1",
        "[::1",
        "[::1%lo]",
        "u@h",
        "\u212a",
        "relay.dom:\u0661",
        "\x1b[2J",
        "a" * 254,
    ],
)
def test_an_invalid_server_address_is_unsafe(text: str) -> None:
    with pytest.raises(UnsafeURL, match=r"invalid relay '.*': expected host or host:port") as refused:
        server_address(text, 587, option="relay")
    assert refused.value.part == "relay"
    assert str(refused.value).isprintable()
