"""Secrets are hidden in traces, errors and attributes, also if a server repeats them in other letters or in base64."""

from __future__ import annotations

from base64 import b64encode

import pytest
from fake_servers import Serve, until_gone
from talk_scheme import IMPATIENT, TalkURL, fetch, run

from urlschemes_access.attributes import Attributes
from urlschemes_access.dialogue.deadline import Deadline
from urlschemes_access.dialogue.trace import Trace
from urlschemes_access.errors import DeadlineExceeded, RemoteError, Truncated
from urlschemes_access.protocol import Algorithm, Open


@pytest.mark.plugin_fault(24, 40)
@pytest.mark.usefixtures("backend")
def test_a_password_repeated_by_the_server_is_hidden_in_errors() -> None:
    def algorithm() -> Algorithm[None]:
        yield from Open("document")
        try:
            raise Truncated("cut after hunt\xe8r22")
        except Truncated as error:
            raise RemoteError("PASS hunt\xe8r22?", text="PASS hunt\\xe8r22?", hint="not hunt\xe8r22") from error

    document = run(algorithm(), url=TalkURL.parse("x-talk://me:hunt%C3%A8r22@127.0.0.1/"))
    with pytest.raises(RemoteError) as fault:
        document.read()
    assert str(fault.value) == "PASS ***?; not ***"
    assert (fault.value.text, fault.value.args) == ("PASS ***?", ("PASS ***?",))
    assert str(fault.value.__cause__) == "cut after ***"


@pytest.mark.usefixtures("backend")
def test_a_password_repeated_by_the_server_is_hidden_in_attributes() -> None:
    url = TalkURL.parse("x-talk://joe:hunter2@127.0.0.1:7/")

    def algorithm() -> Algorithm[None]:
        yield from Open("attributes", Attributes(name="a", fields={"reply": "226 stored hunter2", "other": "226 ok"}))

    assert run(algorithm(), url=url).fields == {"reply": "226 stored ***", "other": "226 ok"}


@pytest.mark.usefixtures("backend")
def test_an_error_is_one_printable_line_without_the_password(serve: Serve) -> None:
    port = serve(until_gone)
    url = TalkURL.parse(f"x-talk://me:hunter22@127.0.0.1:{port}/")
    with pytest.raises(DeadlineExceeded) as late:
        run(fetch(port), url=url, policy=IMPATIENT).read()
    text = str(late.value)
    assert "hunter22" not in text
    assert text.isprintable()
    assert text.isascii()
    assert len(text) <= 300


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
