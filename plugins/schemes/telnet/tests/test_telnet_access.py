"""Opening a telnet URL, against written dialogues."""

from __future__ import annotations

import pickle
from functools import partial

import pytest

from urlschemes.errors import UnsafeURL, UnsupportedOperation
from urlschemes_telnet import TelnetURL
from urlschemes_telnet.access import open_session
from urlschemes_telnet.session import TelnetAttributes, TelnetSession
from urlschemes_testing.replay import Script, connect, fault_everywhere, replay, split_everywhere

HOST = "host.dom"


def test_opening_a_session_sends_nothing() -> None:
    for url, port in (("telnet://host.dom", 23), ("telnet://joe:secret@host.dom:2323/", 2323)):
        opening, script = partial(open_session, TelnetURL.parse(url)), Script(connect(HOST, port))
        fault_everywhere(opening, script)
        outcome = split_everywhere(opening, script)
        assert (outcome.kind, outcome.session, outcome.error) == ("session", TelnetSession, None)
        assert outcome.sent == {"connection": b""}
        assert outcome.unclosed == ()


def test_the_attributes_have_the_window_size() -> None:
    outcome = replay(open_session(TelnetURL.parse("telnet://h/"), columns=80, rows=24), Script(connect("h", 23)))
    attributes = outcome.attributes
    assert attributes == TelnetAttributes(columns=80, rows=24)
    assert pickle.loads(pickle.dumps(attributes)) == attributes


@pytest.mark.parametrize(
    ("login", "part"),
    [
        ("guest%0D%0Als", "user"),
        ("guest%00", "user"),
        ("u%FF%FA%18", "user"),
        ("%1B", "user"),
        ("u:%0Ap", "password"),
        ("u:p%7F", "password"),
        ("-froot", "user"),
        ("%2Df%20root", "user"),
    ],
)
def test_a_login_that_cannot_be_typed_safely_is_refused_before_connecting(login: str, part: str) -> None:
    outcome = replay(open_session(TelnetURL.parse(f"telnet://{login}@h/")), Script())
    refused = outcome.error
    assert isinstance(refused, UnsafeURL)
    assert (refused.part, refused.section, refused.scheme) == (part, "RFC 1738 section 6", "telnet")


@pytest.mark.parametrize("terminal", ["vt 100", "x" * 41, "-x", "x\r\n", "x;ls", "\u00fc", "\xff"])
def test_what_is_not_the_name_of_a_terminal_is_refused_before_connecting(terminal: str) -> None:
    error = replay(open_session(TelnetURL.parse("telnet://h/"), terminal=terminal), Script()).error
    assert isinstance(error, UnsupportedOperation)
    assert error.part == "terminal"
