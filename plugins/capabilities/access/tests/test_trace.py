"""Secrets that a server repeats in other letters or in base64: hidden in traces, errors and attributes."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

import pytest

from urlschemes_access.attributes import Attributes
from urlschemes_access.dialogue.trace import Trace
from urlschemes_access.errors import RemoteError

if TYPE_CHECKING:
    from urlschemes_access.dialogue.deadline import Deadline


def trace_with(*secrets: bytes, deadline: Deadline | None = None) -> Trace:
    trace = Trace(None, deadline)  # type: ignore[arg-type]  # no event is emitted
    for secret in secrets:
        trace.add_secret(secret)
    return trace


SECRET = "Hunter2+ä".encode()
ECHOES = {
    "unchanged": SECRET,
    "in capitals": "HUNTER2+Ä".encode(),
    "in small letters": "hunter2+ä".encode(),
    "in base64": b64encode(SECRET),
    "in base64 after one octet": b64encode(b"x" + SECRET),
    "in base64 after two octets": b64encode(b"xy" + SECRET),
    "within AUTH PLAIN": b64encode(b"\0ann\0" + SECRET),
    "within AUTH PLAIN with an identity": b64encode(b"ann@home.dom\0ann\0" + SECRET),
    "within HTTP Basic": b64encode(b"joe:" + SECRET),
}


@pytest.mark.parametrize("echo", ECHOES.values(), ids=ECHOES)
def test_a_secret_that_a_server_repeats_is_hidden(echo: bytes) -> None:
    trace = trace_with(SECRET)
    said = b"504 " + echo + b" is unknown"
    hidden = trace.hide_in_octets(said)
    assert hidden.startswith(b"504 ")
    assert hidden.endswith(b"*** is unknown")
    text = said.decode()
    error = RemoteError(f"refused: {text}", text=text)
    trace.hide_in_error(error)
    attributes = trace.hide_in_attributes(Attributes(fields={"reply": text}))
    for shown in (str(error), error.text, attributes.fields["reply"], trace.hide_in_text(text)):
        assert "*** is unknown" in shown
        assert hidden.decode() in shown
        assert b64encode(SECRET)[:4].decode() not in shown


def test_what_only_resembles_a_secret_stays() -> None:
    trace = trace_with(SECRET, b"abc")
    for octets in (b"Hunter3+", b"SHVudGVyMyt4", b"abc ABC", bytes(range(256)) * 9):
        assert trace.hide_in_octets(octets) == octets


def test_a_secret_of_pattern_characters_is_no_pattern() -> None:
    trace = trace_with(rb"a.*[b]\d")
    assert trace.hide_in_octets(rb"A.*[B]\D axxb1") == b"*** axxb1"
    assert trace.hide_in_text(r"a.*[b]\d axxb1") == "*** axxb1"
